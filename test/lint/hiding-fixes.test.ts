import { describe, expect, test } from "vitest";
import { dropHidingFixes } from "../../src/lint/apply-fixes.js";
import type { Finding, Severity } from "../../src/lint/finding.js";
import { removeLines } from "../../src/text/edits.js";
import { type SourceFile, sourceFile } from "../../src/text/source.js";

const file = sourceFile("/x.conf", "one\n  two\nthree\n");

function spanOf(word: string, source: SourceFile = file) {
  const start = source.text.indexOf(word);
  return { file: source, start, end: start + word.length };
}

function finding(word: string, severity: Severity, more: Partial<Finding> = {}): Finding {
  return { rule: `${severity}-rule`, severity, message: "m", span: spanOf(word), related: [], ...more };
}

function deletingFinding(word: string, severity: Severity): Finding {
  const edit = removeLines(spanOf(word));
  return finding(word, severity, { fix: { title: "t", safety: "safe", edits: edit ? [edit] : [] } });
}

/** Returns whether the first finding keeps its fix. */
const keeps = (...findings: readonly Finding[]) => dropHidingFixes(findings)[0]?.fix !== undefined;

describe("a fix is dropped", () => {
  test.each([
    ["it deletes a line with an error", deletingFinding("two", "warning"), finding("two", "error")],
    ["it deletes a line with a warning", deletingFinding("two", "info"), finding("two", "warning")],
    [
      "it deletes the related line of an error",
      deletingFinding("two", "warning"),
      finding("one", "error", { related: [{ message: "r", span: spanOf("two") }] }),
    ],
  ])("where %s", (_, fixed, other) => {
    expect(keeps(fixed, other)).toBe(false);
    expect(dropHidingFixes([fixed, other])).toMatchObject([{ message: "m" }, other]);
  });
});

describe("a fix is kept", () => {
  const replacingFinding = finding("two", "warning", {
    fix: { title: "t", safety: "safe", edits: [{ span: spanOf("two"), text: "zwei" }] },
  });
  const word = finding("two", "warning", {
    fix: {
      title: "t",
      safety: "safe",
      edits: [{ span: { ...spanOf("two"), end: spanOf("two").start + 1 }, text: "" }],
    },
  });
  test.each([
    ["the other finding has the same severity", deletingFinding("two", "warning"), finding("two", "warning")],
    ["the error is on the previous line", deletingFinding("two", "warning"), finding("one", "error")],
    ["the error is on the next line", deletingFinding("two", "warning"), finding("three", "error")],
    ["it only changes the line", replacingFinding, finding("two", "error")],
    ["it deletes only a part of the line", word, finding("two", "error")],
    [
      "the error is in another file",
      deletingFinding("two", "warning"),
      finding("two", "error", { span: spanOf("two", sourceFile("/y.conf", file.text)) }),
    ],
  ])("where %s", (_, fixed, other) => {
    expect(keeps(fixed, other)).toBe(true);
  });
});
