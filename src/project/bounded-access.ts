import type { FileAccess, FileFailure } from "./files.js";

/** The files of a configuration have no more bytes and lines in all: 100,000 virtual hosts have half of that. */
export const MOST_BYTES = 512 * 1024 * 1024;
export const MOST_LINES = 6_000_000;

/** Files that are read until they come to more than a configuration's do. */
export function boundedAccess(access: FileAccess): FileAccess {
  let bytes = 0;
  let lines = 0;
  const refusal = (text: string): FileFailure | undefined => {
    if (bytes + text.length > MOST_BYTES) return tooMuch(`${MOST_BYTES >> 20} MB`);
    const more = linesIn(text, MOST_LINES - lines);
    if (lines + more > MOST_LINES) return tooMuch(`${MOST_LINES.toLocaleString("en")} lines`);
    bytes += text.length;
    lines += more;
    return undefined;
  };
  return {
    ...access,
    read(path) {
      const content = access.read(path);
      return "failed" in content ? content : (refusal(content.text) ?? content);
    },
  };
}

function tooMuch(most: string): FileFailure {
  return { failed: `with it the configuration comes to more than ${most}, and httpd-lint reads no more` };
}

/** What continues a line is none of its own. @param enough as soon as there are more, it does not matter how many */
function linesIn(text: string, enough: number): number {
  let count = text.endsWith("\n") || text === "" ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0 && count <= enough; at = text.indexOf("\n", at + 1))
    if (text[at - 1] !== "\\") count++;
  return count;
}
