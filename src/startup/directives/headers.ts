import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
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
export function checkHeader(directive: Directive): CheckFailure | undefined {
  const words = directive.arguments;
  const mayBeAlways = directive.key === "header" && /^(always|onsuccess)$/i.test(words[0]?.value ?? "");
  const [action, ...rest] = words.slice(mayBeAlways ? 1 : 0);
  if (rest.length > 4) {
    const server = `${directive.name} has too many arguments`;
    return buildFailure(directive, rest[4], [
      server,
      `\`${directive.name}\` has too many arguments`,
      "put a value with spaces in quotes",
    ]);
  }
  const name = action?.value.toLowerCase() ?? "";
  if (!headerActions.includes(name)) return checkAction(directive, action);
  const line = parseHeaderLine(directive, name, rest);
  return checkHeaderCount(line) ?? checkEditPattern(line) ?? checkEarlyAndCondition(line) ?? checkHeaderFormat(line);
}

function buildFailure(directive: Directive, word: Argument | undefined, wording: RefusalText): Refusal {
  return { ...wording, span: word ? directive.spanOf(word) : directive.span };
}

function checkAction(directive: Directive, word: Argument | undefined): CheckFailure {
  const near = word && findClosestWord(word.value, headerActions);
  return buildFailure(directive, word, {
    server:
      "first argument must be 'add', 'set', 'setifempty', 'append', 'merge', 'unset', 'echo', 'note', 'edit', or 'edit*'.",
    wrong: word
      ? `unknown action ${quoteText(word.value)} for \`${directive.name}\``
      : `\`${directive.name}\` needs an action`,
    remedy: near ? `use \`${near}\`` : "use `set`, `add`, `unset` or another action",
  });
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
}: HeaderLine): CheckFailure | undefined {
  if (action.startsWith("edit")) {
    if (replacement) return undefined;
    const wrong = `\`${action}\` needs a pattern and a replacement`;
    return buildFailure(directive, undefined, {
      server: "Header edit requires a match and a substitution",
      wrong: wrong,
      remedy: "add the missing argument",
    });
  }
  const takesNoValue = action === "unset" || action === "echo";
  if (more) {
    const isFourth =
      directive.arguments.indexOf(more) > directive.arguments.indexOf(condition ?? more) + (takesNoValue ? 1 : 0);
    const server = isFourth
      ? "Too many arguments to directive"
      : `${action === "echo" ? "Header echo" : "header unset"} takes two arguments`;
    return buildFailure(directive, more, {
      server: server,
      wrong: `unexpected argument ${quoteText(more.value)}`,
      remedy: "delete it, or put a value with spaces in quotes",
    });
  }
  if (action === "echo" && directive.key === "requestheader") {
    const server = "Header echo only valid on Header directives";
    return buildFailure(directive, undefined, {
      server: server,
      wrong: "`echo` is not allowed in `RequestHeader`",
      remedy: "use `Header` instead of `RequestHeader`",
    });
  }
  if (takesNoValue || value) return undefined;
  const isTogether = header !== undefined && /^[\w-]+:\s*\S/.test(header.value);
  return buildFailure(directive, isTogether ? header : undefined, {
    server: "Header requires three arguments",
    wrong: `\`${action}\` needs a value for the header`,
    remedy: isTogether ? "separate the name and the value with a space, and quote only the value" : "add the value",
  });
}

function checkEditPattern({ directive, action, header, value }: HeaderLine): CheckFailure | undefined {
  if (action === "echo") return header && checkPattern(directive, header, "Header echo regex could not be compiled");
  if (!action.startsWith("edit")) return undefined;
  return value && checkPattern(directive, value, "Header edit regex could not be compiled");
}

function checkEarlyAndCondition({ directive, condition }: HeaderLine): CheckFailure | undefined {
  if (condition === undefined || /^(?:early$|expr=)/i.test(condition.value)) return undefined;
  const [, variable] = /^env=(.*)$/is.exec(condition.value) ?? [];
  if (variable === undefined) {
    const server = `Unknown parameter: ${condition.value}`;
    const wrong = `expected \`early\`, \`env=…\` or \`expr=…\`, found ${quoteText(condition.value)}`;
    return buildFailure(directive, condition, {
      server: server,
      wrong: wrong,
      remedy: "delete it, or put a value with spaces in quotes",
    });
  }
  if (variable !== "" && variable !== "!") return undefined;
  const server = "error: missing environment variable name. envclause should be in the form env=envar ";
  return buildFailure(directive, condition, {
    server: server,
    wrong: `missing variable name in ${quoteText(condition.value)}`,
    remedy: "add the name",
  });
}

/**
 * A format tag in a header's value: `%`, an argument in braces, a letter (`parse_format_tag`); a single `%` may end it.
 */
const formatTag = /%(?:%|$|(?:\{[^}]*\}*)?([\s\S]?))/g;

function checkHeaderFormat({ directive, action, value, replacement }: HeaderLine): CheckFailure | undefined {
  const word = replacement ?? value;
  if (word === undefined || action === "echo" || word.value.startsWith("expr=")) return undefined;
  for (const [text, letter] of word.value.matchAll(formatTag)) {
    if (letter === undefined || (letter !== "" && "Dtesilb".includes(letter))) continue;
    const server = `Unrecognized header format %${letter}`;
    const wrong = `unknown format specifier ${quoteText(text)}`;
    return buildFailure(directive, word, {
      server: server,
      wrong: wrong,
      remedy: "correct it, or use `%%` for the character",
    });
  }
  return undefined;
}
