import { quoteArgument } from "../../../grammar/arguments.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import { getOrCreate } from "../../text/collections.js";
import { formatWordList } from "../../text/words.js";
import { formatLimits, isNobodysName, type MethodLimit } from "./clients-and-methods.js";
import type { ClientMatch, CompatRules, HostRule } from "./compat-rules.js";
import type { RequireRule } from "./require-rules.js";

/** The Require rules that replace mod_access_compat directives in 2.4. */
export type RequireTree =
  | { readonly kind: "all" | "any"; readonly rules: readonly RequireTree[] }
  | { readonly kind: "none"; readonly rules: readonly RequireTree[] }
  /** A Require line, without the word Require. */
  | { readonly kind: "line"; readonly text: string };

export type RequireConversion =
  | { readonly form: RequireTree; readonly limits: readonly MethodLimit[] }
  /** The reason why no equivalent exists within the scope, as a clause. */
  | { readonly none: string };

/** If the server rejects one line, the others have no effect either. */
export const refusedConversion = { none: "httpd rejects one of its lines" } as const satisfies RequireConversion;

const allGranted: RequireTree = { kind: "line", text: "all granted" };
const allDenied: RequireTree = { kind: "line", text: "all denied" };

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
  if (compat.hosts.some(({ argument }) => findUndefinedVariable(argument.value) !== undefined))
    return { none: "it uses a variable that is not set" };
  const hosts = hostForm(compat);
  if (hosts === undefined) return { none: "Require interprets one of its names differently" };
  if (own.length === 0) {
    const any = compat.satisfies.at(-1)?.satisfy === "any";
    return any ? { none: "the effect of `Satisfy any` depends on inherited Require lines" } : { form: hosts, limits };
  }
  const rules = group("any", own.map(formOfRule));
  const form = compat.satisfies.at(-1)?.satisfy === "any" ? group("any", [hosts, rules]) : group("all", [hosts, rules]);
  return { form, limits };
}

/**
 * Returns the Require rules for what a scope's Allow and Deny lines name: only the listed clients, or all but the listed
 * ones. `Allow from all`, `Deny from all` and the Order, which may contradict the list, do not count.
 *
 * @returns undefined if the lines name nothing, or if no Require has that meaning
 */
export function convertNamedClients(
  compat: CompatRules,
): Extract<RequireConversion, { form: RequireTree }> | undefined {
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
  readonly form: RequireTree;
  readonly limits: readonly MethodLimit[];
}): string {
  const sections = limits.map((limit) => `\`<${formatLimits([limit])}>\` containing `);
  return `${sections.join("")}${describeTree(form)}`;
}

/** Returns the distinct providers in the rules. */
export function listTreeProviders(form: RequireTree): readonly string[] {
  if (form.kind !== "line") return [...new Set(form.rules.flatMap(listTreeProviders))];
  return [/^(?:not )?(\S+)/.exec(form.text)?.[1] ?? ""];
}

const containers = { all: "RequireAll", any: "RequireAny", none: "RequireNone" } as const;

function describeTree(form: RequireTree): string {
  if (form.kind === "line") return `\`Require ${form.text}\``;
  return `\`<${containers[form.kind]}>\` containing ${formatWordList(form.rules.map(describeNested))}`;
}

