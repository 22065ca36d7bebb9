import type { Span } from "../text/source.js";
import type { Edit } from "./finding.js";

/** Takes out the lines that a directive stands on; undefined where it was not written as lines of its own. */
export function lineRemoval({ file, start, end }: Span): Edit | undefined {
  if ("macro" in file) return undefined;
  const from = file.text.lastIndexOf("\n", start - 1) + 1;
  const feed = file.text.indexOf("\n", end);
  return { span: { file, start: from, end: feed < 0 ? file.text.length : feed + 1 }, text: "" };
}

/** Puts lines behind those that a directive stands on; undefined where it was not written as lines of its own. */
export function linesBehind({ file, end }: Span, lines: readonly string[]): Edit | undefined {
  if ("macro" in file) return undefined;
  const feed = file.text.indexOf("\n", end);
  const at = feed < 0 ? file.text.length : feed + 1;
  const text = feed < 0 ? `\n${lines.join("\n")}` : lines.map((line) => `${line}\n`).join("");
  return { span: { file, start: at, end: at }, text };
}

/** Writes a text in place of another; undefined where a macro put that in place. */
export function replacement(span: Span, text: string): Edit | undefined {
  return "macro" in span.file ? undefined : { span, text };
}

/** The blanks before a directive. */
export function indentOf({ file, start }: Span): string {
  return /[\t ]*$/.exec(file.text.slice(file.text.lastIndexOf("\n", start - 1) + 1, start))?.[0] ?? "";
}
