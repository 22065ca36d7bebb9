import { describe, expect, test } from "vitest";
import { describeRequest } from "../../src/httpd/model/request.js";
import { decisionClassOf, type KnownDecisionClass } from "../../src/simulate/model/decision.js";
import { caseAfterMigration, migrateCase, recordedCases } from "../migrate/recorded-migrations.js";
import { type Case, type RecordedRequest, servedIn } from "../support/cases/recorded-cases.js";
import { isDeep } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { canNameClients } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { ownOwner } from "../support/httpd/served-folder.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { answersTo, type Place } from "./case-server.js";

/** Migrates and serves a sample of the recorded configurations; a deep run takes all. */

/** Number of concurrent servers. */
const JOBS = 3;

interface Seen {
  /** The configurations that were served. */
  served: number;
  /** Number of requests with an unchanged response. */
  readonly alike: Map<KnownDecisionClass, number>;
  readonly different: string[];
}

const answers = new Set<KnownDecisionClass>();

describe.skipIf(!httpd)(
  liveTitle("moved to Require, the live 2.4 answers without mod_access_compat as was recorded with the old lines"),
  () => {
    test.each([
      ["2.2-old", 180],
      ["2.2-authoritative", 90],
      ["2.4-old", 180],
      ["2.4-mixed", 180],
      ["2.4-extras", 90],
    ])("%s: one in %i", { timeout: 1_800_000 }, async (name, step) => {
      const seen: Seen = { served: 0, alike: new Map(), different: [] };
      const waiting = recordedCases(name, step).values();
      const job = () =>
        atSomePlace(async (place) => {
          for (const each of waiting) await serve(each, place, seen);
        });
      await Promise.all(Array.from({ length: JOBS }, job));
      if (isDeep) process.stdout.write(`${name}: ${seen.served} served, ${JSON.stringify([...seen.alike])}\n`);
      expect(seen.different).toEqual([]);
      expect(seen.served).toBeGreaterThan(0);
      for (const answer of seen.alike.keys()) answers.add(answer);
    });

    test("each class of answer was among them", () => {
      expect([...answers].sort()).toEqual(["401", "403", "500", "allowed"]);
    });
  },
);

async function atSomePlace(run: (place: Place) => Promise<void>): Promise<void> {
  await whileInScratchFolder(async (root) => {
    const port = await freePort();
    await run({ root, port });
  });
}

/** Sends each recorded request to the server with the migrated configuration. */
async function serve(each: Case, place: Place, seen: Seen): Promise<void> {
  if (!isOwnedAlike(each)) return;
  const requests = each.requests.filter(canSend);
  const migration = migrateCase(each);
  if (migration.verdict === "refused" || requests.length === 0) return;
  const after = caseAfterMigration(each, migration);
  const answers = await answersTo(withClients(after), after.files, requests, () => servedIn(after), place);
  seen.served++;
  for (const [index, request] of requests.entries()) {
    const answer = answers[index];
    const recorded = decisionClassOf(request.status);
    const got = typeof answer === "object" ? decisionClassOf(answer.status) : answer;
    if (got === recorded) seen.alike.set(recorded, (seen.alike.get(recorded) ?? 0) + 1);
    else seen.different.push(`${each.id} ${describeRequest(request)}: ${got} for ${recorded}`);
  }
}

/** Takes the client address from each request. */
function withClients(each: Case): Case {
  return { ...each, modules: [...new Set([...(each.modules ?? []), "remoteip"])] };
}

/** Returns whether the file owner can match that of the recording machine. */
function isOwnedAlike({ files }: Case): boolean {
  const { user, group } = ownOwner();
  return (user === "root" && group === "root") || !/file-(?:owner|group)/i.test(Object.values(files).join("\n"));
}

/** Some machines do not support names for clients. */
function canSend({ clientHost }: RecordedRequest): boolean {
  return canNameClients || clientHost === undefined || clientHost === "localhost";
}
