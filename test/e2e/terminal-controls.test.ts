import { describe, expect, test } from "vitest";
import { renderVisibleLines } from "../../src/apps/cli/output/write-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, textOf, write } = lintedFolder();

describe("terminal control sequences", () => {
  const clearing = "\u001b[2J";
  const hasControls = /(?![\n\t])\p{Cc}/u;

  test.each(["text", "concise", "github", "gitlab", "markdown", "html", "sarif", "json"])(
    "are in no %s report",
    (format) => {
      write({ [`e${clearing}\nvil.conf`]: `${clearing}Alow\nOptions "${clearing}"\n` });
      const ran = lint(["check", `e${clearing}\nvil.conf`, "--format", format, "--from", "2.2"]);
      expect(ran.status).toBe(1);
      expect(ran.stdout).not.toMatch(hasControls);
      if (format === "github") expect(ran.stdout).toMatch(/^(?:::\w+ .*\n)+$/);
    },
  );

  describe("and invisible or bidirectional characters", () => {
    const marks = "\u202e\u2066\u200b\u{e0041}\u2028";
    const name = `e${marks}vil.conf`;
    const hasMarks = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u;

    test.each([
      ...["json", "sarif"].map((format) => ["check", name, "--from", "2.2", "--format", format]),
      ["check", name, "--from", "2.2", "--report-ignored", "--format", "json"],
      ["check", name, "--statistics", "--format", "json"],
      ["compare", name, "other.conf", "--format", "json"],
      ["compare", name, "other.conf", "--requests", "access.log", "--format", "json"],
      ["explain", name, `/${marks}`, "--format", "json"],
      ["explain", name, "--requests", "access.log", "--format", "json"],
      ["map", name, "--format", "json"],
      ["upgrade", name, "--format", "json"],
      ["migrate", name, "--format", "json"],
      ["test", name, "expected.json", "--format", "json"],
    ])("are escaped in JSON: %s %#", (...args) => {
      write({
        [name]: `ServerName x\nListen 80\nErrorDocument 404 "${marks}\n<Location />\n  Order deny,allow\n  Deny from all\n</Location>\n`,
        "other.conf": "ServerName x\nListen 80\n",
        "access.log": `10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1\n${marks}\n`,
        "expected.json": JSON.stringify({ expectations: [{ path: "/", expect: 200 }] }),
      });
      const { stdout } = lint(args);
      expect(stdout).not.toMatch(hasMarks);
      expect(() => JSON.parse(stdout)).not.toThrow();
      if (!args.includes("--statistics")) expect(stdout).toMatch(/\\u202e|%E2%80%AE/);
    });

    test("are escaped in a baseline, and keep their meaning", () => {
      write({ [name]: "Alow\n" });
      lint(["check", name, "--baseline", "known.json", "--update-baseline"]);
      expect(textOf("known.json")).not.toMatch(hasMarks);
      expect(JSON.parse(textOf("known.json")).findings[0].path).toBe(name);
      expect(lint(["check", name, "--baseline", "known.json"]).status).toBe(0);
    });
  });

  test("are in no notes", () => {
    for (const args of [
      [`no${clearing}`],
      [`--${clearing}`],
      ["a.conf", "--output", `/no/${clearing}`],
      ["rules", clearing],
    ]) {
      const ran = lint(args);
      expect(ran.stderr).not.toBe("");
      expect(ran.stderr).not.toMatch(hasControls);
    }
  });

  test("are made visible on a terminal in output that is not escaped elsewhere", () => {
    expect(renderVisibleLines(`\u001b[31m-a\u001b[39m\t${clearing}\u001b[8m\nb\u009b1m`)).toBe(
      "\u001b[31m-a\u001b[39m\t␛[2J␛[8m\nb\\u{9b}1m",
    );
    const link = "\u001b]8;;file:///srv/a%20b.conf\u001b\\a.conf:1:1\u001b]8;;\u001b\\";
    expect(renderVisibleLines(link)).toBe(link);
    const page = (url: string) => `\u001b]8;;${url}/rules/rewrite-loop/rewrite-loop.md\u001b\\`;
    const env = { GITHUB_ACTION_REPOSITORY: "a/b", GITHUB_ACTION_REF: "v1" };
    expect(renderVisibleLines(page("https://github.com/a/b/blob/v1"), env)).toBe(
      page("https://github.com/a/b/blob/v1"),
    );
    expect(renderVisibleLines(page("https://e.example"), env)).toMatch(/^␛\]8;;/);
    for (const other of ["https://e.example", "file:///a b", "file:///\u001b[2J", `file:///\u{e9}`])
      expect(renderVisibleLines(`\u001b]8;;${other}\u001b\\`)).toMatch(/^␛\]8;;/);
  });
});
