import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { StringWord } from "../../../grammar/expression/ast.js";
import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import type { Scope } from "../../config/model/scope.js";
import { memoize } from "../../text/memoize.js";
import { limitsOf, type MethodLimit } from "./clients-and-methods.js";

/** A Require line, parsed as in mod_authz_core: `not`, a provider, and the rest for the provider to parse. */
export interface RequireLine {
  readonly kind: "require";
  readonly directive: Directive;
  readonly limits: readonly MethodLimit[];
  readonly negated: boolean;
  /** Provider name; empty if the line has none. */
  readonly provider: string;
  /** Range of the provider name in the argument text. */
  readonly providerAt: Pick<Argument, "start" | "end">;
  /** The remaining text, as written. */
  readonly rest: string;
  /** Offset of the rest in the argument text. */
  readonly restStart: number;
}

/** The input of a provider: a line, or the section of an alias. */
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

/** Reports whether a directive is a RequireAll, RequireAny or RequireNone section. */
export function isRequireContainer(directive: Pick<Directive, "key">): boolean {
  return containerKinds.has(directive.key);
}

/** Parses a Require line (modules/aaa/mod_authz_core.c `add_authz_provider`). */
export function parseRequireLine(directive: Directive): RequireLine {
  return { kind: "require", directive, limits: limitsOf(directive), ...requireParts(directive) };
}

type RequireParts = Pick<RequireLine, "negated" | "provider" | "providerAt" | "rest" | "restStart">;

/** Require lines repeat, and each has several consumers: a text is parsed once. */
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

/**
 * Returns the provider's arguments, with offsets into the directive's argument text. The server stops at an empty one.
 */
export const requireArgumentsOf = memoize((line: ProviderArguments): readonly Argument[] => {
  const written = parseArguments(line.rest);
  const empty = written.findIndex((word) => word.value === "");
  return (empty < 0 ? written : written.slice(0, empty)).map((word) => ({
    ...word,
    start: word.start + line.restStart,
    end: word.end + line.restStart,
  }));
});

/** Providers whose arguments 2.4 evaluates as a string with `%{…}`, `$1` and escapes (`AP_EXPR_FLAG_STRING_RESULT`). */
const expandingProviders: ReadonlySet<string> = new Set(["host", "user", "group", "dbm-group"]);

/** Reports whether a line's arguments differ from the written text. */
export function hasExpansion({ provider, rest }: Pick<ProviderArguments, "provider" | "rest">): boolean {
  return expandingProviders.has(provider) && /[\\%$]/.test(rest);
}

const expansionOf = memoize((line: ProviderArguments) => parseStringExpression(line.rest));

/** Lines with their strings expanded. */
const expandedLines = new WeakMap<ProviderArguments, ProviderArguments>();

/**
 * Returns a line with its arguments expanded as in the server: `DOMAIN\
 * ame` means `DOMAIN
 * ame`.
 *
 * @param textOf the value of a string for the request
 * @returns undefined if that is unknown
 */
export function expandRequireLine(
  line: ProviderArguments,
  textOf: (expression: StringWord) => string | undefined,
): { readonly line: ProviderArguments; readonly isConstant: boolean } | undefined {
  const known = expandedLines.get(line);
  if (known) return { line: known, isConstant: true };
  const parsed = expansionOf(line);
  // The server does not start with a string that it cannot parse.
  if (!parsed.ok) return { line, isConstant: true };
  const rest = textOf(parsed.value.expression);
  if (rest === undefined) return undefined;
  const isConstant = parsed.value.expression.parts.every(({ kind }) => kind === "text" || kind === "backreference");
  const expanded = { ...line, rest };
  if (isConstant) expandedLines.set(line, expanded);
  return { line: expanded, isConstant };
}

/**
 * Returns the Require rules among a section's own children as a tree. Limit sections do not create a node, and inner
 * scopes are excluded.
 */
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

/** Returns the Require rules of a scope. */
export function requireRulesOf(scope: Scope): RequireRule[] {
  return parseRequireRules(scope.content);
}
