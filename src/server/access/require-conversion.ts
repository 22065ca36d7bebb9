import { parseArguments, quoteArgument } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { findPlaceholder } from "../../config/model/placeholders.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import { sourceArgumentsOf } from "../../config/reader/source-lines.js";
import { getOrCreate } from "../../text/collections.js";
import { formatWordList } from "../../text/words.js";
import { formatLimits, isNobodysName, limitsInclude, type MethodLimit } from "./clients-and-methods.js";
import type { ClientMatch, CompatRules, HostRule, Ordering } from "./compat-rules.js";
import {
  argumentsOfLine,
  createRuleLine,
  denyAllRule,
  grantAll,
  linesOfRule,
  negateLine,
  type RequireLineNode,
  type RequireNode,
  requireAllOf,
  requireAnyOf,
} from "./require-nodes.js";
import type { RequireRule } from "./require-rules.js";

export type RequireConversion =
  | { readonly form: RequireNode; readonly limits: readonly MethodLimit[] }
  /** The reason why no equivalent exists within the scope, as a clause. */
  | { readonly none: string };

/** If the server rejects one line, the others have no effect either. */
export const refusedConversion = { none: "httpd rejects one of its lines" } as const satisfies RequireConversion;

/**
 * Returns Require rules equivalent to a scope's Order/Allow/Deny/Satisfy together with its own Require lines. Inherited
 * rules are ignored. Satisfy sets how the two combine: both must allow (RequireAll), or either (RequireAny).
 *
 * @param own the scope's own Require rules, which count as if inside RequireAny
 */
export function convertToRequire(compat: CompatRules, own: readonly RequireRule[]): RequireConversion {
  if (compat.unreadable.length > 0) return refusedConversion;
  const limits = commonLimits(compat, own);
  if (limits === undefined) return { none: "its lines apply to different methods" };
  const variable = compat.hosts.map(({ argument }) => findUndefinedVariable(argument.value)).find((each) => each);
  if (variable !== undefined)
    return {
      none: findPlaceholder(variable) ? "it uses the value of a template" : "it uses a variable that is not set",
    };
  if (!compat.hosts.every(isSameInRequire)) return { none: "Require interprets one of its names differently" };
  const listed = (list: HostRule["list"]) => convertHosts(compat.hosts.filter((rule) => rule.list === list));
  const lists = { allowed: listed("allow"), denied: listed("deny"), startsWith: "denied" } as const;
  const hosts = joinLists(compat.orders.at(-1)?.ordering ?? "deny,allow", lists);
  if (own.length === 0) {
    const any = compat.satisfies.at(-1)?.satisfy === "any";
    return any ? { none: "the effect of `Satisfy any` depends on inherited Require lines" } : { form: hosts, limits };
  }
  const combine = compat.satisfies.at(-1)?.satisfy === "any" ? requireAnyOf : requireAllOf;
  return { form: combine([hosts, requireAnyOf(own.map(nodeOfRule))]), limits };
}

/**
 * Returns the Require rules for what a scope's Allow and Deny lines name: only the listed clients, or all but the listed
 * ones. `Allow from all`, `Deny from all` and the Order, which may contradict the list, do not count.
 *
 * @returns undefined if the lines name nothing, or if no Require has that meaning
 */
export function convertNamedClients(
  compat: CompatRules,
): Extract<RequireConversion, { form: RequireNode }> | undefined {
  const named = compat.hosts.filter((rule) => !matchesAllOrNone(rule));
  const [first] = named;
  if (first === undefined) return undefined;
  const isBan = named.every(({ list }) => list === "deny");
  const hosts = isBan ? [...named, { ...first, list: "allow", match: { kind: "all" } } as const] : named;
  const orders = [{ directive: first.directive, limits: first.limits, ordering: "allow,deny" }] as const;
  const conversion = convertToRequire({ ...compat, orders, satisfies: [], hosts }, []);
  return "form" in conversion ? conversion : undefined;
}

function matchesAllOrNone({ match }: HostRule): boolean {
  return match.kind === "all" || (match.kind === "host" && match.name.toLowerCase() === "none");
}

