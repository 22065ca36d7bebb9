import { defaultRules } from "../../rules/index.js";
import type { Release } from "../directives/directives.js";
import { lint } from "../engine/lint.js";
import { type Migration, migrate as migrated } from "../migrate/migrate.js";
import type { Project } from "../project/project.js";
import { inChunks } from "../report/chunks.js";
import { migrationDiff } from "../report/migration-diff.js";
import { migrationJson } from "../report/migration-json.js";
import { migrationNotes } from "../report/migration-notes.js";
import type { Reading } from "../simulate/decision.js";
import { exitCodes } from "./exit-codes.js";
import { lookOf } from "./explain.js";
import type { Outcome } from "./outcome.js";
import { loadServer, type ServerFlags } from "./server.js";

/** The ways in which a migration is written. */
export const migrateFormats = ["diff", "json"] as const;

export interface MigrateFlags extends Omit<ServerFlags, "release"> {
  /** The release whose answers are kept. */
  readonly from: Release;
  readonly reading: Reading;
  readonly format: (typeof migrateFormats)[number];
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

/** Shows what a configuration is with Require alone, where it is proved that nobody gains or loses access by it. */
export function migrate(flags: MigrateFlags): Outcome {
  const before = loadServer({ ...flags, release: flags.from });
  if ("failed" in before) return before.failed;
  const moreModules = flags.from === "2.2" ? modulesFor(flags) : [];
  const after = (overlay: ReadonlyMap<string, string>): Project => {
    const noModule = [...(flags.noModule ?? []), "access_compat"];
    const loaded = loadServer({ ...flags, release: "2.4", noModule, moreModules, overlay });
    return "failed" in loaded ? before.project : loaded.project;
  };
  const migration = migrated({ before: before.project, after }, flags.reading);
  const look = lookOf(flags);
  const isProved = migration.verdict === "proved";
  return {
    output: inChunks(flags.format === "json" ? migrationJson(migration, look.base) : migrationDiff(migration, look)),
    notes: [...before.notes, ...migrationNotes(migration, before.project, look.base)],
    exitCode: isProved || flags.exitZero ? exitCodes.clean : exitCodeOf(migration),
  };
}

function exitCodeOf(migration: Migration) {
  return migration.verdict === "proved" ? exitCodes.clean : exitCodes.findings;
}

/** The modules that 2.4 needs for a configuration of 2.2, and that `upgrade` has it load. */
function modulesFor(flags: MigrateFlags): readonly string[] {
  const loaded = loadServer({ ...flags, release: "2.4" });
  if ("failed" in loaded) return [];
  const rules = defaultRules.filter(({ id }) => id === "modules-to-load");
  const ruleIds = defaultRules.map(({ id }) => id);
  const { findings } = lint(loaded.project, { rules, ruleIds, from: "2.2" });
  return [...new Set(findings.flatMap(({ supplies = [] }) => supplies))];
}
