import type { Argument } from "../../../grammar/ast.js";
import { parseExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { checkPattern } from "./patterns.js";

/** Sections that the server delimits by their closing `>`, and those that may be empty before it. */
const mayBeEmpty = new Set(["<requireall", "<requireany", "<requirenone", "<else"]);
const bracketTerminated = new Set([
  ...mayBeEmpty,
  ..."<directory <directorymatch <location <locationmatch <files <filesmatch <virtualhost".split(" "),
  ..."<limit <limitexcept <if <elseif <authzprovideralias <authnprovideralias".split(" "),
]);

/** Checks a section's opening line as the server does (server/core.c, modules/aaa/mod_authz_core.c). */
export function checkSectionBracket(directive: Directive): Refusal | undefined {
  if (!bracketTerminated.has(directive.key)) return undefined;
  const text = directive.argumentText;
  const close = text.lastIndexOf(">");
  const takesNone = directive.key.startsWith("<require") || directive.key === "<else";
  const isCorrect = close > 0 ? !takesNone : close === 0 && mayBeEmpty.has(directive.key);
  if (isCorrect) return undefined;
  const { span } = directive;
  if (close < 0) {
    return { ...wordingOf("missing-bracket", directive.name), span };
  }
  if (close > 0) {
    return {
      ...wordingOf("surplus-section-argument", directive.name, directive.key, text.slice(0, close).trim()),
      span,
    };
  }
  return { ...wordingOf("missing-section-argument", directive.name), span };
}

/** The use of patterns in a section: always; after `~`; always, with an optional `~`. */
type PatternUse = "always" | "tilde" | "both";

/** Checks the arguments of a section with one path, name or pattern as the server does. */
export function checkSectionPath(directive: Directive, use: PatternUse): Refusal | undefined {
  const words = directive.arguments;
  if (use === "always" && words[0]?.value === "~" && words.length > 1) return checkSectionTilde(directive, words[0]);
  const hasTilde = use !== "always" && words[0]?.value === "~";
  const word = words[hasTilde ? 1 : 0];
  if (word === undefined) return undefined;
  const isPattern = hasTilde || use !== "tilde";
  const fault = isPattern ? checkPattern(directive, word, "Regex could not be compiled") : undefined;
  return fault ?? checkExtraSectionWords(directive, hasTilde ? 2 : 1, "not (yet) supported");
}

/** Returns the fault for a `~` that a pattern section takes as its pattern. */
function checkSectionTilde(directive: Directive, word: Argument): Refusal {
  return { ...wordingOf("tilde-in-match-section", directive.name), span: directive.spanOf(word) };
}

/** Checks the arguments of If and ElseIf, after their expression was parsed. */
export function checkSectionCondition(directive: Directive): Refusal | undefined {
  const [condition, ...more] = directive.arguments;
  if (condition === undefined || more.length === 0 || !parseExpression(condition.value).ok) return undefined;
  return checkExtraSectionWords(directive, 1, "not supported");
}

/** Returns the fault for surplus arguments of a section. The server reports it after reading the section's content. */
function checkExtraSectionWords(directive: Directive, taken: number, errorMessage: string): Refusal | undefined {
  const words = directive.arguments;
  const [first] = words.slice(taken);
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const isSplit = words[taken - 1]?.quote === "none" && first.quote === "none";
  return {
    ...wordingOf("several-section-arguments", directive.name, errorMessage, first.value, isSplit),
    span: directive.spanOf({ start: first.start, end: last.end }),
  };
}
