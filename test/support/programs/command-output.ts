import { expect } from "vitest";
import type { Ran } from "./command.js";

/** `path:line:column: severity rule` of each finding that a run tells of as text. */
export function findings({ stdout }: Ran): string[] {
  return [...stdout.matchAll(/^(\S+:\d+:\d+: \w+): .* \[([\w-]+)\]$/gm)].map(([, place, rule]) => `${place} ${rule}`);
}

/** The note at the end of a run over one fragment without a server. */
export const aloneNote =
  "httpd-lint: checked 1 file on its own, because no main file was found; name it with --main FILE, or as `entry` in .httpd-lint.json\n";

/** A failure: one line on standard error, nothing on standard output, no trace of the program's inside. */
export function expectFailure(ran: Ran, status: number, message: string | RegExp): void {
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(ran.stderr).not.toMatch(/\n\s+at |node:internal|internal failure/);
  expect(ran).toMatchObject({ status, stdout: "" });
}
