import { describe, expect, test } from "vitest";
import { classifyByFolder, type FolderPredicates } from "../../../src/proof/paths/folder-predicates.js";
import { type Classifier, classifyByAutomaton, stateAfter } from "../../../src/regex/automata/classifier.js";
import { AutomatonAlgebra } from "../../../src/regex/automata/operations.js";
import { parsePattern } from "../../../src/regex/pcre/language.js";
import { Random } from "../../support/random/random.js";

const automata = new AutomatonAlgebra(1_000);

function matching(pattern: string): Classifier {
  const read = parsePattern(pattern);
  const automaton = read.kind === "regular" ? automata.of(read.texts) : "too large";
  if (automaton === "too large") throw new Error(pattern);
  return classifyByAutomaton(automaton);
}

const predicatesIn = (folder: string, ...patterns: readonly string[]): FolderPredicates => ({
  folder,
  tests: new Map(patterns.map((pattern) => [pattern, matching(pattern)])),
});

const outputOf = (classifier: Classifier, text: string) => classifier.output(stateAfter(classifier, text), 0);

/** Lists the patterns of all directories at or above a text, with their results. */
function resultsOf(all: readonly FolderPredicates[], text: string): string {
  const containing = all.filter(({ folder }) => text === folder || text.startsWith(`${folder}/`));
  const patterns = new Set(containing.flatMap(({ tests }) => [...tests.keys()]));
  return [...patterns].map((each) => `${each} ${new RegExp(each).test(text)}`).join();
}

describe("predicates of directories", () => {
  test("distinguish only texts in their directory", () => {
    const all = [predicatesIn("/a", "x"), predicatesIn("/b", "y$")];
    const within = classifyByFolder(all);
    expect(outputOf(within, "/b/x")).toBe(outputOf(within, "/b/z"));
    expect(outputOf(within, "/ax/x")).toBe(outputOf(within, "/z"));
    expect(outputOf(within, "/a/x")).not.toBe(outputOf(within, "/a/z"));
    expect(outputOf(within, "/b/y")).not.toBe(outputOf(within, "/b/z"));
  });

  test("have one class without patterns", () => {
    expect(classifyByFolder([predicatesIn("/a")]).classes).toBe(1);
  });

  test("do not distinguish a directory from its parent with the same patterns", () => {
    const within = classifyByFolder([predicatesIn("/a", "x"), predicatesIn("/a/b", "x")]);
    expect(outputOf(within, "/a/b/z")).toBe(outputOf(within, "/a/z"));
  });

  test("distinguish texts with different patterns or results", () => {
    const all = [
      predicatesIn("", "ab$"),
      predicatesIn("/a", "b/a", "x"),
      predicatesIn("/a/b", "^/a/b[^/]"),
      ...[predicatesIn("/ab", "a.b"), predicatesIn("/ab/a", "/$", "ab$"), predicatesIn("/a", "b$")],
    ];
    const within = classifyByFolder(all);
    const random = new Random(7);
    const known = new Map<number, string>();
    for (let count = 0; count < 4_000; count++) {
      const rest = Array.from({ length: random.below(9) }, () => random.pick(["/", "a", "b", "x", "/a"])).join("");
      const text = `/${rest}`;
      const output = outputOf(within, text);
      const results = resultsOf(all, text);
      expect(known.get(output) ?? results, text).toBe(results);
      known.set(output, results);
    }
    expect(known.size).toBeGreaterThan(20);
  });

  test("of sibling directories have a sum of states, not a product", () => {
    const folders = (count: number) =>
      Array.from({ length: count }, (_, n) => predicatesIn(`/d${n}`, `${n}x`, `x${n}`, `${n}y$`));
    const statesOf = (count: number) => {
      const within = classifyByFolder(folders(count));
      let states = 0;
      const reached = new Set([0]);
      for (const state of reached) {
        states++;
        for (let each = 0; each < within.classes; each++) reached.add(within.next(state, each));
      }
      return states;
    };
    expect(statesOf(8)).toBeLessThan(2.2 * statesOf(4));
  });
});
