import type { Migration } from "../../migrate/migrate.js";
import { formatJson } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { assumptionsToJson, DecisionJson, redactText } from "../decisions/decision-json.js";
import { formatPatch } from "../text/file-changes.js";
import { PlaceResolver } from "../text/source-places.js";
import { DifferenceJson } from "./comparison-json.js";

/** Renders a migration as JSON, as `migrate.schema.json` describes it. */
export function* renderMigrationJson(
  migration: Migration,
  base: string | undefined,
  assumptions: readonly string[] = [],
): Generator<string> {
  const { verdict } = migration;
  const result = migration.verdict === "proved" ? provedToJson(migration, base) : refusedToJson(migration, base);
  yield `${formatJson({ verdict, ...assumptionsToJson(assumptions), ...result }, 2)}\n`;
}

function provedToJson(migration: Migration & { readonly verdict: "proved" }, base: string | undefined): object {
  const { files, byRelease } = migration;
  const places = new PlaceResolver(base);
  const differences = new DifferenceJson(new DecisionJson(places), byRelease.methods);
  return {
    files: files.map(({ path, before, after }) => {
      const named = places.displayPath(path);
      return { path: named, diff: formatPatch(named, before, after), text: toReadable(after) };
    }),
    refused: [],
    ...(byRelease.differences.length === 0
      ? {}
      : { byRelease: byRelease.differences.map((each) => differences.difference(each)) }),
  };
}

function refusedToJson(migration: Migration & { readonly verdict: "refused" }, base: string | undefined): object {
  const { comparison } = migration;
  const decisions = new DecisionJson(new PlaceResolver(base));
  const differences = comparison && new DifferenceJson(decisions, comparison.methods);
  return {
    files: [],
    refused: migration.refused.map(({ reason, notes = [], help = [], directive }) => ({
      ...(directive ? { location: decisions.location(directive.span) } : {}),
      reason: redactText([reason, ...notes, ...help].map(formatSentence).join(" ")),
    })),
    ...(comparison && differences
      ? {
          differences: comparison.differences.map((each) => differences.difference(each)),
          unknown: comparison.unproved.map((each) => decisions.unproved(each)),
        }
      : {}),
  };
}

/** Renders a clause as a sentence; a name in front keeps its case. */
function formatSentence(clause: string): string {
  const isName = /^(?:`|httpd\b|mod_|\d)/.test(clause);
  const sentence = isName ? clause : clause.charAt(0).toUpperCase() + clause.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
