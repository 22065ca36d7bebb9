import { expect, test } from "vitest";
import { shownClassOf } from "../../src/server/model/answer-class.js";
import { describeRequest, type Request } from "../../src/server/model/request.js";
import { differencesIn, filesOf, recordedPairs } from "../proof/compare/witnesses.js";
import type { Case } from "../support/cases/recorded-cases.js";
import { sampleOf } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { canNameClients } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { answersTo } from "./case-server.js";

/** Compares a sample of the 500 configurations recorded with both releases, and tests them on the server. */
const pairs = sampleOf(recordedPairs(), 60);

test.skipIf(!httpd)(
  liveTitle(
    `the server returns the reported answer to each request that shows a difference, for ${pairs.length} recorded configurations`,
  ),
  { timeout: 900_000 },
  async () => {
    const disagreements: string[] = [];
    let confirmed = 0;
    await whileInScratchFolder(async (root) => {
      const port = await freePort();
      for (const { before, after } of pairs) {
        const differences = differencesIn(before, after).filter(({ request }) => canBeSent(request, after.files));
        const answers = await answersTo(
          after,
          after.files,
          differences.map(({ request }) => request),
          (_, id) => {
            const difference = differences[id];
            return difference ? filesOf(difference) : [];
          },
          { root, port },
        );
        for (const [index, { request, after: expected }] of differences.entries()) {
          const answer = answers[index];
          const actual = typeof answer === "object" ? shownClassOf(answer.status) : answer;
          if (actual === expected.class) confirmed++;
          else
            disagreements.push(
              `${after.id}: ${describeRequest(request)}: expected ${expected.class}, server ${actual}`,
            );
        }
      }
    });
    expect(disagreements).toEqual([]);
    expect(confirmed).toBeGreaterThan(pairs.length / 2);
  },
);

function canBeSent({ clientIp, clientHost }: Request, files: Case["files"]): boolean {
  // The local address always has a name, which some lines check.
  const isNamed = clientIp === "127.0.0.1" && Object.values(files).some((text) => /localhost/i.test(text));
  if (isNamed && clientHost === undefined) return false;
  return canNameClients || clientHost === undefined || clientHost === "localhost";
}
