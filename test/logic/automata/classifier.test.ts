import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  classifyAfterPrefix,
  ProductClassifier,
  productOf,
  stateAfter,
  trivialClassifier,
} from "../../../src/logic/automata/classifier.js";
import { AT_AND_BELOW, AT_OR_BELOW, BELOW, buildPathTrie } from "../../../src/logic/automata/path-trie.js";
import { runCount } from "../../support/depth.js";

const seeded = { seed: 20_240_505, numRuns: runCount(100, 500) };
const part = fc.constantFrom("", "a", "ab", "b");
const anyPath = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const somePaths = fc.array(anyPath, { maxLength: 4 });

const isBelow = (text: string, path: string) =>
  text.startsWith(path) && text !== path && (path.endsWith("/") || text.charAt(path.length) === "/");

/** Returns whether a classifier gives the same result for any two equivalent texts. */
function saysSame(
  of: ReturnType<typeof buildPathTrie>,
  view: number,
  texts: readonly string[],
  said: (text: string) => string,
) {
  const outputs = texts.map((text) => of.output(stateAfter(of, text), view));
  for (const [index, text] of texts.entries())
    for (const [other, another] of texts.entries())
      expect(outputs[index] === outputs[other], `${text} and ${another}`).toBe(said(text) === said(another));
}

describe("literal paths", () => {
  const innermost = (paths: readonly string[], fits: (path: string) => boolean) =>
    paths.filter(fits).sort((a, b) => b.length - a.length)[0] ?? "";

  test("at them or below", () => {
    fc.assert(
      fc.property(somePaths, somePaths, (paths, texts) => {
        const said = (text: string) => innermost(paths, (path) => path === text || isBelow(text, path));
        saysSame(buildPathTrie({ paths }), AT_OR_BELOW, [...paths, ...texts], said);
      }),
      seeded,
    );
  });

  test("below them alone, and single texts", () => {
    fc.assert(
      fc.property(somePaths, somePaths, somePaths, (paths, single, texts) => {
        const below = (text: string) => innermost(paths, (path) => isBelow(text, path));
        const said = (text: string) => (single.includes(text) ? `is ${text}` : below(text));
        saysSame(buildPathTrie({ paths, texts: single }), BELOW, [...paths, ...single, ...texts], said);
        const both = (text: string) => (paths.includes(text) || single.includes(text) ? `is ${text}` : below(text));
        saysSame(buildPathTrie({ paths, texts: single }), AT_AND_BELOW, [...paths, ...single, ...texts], both);
      }),
      seeded,
    );
  });
});

test("side by side each has the result that it has on its own", () => {
  fc.assert(
    fc.property(somePaths, somePaths, somePaths, (some, others, texts) => {
      const [a, b] = [buildPathTrie({ paths: some }), buildPathTrie({ paths: others })];
      const all = [...some, ...others, ...texts];
      const said = (text: string) => [a, b].map((each) => each.output(stateAfter(each, text), 0)).join();
      saysSame(new ProductClassifier(a, b), 0, all, said);
      saysSame(productOf([a, trivialClassifier, b]), 0, all, said);
    }),
    seeded,
  );
});

test("the state after a text", () => {
  fc.assert(
    fc.property(somePaths, anyPath, somePaths, (paths, ahead, texts) => {
      const inner = buildPathTrie({ paths });
      const said = (text: string) =>
        text.startsWith(ahead) ? String(inner.output(stateAfter(inner, text.slice(ahead.length)), 0)) : "elsewhere";
      saysSame(classifyAfterPrefix(ahead, inner), 0, [...texts, ...paths.map((path) => ahead + path)], said);
    }),
    seeded,
  );
});
