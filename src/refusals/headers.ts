import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { nearest } from "../text/nearest.js";
import { patternFault } from "./patterns.js";
import type { Fault } from "./refusal.js";

const actions = "add append echo edit edit* merge note set setifempty unset".split(" ");

/** A Header or RequestHeader line as mod_headers reads it (modules/metadata/mod_headers.c `header_inout_cmd`). */
interface HeaderLine {
  readonly directive: Directive;
  /** In lower case. */
  readonly action: string;
  readonly header: Argument | undefined;
  readonly value: Argument | undefined;
  /** What replaces a match: for the actions that edit. */
  readonly replacement: Argument | undefined;
  /** When it is done: `early`, `env=…`, `expr=…`. */
  readonly condition: Argument | undefined;
  /** A word too many. */
  readonly more: Argument | undefined;
}

type Advice = readonly [server: string, wrong: string, remedy: string];

/** What the server refuses about Header and RequestHeader. */
export function headerFault(directive: Directive): Fault | undefined {
  const words = directive.arguments;
  const mayBeAlways = directive.key === "header" && /^(always|onsuccess)$/i.test(words[0]?.value ?? "");
  const [action, ...rest] = words.slice(mayBeAlways ? 1 : 0);
  if (rest.length > 4) {
    const server = `${directive.name} has too many arguments`;
    return fault(directive, rest[4], [server, "here are too many words", "put a value of several words in quotes"]);
  }
  const name = action?.value.toLowerCase() ?? "";
  if (!actions.includes(name)) return actionFault(directive, action);
  const line = lineOf(directive, name, rest);
  return countFault(line) ?? compileFault(line) ?? whenFault(line) ?? formatFault(line);
}

function fault(directive: Directive, word: Argument | undefined, [server, wrong, remedy]: Advice): Fault {
  return { server, wrong, remedy, span: word ? directive.spanOf(word) : directive.span };
}

function actionFault(directive: Directive, word: Argument | undefined): Fault {
  const near = word && nearest(word.value, actions);
  return fault(directive, word, [
    "first argument must be 'add', 'set', 'setifempty', 'append', 'merge', 'unset', 'echo', 'note', 'edit', or 'edit*'.",
    word ? `${quoted(word.value)} is nothing that \`${directive.name}\` can do` : `\`${directive.name}\` says nothing`,
    near ? `write \`${near}\`` : "write `set`, `add`, `unset` or another of them",
  ]);
}

function lineOf(directive: Directive, action: string, rest: readonly Argument[]): HeaderLine {
  const [header, second, third, fourth] = rest;
  if (action.startsWith("edit"))
    return { directive, action, header, value: second, replacement: third, condition: fourth, more: undefined };
  const takesNoValue = action === "unset" || action === "echo";
  const value = takesNoValue ? undefined : second;
  const condition = takesNoValue ? second : third;
  const more = takesNoValue ? (fourth ?? third) : fourth;
  return { directive, action, header, value, replacement: undefined, condition, more };
}

function countFault({ directive, action, value, replacement, condition, more }: HeaderLine): Fault | undefined {
  if (action.startsWith("edit")) {
    if (replacement) return undefined;
    const wrong = `\`${action}\` needs a pattern and what replaces its match`;
    return fault(directive, undefined, [
      "Header edit requires a match and a substitution",
      wrong,
      "add what is missing",
    ]);
  }
  const takesNoValue = action === "unset" || action === "echo";
  if (more) {
    const isFourth =
      directive.arguments.indexOf(more) > directive.arguments.indexOf(condition ?? more) + (takesNoValue ? 1 : 0);
    const server = isFourth
      ? "Too many arguments to directive"
      : `${action === "echo" ? "Header echo" : "header unset"} takes two arguments`;
    return fault(directive, more, [
      server,
      `${quoted(more.value)} is a word too many`,
      "take it out, or put a value of several words in quotes",
    ]);
  }
  if (action === "echo" && directive.key === "requestheader") {
    const server = "Header echo only valid on Header directives";
    return fault(directive, undefined, [
      server,
      "`echo` is for the response",
      "write `Header` in place of `RequestHeader`",
    ]);
  }
  if (takesNoValue || value) return undefined;
  return fault(directive, undefined, [
    "Header requires three arguments",
    `\`${action}\` has no value for the header`,
    "add it",
  ]);
}

function compileFault({ directive, action, header, value }: HeaderLine): Fault | undefined {
  if (action === "echo") return header && patternFault(directive, header, "Header echo regex could not be compiled");
  if (!action.startsWith("edit")) return undefined;
  return value && patternFault(directive, value, "Header edit regex could not be compiled");
}

function whenFault({ directive, condition }: HeaderLine): Fault | undefined {
  if (condition === undefined || /^(?:early$|expr=)/i.test(condition.value)) return undefined;
  const [, variable] = /^env=(.*)$/is.exec(condition.value) ?? [];
  if (variable === undefined) {
    const server = `Unknown parameter: ${condition.value}`;
    const wrong = `${quoted(condition.value)} stands where only \`early\`, \`env=…\` or \`expr=…\` may stand`;
    return fault(directive, condition, [server, wrong, "take it out, or put a value of several words in quotes"]);
  }
  if (variable !== "" && variable !== "!") return undefined;
  const server = "error: missing environment variable name. envclause should be in the form env=envar ";
  return fault(directive, condition, [server, `${quoted(condition.value)} names no variable`, "add its name"]);
}

/** A mark in a header's value: `%`, an argument in braces, a letter (`parse_format_tag`); `%` alone may end it. */
const mark = /%(?:%|$|(?:\{[^}]*\}*)?([\s\S]?))/g;

function formatFault({ directive, action, value, replacement }: HeaderLine): Fault | undefined {
  const word = replacement ?? value;
  if (word === undefined || action === "echo" || word.value.startsWith("expr=")) return undefined;
  for (const [text, letter] of word.value.matchAll(mark)) {
    if (letter === undefined || (letter !== "" && "Dtesilb".includes(letter))) continue;
    const server = `Unrecognized header format %${letter}`;
    const wrong = `${quoted(text)} is no mark for a value`;
    return fault(directive, word, [server, wrong, "write `%%` where the character is meant"]);
  }
  return undefined;
}
