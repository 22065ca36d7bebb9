import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../support/depth.js";
import { Random } from "../support/random/random.js";
import { mutate } from "./mutations.js";
import { corpora, type FuzzTarget, targets } from "./targets.js";

const folder = "test/fuzz/corpus";
const cases = Object.entries<FuzzTarget>(targets).flatMap(([target, run]) => {
  const corpus = Object.entries(corpora).find(([name]) => name === target)?.[1] ?? "";
  return readdirSync(join(folder, corpus)).map((name) => [target, join(folder, corpus, name), run] as const);
});

/** Inputs whose proofs take seconds, some of which use up the step budget. A sample runs one of them. */
const slow = [
  ...["explain servers/hosts-by-name.conf", "compare servers/hosts-by-name.conf", "compare servers/rewriting.conf"],
  ...["migrate servers/rewriting.conf", "rules servers/rewriting.conf", "limits limits/conditions"],
  ...["limits limits/lists", "limits limits/rewriting-values", "environment environment/rewritten"],
];
const nameOf = ([target, path]: (typeof cases)[number]) => `${target} ${relative(folder, path)}`;
const skipped = new Set(slow.filter((name) => !sampleOf(slow, slow.length).includes(name)));

describe("the initial corpus of the fuzzer", () => {
  test.each(cases.filter((each) => !skipped.has(nameOf(each))))("passes: target %s, input %s", (_target, path, run) => {
    run(readFileSync(path));
  });

  test("has inputs for each target, and all slow ones", () => {
    expect(new Set(cases.map(([target]) => target))).toEqual(new Set(Object.keys(targets)));
    expect(cases.map(nameOf)).toEqual(expect.arrayContaining(slow));
  });

  test("is mutated in the same way by the same seed", () => {
    const kept = [Buffer.from("Order allow,deny\n")];
    const [one, again, other] = [1, 1, 2].map((seed) => mutate(kept, new Random(seed)));
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
  });
});
