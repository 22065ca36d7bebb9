import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import type { Finding } from "../../src/lint/finding.js";
import { sourceFile } from "../../src/text/source.js";

const file = sourceFile("/etc/httpd/httpd.conf", "one\ntwo\nthree\n");

type Change = readonly [start: number, end: number, text: string];

function finding(edits: readonly Change[], in_ = file, safety: "safe" | "unsafe" = "safe"): Finding {
  const all = edits.map(([start, end, text]) => ({ span: { file: in_, start, end }, text }));
  const span = { file: in_, start: 0, end: 1 };
  return { rule: "r", severity: "info", message: "m", span, related: [], fix: { title: "t", safety, edits: all } };
}

const applied = (...findings: readonly Finding[]) => {
  const outcome = applyFixes(findings, () => true);
  return [outcome.texts.get(file.realPath), outcome.postponed.length];
};

describe("fixes", () => {
  test("are applied in the order of the text", () => {
    expect(applied(finding([[4, 7, "2"]]), finding([[0, 3, "1"]]))).toEqual(["1\n2\nthree\n", 0]);
  });

  test("that overlap are not mixed: the first is applied, and the other is postponed", () => {
    const first = finding([[2, 6, "-"]]);
    const other = finding([
      [0, 1, "X"],
      [5, 7, "Y"],
    ]);
    expect(applied(first, other)).toEqual(["on-o\nthree\n", 1]);
    expect(applied(other, first)).toEqual(["Xne\ntY\nthree\n", 1]);
  });

  test("with adjacent edits are postponed", () => {
    const twice = finding([
      [0, 3, "1"],
      [0, 3, "1"],
    ]);
    expect(applied(twice, finding([[4, 7, "2"]]))).toEqual(["one\n2\nthree\n", 1]);
  });

  test("that insert at the same position overlap, unlike adjacent ones", () => {
    expect(applied(finding([[4, 4, "a\n"]]), finding([[4, 4, "b\n"]]))).toEqual(["one\na\ntwo\nthree\n", 1]);
    expect(applied(finding([[0, 4, ""]]), finding([[4, 4, "b\n"]]))).toEqual(["b\ntwo\nthree\n", 0]);
    expect(applied(finding([[4, 8, ""]]), finding([[4, 4, "b\n"]]))).toEqual(["one\nthree\n", 1]);
  });

  test("are applied only if they are requested", () => {
    const unsafe = finding([[0, 3, "1"]], file, "unsafe");
    const { fix: _, ...without } = unsafe;
    const outcome = applyFixes([unsafe, without], ({ fix }) => fix?.safety === "safe");
    expect(outcome).toEqual({ texts: new Map(), applied: [], postponed: [] });
  });

  test("are applied per file; two names of a file count as one", () => {
    const link = sourceFile("/etc/httpd/link.conf", file.text, file.realPath);
    const other = sourceFile("/etc/httpd/b.conf", "b\n");
    const outcome = applyFixes(
      [finding([[0, 3, "1"]]), finding([[0, 3, "2"]], link), finding([[0, 1, "B"]], other)],
      () => true,
    );
    expect([...outcome.texts]).toEqual([
      ["/etc/httpd/httpd.conf", "1\ntwo\nthree\n"],
      ["/etc/httpd/b.conf", "B\n"],
    ]);
    expect(outcome.postponed).toHaveLength(1);
  });

  test("in expanded macros are not applied", () => {
    const expansion = { ...file, macro: "m" };
    expect(applied(finding([[0, 3, "1"]], expansion))).toEqual([undefined, 0]);
  });

  test("are each applied or postponed, and change nothing else", () => {
    const change = fc.tuple(fc.nat(14), fc.nat(3), fc.constantFrom("", "x", "yy"));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        const findings = changes.map(([start, length, text]) => finding([[start, Math.min(14, start + length), text]]));
        const outcome = applyFixes(findings, () => true);
        expect(outcome.applied.length + outcome.postponed.length).toBe(findings.length);
        const grown = outcome.applied.flatMap(({ fix }) => fix?.edits ?? []);
        const length = grown.reduce((sum, { span, text }) => sum + text.length - (span.end - span.start), 14);
        expect(outcome.texts.get(file.realPath) ?? file.text).toHaveLength(length);
      }),
    );
  });
});
