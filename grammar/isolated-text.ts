import type { EmbeddedText, ValueSyntax, WordRange } from "./embedded-text.js";
import { hideText, removedRange, removeText } from "./marked-text.js";

/** The escapes and values of a here-document, of a quoted text of a shell, and of Terraform or Puppet. */
const shellValue = String.raw`\$(?:\w+|[@*#?$!-]|\{[^}\n]{0,200}\}|\((?:[^()\n]|\([^()\n]{0,200}\)){0,200}\))|\`[^\`\n]{0,500}\``;
const inDocument = new RegExp(String.raw`\\[\\$\`]|${shellValue}`, "g");
const inQuotes = new RegExp(String.raw`\\[\\$\`"]|\\\r?\n|${shellValue}`, "g");
const inBraces = /\$\$(?=\{)|[$%]\{[^}\n]{0,200}\}/g;

/** The white space and removed characters at the beginning and the end of lines. */
const margins = new RegExp(`(?:^|\\n)[${removedRange} \\t]+|[${removedRange} \\t]+(?=\\n|$)`, "g");

/** A file with only one of its texts; both have its length. */
export interface IsolatedText {
  /** With the lines of the file. */
  readonly text: string;
  /** The lines that the server reads, if they are others: a command may write several with one line. */
  readonly readAs?: string;
}

/**
 * Returns a file with only one of its texts: what is before is blank, and what follows is left out, so that offsets remain
 * the same. Values are hidden (`hideText`).
 */
export function isolateEmbedded(text: string, embedded: EmbeddedText): IsolatedText {
  const before = text.slice(0, embedded.start).replace(/[^\n]/g, " ");
  const own = contentOf(text, embedded);
  if (embedded.form.kind === "lines") return { text: before + own };
  const written = text.slice(embedded.start, embedded.start + own.length);
  const shown = Array.from(own, (each, at) => (written[at] === "\n" ? "\n" : each === "\n" ? " " : each)).join("");
  return { text: before + shown, readAs: before + own };
}

/** Returns the content of a text, of the same length. */
export function contentOf(text: string, { start, end, form }: EmbeddedText): string {
  const own = text.slice(start, end);
  if (form.kind === "unread") return "";
  if (form.kind === "lines") return expand(own, form.values);
  return form.kind === "folded" ? fold(own) : readWords(text, start, form.parts);
}

function expand(text: string, values: ValueSyntax): string {
  if (values === "none") return text;
  return text.replace(values === "shell" ? inDocument : inBraces, replaceLater);
}

/** Joins the lines with the indentation of the first one. */
function fold(text: string): string {
  const indentation = /^[ \t]*/.exec(text)?.[0] ?? "";
  return text.replace(/\r?\n(?=([ \t]*)\S)/g, (written, indent: string, at: number) => {
    const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
    const isSame = line.trim() !== "" && /^[ \t]*/.exec(line)?.[0] === indentation && indent === indentation;
    return isSame ? " ".repeat(written.length) : written;
  });
}

/** Returns the words of commands as lines; what is between them is blank. */
function readWords(text: string, from: number, parts: readonly WordRange[]): string {
  let own = "";
  for (const { start, end, syntax, content: given } of parts) {
    own += text.slice(from + own.length, start).replace(/[^\n]/g, " ");
    const content = given ?? readWord(text.slice(start, end), syntax);
    // A line begins with its first word, and ends with its last one.
    own += content.replace(margins, (margin) => margin.replace(/[^\n]/g, " "));
    // A quote or a separator follows.
    if (end < text.length) own += "\n";
  }
  return own;
}

/** A quoted text, an escape, blanks between words, or other characters. */
const wordPart = /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\(\r?\n|[\s\S])|([ \t]+)|[^'"\\ \t]+|[\s\S]/g;

/** Returns what a shell makes of a word, of the same length: what it removes is kept as code units that no text has. */
export function readShellWord(written: string): string {
  return written.replace(wordPart, (part, single?: string, double?: string, escaped?: string) => {
    if (single !== undefined) return removeText("'") + single + removeText("'");
    if (double !== undefined) return removeText('"') + double.replace(inQuotes, replaceLater) + removeText('"');
    if (escaped !== undefined) return /\n/.test(escaped) ? removeText(part) : removeText("\\") + escaped;
    return part.replace(inQuotes, replaceLater);
  });
}

/** Returns what a command writes for its words. */
export function readWord(written: string, syntax: WordRange["syntax"]): string {
  if (syntax === "raw") return written.replace(/\\(?=['\\])/g, removeText);
  if (syntax === "quoted")
    return written.replace(/\\(?=[$"\\])|\$\{[^}\n]{0,200}\}/g, (each) =>
      each === "\\" ? removeText(each) : hideText(each),
    );
  if (syntax === "lines")
    return written.replace(wordPart, (part, _single, _double, _escaped, blank?: string) =>
      blank === undefined ? readShellWord(part) : `\n${blank.slice(1)}`,
    );
  const content = readShellWord(written);
  const lines = content.replace(/\\([nt])/g, (_, each: string) => removeText("\\") + (each === "n" ? "\n" : "\t"));
  return syntax === "format"
    ? lines.replace(/%([%sdb])/g, (each, kind) => (kind === "%" ? `${removeText("%")}%` : hideText(each)))
    : lines;
}

/** Replaces an escape by what it stands for, and hides a value. */
function replaceLater(written: string): string {
  if (written.startsWith("\\"))
    return written.includes("\n") ? removeText(written) : removeText("\\") + written.slice(1);
  return written === "$$" ? `${removeText("$")}$` : hideText(written);
}
