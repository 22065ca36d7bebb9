import { expect, test } from "vitest";
import { runCount, seedOr } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { compareSeeds } from "./random-comparison.js";

const seed = seedOr(20_240_401);
const count = runCount(500, 2000);

test.skipIf(!httpd)(
  liveTitle(`decisions for ${count} requests to random configurations equal those of the server`),
  { timeout: 600_000 },
  async () => {
    const { compared, disagreements, unknown } = await compareSeeds(seed, count, 1);
    expect(disagreements.map(({ seed, text }) => `seed ${seed}\n${text}`)).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(count);
    expect([...unknown.values()].reduce((sum, each) => sum + each, 0)).toBeLessThan(Math.max(count / 100, 5));
  },
);
