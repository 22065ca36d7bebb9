import type { Span } from "../text/source.js";

/** The path of the lines that the analysis assumes. The file does not exist, so no finding is in it. */
export const ASSUMED_PATH = "/httpd-lint-assumed.conf";

/** Whether a span is in lines that the analysis assumes. */
export function isAssumed({ file }: Span): boolean {
  return file.path === ASSUMED_PATH;
}