/** Describes the rules for a message: `<RequireAll>` containing `Require all granted` and `Require not ip 10.1`. */
export function describeRequireTree({
  form,
  limits,
}: {
  readonly form: RequireNode;
  readonly limits: readonly MethodLimit[];
}): string {
  const sections = limits.map((limit) => `\`<${formatLimits([limit])}>\` containing `);
  return `${sections.join("")}${describeTree(form)}`;
}

/** Returns the distinct providers in the rules. */
export function listTreeProviders(form: RequireNode): readonly string[] {
  return [...new Set(linesOfRule(form).map(({ words }) => words.split(" ", 1).join()))];
}

const containers = { all: "RequireAll", any: "RequireAny", none: "RequireNone" } as const;

function describeTree(form: RequireNode): string {
  if (form.kind === "line") return `\`Require ${argumentsOfLine(form)}\``;
  return `\`<${containers[form.kind]}>\` containing ${formatWordList(form.rules.map(describeNested))}`;
}

/** Describes a rule in a container; parentheses show where a nested container ends. */
function describeNested(form: RequireNode): string {
  if (form.kind === "line") return describeTree(form);
  return `\`<${containers[form.kind]}>\` (${formatWordList(form.rules.map(describeNested))})`;
}

/** Returns the method limits that all lines share; undefined if they differ or cannot be converted. */
function commonLimits(compat: CompatRules, own: readonly RequireRule[]): readonly MethodLimit[] | undefined {
  const lines = [...compat.orders, ...compat.hosts, ...compat.satisfies, ...flatten(own)];
  const [first] = lines;
  if (first === undefined) return [];
  const text = formatLimits(first.limits);
  return lines.every((line) => formatLimits(line.limits) === text) ? first.limits : undefined;
}

function flatten(rules: readonly RequireRule[]): RequireRule[] {
  return rules.flatMap((rule) => (rule.kind === "require" ? [rule] : [rule, ...flatten(rule.rules)]));
}

/** Converts a Require rule as written. */
function nodeOfRule(rule: RequireRule): RequireNode {
  if (rule.kind !== "require") return { kind: rule.kind, rules: rule.rules.map(nodeOfRule) };
  const { provider, rest } = rule;
  const line = createRuleLine(provider === "all" ? `all ${rest}`.toLowerCase() : `${provider} ${rest}`.trim());
  return rule.negated ? negateLine(line) : line;
}

