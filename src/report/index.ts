import { github } from "./github.js";
import type { ReportInput } from "./input.js";
import { json } from "./json.js";
import { sarif } from "./sarif.js";
import { text } from "./text.js";

export type { ReportInput } from "./input.js";
export { statistics } from "./text.js";

/** The ways in which findings are written. */
export const formats = ["text", "json", "sarif", "github"] as const;
export type Format = (typeof formats)[number];

const writers: Readonly<Record<Format, (input: ReportInput) => Iterable<string>>> = { text, json, sarif, github };

/** Large enough that writing costs little, small enough that it holds little. */
const CHUNK = 1 << 16;

/** Findings in a format, in pieces of text: there may be too many for one. */
export function* render(format: Format, input: ReportInput): Generator<string> {
  let chunk = "";
  for (const piece of writers[format](input)) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
