import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Fault } from "./refusal.js";
import { leadingNumber } from "./values.js";

/** The response codes that 2.4.71 has a line for (modules/http/http_protocol.c `status_lines`). */
const statuses = new Set([
  ...[100, 101, 102, 103],
  ...[200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
  ...[300, 301, 302, 303, 304, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417],
  ...[421, 422, 423, 424, 426, 428, 429, 431, 451],
  ...[500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511],
]);

/** Whether the server knows a response code; undefined stands for a number that is not looked into. */
export function isStatus(code: number | undefined): boolean {
  return code === undefined || statuses.has(code);
}

/** What the server refuses about the code of ErrorDocument (server/core.c `set_error_document`). */
export function errorDocumentFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  if (word === undefined || isStatus(leadingNumber(word.value))) return undefined;
  return {
    server: `Unsupported HTTP response code ${word.value}`,
    wrong: `the server knows no response code ${quoted(word.value)}`,
    remedy: "write one such as `404`",
    span: directive.spanOf(word),
  };
}
