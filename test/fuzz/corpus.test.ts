import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDeep } from "../support/depth.js";
import { Random } from "../support/random/random.js";
import { mutated } from "./mutations.js";
import { corpora, type FuzzTarget, targets } from "./targets.js";

const folder = "test/fuzz/corpus";
const cases = Object.entries<FuzzTarget>(targets).flatMap(([target, run]) => {
  const corpus = Object.entries(corpora).find(([name]) => name === target)?.[1] ?? "";
  return readdirSync(join(folder, corpus)).map((name) => [target, join(folder, corpus, name), run] as const);
});

/** Inputs that use up the step budget of a proof, which takes seconds. */
const slow = ["limits/conditions", "environment/rewritten"].map((name) => join(folder, name));

describe("what fuzzers begin with, and what they found before", () => {
  test.each(cases.filter(([, path]) => isDeep || !slow.includes(path)))("%s takes %s", (_target, path, run) => {
    run(readFileSync(path));
  });

  test("there is something for each target", () => {
    expect(new Set(cases.map(([target]) => target))).toEqual(new Set(Object.keys(targets)));
  });

  test("a seed makes the same inputs again", () => {
    const kept = [Buffer.from("Order allow,deny\n")];
    const [one, again, other] = [1, 1, 2].map((seed) => mutated(kept, new Random(seed)));
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
  });
});
