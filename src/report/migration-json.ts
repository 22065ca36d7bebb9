import type { Migration } from "../migrate/migrate.js";
import { jsonText } from "../text/json-text.js";
import { toReadable } from "../text/source.js";
import { DifferenceJson } from "./comparison-json.js";
import { assumed, DecisionJson, said } from "./decision-json.js";
import { patchOf } from "./patch.js";
import { Places } from "./places.js";

/** A migration for programs, as `migrate.schema.json` describes it. */
export function* migrationJson(
  migration: Migration,
  base: string | undefined,
  assumptions: readonly string[] = [],
): Generator<string> {
  const { verdict } = migration;
  const result = migration.verdict === "proved" ? proved(migration, base) : refused(migration, base);
  yield `${jsonText({ verdict, ...assumed(assumptions), ...result }, 2)}\n`;
}

function proved(migration: Migration & { readonly verdict: "proved" }, base: string | undefined): object {
  const { files, byRelease } = migration;
  const places = new Places(base);
  const differences = new DifferenceJson(new DecisionJson(places), byRelease.methods);
  return {
    files: files.map(({ path, before, after }) => {
      const named = places.named(path);
      return { path: named, diff: patchOf(named, before, after), text: toReadable(after) };
    }),
    refused: [],
    ...(byRelease.differences.length === 0
      ? {}
      : { byRelease: byRelease.differences.map((each) => differences.difference(each)) }),
  };
}

function refused(migration: Migration & { readonly verdict: "refused" }, base: string | undefined): object {
  const { comparison } = migration;
  const decisions = new DecisionJson(new Places(base));
  const differences = comparison && new DifferenceJson(decisions, comparison.methods);
  return {
    files: [],
    refused: migration.refused.map(({ reason, directive }) => ({
      ...(directive ? { location: decisions.location(directive.span) } : {}),
      reason: said(reason),
    })),
    ...(comparison && differences
      ? {
          differences: comparison.differences.map((each) => differences.difference(each)),
          unknown: comparison.unproved.map((each) => decisions.unproved(each)),
        }
      : {}),
  };
}
