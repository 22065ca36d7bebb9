import type { FileContent } from "../../../config/files/file-access.js";
import type { Request } from "../../../server/model/request.js";
import { parseJson } from "../../../text/escaping.js";
import type { Result } from "../../../text/result.js";
import { toReadable } from "../../../text/source.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";
import { readExpectations } from "./expectations-shape.js";

/** The default expectations file. */
export const EXPECTATIONS_FILE = "httpd-lint.expectations.json";

/** The expected result of a request: a status, or whether access is granted. */
export type ExpectedResult = number | "allowed" | "refused";

/** A request and its expected result. */
export interface Expectation {
  readonly name: string | undefined;
  readonly request: Request;
  readonly expected: ExpectedResult;
}

/** Parses an expectations file, as described by `expectations.schema.json`, or returns why that is impossible. */
export function parseExpectations(path: string, content: FileContent): Result<readonly Expectation[], CommandResult> {
  if (!content.ok) return failWith(exitCodes.unreadable, `the expectations file \`${path}\` cannot be read`);
  const read = readExpectations(parseJson(toReadable(content.value.text)));
  if (!read.ok) return failWith(exitCodes.usage, `\`${path}\`: ${read.error}`);
  if (read.value.length === 0) return failWith(exitCodes.usage, `\`${path}\` has no expectations`);
  return read;
}
