import { describe, expect, test } from "vitest";
import { classifyByFolder, type FolderPredicates } from "../../../src/compare/predicates/folder-predicates.js";
import { type Classifier, classifyByAutomaton, stateAfter } from "../../../src/logic/automata/classifier.js";
import { AutomatonAlgebra } from "../../../src/logic/automata/operations.js";
import { parsePattern } from "../../../src/logic/pcre/language.js";
import { Random } from "../../support/random/random.js";

const automata = new AutomatonAlgebra(1_000);

function matching(pattern: string): Classifier {
  const read = parsePattern(pattern);
  const made = read.kind === "regular" ? automata.of(read.texts) : "too large";
  if (made === "too large") throw new Error(pattern);
  return classifyByAutomaton(made);
}

const asking = (folder: string, ...patterns: readonly string[]): FolderPredicates => ({
  folder,
  tests: new Map(patterns.map((pattern) => [pattern, matching(pattern)])),
});

const outputOf = (classifier: Classifier, text: string) => classifier.output(stateAfter(classifier, text), 0);

/** Lists the patterns of all folders at or above a text, with their results. */
function toldOf(all: readonly FolderPredicates[], text: string): string {
  const holding = all.filter(({ folder }) => text === folder || text.startsWith(`${folder}/`));
  const patterns = new Set(holding.flatMap(({ tests }) => [...tests.keys()]));
  return [...patterns].map((each) => `${each} ${new RegExp(each).test(text)}`).join();
}

describe("predicates within folders", () => {
  test("is required of their contents only", () => {
    const all = [asking("/a", "x"), asking("/b", "y$")];
    const within = classifyByFolder(all);
    expect(outputOf(within, "/b/x")).toBe(outputOf(within, "/b/z"));
    expect(outputOf(within, "/ax/x")).toBe(outputOf(within, "/z"));
    expect(outputOf(within, "/a/x")).not.toBe(outputOf(within, "/a/z"));
    expect(outputOf(within, "/b/y")).not.toBe(outputOf(within, "/b/z"));
  });

  test("requires nothing without folders or requirements", () => {
    expect(classifyByFolder([asking("/a")]).classes).toBe(1);
  });

  test("a folder with the same requirements as its parent is not distinguished from it", () => {
    const within = classifyByFolder([asking("/a", "x"), asking("/a/b", "x")]);
    expect(outputOf(within, "/a/b/z")).toBe(outputOf(within, "/a/z"));
  });

  test("texts with different queries or answers are distinguished", () => {
    const all = [
      asking("", "ab$"),
      asking("/a", "b/a", "x"),
      asking("/a/b", "^/a/b[^/]"),
      ...[asking("/ab", "a.b"), asking("/ab/a", "/$", "ab$"), asking("/a", "b$")],
    ];
    const within = classifyByFolder(all);
    const random = new Random(7);
    const known = new Map<number, string>();
    for (let count = 0; count < 4_000; count++) {
      const rest = Array.from({ length: random.below(9) }, () => random.pick(["/", "a", "b", "x", "/a"])).join("");
      const text = `/${rest}`;
      const output = outputOf(within, text);
      const told = toldOf(all, text);
      expect(known.get(output) ?? told, text).toBe(told);
      known.set(output, told);
    }
    expect(known.size).toBeGreaterThan(20);
  });

  test("folders side by side add up", () => {
    const folders = (count: number) =>
      Array.from({ length: count }, (_, n) => asking(`/d${n}`, `${n}x`, `x${n}`, `${n}y$`));
    const statesOf = (count: number) => {
      const within = classifyByFolder(folders(count));
      let states = 0;
      const seen = new Set([0]);
      for (const state of seen) {
        states++;
        for (let each = 0; each < within.classes; each++) seen.add(within.next(state, each));
      }
      return states;
    };
    expect(statesOf(8)).toBeLessThan(2.2 * statesOf(4));
  });
});
