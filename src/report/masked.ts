import type { SourceFile } from "../text/source.js";
import type { Line } from "./places.js";
import { MASK, secretsIn } from "./secrets.js";

/** A file's text with its secrets masked; lines stay where they are. @returns a binary string */
export function maskedText(file: SourceFile): string {
  const lines: string[] = [];
  let start = 0;
  for (const text of file.text.split("\n")) {
    const ending = text.endsWith("\r") ? "\r" : "";
    const end = start + text.length - ending.length;
    lines.push(maskedLine(file, { number: lines.length + 1, start, end }) + ending);
    start += text.length + 1;
  }
  return lines.join("\n");
}

/** A line with its secrets masked. @returns a binary string */
export function maskedLine(file: SourceFile, line: Line): string {
  const { text } = file;
  // What joins a line to the next is no part of a secret.
  const end = text[line.end - 1] === "\\" && line.end > line.start ? line.end - 1 : line.end;
  let masked = "";
  let at = line.start;
  for (const secret of secretsIn(file, line, line.start, end)) {
    masked += text.slice(at, secret.start) + MASK;
    at = secret.end;
  }
  return masked + text.slice(at, line.end);
}
