import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { findClosestWord } from "../../text/closest-word.js";
import { checkPattern } from "./patterns.js";

const headerActions = "add append echo edit edit* merge note set setifempty unset".split(" ");

/** A Header or RequestHeader line as parsed by mod_headers (modules/metadata/mod_headers.c `header_inout_cmd`). */
interface HeaderLine {
  readonly directive: Directive;
  /** In lower case. */
  readonly action: string;
  readonly header: Argument | undefined;
  readonly value: Argument | undefined;
  /** The replacement of a match, for the edit actions. */
  readonly replacement: Argument | undefined;
  /** The condition: `early`, `env=…`, `expr=…`. */
  readonly condition: Argument | undefined;
  /** A surplus argument. */
  readonly more: Argument | undefined;
}

/** Checks Header and RequestHeader as the server does. */
export function checkHeader(directive: Directive): Refusal | undefined {
  const [action, ...rest] = wordsFromAction(directive);
  if (rest.length > 4) {
    return buildFailure(directive, rest[4], wordingOf("too-many-header-arguments", directive.name));
  }
  const name = action?.value.toLowerCase() ?? "";
  if (!headerActions.includes(name)) return checkAction(directive, action);
  const line = parseHeaderLine(directive, name, rest);
  return checkHeaderCount(line) ?? checkEditPattern(line) ?? checkEarlyAndCondition(line) ?? checkHeaderFormat(line);
}

/** Checks only the pattern of Header and RequestHeader, as 2.2 does (`header_inout_cmd`). Its other faults are not known. */
export function checkHeaderPatternOf22(directive: Directive): Refusal | undefined {
  const [action, ...rest] = wordsFromAction(directive);
  return checkEditPattern(parseHeaderLine(directive, action?.value.toLowerCase() ?? "", rest));
}

/** Returns the words after the condition `always` or `onsuccess`. */
function wordsFromAction({ key, arguments: words }: Directive): readonly Argument[] {
  return key === "header" && /^(always|onsuccess)$/i.test(words[0]?.value ?? "") ? words.slice(1) : words;
}

function buildFailure(directive: Directive, word: Argument | undefined, wording: RefusalText): Refusal {
  return { ...wording, span: word ? directive.spanOf(word) : directive.span };
}

function checkAction(directive: Directive, word: Argument | undefined): Refusal {
  // The first word may be a condition.
  const isFirst = directive.key === "header" && word === directive.arguments[0];
  const near = word && findClosestWord(word.value, isFirst ? [...headerActions, "always", "onsuccess"] : headerActions);
  return buildFailure(directive, word, wordingOf("unknown-header-action", directive.name, word?.value, near));
}

function parseHeaderLine(directive: Directive, action: string, rest: readonly Argument[]): HeaderLine {
  const [header, second, third, fourth] = rest;
  if (action.startsWith("edit"))
    return { directive, action, header, value: second, replacement: third, condition: fourth, more: undefined };
  const takesNoValue = action === "unset" || action === "echo";
  const value = takesNoValue ? undefined : second;
  const condition = takesNoValue ? second : third;
  const more = takesNoValue ? (fourth ?? third) : fourth;
  return { directive, action, header, value, replacement: undefined, condition, more };
}

function checkHeaderCount({
  directive,
  action,
  header,
  value,
  replacement,
  condition,
  more,
}: HeaderLine): Refusal | undefined {
  if (action.startsWith("edit")) {
    if (replacement) return undefined;
    return buildFailure(directive, undefined, wordingOf("incomplete-header-edit", action));
  }
  const takesNoValue = action === "unset" || action === "echo";
  if (more) {
    const isFourth =
      directive.arguments.indexOf(more) > directive.arguments.indexOf(condition ?? more) + (takesNoValue ? 1 : 0);
    return buildFailure(directive, more, wordingOf("surplus-header-argument", isFourth, action, more.value));
  }
  if (action === "echo" && directive.key === "requestheader") {
    return buildFailure(directive, undefined, wordingOf("echo-of-request-header"));
  }
  if (takesNoValue || value) return undefined;
  const isTogether = header !== undefined && /^[\w-]+:\s*\S/.test(header.value);
  return buildFailure(
    directive,
    isTogether ? header : undefined,
    wordingOf("missing-header-value", action, isTogether),
  );
}

function checkEditPattern({ directive, action, header, value }: HeaderLine): Refusal | undefined {
  if (action === "echo") return header && checkPattern(directive, header, "Header echo regex could not be compiled");
  if (!action.startsWith("edit")) return undefined;
  return value && checkPattern(directive, value, "Header edit regex could not be compiled");
}

function checkEarlyAndCondition({ directive, condition }: HeaderLine): Refusal | undefined {
  if (condition === undefined || /^(?:early$|expr=)/i.test(condition.value)) return undefined;
  const [, variable] = /^env=(.*)$/is.exec(condition.value) ?? [];
  if (variable === undefined) {
    return buildFailure(directive, condition, wordingOf("unknown-header-condition", condition.value));
  }
  if (variable !== "" && variable !== "!") return undefined;
  return buildFailure(directive, condition, wordingOf("unnamed-header-variable", condition.value));
}

/**
 * A format tag in a header's value: `%`, an argument in braces, a letter (`parse_format_tag`); a single `%` may end it.
 */
const formatTag = /%(?:%|$|(?:\{[^}]*\}*)?([\s\S]?))/g;

function checkHeaderFormat({ directive, action, value, replacement }: HeaderLine): Refusal | undefined {
  const word = replacement ?? value;
  if (word === undefined || action === "echo" || word.value.startsWith("expr=")) return undefined;
  for (const [text, letter] of word.value.matchAll(formatTag)) {
    if (letter === undefined || (letter !== "" && "Dtesilb".includes(letter))) continue;
    return buildFailure(directive, word, wordingOf("unknown-header-format", letter, text));
  }
  return undefined;
}
