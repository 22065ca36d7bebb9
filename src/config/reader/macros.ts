import { parseArguments } from "../../../grammar/arguments.js";
import { normalizeLine } from "../../../grammar/line-scanner.js";
import type { Result } from "../../text/result.js";
import { lineAt, type SourceFile, type Span, toReadable } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import type { Directive } from "../model/directive.js";
import { type RefusalText, wordingOf } from "../refusals/refusal.js";
import type { LineCursor } from "./line-cursor.js";

/** A macro as mod_macro stores it: body lines joined and trimmed, comments removed, parameters not yet replaced. */
export interface Macro {
  /** Lower case. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly BodyLine[];
  /** `macro 'name' (defined on line 3 of "…")`, as in the server's messages. */
  readonly title: string;
  readonly span: Span;
}

export interface BodyLine {
  readonly text: string;
  /** The span of the line in the definition. */
  readonly span: Span;
}

/** The text that replaces a Use: a file of its own for the server, and for httpd-lint. */
export interface Expansion extends SourceFile {
  readonly macro: Macro;
  /** The Use line. */
  readonly use: Span;
  /** The line of the definition for each physical line of the text. */
  readonly origins: readonly Span[];
}

export function isExpansion(file: SourceFile): file is Expansion {
  return "macro" in file;
}

/** Reports whether a text was inserted by a macro, directly or through others. */
export function isInExpansionOf(macro: Macro, source: SourceFile): boolean {
  for (let file = source; isExpansion(file); file = file.use.file) if (file.macro.name === macro.name) return true;
  return false;
}

/** Reports whether a text is that of a macro which no Use line inserts, or was inserted there. */
export function isOfUnusedMacro(source: SourceFile): boolean {
  for (let file = source; isExpansion(file); file = file.use.file) if (isOwnUse(file)) return true;
  return false;
}

/** Reports whether a macro is read although no Use line inserts it: its first line takes the place of that line. */
export function isOwnUse({ use, macro }: Expansion): boolean {
  return use === macro.span;
}

