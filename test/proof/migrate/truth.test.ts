import { describe, expect, test } from "vitest";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import type { Migration } from "../../../src/proof/migrate/migration.js";
import { findRefusedFiles } from "../../../src/proof/migrate/rewrite/unreachable.js";
import { isLegacyDirective } from "../../../src/server/access/lines-of-24.js";
import { answer } from "../../../src/server/answer.js";
import { decisionClassOf } from "../../../src/server/model/answer.js";
import { describeRequest } from "../../../src/server/model/request.js";
import { type Case, loadCase } from "../../support/cases/recorded-cases.js";
import { isDeep } from "../../support/depth.js";
import { reasonsOf } from "./migrate-lines.js";
import { caseAfterMigration, migrateCase, recordedCases } from "./recorded-migrations.js";

/**
 * Migrates a sample of the recorded configurations from each file. A deep run migrates all, and lists the refused ones.
 * The live test migrates others.
 */
const refused: string[] = [];

describe("recorded configurations", () => {
  test.each([
    ["2.2-old", 0.95],
    ["2.2-authoritative", 0.8],
    ["2.4-old", 0.95],
    ["2.4-mixed", 0.95],
    ["2.4-extras", 0.95],
  ])(
    "of %s are mostly proved, and keep the results of all recorded requests",
    { timeout: 1_200_000 },
    (name, least) => {
      const cases = recordedCases(name, 80);
      const mistakes: string[] = [];
      let proved = 0;
      for (const each of cases) {
        const migration = migrateCase(each);
        if (migration.verdict === "proved") {
          proved++;
          mistakes.push(...mistakesIn(each, migration));
        } else refused.push(`${name} ${each.id}: ${[...new Set(reasonsOf(migration))].join("; ")}`);
      }
      expect(mistakes).toEqual([]);
      // In a small sample, one more or less has a large effect.
      expect(proved / cases.length).toBeGreaterThan(isDeep ? least : least - 0.2);
    },
  );

  test("have only the listed differences in recorded requests, if migrated without variables", {
    timeout: 1_200_000,
  }, () => {
    let changed = 0;
    for (const name of ["2.2-old", "2.4-mixed", "2.4-extras"])
      for (const each of recordedCases(name, 120)) {
        const migration = migrateCase(each, {});
        if (migration.verdict === "proved" || migration.proposal === undefined) continue;
        const { differences } = migration.proposal;
        const listed = new Set(
          differences.map(({ difference: { before, after } }) => `${before.class} ${after.class}`),
        );
        const { project, files } = loadCase(caseAfterMigration(each, migration.proposal));
        for (const request of each.requests) {
          const [before, after] = [decisionClassOf(request.status), answer(project, request, { files }).class];
          if (before === after) continue;
          changed++;
          expect(listed, `${each.id} ${describeRequest(request)}`).toContain(`${before} ${after}`);
        }
      }
    expect(changed).toBeGreaterThan(0);
  });

  test.runIf(isDeep)("are listed with their reasons if they are refused", async () => {
    await expect(`${refused.join("\n")}\n`).toMatchFileSnapshot("refused.txt");
  });
});

function mistakesIn(each: Case, migration: Migration & { readonly verdict: "proved" }): readonly string[] {
  const { project, files } = loadCase(caseAfterMigration(each, migration));
  // Requests that return 500 because of overrides continue to do so.
  const refusing = new Set([...findRefusedFiles(loadCase(each).project)].map(({ tree }) => tree.source.path));
  const old = [...iterateDirectives(project)]
    .filter(isLegacyDirective)
    .filter(({ reading }) => !refusing.has(reading.tree.source.path));
  const mistakes = each.requests.flatMap((request) => {
    const { class: decided } = answer(project, request, { files });
    const expected = decisionClassOf(request.status);
    return decided === expected ? [] : [`${each.id} ${describeRequest(request)}: ${decided} for ${expected}`];
  });
  return [...mistakes, ...old.map(({ name }) => `${each.id}: ${name} is left`)];
}
