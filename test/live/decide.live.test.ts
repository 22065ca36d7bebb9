import { expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { compareSeeds } from "./compared.js";

const seed = 20_240_401;

test.skipIf(!httpd)(liveTitle("2,000 requests to random configurations are decided as by the server"), async () => {
  const { compared, disagreements, unknown } = await compareSeeds(seed, 2000, 1);
  expect(disagreements.map(({ seed, text }) => `seed ${seed}\n${text}`)).toEqual([]);
  expect(compared).toBeGreaterThanOrEqual(2000);
  expect([...unknown.values()].reduce((sum, each) => sum + each, 0)).toBeLessThan(20);
});