/** Describes a rule in a container; parentheses show where a nested container ends. */
function describeNested(form: RequireTree): string {
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

/**
 * Joins rules, flattening groups of the same kind and dropping neutral members. `all granted` and `all denied` decide.
 */
function group(kind: "all" | "any", forms: readonly RequireTree[]): RequireTree {
  const [neutral, deciding] = kind === "all" ? [allGranted, allDenied] : [allDenied, allGranted];
  const parts = forms.flatMap((form) => (form.kind === kind ? form.rules : [form]));
  if (parts.some((part) => isLine(part, deciding))) return deciding;
  const rules = parts.filter(
    (part, index) => !isLine(part, neutral) && index === parts.findIndex((each) => isLine(each, part) || each === part),
  );
  const onlyNegative = rules.every(
    (part) => part.kind === "none" || (part.kind === "line" && part.text.startsWith("not ")),
  );
  // Negative rules deny but never allow, so they need a granting rule next to them.
  if (onlyNegative) return rules.length === 0 ? neutral : { kind, rules: [allGranted, ...rules] };
  const [only] = rules;
  return rules.length === 1 && only !== undefined ? only : { kind, rules };
}

function isLine(form: RequireTree, line: RequireTree): boolean {
  return form.kind === "line" && line.kind === "line" && form.text === line.text;
}

function formOfRule(rule: RequireRule): RequireTree {
  if (rule.kind !== "require") return { kind: rule.kind, rules: rule.rules.map(formOfRule) };
  const line = [rule.negated ? "not" : "", rule.provider, rule.rest].filter((word) => word !== "").join(" ");
  const text = rule.provider === "all" ? line.toLowerCase() : line;
  return { kind: "line", text };
}

/** Converts only Order, Allow and Deny (modules/aaa/mod_access_compat.c `check_dir_access`). */
function hostForm(compat: CompatRules): RequireTree | undefined {
  const ordering = compat.orders.at(-1)?.ordering ?? "deny,allow";
  const allows = compat.hosts.filter((rule) => rule.list === "allow");
  const denies = compat.hosts.filter((rule) => rule.list === "deny");
  const allowed = matchesAny(allows);
  const refusals = matchesNone(denies);
  if (allowed === undefined || refusals === undefined) return undefined;
  const notDenied = group("all", refusals);
  return ordering === "deny,allow" ? group("any", [notDenied, allowed]) : group("all", [allowed, notDenied]);
}

/** Returns rules that allow the clients on the list. */
function matchesAny(list: readonly HostRule[]): RequireTree | undefined {
  const lines = linesOf(list);
  if (lines === undefined) return undefined;
  const forms = lines.map(
    (line): RequireTree => (line.negated ? { kind: "all", rules: [allGranted, negateText(line.text)] } : line),
  );
  return group("any", forms.length === 0 ? [allDenied] : forms);
}

/** Returns rules that deny the clients on the list. */
function matchesNone(list: readonly HostRule[]): RequireTree[] | undefined {
  const lines = linesOf(list);
  if (lines === undefined) return undefined;
  return lines.map(
    (line): RequireTree =>
      line.negated ? { kind: "line", text: line.text } : isLine(line, allGranted) ? allDenied : negateText(line.text),
  );
}

interface ListLine {
  readonly kind: "line";
  readonly text: string;
  /** Whether it is `env=!X`: clients that do not match are on the list. */
  readonly negated: boolean;
}

function negateText(text: string): RequireTree {
  return { kind: "line", text: `not ${text}` };
}

/** Returns one Require line for each provider; undefined for arguments that it would interpret differently. */
function linesOf(list: readonly HostRule[]): ListLine[] | undefined {
  const words = new Map<string, string[]>();
  for (const { match } of list) {
    if (match.kind === "host" && isNobodysName(match.name)) continue;
    const read = wordOf(match);
    if (read === undefined) return undefined;
    const [provider, word] = read;
    getOrCreate(words, provider, () => []).push(word);
  }
  return [...words].flatMap(([provider, each]): ListLine[] => {
    if (provider === "all") return [{ kind: "line", text: "all granted", negated: false }];
    if (provider === "!env") return each.map((word) => ({ kind: "line", text: `env ${word}`, negated: true }));
    return [{ kind: "line", text: `${provider} ${[...new Set(each)].join(" ")}`, negated: false }];
  });
}

function wordOf(match: ClientMatch): readonly [provider: string, word: string] | undefined {
  switch (match.kind) {
    case "all":
      return ["all", "granted"];
    case "ip":
      return ["ip", quoteArgument(match.text)];
    case "host":
      // Require host evaluates its arguments as an expression.
      return /^[^%$#"'\\\s{}]+$/.test(match.name) ? ["host", match.name] : undefined;
    case "env":
      return match.name === "" ? undefined : [match.negated ? "!env" : "env", quoteArgument(match.name)];
  }
}
