import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  classifyAfterPrefix,
  ProductClassifier,
  productOf,
  stateAfter,
  trivialClassifier,
} from "../../../src/regex/automata/classifier.js";
import { AT_AND_BELOW, AT_OR_BELOW, BELOW, buildPathTrie } from "../../../src/regex/automata/path-trie.js";
import { runCount } from "../../support/depth.js";

const seeded = { seed: 20_240_505, numRuns: runCount(100, 500) };
const part = fc.constantFrom("", "a", "ab", "b");
const anyPath = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const somePaths = fc.array(anyPath, { maxLength: 4 });

const isBelow = (text: string, path: string) =>
  text.startsWith(path) && text !== path && (path.endsWith("/") || text.charAt(path.length) === "/");

/** Checks that a classifier has the same output for two texts if and only if their expected outputs are the same. */
function expectSameClasses(
  of: ReturnType<typeof buildPathTrie>,
  view: number,
  texts: readonly string[],
  expectedOutput: (text: string) => string,
) {
  const outputs = texts.map((text) => of.output(stateAfter(of, text), view));
  for (const [index, text] of texts.entries())
    for (const [other, another] of texts.entries())
      expect(outputs[index] === outputs[other], `${text} and ${another}`).toBe(
        expectedOutput(text) === expectedOutput(another),
      );
}

describe("a path trie distinguishes texts", () => {
  const innermost = (paths: readonly string[], fits: (path: string) => boolean) =>
    paths.filter(fits).sort((a, b) => b.length - a.length)[0] ?? "";

  test("at or below literal paths", () => {
    fc.assert(
      fc.property(somePaths, somePaths, (paths, texts) => {
        const expectedOutput = (text: string) => innermost(paths, (path) => path === text || isBelow(text, path));
        expectSameClasses(buildPathTrie({ paths }), AT_OR_BELOW, [...paths, ...texts], expectedOutput);
      }),
      seeded,
    );
  });

  test("only below literal paths, and single texts", () => {
    fc.assert(
      fc.property(somePaths, somePaths, somePaths, (paths, single, texts) => {
        const below = (text: string) => innermost(paths, (path) => isBelow(text, path));
        const expectedOutput = (text: string) => (single.includes(text) ? `is ${text}` : below(text));
        expectSameClasses(
          buildPathTrie({ paths, texts: single }),
          BELOW,
          [...paths, ...single, ...texts],
          expectedOutput,
        );
        const both = (text: string) => (paths.includes(text) || single.includes(text) ? `is ${text}` : below(text));
        expectSameClasses(buildPathTrie({ paths, texts: single }), AT_AND_BELOW, [...paths, ...single, ...texts], both);
      }),
      seeded,
    );
  });
});

test("a product distinguishes the texts that one of its classifiers distinguishes", () => {
  fc.assert(
    fc.property(somePaths, somePaths, somePaths, (some, others, texts) => {
      const [a, b] = [buildPathTrie({ paths: some }), buildPathTrie({ paths: others })];
      const all = [...some, ...others, ...texts];
      const expectedOutput = (text: string) => [a, b].map((each) => each.output(stateAfter(each, text), 0)).join();
      expectSameClasses(new ProductClassifier(a, b), 0, all, expectedOutput);
      expectSameClasses(productOf([a, trivialClassifier, b]), 0, all, expectedOutput);
    }),
    seeded,
  );
});

test("a classifier after a prefix distinguishes only texts with the prefix", () => {
  fc.assert(
    fc.property(somePaths, anyPath, somePaths, (paths, prefix, texts) => {
      const inner = buildPathTrie({ paths });
      const expectedOutput = (text: string) =>
        text.startsWith(prefix) ? String(inner.output(stateAfter(inner, text.slice(prefix.length)), 0)) : "elsewhere";
      expectSameClasses(
        classifyAfterPrefix(prefix, inner),
        0,
        [...texts, ...paths.map((path) => prefix + path)],
        expectedOutput,
      );
    }),
    seeded,
  );
});
