import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ConfigTestResult, runConfigTest } from "../../../src/apps/file-changes/config-test.js";
import { inScratchFolder, writeFiles } from "../../support/programs/scratch-folder.js";

/** Runs a configuration test with a program that replaces the server. */
function testWith(lines: string, longest?: number): ConfigTestResult {
  return inScratchFolder((folder) => {
    writeFiles(folder, { server: `#!/bin/sh\n${lines}\n` });
    const program = join(folder, "server");
    if (lines !== "") chmodSync(program, 0o755);
    return runConfigTest({ program, serverRoot: folder, defines: new Map(), environment: new Map() }, "x", longest);
  });
}

test("a configuration test has a timeout", () => {
  expect(testWith("exec sleep 100", 200)).toEqual({
    ok: false,
    error: { code: "timeout", message: "it did not answer within 0.2 seconds" },
  });
});

test("a server that crashes or cannot be run does not reject the configuration", () => {
  expect(testWith("kill -SEGV $$")).toEqual({ ok: false, error: { code: "killed", message: "SIGSEGV stopped it" } });
  expect(testWith("")).toEqual({
    ok: false,
    error: { code: "not-started", message: "it cannot be run: the system reports EACCES" },
  });
});

test("omits leading warnings of the server if other messages follow", () => {
  const reject = (...lines: readonly string[]) =>
    testWith(`${lines.map((line) => `echo '${line}' >&2`).join("\n")}\nexit 1`);
  const warning = "[Sun Nov 22 07:18:04 2026] [core:warn] AH00111: Config variable ${X} is not defined";
  expect(reject(warning, "AH00526: Syntax error on line 3 of /x:", "no")).toEqual({
    ok: false,
    error: { code: "rejected", message: "AH00526: Syntax error on line 3 of /x: no" },
  });
  expect(reject(warning)).toEqual({ ok: false, error: { code: "rejected", message: warning } });
  expect(reject()).toEqual({ ok: false, error: { code: "rejected", message: "nothing" } });
});
