import { isSince, type Release } from "./release.js";

/** Response codes that have a status line in some versions only (modules/http/http_protocol.c `status_lines`). */
const changedStatusCodes: readonly {
  readonly codes: readonly number[];
  readonly since?: Release;
  readonly until?: Release;
}[] = [
  { codes: [306, 418, 419, 420, 421, 425, 509], until: "2.4.3" },
  { codes: [208, 226, 308, 428, 429, 431, 511], since: "2.4.3" },
  { codes: [421], since: "2.4.17" },
  { codes: [451], since: "2.4.23" },
  // 2.4.62 does not have it, and 2.4.71 does.
  { codes: [103], since: "2.4.71" },
];

/** Those that all versions know. */
const knownStatusCodes = new Set([
  ...[100, 101, 102],
  ...[200, 201, 202, 203, 204, 205, 206, 207],
  ...[300, 301, 302, 303, 304, 305, 307],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417],
  ...[422, 423, 424, 426],
  ...[500, 501, 502, 503, 504, 505, 506, 507, 508, 510],
]);

/** Reports whether a release knows a response code; undefined stands for a number that is not checked. */
export function isKnownStatus(code: number | undefined, release: Release): boolean {
  if (code === undefined || knownStatusCodes.has(code)) return true;
  return changedStatusCodes.some(
    ({ codes, since, until }) =>
      codes.includes(code) &&
      (since === undefined || isSince(release, since)) &&
      (until === undefined || !isSince(release, until)),
  );
}

/** Returns the status that a release sends for a response code: 500 for one that it does not know (`ap_index_of_response`). */
export function sentStatusOf(code: number, release: Release): number {
  return isKnownStatus(code, release) ? code : 500;
}
