import { type MappedText, MappedTextBuilder } from "../src/text/mapped.js";
import type { Line } from "./ast.js";
import { isSpace } from "./line-scanner.js";

/**
 * What httpd sees of a line: continuations joined, everything from a NUL to the end of its physical line dropped, white
 * space at both ends removed (server/util.c, `ap_cfg_getline`). A backslash that ends the file joins nothing and stays.
 */
export function cook(text: string, line: Line): MappedText {
  const joined = new MappedTextBuilder();
  let from = line.start;
  while (from < line.end) {
    const lf = text.indexOf("\n", from);
    const next = lf < 0 || lf >= line.end ? line.end : lf + 1;
    let end = next;
    const nul = text.slice(from, next).indexOf("\0");
    if (nul >= 0) end = from + nul;
    else if (next < line.end || endsInContinuation(text, from, next)) end = beforeContinuation(text, next);
    joined.copy(text.slice(from, end), from);
    from = next;
  }
  return trim(joined.build(line.start));
}

/** The last physical line of a file may end in a backslash and a line ending with nothing after it. */
function endsInContinuation(text: string, from: number, next: number): boolean {
  return next === text.length && text.charCodeAt(next - 1) === 10 && beforeContinuation(text, next) >= from;
}

/** Offset of the backslash that joins the physical line ending at `next` to the following one; -1 where none does. */
function beforeContinuation(text: string, next: number): number {
  const last = text.charCodeAt(next - 2) === 13 ? next - 3 : next - 2;
  return text[last] === "\\" ? last : -1;
}

function trim(mapped: MappedText): MappedText {
  let start = 0;
  let end = mapped.text.length;
  while (start < end && isSpace(mapped.text.charCodeAt(start))) start++;
  while (end > start && isSpace(mapped.text.charCodeAt(end - 1))) end--;
  if (start === 0 && end === mapped.text.length) return mapped;
  return new MappedTextBuilder().copyMapped(mapped, start, end).build(mapped.pieces[0]?.from ?? 0);
}