/** Returns the lookup key of a macro, in which the case of ASCII letters is ignored. */
export function macroKeyOf(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Returns the span of a directive with its line ending, whose position is the line that the server's messages report.
 */
export function wholeSpanOf(directive: Directive): Span {
  const { nameStart, nameEnd, end } = directive.line;
  return { file: directive.reading.tree.source, start: nameStart, end: Math.max(nameEnd, end) };
}

/** The size of the server's buffer for body lines (MAX_STRING_LEN). */
const MAX_BODY_LINE_BYTES = 8192;
/** Computed when needed: the first formatted number loads locale tables. */
const formatBodyLimit = () => formatNumber(MAX_BODY_LINE_BYTES - 1);

/** Parses the text after the section's name in `<Macro name $a $b>`. */
export function readMacroHead(argumentText: string, span: Span): Result<Omit<Macro, "body">, RefusalText> {
  const close = argumentText.lastIndexOf(">");
  if (close < 0) return { ok: false, error: wordingOf("missing-bracket", "<Macro") };
  const [name, ...parameters] = parseArguments(argumentText.slice(0, close)).map((word) => word.value);
  if (!name) return { ok: false, error: wordingOf("unnamed-macro", close) };
  const lower = macroKeyOf(name);
  const place = `line ${lineAt(span.file, span.end - 1)} of "${span.file.path}"`;
  const head = { name: lower, parameters, title: `macro '${toReadable(lower)}' (defined on ${place})`, span };
  const refused = checkParameters(head);
  return refused ? { ok: false, error: refused } : { ok: true, value: head };
}

function checkParameters({ name, parameters, title }: Omit<Macro, "body">): RefusalText | undefined {
  const last = new Map(parameters.map((parameter, index) => [parameter, index]));
  for (const [index, parameter] of parameters.entries()) {
    if (parameter === "") return wordingOf("empty-parameter", index + 1, name, title);
    const duplicate = last.get(parameter) === index ? -1 : parameters.indexOf(parameter, index + 1);
    if (duplicate >= 0) return wordingOf("duplicate-parameter", parameter, name, title, index + 1, duplicate + 1);
  }
  return undefined;
}

/**
 * Reads the lines up to the `</Macro>` that closes the definition; macros may be defined inside macros. The server
 * finds no end after an overlong line.
 */
export function readMacroBody(lines: LineCursor): Result<readonly BodyLine[], Span | "never closed"> {
  const body: BodyLine[] = [];
  let tooLong: Span | undefined;
  let nesting = 1;
  for (let line = lines.next(); line; line = lines.next()) {
    if (line.kind === "comment") continue;
    const { text: fileText } = lines.tree;
    const span = lines.spanOf(line);
    const text = line.needsNormalizing ? normalizeLine(fileText, line).text : fileText.slice(span.start, span.end);
    if (text.length >= MAX_BODY_LINE_BYTES) tooLong ??= span;
    const first = parseArguments(text)[0]?.value.toLowerCase();
    if (first === "</macro>" && --nesting === 0)
      return tooLong ? { ok: false, error: tooLong } : { ok: true, value: body };
    if (first === "<macro") nesting++;
    body.push({ text, span });
  }
  return { ok: false, error: tooLong ?? "never closed" };
}

/** Returns the fault for a definition whose end the server does not find. */
export function describeUnendedMacro({ title }: Pick<Macro, "title">, unended: Span | "never closed"): RefusalText {
  if (unended === "never closed") return wordingOf("unclosed-macro", title);
  return wordingOf("macro-line-too-long", formatBodyLimit(), title);
}

/** Reckons the work of expanding a macro, in bytes: each parameter is searched for in each line. */
export function expansionWork({ body, parameters }: Macro): number {
  return body.reduce((sum, { text }) => sum + text.length, 0) * (parameters.length >> 4);
}

/** Returns the text that replaces a Use. */
export function expandMacro(macro: Macro, values: readonly string[], use: Span): Result<Expansion, RefusalText> {
  const { parameters, title } = macro;
  if (values.length !== parameters.length) {
    const usage = toReadable(["Use", macro.name, ...parameters].join(" "));
    return {
      ok: false,
      error: wordingOf(
        "wrong-value-count",
        macro.name,
        formatCountOf(parameters.length, "argument"),
        values.length,
        usage,
        title,
        parameters.length,
      ),
    };
  }
  const path = `${title} used on line ${lineAt(use.file, use.end - 1)} of "${use.file.path}"`;
  const origins: Span[] = [];
  let text = "";
  for (const [index, line] of macro.body.entries()) {
    const replaced = substitute(line.text, parameters, values);
    if (replaced === undefined)
      return {
        ok: false,
        error: wordingOf(
          "expansion-too-long",
          macro.name,
          formatBodyLimit(),
          title,
          lineAt(use.file, use.end - 1),
          use.file.path,
          index + 1,
        ),
      };
    text += `${replaced}\n`;
    origins.push(line.span);
  }
  return { ok: true, value: { path, realPath: path, text, macro, use, origins } };
}

function formatCountOf(count: number, what: string): string {
  return count === 0 ? `no ${what}s` : count === 1 ? `one ${what}` : `${count} ${what}s`;
}

/**
 * Replaces parameters from left to right; the longest one wins if two start at one position, and `@x` parameters are
 * quoted. As in mod_macro, the search continues after the parameter's start by the length of its value. So the tail of
 * a quoted value is searched again. Undefined if the line exceeds the server's buffer.
 */
function substitute(line: string, parameters: readonly string[], values: readonly string[]): string | undefined {
  let buffer = line;
  let from = 0;
  for (;;) {
    if (buffer.length >= MAX_BODY_LINE_BYTES) return undefined;
    const found = nextParameter(buffer, from, parameters);
    if (!found) return buffer;
    const value = values[found.index] ?? "";
    const parameter = parameters[found.index] ?? "";
    if (value !== parameter) {
      const inserted = parameter.startsWith("@") ? `"${value.replace(/["\\]/g, "\\$&")}"` : value;
      buffer = buffer.slice(0, found.at) + inserted + buffer.slice(found.at + parameter.length);
    }
    from = found.at + value.length;
  }
}

function nextParameter(
  line: string,
  from: number,
  parameters: readonly string[],
): { at: number; index: number } | undefined {
  let best: { at: number; index: number; length: number } | undefined;
  for (const [index, parameter] of parameters.entries()) {
    const at = line.indexOf(parameter, from);
    if (at < 0) continue;
    if (!best || at < best.at || (at === best.at && parameter.length > best.length)) {
      best = { at, index, length: parameter.length };
    }
  }
  return best;
}
