import type { FileContent } from "../../../config/files/file-access.js";
import type { Request } from "../../../server/model/request.js";
import { parseJson } from "../../../text/escaping.js";
import { toReadable } from "../../../text/source.js";
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

export type ParsedExpectations =
  | { readonly expectations: readonly Expectation[] }
  /** The file cannot be read. */
  | { readonly unreadable: string }
  /** The contents are invalid. */
  | { readonly failed: string };

/** Parses an expectations file, as described by `expectations.schema.json`. */
export function parseExpectations(path: string, content: FileContent): ParsedExpectations {
  if (!content.ok) return { unreadable: `the expectations file \`${path}\` cannot be read` };
  const read = readExpectations(parseJson(toReadable(content.value.text)));
  if ("failed" in read) return { failed: `\`${path}\`: ${read.failed}` };
  if (read.expectations.length === 0) return { failed: `\`${path}\` has no expectations` };
  return read;
}
