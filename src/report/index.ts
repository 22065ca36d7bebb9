import { renderAzure } from "./findings/azure.js";
import { renderCheckstyle } from "./findings/checkstyle.js";
import { renderComment } from "./findings/comment.js";
import { renderGithub } from "./findings/github.js";
import { renderGitlab } from "./findings/gitlab.js";
import { renderJson, renderJsonLines } from "./findings/json.js";
import { renderJunit } from "./findings/junit.js";
import type { ReportInput } from "./findings/rendered-finding.js";
import { renderSarif } from "./findings/sarif.js";
import { renderConcise, renderText, statisticsWriters } from "./findings/text.js";
import { type OutputFormat, outputFormats, type Renderers } from "./formats.js";
import { renderCheckPage } from "./html/check-page.js";
import { renderMarkdown } from "./html/markdown-report.js";

export {
  describeFileCounts,
  fileListWriters,
  type ListedExclusion,
  type ListedFile,
} from "./findings/file-list.js";
export { recommendationWriters } from "./findings/recommendations.js";
export type { ReportInput, UnreadCommand } from "./findings/rendered-finding.js";
export {
  maskDefinitions,
  type ShownOrigin,
  type ShownPaths,
  type ShownSetting,
  type ShownSettings,
  settingsListWriters,
} from "./findings/settings-list.js";
export { statisticsWriters };

/** The output formats of findings. */
export const formats = outputFormats.check;
export type Format = OutputFormat<"check">;

const renderers: Renderers<"check", (input: ReportInput) => Iterable<string>> = {
  text: renderText,
  concise: renderConcise,
  json: renderJson,
  "json-lines": renderJsonLines,
  sarif: renderSarif,
  github: renderGithub,
  gitlab: renderGitlab,
  azure: renderAzure,
  html: renderCheckPage,
  markdown: renderMarkdown,
  comment: renderComment,
  junit: renderJunit,
  checkstyle: renderCheckstyle,
};

/** Reports whether a format supports `--statistics`. */
export function hasStatistics(format: Format): format is keyof typeof statisticsWriters {
  return Object.hasOwn(statisticsWriters, format);
}

/** Renders findings in a format, in pieces of text, since the whole may be too long for one. */
export function render(format: Format, input: ReportInput): Iterable<string> {
  return joinIntoChunks(renderers[format](input));
}

/** Large enough for cheap writes, small enough for little memory. */
const CHUNK = 1 << 16;

/** Combines pieces of text into larger ones. */
export function* joinIntoChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
