import { describe, expect, test } from "vitest";
import { visibleLines } from "../../src/cli/deliver.js";
import { lintedFolder } from "../support/test-folder.js";

const { lint, write } = lintedFolder();

describe("what a terminal would obey", () => {
  const clearing = "\u001b[2J";
  const hasControls = /(?![\n\t])\p{Cc}/u;

  test.each(["text", "github", "markdown", "html", "sarif", "json"])("is in no report as %s", (format) => {
    write({ [`e${clearing}\nvil.conf`]: `${clearing}Alow\nOptions "${clearing}"\n` });
    const ran = lint(["check", `e${clearing}\nvil.conf`, "--format", format, "--from", "2.2"]);
    expect(ran.status).toBe(1);
    expect(ran.stdout).not.toMatch(hasControls);
    if (format === "github") expect(ran.stdout).toMatch(/^(?:::\w+ .*\n)+$/);
  });

  test("is in no note", () => {
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

  test("is shown by name on a terminal in what is printed to the byte elsewhere", () => {
    expect(visibleLines(`\u001b[31m-a\u001b[39m\t${clearing}\u001b[8m\nb\u009b1m`)).toBe(
      "\u001b[31m-a\u001b[39m\t␛[2J␛[8m\nb\\u{9b}1m",
    );
  });
});
