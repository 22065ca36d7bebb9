import { describe, expect, test } from "vitest";
import { type Fixable, fixInPasses, type Objection, type Texts } from "../../src/lint/apply-fixes.js";
import type { Finding } from "../../src/lint/finding.js";
import type { Result } from "../../src/text/result.js";
import { sourceFile } from "../../src/text/source.js";

const path = "/etc/httpd/httpd.conf";

/** A rule that replaces the first occurrence of a word; without words it reports nothing. */
type WordRule = readonly [rule: string, from: string, to: string];

/** A text in which each rule searches for its word. */
class Words implements Fixable<Words> {
  /** The rules of the fix sets that were tried, in order. */
  static tried: string[] = [];
  readonly findings: readonly Finding[];

  constructor(
    readonly text: string,
    private readonly rules: readonly WordRule[],
    private readonly objects: (applied: readonly string[], text: string) => string | undefined = () => undefined,
  ) {
    this.findings = this.found();
  }

  private found(): readonly Finding[] {
    const file = sourceFile(path, this.text);
    return this.rules.flatMap(([rule, from, to]) => {
      const start = this.text.indexOf(from);
      if (start < 0) return [];
      const span = { file, start, end: start + from.length };
      const fix = { title: to, safety: "safe", edits: [{ span, text: to }] } as const;
      return [{ rule, severity: "info", message: from, span, related: [], fix } as const];
    });
  }

  with(texts: Texts, applied: readonly Finding[]): Result<Words, Objection> {
    const rules = applied.map(({ rule }) => rule);
    Words.tried.push(rules.join("+"));
    const text = texts.get(path) ?? this.text;
    const why = this.objects(rules, text);
    return why === undefined
      ? { ok: true, value: new Words(text, this.rules, this.objects) }
      : { ok: false, error: { why } };
  }
}

function outcome(words: Words) {
  Words.tried = [];
  const { fixed, applied, rejected, remaining } = fixInPasses(words);
  const held = rejected.map(({ finding, why }) => `${finding.rule}: ${why}`);
  return { text: fixed.text, applied, held, unfinished: remaining.length, tried: Words.tried };
}

describe("applyFixes", () => {
  test("does nothing without findings", () => {
    expect(outcome(new Words("x", []))).toEqual({ text: "x", applied: 0, held: [], unfinished: 0, tried: [] });
  });

  test("applies an overlapping fix in the next pass, to the result of the first", () => {
    const words = new Words("abc d", [
      ["first", "ab", "x"],
      ["second", "bc", "y"],
      ["third", "xc", "z"],
      ["fourth", "d", "e"],
    ]);
    expect(outcome(words)).toMatchObject({ text: "z e", applied: 3, held: [], tried: ["first+fourth", "third"] });
  });

  test("applies the fixes that are accepted together, and returns the others as rejected", () => {
    const words = new Words(
      "a b c d",
      [
        ["A", "a", "1"],
        ["B", "b", "2"],
        ["C", "c", "3"],
        ["D", "d", "4"],
      ],
      (rules) => (rules.includes("C") ? "C opens a door" : undefined),
    );
    expect(outcome(words)).toMatchObject({
      text: "1 2 c 4",
      applied: 3,
      held: ["C: C opens a door"],
      tried: ["A+B+C+D", "A+B", "A+B+C+D", "A+B+C", "A+B+D", "C"],
    });
  });

  test("applies a fix that overlaps with a rejected one", () => {
    const words = new Words(
      "abc",
      [
        ["wide", "abc", "x"],
        ["narrow", "b", "y"],
      ],
      (rules) => (rules.includes("wide") ? "no" : undefined),
    );
    expect(outcome(words)).toMatchObject({ text: "ayc", held: [], applied: 1 });
  });

  test("applies a postponed fix after another one made it possible", () => {
    const words = new Words(
      "ab c",
      [
        ["first", "ab", "x"],
        ["second", "c", "y"],
      ],
      (rules, text) => (rules.length === 1 && text === "ab y" ? "too soon" : undefined),
    );
    expect(outcome(words)).toMatchObject({ text: "x y", held: [] });
  });

  test("stops at fixes that undo each other, and returns them", () => {
    const words = new Words("a b", [
      ["up", "a", "A"],
      ["down", "A", "a"],
      ["other", "b", "c"],
    ]);
    const { text, held, tried } = outcome(words);
    expect([text, tried.length < 6]).toEqual(["a c", true]);
    expect(held).toEqual(["up: it reverts fixes of `up`, `other`, `down`, which would revert it again"]);
  });

  test("stops endless fixes after ten passes, and reports it", () => {
    const { text, unfinished } = outcome(new Words("a", [["more", "a", "ab"]]));
    expect([text, unfinished]).toEqual([`a${"b".repeat(10)}`, 1]);
  });

  test("rejects a fix whose own edits overlap", () => {
    const file = sourceFile(path, "abc");
    const edit = { span: { file, start: 0, end: 2 }, text: "x" };
    const fix = { title: "t", safety: "safe", edits: [edit, edit] } as const;
    const finding = { rule: "r", severity: "info", message: "m", span: edit.span, related: [], fix } as const;
    class Broken implements Fixable<Broken> {
      readonly findings = [finding];
      with(): Result<this, Objection> {
        return { ok: true as const, value: this };
      }
    }
    expect(fixInPasses(new Broken()).rejected).toEqual([{ finding, why: "its own edits overlap" }]);
  });
});
