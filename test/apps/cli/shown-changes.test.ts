import { describe, expect, test } from "vitest";
import { check } from "../../../src/apps/cli/commands/check.js";
import type { CheckFlags } from "../../../src/apps/cli/commands/check-flags.js";
import { ProgressLine } from "../../../src/apps/cli/output/progress-line.js";
import { runInline } from "../../../src/apps/workers/task.js";
import { testFolder } from "../../support/programs/test-folder.js";

const scratch = testFolder();

/** Runs `check --fix` on a file with a fix. @param width the columns of the terminal, if there is one */
function fix(more: Partial<CheckFlags>): string {
  scratch.write({ "httpd.conf": "ServerName a.test\nNameVirtualHost *:80\nOptoins None\n" });
  const flags: CheckFlags = {
    ...{ paths: [scratch.at("httpd.conf")], format: "text", minSeverity: "info", noConfig: true, release: "2.4" },
    ...{ fix: "safe", diff: false, quiet: 0, colour: false, hyperlinks: false, width: undefined, sort: "location" },
    ...{ failOn: "info", exitZero: false, define: undefined, backupDir: scratch.at("backup"), ...more },
  };
  const { output } = runInline(
    check(flags, (access) => access, ProgressLine.onTerminal(1)),
    () => undefined,
  );
  return [...output].map(String).join("");
}

describe("check --fix", () => {
  test("shows the changed lines before the findings that are left, on a terminal", () => {
    const shown = fix({ width: 80 });
    expect(shown).toMatch(/^--- .*\n\+\+\+ .*\n@@ [\s\S]*\n-NameVirtualHost \*:80\n[\s\S]*unknown-directive/);
    expect(scratch.textOf("httpd.conf")).toBe("ServerName a.test\nOptoins None\n");
  });

  test.each<[string, Partial<CheckFlags>]>([
    ["if standard output is not a terminal", {}],
    ["with -q", { width: 80, quiet: 1 }],
    ["in another format", { width: 80, format: "concise" }],
  ])("does not show them %s", (_, more) => {
    expect(fix(more)).not.toContain("@@");
    expect(scratch.textOf("httpd.conf")).toBe("ServerName a.test\nOptoins None\n");
  });
});
