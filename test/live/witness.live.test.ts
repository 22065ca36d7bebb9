import { expect, test } from "vitest";
import { readCases } from "../conformance/conformance.js";
import type { Case } from "../support/cases/recorded-cases.js";
import { isDeep, seedOr } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { Random } from "../support/random/random.js";
import { replay } from "./replay-witnesses.js";

const seed = seedOr(20_240_717);

const cases = ["2.4-mixed", "2.4-new", "2.4-old", "2.4-extras", "2.4-dbm"]
  .flatMap((name) => readCases(`test/conformance/truth/${name}.jsonl`))
  .filter(({ startup }) => startup === undefined);

/** Draws some of the cases uniformly. */
function drawCases(count: number): readonly Case[] {
  const random = new Random(seed);
  return cases
    .map((each) => ({ each, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ each }) => each);
}

const drawnCases = isDeep ? cases : drawCases(150);

test.skipIf(!httpd)(
  liveTitle(
    `the requests of findings in ${drawnCases.length} recorded cases have the reported answers, and others without the cause`,
  ),
  { timeout: 600_000 },
  async () => {
    const { confirmed, disagreements } = await replay(drawnCases, isDeep ? undefined : 2);
    expect(disagreements, `seed ${seed}`).toEqual([]);
    // Each rule, or each of its variants, has a confirmed finding.
    expect([...confirmed.keys()].sort()).toEqual([
      ...["authentication-incomplete", "authtype-without-require", "compat-precedence", "compat-reset"],
      ...[
        "limit-leaves-methods-open",
        "login-not-required",
        "mixed-access-control",
        "override-missing",
        "redundant-host-rules",
      ],
      ...["satisfy-any-inherited", "satisfy-any-without-require"],
    ]);
  },
);
