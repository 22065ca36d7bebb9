import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatBinaryPatch } from "../../../src/report/text/file-changes.js";
import { testFolder } from "../../support/programs/test-folder.js";

const scratch = testFolder();

const before = "Listen 80\nServerName x\n";
const after = "Listen 81\nServerName x\n";
const binary = (text: string) => Buffer.from(text).toString("latin1");

describe("a patch", () => {
  test.each([
    ["httpd.conf", "a/httpd.conf"],
    ["größe.conf", '"a/gr\\303\\266\\303\\237e.conf"'],
    ["two words.conf", "a/two words.conf\t"],
    ['a "b" \\c.conf', '"a/a \\"b\\" \\\\c.conf"'],
    ["line\nfeed\ttab\x07.conf", '"a/line\\nfeed\\ttab\\007.conf"'],
  ])("of a file named %j can be applied by git and patch", (name, inHeader) => {
    const text = formatBinaryPatch(name, before, after);
    expect(text.slice(0, text.indexOf("\n+++"))).toBe(`--- ${inHeader}`);
    const file = scratch.at(name);
    for (const [command, ...args] of [
      ["git", "apply"],
      ["patch", "-s", "-p1"],
    ] as const) {
      writeFileSync(file, before);
      execFileSync(command, args, { cwd: scratch.path, input: Buffer.from(text, "latin1") });
      expect(readFileSync(file, "utf8"), command).toBe(after);
    }
  });

  test("keeps the content of lines, and marks a missing line feed at the end", () => {
    const text = formatBinaryPatch("x", "--- a\n@@ 1\n", binary("--- a\n@@ ö"));
    expect(text).toBe(
      `--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n --- a\n-@@ 1\n+@@ ${binary("ö")}\n\\ No newline at end of file\n`,
    );
  });
});
