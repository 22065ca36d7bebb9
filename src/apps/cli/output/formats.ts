import { testFormats } from "../../../report/answers/test-results.js";
import { formats } from "../../../report/index.js";

/** The values of `--format` by command; the first is the default. A test of all outputs takes them from here. */
export const commandFormats = {
  check: formats,
  explain: ["text", "json"],
  test: testFormats,
  compare: ["text", "json"],
  map: ["text", "json", "html"],
  audit: ["text", "json", "html"],
  upgrade: ["text", "json"],
  migrate: ["diff", "json"],
  rules: ["text", "markdown", "json"],
} as const;
