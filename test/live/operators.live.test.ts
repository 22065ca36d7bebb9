import { expect, test } from "vitest";
import { runCount, seedOr } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { compareOperators } from "./operators/compare-operators.js";

const seed = seedOr(20_261_124);
const count = runCount(300, 6000);

test.skipIf(!httpd)(
  liveTitle(`decisions for ${count} requests to servers as operators write them equal those of the server`),
  { timeout: 600_000 },
  async () => {
    const { causes, requests } = await compareOperators({ seed, count });
    const countOf = (...kinds: readonly string[]) =>
      causes.filter(({ kind }) => kinds.includes(kind)).reduce((sum, each) => sum + each.count, 0);
    const failures = causes.filter(({ kind }) => kind === "wrong" || kind === "start");
    expect(requests).toBeGreaterThanOrEqual(count);
    // Deep runs meet the goal: at most one wrong answer in a thousand requests.
    if (countOf("wrong", "start") > requests / 1000)
      expect(failures.map(({ seed, kind, cause }) => `seed ${seed} ${kind}: ${cause}`)).toEqual([]);
    expect(countOf("unknown", "noted")).toBeLessThanOrEqual(Math.max(requests / 20, 15));
  },
);
