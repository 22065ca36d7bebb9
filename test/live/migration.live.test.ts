import { describe, expect, test } from "vitest";
import { decisionClassOf, type KnownDecisionClass } from "../../src/server/model/answer.js";
import { describeRequest } from "../../src/server/model/request.js";
import { caseAfterMigration, migrateCase, recordedCases } from "../proof/migrate/recorded-migrations.js";
import { type Case, type RecordedRequest, servedIn } from "../support/cases/recorded-cases.js";
import { isDeep } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { canNameClients } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { ownOwner } from "../support/httpd/served-folder.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { answersTo, type Place } from "./case-server.js";

/** Migrates and serves a sample of the recorded configurations, or all of them in a deep run. */

/** Number of concurrent servers. */
const JOBS = 3;

interface Tally {
  /** The configurations that were served. */
  served: number;
  /** Number of requests with an unchanged response. */
  readonly unchanged: Map<KnownDecisionClass, number>;
  readonly different: string[];
}

const answers = new Set<KnownDecisionClass>();

describe.skipIf(!httpd)(
  liveTitle("a migrated configuration returns the recorded answers on the live 2.4 without mod_access_compat"),
  () => {
    test.each([
      ["2.2-old", 180],
      ["2.2-authoritative", 90],
      ["2.4-old", 180],
      ["2.4-mixed", 180],
      ["2.4-extras", 90],
    ])("%s: one in %i", { timeout: 1_800_000 }, async (name, step) => {
      const tally: Tally = { served: 0, unchanged: new Map(), different: [] };
      const waiting = recordedCases(name, step).values();
      const job = () =>
        withPlace(async (place) => {
          for (const each of waiting) await serve(each, place, tally);
        });
      await Promise.all(Array.from({ length: JOBS }, job));
      if (isDeep) process.stdout.write(`${name}: ${tally.served} served, ${JSON.stringify([...tally.unchanged])}\n`);
      expect(tally.different).toEqual([]);
      expect(tally.served).toBeGreaterThan(0);
      for (const answer of tally.unchanged.keys()) answers.add(answer);
    });

    test("the answers include each class", () => {
      expect([...answers].sort()).toEqual(["401", "403", "500", "allowed"]);
    });
  },
);

async function withPlace(run: (place: Place) => Promise<void>): Promise<void> {
  await whileInScratchFolder(async (root) => {
    const port = await freePort();
    await run({ root, port });
  });
}

/** Sends each recorded request to the server with the migrated configuration. */
async function serve(each: Case, place: Place, tally: Tally): Promise<void> {
  if (!hasRecordedOwner(each)) return;
  const requests = each.requests.filter(canSend);
  const migration = migrateCase(each);
  if (migration.verdict === "refused" || requests.length === 0) return;
  const after = caseAfterMigration(each, migration);
  const answers = await answersTo(withClients(after), after.files, requests, () => servedIn(after), place);
  tally.served++;
  for (const [index, request] of requests.entries()) {
    const answer = answers[index];
    const recorded = decisionClassOf(request.status);
    const actual = typeof answer === "object" ? decisionClassOf(answer.status) : answer;
    if (actual === recorded) tally.unchanged.set(recorded, (tally.unchanged.get(recorded) ?? 0) + 1);
    else tally.different.push(`${each.id} ${describeRequest(request)}: ${actual} instead of ${recorded}`);
  }
}

/** Takes the client address from each request. */
function withClients(each: Case): Case {
  return { ...each, modules: [...new Set([...(each.modules ?? []), "remoteip"])] };
}

/** Returns whether the file owner can match that of the recording machine. */
function hasRecordedOwner({ files }: Case): boolean {
  const { user, group } = ownOwner();
  return (user === "root" && group === "root") || !/file-(?:owner|group)/i.test(Object.values(files).join("\n"));
}

/** Some machines do not support names for clients. */
function canSend({ clientHost }: RecordedRequest): boolean {
  return canNameClients || clientHost === undefined || clientHost === "localhost";
}
