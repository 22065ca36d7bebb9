import { inChunks } from "./chunks.js";
import { github } from "./github.js";
import { checkPage } from "./html/check-page.js";
import type { ReportInput } from "./input.js";
import { json } from "./json.js";
import { junit } from "./junit.js";
import { markdown } from "./markdown.js";
import { sarif } from "./sarif.js";
import { text } from "./text.js";

export type { ReportInput } from "./input.js";
export { statistics } from "./statistics.js";

/** The ways in which findings are written. */
export const formats = ["text", "json", "sarif", "github", "html", "markdown", "junit"] as const;
export type Format = (typeof formats)[number];

const writers: Readonly<Record<Format, (input: ReportInput) => Iterable<string>>> = {
  text,
  json,
  sarif,
  github,
  html: checkPage,
  markdown,
  junit,
};

/** Findings in a format, in pieces of text: there may be too many for one. */
export function render(format: Format, input: ReportInput): Iterable<string> {
  return inChunks(writers[format](input));
}
