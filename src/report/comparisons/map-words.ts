import { lineKeyOf } from "../../config/model/directive.js";
import type { ClientDescription } from "../../proof/clients/client-description.js";
import type { ClientAccess, DeniedAnswer, MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { ANY_OTHER_NAME, describeEntryPoint } from "../../proof/model/server-pairs.js";
import { answerClassOf } from "../../server/model/answer-class.js";
import { formatLine } from "../../server/trace/step.js";
import { toReadable } from "../../text/source.js";
import { formatCount, pluralize } from "../../text/words.js";
import { groupByKey } from "../text/text-printer.js";
import { type AlikeHosts, divideAlikeHosts } from "./alike-hosts.js";
import { ANY_CLIENT, formatAddresses, formatConditions, formatUsers } from "./client-words.js";
import { collectNamedWords, markExamples, type NamedWords } from "./path-examples.js";

/** Reports whether all requests fail with an error: that is not access, and not protection either. */
export function isFailing({ allowed, others }: ClientAccess): boolean {
  return allowed.length === 0 && others.length > 0 && others.every(isError);
}

function isError(answer: DeniedAnswer): boolean {
  return answer !== "redirect" && answerClassOf(Number(answer)) === "error";
}

/**
 * Formats the allowed clients: `every client`, `no client (403)`, `redirect`, `all requests fail (500)`,
 * `10.0.0.0/8; any logged-in user from other addresses; others: 401`.
 */
export function describeClientAccess(access: ClientAccess): string {
  const { allowed, others } = access;
  const refused = others.join(" or ");
  if (isFailing(access)) return `all requests fail (${refused})`;
  if (allowed.length === 0) return others.join() === "redirect" ? "redirect" : `no client (${refused})`;
  if (others.length === 0) return "every client";
  const rest = findRemainingSenders(allowed);
  const first = allowed.filter((each) => each !== rest).map((each) => describeSenders(each, each.clients));
  const last = rest ? [describeSenders(rest, ["other addresses"])] : [];
  return `${[...first, ...last].join("; ")}; others: ${refused}`;
}

/** Returns the entry whose clients are the complement of all others. */
function findRemainingSenders(allowed: readonly ClientDescription[]): ClientDescription | undefined {
  const networksOf = (clients: readonly string[]) => clients.flatMap((each) => each.split(", "));
  return allowed.find((each) => {
    const others = allowed.filter((other) => other !== each).flatMap(({ clients }) => networksOf(clients));
    const excepted = each.clients.flatMap((text) => networksOf([text.replace(/^all IPv[46](?: but )?/, "")]));
    const isAll = each.clients.length === 2 && each.clients.every((text) => /^all IPv[46]/.test(text));
    const left = new Set(excepted.filter((text) => text !== ""));
    return isAll && left.size > 0 && others.length === left.size && others.every((text) => left.has(text));
  });
}

function describeSenders({ users, conditions }: ClientDescription, clients: readonly string[]): string {
  const from = formatAddresses(clients);
  const who = formatUsers(users);
  const subject = who === "" ? from : from === ANY_CLIENT ? who : `${who} from ${from}`;
  return conditions.length === 0 ? subject : `${subject} ${formatConditions(conditions)}`;
}

/** Limit of the names shown of a server. */
const MAX_DOORS = 4;
const MAX_EXAMPLES = 4;

/** Renders a server by its names. */
export function formatServerTitle(server: MappedServer): string {
  const names = serverAddressNamesOf(server);
  const isAny = names.every((name) => name === ANY_OTHER_NAME);
  const shown = isAny ? "any host name" : names.slice(0, MAX_DOORS).join(", ");
  return names.length > MAX_DOORS ? `${shown} and ${names.length - MAX_DOORS} more` : shown;
}

/** Formats a number of path classes: `1 group of paths`. */
export function formatClassCount(count: number): string {
  return formatCount(count, "group of paths");
}

/** Returns the names of a server, each once. */
export function serverAddressNamesOf({ entryPoints }: MappedServer): readonly string[] {
  return [...new Set(entryPoints.map((entryPoint) => toReadable(describeEntryPoint(entryPoint))))].filter(
    (name) => name !== "",
  );
}

/** Returns the servers that are alike up to constants, by whether their constants are in the scopes. */
function alikeServersOf({ scopes, alike }: MappedServer): AlikeHosts {
  return divideAlikeHosts(alike, scopePolicyOf(scopes));
}

/** Groups servers with equal access. One that represents servers with other constants has a group of its own. */
export function groupServers(servers: readonly MappedServer[]): readonly ServerGroup[] {
  const alikeServers = servers.map((server) => ({ server, ...alikeServersOf(server) }));
  const keyOf = ({ server: { scopes }, renamed }: (typeof alikeServers)[number]) =>
    `${scopePolicyOf(scopes)}${renamed.join(" ")}`;
  return groupByKey(alikeServers, keyOf).map(({ first, others }) => ({
    server: first.server,
    same: [...first.same, ...others.flatMap(({ server, same }) => [serverAddressNamesOf(server)[0] ?? "", ...same])],
    renamed: first.renamed,
  }));
}

/** A server, and the names of those with the same access. */
export interface ServerGroup extends AlikeHosts {
  readonly server: MappedServer;
}

/** Returns a key for the access of scopes, regardless of the deciding lines. */
function scopePolicyOf(scopes: readonly MappedScope[]): string {
  return JSON.stringify(
    scopes.map(({ examples, place, methods, who, differs, isUnsure }) => [
      examples,
      place,
      methods,
      who,
      differs,
      isUnsure,
    ]),
  );
}

/** Returns a key for access and deciding rules: identical `.htaccess` files count as the same. */
export function scopeRulesOf({ place, sections, methods, who, differs, isUnsure }: MappedScope): string {
  const rules = sections.map((section) => (section.children ? lineKeyOf(section) : formatLine(section)));
  return JSON.stringify([place, rules, methods, who, differs, isUnsure]);
}

/**
 * Formats paths with different prefixes, the shortest of each.
 *
 * @param names the words of the lines that decide: a path that none of them names is marked as an example
 */
export function formatExamplePaths(examples: readonly string[], names: NamedWords): string {
  const distinct: string[] = [];
  for (const each of examples) if (!distinct.some((other) => isSimilar(each, other))) distinct.push(each);
  const shown = distinct.slice(0, MAX_EXAMPLES).map((each) => `\`${each}\``);
  const more = distinct.length > MAX_EXAMPLES ? " and others" : "";
  return markExamples(`${shown.join(", ")}${more}`, distinct[0] ?? "", names);
}

/** Returns the words in the lines that decide access to a server. */
export function namedWordsOf({ scopes }: MappedServer): NamedWords {
  return collectNamedWords(scopes.flatMap(({ sections }) => sections));
}

/** Formats the kind of a path and the methods in parentheses: ` (directory; methods: GET, POST)`; empty for all. */
export function formatScopeDetails({ place, methods }: Pick<MappedScope, "place" | "methods">): string {
  const details = [...(place === "file" ? [] : [scopePlaceNames[place]]), ...formatMethods(methods)];
  return details.length === 0 ? "" : ` (${details.join("; ")})`;
}

/** Formats methods as a part of a list: `methods: GET, POST`; none for all methods. */
export function formatMethods(methods: readonly string[]): readonly string[] {
  return methods.length === 0 ? [] : [`${pluralize("method", methods.length)}: ${methods.join(", ")}`];
}

/** Reports whether a path is below another one, or is a file beside it that differs only in its name. */
function isSimilar(path: string, other: string): boolean {
  const folderOf = (each: string) => each.slice(0, each.lastIndexOf("/") + 1);
  return (
    path.startsWith(other.replace(/\/?$/, "/")) ||
    (folderOf(path) === folderOf(other) && /^(?:a$|[.%])/.test(path.slice(folderOf(path).length)))
  );
}

/** Display names of the subject at a path, other than files. */
const scopePlaceNames: Readonly<Record<Exclude<MappedScope["place"], "file">, string>> = {
  elsewhere: "not a file on this server",
  "path info": "path after a file",
  directory: "directory",
  missing: "does not exist",
};
