import { describe, expect, test } from "vitest";
import { runCount, seedOr } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { Random } from "../support/random/random.js";
import { findContradiction, readSide } from "./check-pair.js";
import { lineOf, parseLines, type ServerPairText } from "./configuration-tree.js";
import { drawRandomPair } from "./linked-lines.js";
import { shownStatus } from "./live-pair.js";
import { linesOf } from "./mutations.js";
import { renderFailure } from "./render-pair.js";
import { drawRequests } from "./sample-requests.js";
import { serverOfTopics } from "./scenes.js";
import { shrinkPair } from "./shrink-pair.js";
import { checkPairs, describeDifference, directivePairs, type Failure, randomPairs, servePairs } from "./soundness.js";

function wrongIn(failures: readonly Failure[]): readonly string[] {
  return failures.filter(({ kind }) => kind === "wrong").map(renderFailure);
}

describe("pairs that are called equivalent", () => {
  test("answer sampled requests alike if they differ in one directive", async () => {
    const { verdicts, failures } = await checkPairs(directivePairs(seedOr(11), 1, runCount(80, 1)));
    expect(wrongIn(failures)).toEqual([]);
    expect(verdicts.equivalent).toBeGreaterThan(verdicts.unknown / 4);
  }, 3_600_000);

  test("answer sampled requests alike after random changes", async () => {
    const { verdicts, failures } = await checkPairs(randomPairs(seedOr(40_000), runCount(40, 2_000)));
    expect(wrongIn(failures)).toEqual([]);
    expect(verdicts.equivalent).toBeGreaterThan(8);
  }, 3_600_000);

  test.skipIf(!httpd)(
    liveTitle("get the same answers from running servers"),
    async () => {
      const sum = await servePairs(randomPairs(seedOr(50_000), 1_000_000), runCount(4, 200));
      expect(wrongIn(sum.failures)).toEqual([]);
      expect(sum.served).toBeGreaterThan(3);
    },
    3_600_000,
  );
});

describe("the instrument", () => {
  const [open, closed] = ["Require all granted", "Require all denied"].map((line) => {
    const base = serverOfTopics("2.4", ["login"]);
    return { ...base, lines: [...base.lines, lineOf('Location "/a"', parseLines(line))] };
  });
  const pair: ServerPairText | undefined = open &&
    closed && { release: "2.4", before: open, after: closed, change: "`Require`" };

  test("finds a request that two sides answer differently", () => {
    const sides = [open, closed].flatMap((side) => (side ? readSide(side, "2.4") : []));
    const [before, after] = sides;
    const requests = pair ? drawRequests(new Random(1), pair, 30) : [];
    const found = before && after && findContradiction(before, after, requests);
    expect(found).toMatchObject({ before: "allowed", after: "denied", isUnknown: false });
    expect(before && findContradiction(before, before, requests)).toBeUndefined();
  });

  test.each([
    ["on", false],
    ["off", true],
  ])("uses TLS for a server that has it: a rule for HTTPS %s", (state, isFound) => {
    const host = (condition: string) =>
      `<VirtualHost *:@PORT1@>\nSSLEngine on\nRewriteEngine On\n${condition}RewriteRule ^/a - [F]\n</VirtualHost>`;
    const [before, after] = ["", `RewriteCond %{HTTPS} ${state}\n`].map((condition) =>
      readSide({ modules: ["rewrite", "ssl"], lines: parseLines(host(condition)), htaccess: {} }, "2.2"),
    );
    const request = { method: "GET", path: "/a/x.txt", clientIp: "127.0.0.1", host: "x.test" };
    expect(before && after && findContradiction(before, after, [request]) !== undefined).toBe(isFound);
  });

  test("shrinks a pair to the lines and the parts of the request that it needs", async () => {
    const [request] = pair ? drawRequests(new Random(1), pair, 30).filter(({ path }) => path.startsWith("/a/x")) : [];
    if (pair === undefined || request === undefined) throw new Error("no pair");
    const shrunk = await shrinkPair({ pair, request }, async (smaller) => {
      const { before, after } = smaller.pair;
      return findContradiction(readSide(before, "2.4"), readSide(after, "2.4"), [smaller.request]) !== undefined;
    });
    expect(linesOf(shrunk.pair.after).map(({ text }) => text)).toContain("Require all denied");
    expect(linesOf(shrunk.pair.after).length).toBeLessThan(4);
    expect(shrunk.request.user).toBeUndefined();
  });

  test("draws the same pair for a seed", () => {
    expect(describeDifference(drawRandomPair(7))).toBe(describeDifference(drawRandomPair(7)));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => describeDifference(drawRandomPair(seed)))).size).toBeGreaterThan(2);
  });

  test("tells classes of answers apart", () => {
    expect([200, 404, 403, 401, 500, undefined].map(shownStatus)).toEqual([
      ...["allowed", "not found", "denied", "login", "error", "no answer"],
    ]);
  });
});