/** Reports whether Require matches the same clients by an argument of an Allow or Deny line. */
function isSameInRequire({ match }: HostRule): boolean {
  switch (match.kind) {
    case "all":
    case "ip":
      return true;
    case "host":
      // Require host evaluates its arguments as an expression.
      return isNobodysName(match.name) || /^[^%$#"'\\\s{}]+$/.test(match.name);
    case "env":
      return match.name !== "";
  }
}

/**
 * Converts the Order, Allow and Deny lines of a section, for one method: each to lines of its own, with variables as in
 * the source.
 */
export function convertCompatRules({ directives, hosts, orders }: CompatRules, method: string): RequireNode {
  const order = orders.findLast(({ limits }) => limitsInclude(limits, method));
  const listed = (list: HostRule["list"]) => {
    const lines = new Map<Directive, HostRule[]>();
    for (const rule of hosts)
      if (rule.list === list && limitsInclude(rule.limits, method))
        getOrCreate(lines, rule.directive, () => []).push(rule);
    // An address is compared without a lookup: it comes first.
    return [...lines].flatMap(([directive, rules]) => convertHosts(rules.toSorted(compareKinds), directive));
  };
  const lists = { allowed: listed("allow"), denied: listed("deny"), startsWith: "allowed" } as const;
  return joinLists(order?.ordering ?? "deny,allow", { ...lists, of: order?.directive ?? directives[0] });
}

function compareKinds({ match: a }: HostRule, { match: b }: HostRule): number {
  const rankOf = (match: ClientMatch) => (match.kind === "env" && match.negated ? 3 : kindRanks[match.kind]);
  return rankOf(a) - rankOf(b);
}

const kindRanks = { all: 0, ip: 0, host: 1, env: 2 } as const;

/** What the Allow and Deny lines of a section list. */
interface HostLists {
  readonly allowed: readonly RequireNode[];
  readonly denied: readonly RequireNode[];
  /** The first of two alternatives. */
  readonly startsWith: "allowed" | "denied";
  /** The directive that states the result if no line is listed. */
  readonly of?: Directive | undefined;
}

/** Combines lists by their Order (modules/aaa/mod_access_compat.c `check_dir_access`). */
function joinLists(ordering: Ordering, { allowed, denied, startsWith, of }: HostLists): RequireNode {
  const notDenied = requireAllOf([grantAll(of), ...denied.map(negate)]);
  if (ordering === "deny,allow")
    return requireAnyOf(startsWith === "denied" ? [notDenied, ...allowed] : [...allowed, notDenied]);
  return allowed.length === 0 ? denyAllRule(of) : requireAllOf([requireAnyOf(allowed), notDenied]);
}

function negate(rule: RequireNode): RequireNode {
  if (rule.kind === "line" && rule.words === "all granted" && !rule.negated) return denyAllRule(rule.of);
  if (rule.kind === "line") return negateLine(rule);
  // `env=!NAME` matches everyone without the variable.
  const [member] = rule.rules.filter((each): each is RequireLineNode => each.kind === "line" && each.negated);
  return member ? negateLine(member) : grantAll();
}

/**
 * Converts arguments of Allow or Deny lines: those of one kind share a line.
 *
 * @param of the line that contains all of them: the new lines replace it, and keep its variables
 */
function convertHosts(all: readonly HostRule[], of?: Directive): readonly RequireNode[] {
  if (all.some(({ match }) => match.kind === "all")) return [grantAll(of)];
  // `Allow from none` and `Deny from none` match no client: Require does not need to state that.
  const rules = all.filter(({ match }) => match.kind !== "host" || !isNobodysName(match.name));
  const written = of
    ? findSourceWords(
        of,
        rules.map(({ argument }) => argument),
      )
    : [];
  const lines = new Map<string, RequireWord[]>();
  for (const [index, { match, argument }] of rules.entries()) {
    const isEnv = match.kind === "env";
    const raw = written[index] ?? argument.value;
    const word = {
      value: quoteArgument(isEnv ? match.name : argument.value),
      raw: isEnv ? raw.replace(/^env=!?/i, "") : raw,
    };
    getOrCreate(lines, isEnv && match.negated ? "!env" : match.kind, () => []).push(word);
  }
  return [...lines].flatMap(([kind, words]) =>
    kind === "!env" ? words.map((word) => unlessSet(word, of)) : [lineOfWords(kind, words, of)],
  );
}

/** Allows all clients without a variable. */
function unlessSet(name: RequireWord, of: Directive | undefined): RequireNode {
  return name.raw === "" ? grantAll(of) : requireAllOf([negateLine(lineOfWords("env", [name], of))]);
}

interface RequireWord {
  readonly value: string;
  /** The original spelling. */
  readonly raw: string;
}

function lineOfWords(kind: string, words: readonly RequireWord[], of: Directive | undefined): RequireLineNode {
  const joined = (texts: readonly string[]) => `${kind} ${[...new Set(texts)].join(" ")}`;
  return createRuleLine(joined(words.map(({ value }) => value)), of, joined(words.map(({ raw }) => raw)));
}

/** Returns words of a line as in the source; empty if they do not correspond one to one. */
function findSourceWords(directive: Directive, words: readonly Argument[]): readonly string[] {
  const rest = sourceArgumentsOf(directive);
  const raw = parseArguments(rest);
  const read = directive.arguments;
  if (raw.length !== read.length) return [];
  return words.flatMap((word) => {
    const at = read.findIndex(({ start }) => start === word.start);
    const found = raw[at];
    return found ? [rest.slice(found.start, found.end)] : [];
  });
}
