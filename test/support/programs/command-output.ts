import { expect } from "vitest";
import type { Ran } from "./command.js";

/** Returns `path:line:column: severity rule` of each finding in text output. */
export function findings({ stdout }: Ran): string[] {
  return [...stdout.matchAll(/^(\w+)\[([\w-]+)\]: .*\n *--> (\S+)$/gm)].map(
    ([, severity, rule, place]) => `${place}: ${severity} ${rule}`,
  );
}

/** The final note of a run on one fragment without a server. */
export const fragmentNote =
  "httpd-lint: checked 1 file on its own, because no main file was found; name it with --main FILE, or as `entry` in .httpd-lint.json\n";

/** Expects a failure: one line on standard error, nothing on standard output, no stack trace. */
export function expectFailure(ran: Ran, status: number, message: string | RegExp): void {
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(ran.stderr).not.toMatch(/\n\s+at |node:internal|internal (?:error|failure)/);
  expect(ran).toMatchObject({ status, stdout: "" });
}
