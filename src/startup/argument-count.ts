import { doubleQuote } from "../../grammar/arguments.js";
import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../config/refusals/refusal.js";
import { findArgumentCountError } from "../facts/argument-count.js";
import type { ArgumentKind, DirectiveFacts } from "../facts/directives.js";
import type { Release } from "../facts/release.js";
import { parseOrdering } from "../server/access/compat-rules.js";

/** The expected arguments of a directive, for an operator. */
const argumentWords: Partial<Record<ArgumentKind, string>> = {
  NO_ARGS: "no arguments",
  TAKE1: "1 argument",
  TAKE2: "2 arguments",
  TAKE3: "3 arguments",
  TAKE12: "1 or 2 arguments",
  TAKE13: "1 or 3 arguments",
  TAKE23: "2 or 3 arguments",
  TAKE123: "1 to 3 arguments",
  ITERATE: "at least 1 argument",
  ITERATE2: "at least 2 arguments",
};

/** Argument kinds that accept one argument. */
const takesOneWord = new Set<ArgumentKind>(["TAKE1", "TAKE12", "TAKE13", "TAKE123", "ITERATE"]);

/**
 * Checks the number of a directive's arguments as the server does.
 *
 * @param facts those of the loaded modules that define the directive, which take the same number of arguments
 */
export function validateArgumentCount(
  directive: Directive,
  facts: readonly DirectiveFacts[],
  release: Release,
): Refusal | undefined {
  const [first] = facts;
  if (first === undefined || first.argumentKind === "RAW_ARGS" || directive.children !== undefined) return undefined;
  if (isObviouslyCorrect(directive, first.argumentKind)) return undefined;
  const words = directive.arguments;
  const server = findArgumentCountError(first, words, release);
  if (server === undefined) return undefined;
  const [word] = words;
  const span = first.argumentKind === "FLAG" && word ? directive.spanOf(word) : directive.span;
  return { ...adviseOnCount(directive, first), server, span };
}

/** Reports whether a line is correct without parsing its arguments, as most are. */
function isObviouslyCorrect(directive: Directive, kind: ArgumentKind): boolean {
  const shape = directive.argumentShape;
  if (shape === "word") return takesOneWord.has(kind);
  if (shape === "string") return takesOneWord.has(kind) && directive.argumentText.length > 2;
  return kind === "ITERATE" && shape !== "empty" && !/^["']/.test(directive.argumentText);
}

function adviseOnCount(directive: Directive, facts: DirectiveFacts): RefusalText {
  const words = directive.arguments;
  const joined = words.map((word) => word.value).join("");
  const ordering = directive.key === "order" ? parseOrdering(joined) : undefined;
  if (ordering) return wordingOf("order-with-space", ordering);
  if (facts.argumentKind === "FLAG") return wordingOf("not-on-or-off", facts.name, words[0]?.value);
  if (words.some((word) => word.value === "")) return wordingOf("empty-argument", facts.name);
  const expected = argumentWords[facts.argumentKind] ?? "other arguments";
  const quoted = facts.argumentKind === "TAKE1" ? quoteWords(words, facts) : undefined;
  return wordingOf("wrong-argument-count", facts.name, expected, words.length, facts.syntax, quoted);
}

/**
 * Returns words without quotes as one argument in quotes, if they are likely to be one: the name of an area, or a path
 * with a space in it, which goes on after the last space. Undefined for others, and for a comment.
 */
function quoteWords(words: readonly Argument[], { syntax }: DirectiveFacts): string | undefined {
  const [first, ...others] = words;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (words.some(({ value, quote }) => quote !== "none" || /^#|["\\]/.test(value))) return undefined;
  const isPath =
    /^(?:\/|[a-z]:\/)/i.test(first.value) &&
    others.every(({ value }) => /^[^/<-]/.test(value)) &&
    /[/.]/.test(last.value);
  if (!isPath && !/ auth-domain$/.test(syntax)) return undefined;
  return doubleQuote(words.map(({ value }) => value).join(" "));
}
