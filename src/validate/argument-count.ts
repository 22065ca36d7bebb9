import { parseOrdering } from "../access/rules/compat-rules.js";
import { findArgumentCountError } from "../directives/argument-count.js";
import type { ArgumentKind, DirectiveFacts, Release } from "../directives/directives.js";
import type { Directive } from "../project/model/directive.js";
import { quoteText } from "../project/model/problems.js";
import type { CheckFailure } from "./refusal.js";

/** The expected arguments of a directive, for an operator. */
const argumentWords: Partial<Record<ArgumentKind, string>> = {
  NO_ARGS: "no words",
  TAKE1: "one word",
  TAKE2: "two words",
  TAKE3: "three words",
  TAKE12: "one or two words",
  TAKE13: "one or three words",
  TAKE23: "two or three words",
  TAKE123: "one to three words",
  ITERATE: "at least one word",
  ITERATE2: "at least two words",
};

/** Argument kinds that accept one argument. */
const takesOneWord = new Set<ArgumentKind>(["TAKE1", "TAKE12", "TAKE13", "TAKE123", "ITERATE"]);

/**
 * Checks the number of a directive's arguments as the server does.
 *
 * @param facts those of the loaded modules that define the directive: if they disagree, nothing is reported
 */
export function validateArgumentCount(
  directive: Directive,
  facts: readonly DirectiveFacts[],
  release: Release,
): CheckFailure | undefined {
  const [first] = facts;
  if (first === undefined || first.argumentKind === "RAW_ARGS" || directive.children !== undefined) return undefined;
  if (isPlainlyRight(directive, first.argumentKind)) return undefined;
  const words = directive.arguments;
  const server = findArgumentCountError(first, words, release);
  if (server === undefined || facts.some((each) => findArgumentCountError(each, words, release) !== server))
    return undefined;
  return { server, ...adviseOnCount(directive, first) };
}

/** Reports whether a line is correct without parsing its arguments, as most are. */
function isPlainlyRight(directive: Directive, kind: ArgumentKind): boolean {
  const shape = directive.argumentShape;
  if (shape === "word") return takesOneWord.has(kind);
  if (shape === "string") return takesOneWord.has(kind) && directive.argumentText.length > 2;
  return kind === "ITERATE" && shape !== "empty" && !/^["']/.test(directive.argumentText);
}

function adviseOnCount(directive: Directive, facts: DirectiveFacts): Pick<CheckFailure, "wrong" | "remedy" | "span"> {
  const words = directive.arguments;
  const { span } = directive;
  const joined = words.map((word) => word.value).join("");
  const ordering = directive.key === "order" ? parseOrdering(joined) : undefined;
  if (ordering)
    return { wrong: "`Order` takes one word without a space in it", remedy: `write \`Order ${ordering}\``, span };
  const name = `\`${facts.name}\``;
  const [first] = words;
  if (facts.argumentKind === "FLAG") {
    return {
      wrong: first ? `${name} is On or Off, not ${quoteText(first.value)}` : `nothing stands behind ${name}`,
      remedy: "write `On` or `Off`",
      span: first ? directive.spanOf(first) : span,
    };
  }
  const takes = argumentWords[facts.argumentKind] ?? "other words";
  if (words.some((word) => word.value === ""))
    return { wrong: `${name} does not take an empty word`, remedy: "fill the empty word", span };
  const quotes = words.length > 1 ? ", with quotes around words that belong together" : "";
  const syntax = facts.syntax === "" ? "correct the line" : `it is written \`${facts.syntax}\`${quotes}`;
  return {
    wrong: words.length === 0 ? `${name} needs ${takes}` : `${name} takes ${takes}, not ${countWords(words.length)}`,
    remedy: syntax,
    span,
  };
}

function countWords(words: number): string {
  return words === 1 ? "one word" : `${words} words`;
}
