import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { StringWord } from "../../../grammar/expression/ast.js";
import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../project/model/directive.js";
import type { Scope } from "../../project/model/scope.js";
import { Memo } from "../../text/memo.js";
import { limitsOf, type MethodLimit } from "../model/clients-and-methods.js";

/** A Require line, taken apart as mod_authz_core does: `not`, a provider, and the rest for the provider to read. */
export interface RequireLine {
  readonly kind: "require";
  readonly directive: Directive;
  readonly limits: readonly MethodLimit[];
  readonly negated: boolean;
  /** The provider's name; empty where the line has none. */
  readonly provider: string;
  /** Where the provider's name stands in the argument text. */
  readonly providerAt: Pick<Argument, "start" | "end">;
  /** What follows, as written. */
  readonly rest: string;
  /** Where the rest starts in the argument text. */
  readonly restStart: number;
}

/** What a provider is asked by: a line, or the section of an alias. */
export type ProviderArguments = Pick<RequireLine, "directive" | "provider" | "rest" | "restStart">;

/** A RequireAll, RequireAny or RequireNone section. */
interface RequireContainer {
  readonly kind: "all" | "any" | "none";
  readonly directive: Directive;
  readonly limits: readonly MethodLimit[];
  readonly rules: readonly RequireRule[];
}

export type RequireRule = RequireLine | RequireContainer;

const containerKinds = new Map<string, RequireContainer["kind"]>([
  ["<requireall", "all"],
  ["<requireany", "any"],
  ["<requirenone", "none"],
]);

/** Whether a directive is a RequireAll, RequireAny or RequireNone section. */
export function isRequireContainer(directive: Pick<Directive, "key">): boolean {
  return containerKinds.has(directive.key);
}

/** Takes a Require line apart (modules/aaa/mod_authz_core.c `add_authz_provider`). */
export function parseRequireLine(directive: Directive): RequireLine {
  return { kind: "require", directive, limits: limitsOf(directive), ...requireParts(directive) };
}

type RequireParts = Pick<RequireLine, "negated" | "provider" | "providerAt" | "rest" | "restStart">;

/** Require lines repeat, and each is looked at by several: a text is taken apart once. */
const partsCache = new Map<string, RequireParts>();
const KNOWN_LIMIT = 1_000;

function requireParts(directive: Directive): RequireParts {
  const text = directive.argumentText;
  const before = partsCache.get(text);
  if (before) return before;
  const words = directive.arguments;
  const negated = words[0]?.value.toLowerCase() === "not";
  const provider = words[negated ? 1 : 0];
  const gap = provider ? (/^[\t-\r ]*/.exec(text.slice(provider.end))?.[0].length ?? 0) : 0;
  const restStart = provider ? provider.end + gap : text.length;
  const parts: RequireParts = {
    negated,
    provider: provider?.value ?? "",
    providerAt: provider ?? { start: 0, end: text.length },
    rest: text.slice(restStart),
    restStart,
  };
  if (partsCache.size >= KNOWN_LIMIT) partsCache.clear();
  partsCache.set(text, parts);
  return parts;
}

/** The words for the provider, with offsets into the directive's argument text; the server stops at an empty one. */
export function requireArgumentsOf(line: ProviderArguments): readonly Argument[] {
  return argumentsByLine.get(line);
}

const argumentsByLine = new Memo((line: ProviderArguments): readonly Argument[] => {
  const written = parseArguments(line.rest);
  const empty = written.findIndex((word) => word.value === "");
  return (empty < 0 ? written : written.slice(0, empty)).map((word) => ({
    ...word,
    start: word.start + line.restStart,
    end: word.end + line.restStart,
  }));
});

/** Providers whose words 2.4 reads as a string with `%{…}`, `$1` and escapes in it (`AP_EXPR_FLAG_STRING_RESULT`). */
const expandingProviders: ReadonlySet<string> = new Set(["host", "user", "group", "dbm-group"]);

/** Whether a line's words are something else than what is written. */
export function hasExpansion({ provider, rest }: Pick<ProviderArguments, "provider" | "rest">): boolean {
  return expandingProviders.has(provider) && /[\\%$]/.test(rest);
}

const expansions = new Memo((line: ProviderArguments) => parseStringExpression(line.rest));

/** A line as it is once its string has been expanded. */
const expandedLines = new WeakMap<ProviderArguments, ProviderArguments>();

/**
 * A line with its words as the server has them: `DOMAIN\\name` is what `DOMAIN\name` means.
 *
 * @param textOf what a string comes to for the request
 * @returns undefined where that is not known
 */
export function expandRequireLine(
  line: ProviderArguments,
  textOf: (expression: StringWord) => string | undefined,
): { readonly line: ProviderArguments; readonly isConstant: boolean } | undefined {
  const known = expandedLines.get(line);
  if (known) return { line: known, isConstant: true };
  const parsed = expansions.get(line);
  // The server does not start with one that it cannot read.
  if (!("expression" in parsed)) return { line, isConstant: true };
  const rest = textOf(parsed.expression);
  if (rest === undefined) return undefined;
  const isConstant = parsed.expression.parts.every(({ kind }) => kind === "text" || kind === "backreference");
  const expanded = { ...line, rest };
  if (isConstant) expandedLines.set(line, expanded);
  return { line: expanded, isConstant };
}

/** The new rules among a section's own children as a tree; Limit sections leave no node, inner scopes are left out. */
export function parseRequireRules(children: readonly Directive[]): RequireRule[] {
  const rules: RequireRule[] = [];
  for (const child of children) {
    const kind = containerKinds.get(child.key);
    if (child.key === "require") rules.push(parseRequireLine(child));
    else if (kind)
      rules.push({ kind, directive: child, limits: limitsOf(child), rules: parseRequireRules(child.children ?? []) });
    else if (child.key === "<limit" || child.key === "<limitexcept")
      rules.push(...parseRequireRules(child.children ?? []));
  }
  return rules;
}

/** The new rules of a scope. */
export function requireRulesOf(scope: Scope): RequireRule[] {
  return parseRequireRules(scope.content);
}
