import { parseArguments } from "../../grammar/arguments.js";
import type { ConfigTree, Line } from "../../grammar/ast.js";
import { cook } from "../../grammar/logical.js";
import { lineAt } from "../text/position.js";
import { type SourceFile, type Span, toReadable } from "../text/source.js";

/** A macro as mod_macro keeps it: body lines joined and trimmed, comments dropped, parameters not yet replaced. */
export interface Macro {
  /** Lower case. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly BodyLine[];
  /** `defined on line 3 of "…"`, as the server's messages have it. */
  readonly location: string;
  readonly span: Span;
}

export interface BodyLine {
  readonly text: string;
  /** Where the line stands in the definition. */
  readonly span: Span;
}

/** The text that a Use put in place of itself: a file of its own to the server, and so to us. */
export interface Expansion extends SourceFile {
  readonly macro: Macro;
  /** The Use line. */
  readonly use: Span;
  /** The definition's line for each physical line of the text. */
  readonly origins: readonly Span[];
}

export function isExpansion(file: SourceFile): file is Expansion {
  return "macro" in file;
}

/** Body lines are kept in buffers of this size (MAX_STRING_LEN). */
const LONGEST_BODY_LINE = 8192;

/** Reads what is in `<Macro name $a $b>` behind the section's name; a text is the server's refusal. */
export function readMacroHead(argumentText: string, span: Span): Omit<Macro, "body"> | { readonly refused: string } {
  const close = argumentText.lastIndexOf(">");
  if (close < 0) return { refused: "<Macro> directive missing closing '>'" };
  if (close === 0) return { refused: "<Macro macro definition: empty name" };
  const [name, ...parameters] = parseArguments(argumentText.slice(0, close)).map((word) => word.value);
  if (!name) return { refused: "<Macro macro definition: name not found" };
  const location = `defined on line ${lineAt(span.file, span.end - 1)} of "${toReadable(span.file.path)}"`;
  const lower = name.toLowerCase();
  const where = `macro '${lower}' (${location})`;
  for (const [index, parameter] of parameters.entries()) {
    if (parameter === "") return { refused: `${where}: empty argument #${index + 1} name` };
    const twin = parameters.indexOf(parameter, index + 1);
    if (twin >= 0) {
      return {
        refused: `argument name conflict in macro '${lower}' (${location}): argument '${parameter}': #${index + 1} and #${twin + 1}, change argument names!`,
      };
    }
  }
  return { name: lower, parameters, location, span };
}

/**
 * Takes the lines up to the `</Macro>` that closes the definition; macros may be defined inside macros. Undefined where
 * the file ends first.
 */
export function readMacroBody(tree: ConfigTree, next: () => Line | undefined): BodyLine[] | undefined {
  const body: BodyLine[] = [];
  let nesting = 1;
  for (let line = next(); line; line = next()) {
    if (line.kind === "comment") continue;
    const text = textOf(tree, line);
    if (text.length >= LONGEST_BODY_LINE) return undefined;
    const first = parseArguments(text)[0]?.value.toLowerCase();
    if (first === "</macro>" && --nesting === 0) return body;
    if (first === "<macro") nesting++;
    body.push({ text, span: { file: tree.source, start: line.nameStart, end: Math.max(line.nameEnd, line.restEnd) } });
  }
  return undefined;
}

function textOf(tree: ConfigTree, line: Line): string {
  if (line.cooked) return cook(tree.source.text, line).text;
  return tree.source.text.slice(line.nameStart, Math.max(line.nameEnd, line.restEnd));
}

/** The text that a Use stands for; `refused` is the server's message. */
export function expandMacro(
  macro: Macro,
  values: readonly string[],
  use: Span,
): Expansion | { readonly refused: string } {
  if (values.length !== macro.parameters.length) {
    return {
      refused: `macro '${macro.name}' (${macro.location}) used with ${values.length} arguments instead of ${macro.parameters.length}`,
    };
  }
  const path = `macro '${macro.name}' (${macro.location}) used on line ${lineAt(use.file, use.end - 1)} of "${use.file.path}"`;
  const origins: Span[] = [];
  let text = "";
  for (const line of macro.body) {
    const replaced = substitute(line.text, macro.parameters, values);
    if (replaced === undefined) {
      return { refused: `${path} error while substituting: cannot substitute, buffer size too small` };
    }
    text += `${replaced}\n`;
    origins.push(line.span);
  }
  return { path, realPath: path, text, macro, use, origins };
}

/**
 * Replaces parameters from left to right, the longest where two start at one place; `@x` ones come quoted. The search
 * goes on a value's length behind the parameter's start, so the tail of a quoted value is searched again, as in
 * mod_macro. Undefined where the line outgrows the server's buffer.
 */
function substitute(line: string, parameters: readonly string[], values: readonly string[]): string | undefined {
  let buffer = line;
  let from = 0;
  for (;;) {
    if (buffer.length >= LONGEST_BODY_LINE) return undefined;
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
