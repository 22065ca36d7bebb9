import {
  type CompatRules,
  checksClientOnly,
  convertNamedClients,
  createRuleLine,
  describeRequireTree,
  grantAll,
  isSatisfyAny,
  negateLine,
  parseCompatRules,
  parseRequireLine,
  type RequireNode,
  requiresUser,
} from "../../src/lint/api/access.js";
import type { Directive, Scope } from "../../src/lint/api/configuration.js";
import { combineEdits, type Edit, insertLinesBefore, removeLines, replaceSpan } from "../../src/lint/api/rule.js";
import { isFixedRequire, namesAll, type ShadowCause } from "./causes.js";

/** Edits that make lines effective, and what they do. */
interface Remedy {
  readonly kind: "order" | "delete" | "any";
  readonly edits: readonly Edit[];
}

/**
 * Describes the Require directives for what a list of a section names. Returns undefined if there are none, or if Require
 * lines of the section decide, too.
 */
export function describeNamedClients({ directives }: Scope, list: "allow" | "deny" | "both"): string | undefined {
  const rules = parseCompatRules(directives);
  if (directives.some((line) => line.key === "require" || isSatisfyAny(line))) return undefined;
  const named = rules && convertNamedClients(list === "both" ? rules : onlyList(rules, list));
  return named && describeRequireTree(named);
}

function onlyList(rules: CompatRules, list: "allow" | "deny"): CompatRules {
  return { ...rules, hosts: rules.hosts.filter((rule) => rule.list === list) };
}

/** Returns whether a section denies some clients by name. */
export function namesDenied({ directives }: Scope): boolean {
  return directives.some((line) => line.key === "deny" && !namesAll(line));
}

/** Makes `Allow` lines effective that `Deny from all` overrides. */
export function allowListed(cause: ShadowCause): Remedy | undefined {
  if (!namesDenied(cause.scope)) return setOrder(cause.scope, "deny,allow");
  // Under `Order allow,deny`, clients that no line names are denied, and the named ones that are denied stay so.
  const edits = combineEdits(cause.by.map(({ span }) => removeLines(span)));
  return edits && { kind: "delete", edits };
}

/** Makes `Deny` lines effective that `Allow from all` overrides. */
export function denyListed({ scope }: ShadowCause): Remedy | undefined {
  return scope.directives.some((line) => line.key === "deny" && namesAll(line))
    ? undefined
    : setOrder(scope, "allow,deny");
}

/** Sets the Order of a section; undefined if it has several. */
function setOrder({ directives }: Scope, ordering: string): Remedy | undefined {
  const [order, second] = directives.filter(({ key }) => key === "order");
  const [first] = directives.filter(({ key }) => key === "allow" || key === "deny");
  if (second !== undefined || first === undefined) return undefined;
  const word = order?.arguments[0];
  const indent = /^[\t ]*/.exec(first.span.file.text.slice(first.line.start, first.span.start))?.[0] ?? "";
  const edit =
    order && word
      ? replaceSpan(order.spanOf(word), ordering)
      : insertLinesBefore(first.span, [`${indent}Order ${ordering}`]);
  return edit && { kind: "order", edits: [edit] };
}

/** Returns the Require rules of a RequireAll without `Require all denied`: conditions of one kind are alternatives. */
export function requireListed({ by: [denial] }: ShadowCause): RequireNode | undefined {
  const rest = denial && otherLinesIn(denial.parent);
  if (rest === undefined || rest.length === 0) return undefined;
  const { client, user, other, denied } = byAspect(rest);
  const rules = [...other.map(nodeOf), ...[client, user].flatMap((lines) => alternatives(lines.map(nodeOf)))];
  const all = [...rules, ...denied.map(nodeOf)];
  const [only] = all;
  if (rules.length === 0) return { kind: "all", rules: [grantAll(), ...all] };
  return all.length === 1 && only ? only : { kind: "all", rules: all };
}

function alternatives(rules: readonly RequireNode[]): readonly RequireNode[] {
  return rules.length < 2 ? rules : [{ kind: "any", rules }];
}

function nodeOf(line: Directive): RequireNode {
  const words = line.argumentText.trim().replace(/\s+/g, " ");
  const { negated } = parseRequireLine(line);
  return negated ? negateLine(createRuleLine(words.replace(/^\S+ /, ""))) : createRuleLine(words);
}

/** Returns the lines of a container apart from `Require all denied`; undefined if it contains other containers. */
function otherLinesIn(container: Directive | undefined): readonly Directive[] | undefined {
  const lines = (container?.children ?? []).filter((line) => !isFixedRequire(line, "denied"));
  return lines.every((line) => line.key === "require") ? lines : undefined;
}

/** Partitions Require lines: clients and users that are listed, other conditions, and denied ones. */
function byAspect(lines: readonly Directive[]) {
  const aspects = { client: [], user: [], other: [], denied: [] } as Record<string, Directive[]> & {
    [Key in "client" | "user" | "other" | "denied"]: Directive[];
  };
  for (const line of lines) {
    const { negated, provider } = parseRequireLine(line);
    const aspect = checksClientOnly(provider) ? "client" : requiresUser(provider) ? "user" : "other";
    aspects[negated ? "denied" : aspect].push(line);
  }
  return aspects;
}

/** Makes the lines of a RequireAll effective: without `Require all denied`, and as alternatives if they list clients. */
export function withoutDenial({ by }: ShadowCause): Remedy | undefined {
  const [denial, second] = by;
  const container = denial?.parent;
  const rest = otherLinesIn(container);
  const removal = denial && removeLines(denial.span);
  if (!container || !rest || second || !removal) return undefined;
  const { client, user, other, denied } = byAspect(rest);
  const isOnlyDenials = client.length + user.length + other.length === 0;
  if (isOnlyDenials || user.length > 1 || other.length > 1) return undefined;
  if (client.length < 2) return { kind: "delete", edits: [removal] };
  if (user.length + other.length + denied.length > 0) return undefined;
  const tags = renameContainer(container);
  const edits = tags && combineEdits([...tags, removal]);
  return edits && { kind: "any", edits };
}

/** Replaces the tags of a RequireAll with those of RequireAny. */
function renameContainer(container: Directive): readonly (Edit | undefined)[] | undefined {
  const { nameSpan, children = [], span } = container;
  const { file } = span;
  const last = children.at(-1)?.span.end ?? span.end;
  const closing = /<\/RequireAll(?=[\t ]*>)/i.exec(file.text.slice(last));
  if (!closing || /[\t ]*</.test(file.text.slice(last, last + closing.index))) return undefined;
  const start = last + closing.index;
  const rename = (place: typeof span) =>
    replaceSpan(place, file.text.slice(place.start, place.end).replace(/All(?=>?$)/i, "Any"));
  return [rename(nameSpan), rename({ file, start, end: start + closing[0].length })];
}
