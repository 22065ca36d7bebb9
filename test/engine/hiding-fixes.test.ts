import { describe, expect, test } from "vitest";
import { dropHidingFixes } from "../../src/engine/apply-fixes.js";
import type { Finding, Severity } from "../../src/engine/finding.js";
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

function deleting(word: string, severity: Severity): Finding {
  const edit = removeLines(spanOf(word));
  return finding(word, severity, { fix: { title: "t", safety: "safe", edits: edit ? [edit] : [] } });
}

/** Returns whether the first finding keeps its fix. */
const keeps = (...findings: readonly Finding[]) => dropHidingFixes(findings)[0]?.fix !== undefined;

describe("a fix is reverted", () => {
  test.each([
    ["an error is on the line that it deletes", deleting("two", "warning"), finding("two", "error")],
    ["a warning is", deleting("two", "info"), finding("two", "warning")],
    [
      "an error has it as a related line",
      deleting("two", "warning"),
      finding("one", "error", { related: [{ message: "r", span: spanOf("two") }] }),
    ],
  ])("where %s", (_, fixed, other) => {
    expect(keeps(fixed, other)).toBe(false);
    expect(dropHidingFixes([fixed, other])).toMatchObject([{ message: "m" }, other]);
  });
});

describe("a fix stays", () => {
  const replacing = finding("two", "warning", {
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
    ["the other has the same severity", deleting("two", "warning"), finding("two", "warning")],
    ["it is on the line before", deleting("two", "warning"), finding("one", "error")],
    ["it is on the line after", deleting("two", "warning"), finding("three", "error")],
    ["the line is only changed", replacing, finding("two", "error")],
    ["only a part of it is deleted", word, finding("two", "error")],
    [
      "it is in another file",
      deleting("two", "warning"),
      finding("two", "error", { span: spanOf("two", sourceFile("/y.conf", file.text)) }),
    ],
  ])("where %s", (_, fixed, other) => {
    expect(keeps(fixed, other)).toBe(true);
  });
});
