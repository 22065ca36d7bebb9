import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compare, type Difference } from "../../src/compare/compare.js";
import { requestText } from "../../src/scope/request-text.js";
import { classOf } from "../../src/simulate/decision.js";
import { readCases } from "../conformance/conformance.js";
import { canNameClients, freePorts } from "../support/asked-httpd.js";
import { type Case, loadCase } from "../support/cases.js";
import { httpd, liveTitle } from "../support/httpd.js";
import { answersTo } from "./asked-case.js";

/** Of the 500 configurations that both releases answered for, every so many are compared and asked of the server. */
const step = Number(process.env["HTTPD_LINT_COMPARED_STEP"] ?? 10);

const later = readCases("test/conformance/truth/2.4-old.jsonl");
const pairs = readCases("test/conformance/truth/2.2-old.jsonl")
  .flatMap((before, index) => {
    const after = later[index];
    return after === undefined || before.startup !== undefined || after.startup !== undefined
      ? []
      : [{ before, after }];
  })
  .filter((_, index) => index % step === 0);

test.skipIf(!httpd)(
  liveTitle(`each request that shows a difference over ${pairs.length} recorded configurations is answered as said`),
  { timeout: 900_000 },
  async () => {
    const disagreements: string[] = [];
    let confirmed = 0;
    const root = mkdtempSync(join(tmpdir(), "httpd-lint-"));
    try {
      const [port] = await freePorts();
      for (const { before, after } of pairs) {
        const differences = comparedCases(before, after).filter(({ request }) => canBeSent(request.clientHost));
        const answers = await answersTo(
          after,
          after.files,
          differences.map(({ request }) => request),
          (_, id) => filesOf(differences[id]),
          { root, port },
        );
        for (const [index, { request, after: said }] of differences.entries()) {
          const answer = answers[index];
          const got = typeof answer === "object" ? classOf(answer.status) : answer;
          if (got === said.class) confirmed++;
          else disagreements.push(`${after.id}: ${requestText(request)}: said ${said.class}, server ${got}`);
        }
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
    expect(disagreements).toEqual([]);
    expect(confirmed).toBeGreaterThan(pairs.length / 2);
  },
);

function comparedCases(before: Case, after: Case): readonly Difference[] {
  const [old, now] = [loadCase(before), loadCase(after)];
  return compare({ project: old.project, reading: "server" }, { project: now.project, reading: "server" }).differences;
}

function canBeSent(clientHost: string | undefined): boolean {
  return canNameClients || clientHost === undefined || clientHost === "localhost";
}

/** What is there for the request of a difference: where its path leads, and what else it takes. */
function filesOf(difference: Difference | undefined): readonly string[] {
  if (difference === undefined) return [];
  const { given, regions } = difference;
  const walk = regions[0]?.cell.walks[1];
  const there = walk === undefined || walk.kind === "missing" ? [] : [[walk.filename, walk.kind] as const];
  return [...there, ...given.files].map(([path, kind]) => (kind === "directory" ? `${path}/` : path));
}
