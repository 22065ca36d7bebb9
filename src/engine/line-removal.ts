import type { Span } from "../text/source.js";
import type { Edit } from "./finding.js";

/** Takes out the lines that a directive stands on; undefined where it was not written as lines of its own. */
export function lineRemoval({ file, start, end }: Span): Edit | undefined {
  if ("macro" in file) return undefined;
  const from = file.text.lastIndexOf("\n", start - 1) + 1;
  const feed = file.text.indexOf("\n", end);
  return { span: { file, start: from, end: feed < 0 ? file.text.length : feed + 1 }, text: "" };
}
