import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownVerdict } from "../support/cases/own-verdict.js";
import { loadText } from "../support/projects.js";

/** The answers of httpd 2.2.34 by directive and line: `accepted`, or its message. Pilcrows separate lines. */
const recorded: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "verdicts-22.json"), "utf8"),
);

/** The number of arguments without what they are, which the tables of 2.2 do not have. */
const withoutHelp = (verdict: string) => verdict.replace(/( (?:takes|requires) [a-z ]*arguments?), .*/, "$1");

describe("2.2 accepts or rejects lines, with its message", () => {
  test.each(Object.entries(recorded))("%s", (_, answers) => {
    const found = Object.keys(answers).map((line) => {
      const text = `ServerName x.test\n${line.replaceAll("¶", "\n")}\n`;
      const verdict = ownVerdict(loadText(text, { kind: "server", release: "2.2" }));
      return [line, withoutHelp(verdict.replace(/^AH00526 \d+ /, ""))];
    });
    const expected = Object.entries(answers).map(([line, verdict]) => [line, withoutHelp(verdict)]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });
});
