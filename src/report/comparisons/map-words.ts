import type { ClientAccess, MappedScope, MappedServer } from "../../compare/access-map.js";
import { ANY_OTHER_NAME, describeEntryPoint } from "../../compare/model/server-pairs.js";
import type { ClientDescription } from "../../compare/symbolic/client-description.js";
import { lineKeyOf } from "../../project/model/directive.js";
import { formatLine } from "../../simulate/trace/step.js";
import { toReadable } from "../../text/source.js";
import { formatCount } from "../text/text-printer.js";

/** Renders the allowed clients: `everybody`, `nobody (403)`, `10.0.0.0/8; any user from elsewhere; others get 401`. */
export function describeClientAccess({ allowed, others }: ClientAccess): string {
  const refused = others.join(" or ");
  if (allowed.length === 0) return `nobody (${refused})`;
  if (others.length === 0) return "everybody";
  const rest = findRemainingSenders(allowed);
  const first = allowed.filter((each) => each !== rest).map((each) => describeSenders(each, each.clients));
  const last = rest ? [describeSenders(rest, ["elsewhere"])] : [];
  return `${[...first, ...last].join("; ")}; others get ${refused}`;
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

const allNetworks = new Set(["all IPv4", "all IPv6"]);

function describeSenders({ users, conditions }: ClientDescription, clients: readonly string[]): string {
  const isAnywhere = clients.length !== 1 && clients.every((each) => allNetworks.has(each));
  const who = describeUsers(users);
  const from = isAnywhere ? "" : clients.join(", ");
  const such = conditions.map((each) => `where ${each}`).join(", ");
  const subject = who === "" ? from || "anybody" : from === "" ? who : `${who} from ${from}`;
  return such === "" ? subject : `${subject} ${such}`;
}

function describeUsers(users: readonly string[]): string {
  if (users.length === 0) return "";
  const named = users.filter((each) => each.startsWith("`"));
  const others = users.filter((each) => !each.startsWith("`"));
  const names = named.length === 0 ? [] : [`${named.length === 1 ? "user" : "users"} ${named.join(", ")}`];
  return [...names, ...others].join(" or ");
}

/** Limit of the names shown of a server. */
const MOST_DOORS = 4;
const MOST_EXAMPLES = 4;

/** Renders a server by its names. */
export function formatServerTitle(server: MappedServer): string {
  const names = serverAddressNamesOf(server);
  const isAny = names.every((name) => name === ANY_OTHER_NAME);
  const shown = isAny ? "any name" : names.slice(0, MOST_DOORS).join(", ");
  return names.length > MOST_DOORS ? `${shown} and ${formatCount(names.length - MOST_DOORS, "name")} more` : shown;
}

/** Returns the names of a server, each once. */
export function serverAddressNamesOf({ entryPoints }: MappedServer): readonly string[] {
  return [...new Set(entryPoints.map((door) => toReadable(describeEntryPoint(door))))].filter((name) => name !== "");
}

/** Returns a key for the access of scopes, regardless of the deciding lines. */
export function scopePolicyOf(scopes: readonly MappedScope[]): string {
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

/** Renders paths with different prefixes, the shortest of each. */
export function formatExamplePaths(examples: readonly string[]): string {
  const told: string[] = [];
  for (const each of examples) if (!told.some((other) => isLike(each, other))) told.push(each);
  const shown = told.slice(0, MOST_EXAMPLES).map((each) => `\`${each}\``);
  return told.length > MOST_EXAMPLES ? `${shown.join(", ")} and others` : shown.join(", ");
}

/** Reports whether a path is below another one, or is a file beside it that differs only in its name. */
function isLike(path: string, other: string): boolean {
  const folderOf = (each: string) => each.slice(0, each.lastIndexOf("/") + 1);
  return (
    path.startsWith(other.replace(/\/?$/, "/")) ||
    (folderOf(path) === folderOf(other) && /^(?:a$|[.%])/.test(path.slice(folderOf(path).length)))
  );
}

/** Display names of the subject at a path, other than files. */
export const scopePlaceNames: Readonly<Record<Exclude<MappedScope["place"], "file">, string>> = {
  elsewhere: "not a file of this server",
  "path info": "behind a file",
  directory: "a directory",
  missing: "what does not exist",
};
