import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ConfigTestResult, runConfigTest } from "../../src/transaction/config-test.js";
import { inScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

/** Tests with a program that replaces the server. */
function testedBy(lines: string, longest?: number): ConfigTestResult {
  return inScratchFolder((folder) => {
    writeFiles(folder, { server: `#!/bin/sh\n${lines}\n` });
    const program = join(folder, "server");
    if (lines !== "") chmodSync(program, 0o755);
    return runConfigTest({ program, serverRoot: folder, defines: new Map(), environment: new Map() }, "x", longest);
  });
}

test("a server that does not answer is not waited for", () => {
  expect(testedBy("exec sleep 100", 200)).toEqual({
    verdict: "unasked",
    why: "it did not answer within 0.2 seconds",
  });
});

test("a server that ends differently, or cannot be run, does not count as a rejection", () => {
  expect(testedBy("kill -SEGV $$")).toEqual({ verdict: "unasked", why: "SIGSEGV stopped it" });
  expect(testedBy("")).toEqual({ verdict: "unasked", why: "it cannot be run: the system reports EACCES" });
});

test("its leading warnings are omitted, unless there is nothing else", () => {
  const refuse = (...lines: readonly string[]) =>
    testedBy(`${lines.map((line) => `echo '${line}' >&2`).join("\n")}\nexit 1`);
  const warning = "[Sun Nov 22 07:18:04 2026] [core:warn] AH00111: Config variable ${X} is not defined";
  expect(refuse(warning, "AH00526: Syntax error on line 3 of /x:", "no")).toEqual({
    verdict: "refused",
    message: "AH00526: Syntax error on line 3 of /x: no",
  });
  expect(refuse(warning)).toEqual({ verdict: "refused", message: warning });
  expect(refuse()).toEqual({ verdict: "refused", message: "nothing" });
});
