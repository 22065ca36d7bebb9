import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { isSince } from "../../facts/release.js";
import { isLegacyDirective } from "../../server/access/lines-of-24.js";
import type { Semantics } from "../../server/model/answer.js";
import { omitRefusedLines } from "../../startup/install-config.js";
import { acceptNothing, findUnacceptedFaults } from "./acceptance.js";
import { convert, type ExploredSource, exploreSource } from "./conversion.js";
import { confirmIneffective, describeIneffective, refuseOpened, restore } from "./ineffective-choice.js";
import type { MigrateOptions, MigrateSource, Migration, ProvedMigration } from "./migration.js";
import { findObstacles } from "./obstacles.js";
import { type Inexpressible, stateReason } from "./plan/inexpressible.js";

/**
 * Migrates a configuration from Order, Allow, Deny and Satisfy to Require, in one step. Proves that a server without
 * mod_access_compat answers every request as before, except what 2.4 refuses regardless of the access rules, and what
 * the user accepts. A configuration cannot be migrated in parts.
 *
 * The result is readable, or there is none: an exact one without variables and with few more lines, or the one that an
 * operator would write, with the complete list of its differences. Lines that have no effect today but were written to
 * have one are not deleted without the user's choice.
 *
 * @param semantics the semantics of mod_access_compat directives to preserve: as the server does, or as the upgrade guide
 *   describes
 */
export function migrate(source: MigrateSource, semantics: Semantics, options: MigrateOptions = {}): Migration {
  const obstacles = findObstacles(source.before);
  if (obstacles.length > 0) return refuse(obstacles);
  const project = omitRefusedLines(source.before);
  const hasLegacy = [...iterateDirectives(project)].some(isLegacyDirective);
  if (!hasLegacy && isSince(project.release, "2.4")) return createUnchangedMigration(source.before);
  const explored = exploreSource(source, semantics, options);
  const migration = explored.ok ? migrateExplored(explored.value, semantics, options) : refuse(explored.error);
  // Without such directives, only the defaults of 2.2 may need a change. If it is not possible, `compare` shows why.
  const isNeeded = hasLegacy || migration.verdict === "proved" || (migration.proposal?.files.length ?? 0) > 0;
  if (isNeeded) return migration;
  return { ...createUnchangedMigration(source.before), hasOpenDifferences: true };
}

/** Migrates an explored configuration as the user chooses, or returns the choice. */
function migrateExplored(explored: ExploredSource, semantics: Semantics, options: MigrateOptions): Migration {
  const ineffective = confirmIneffective(explored, semantics, options);
  const results = {
    delete: () => {
      const kept = refuseOpened(convert(explored, semantics, options), explored, semantics, options);
      return refuseFaults(kept.verdict === "proved" ? { ...kept, ineffective } : kept, options);
    },
    restore: () => restoreExplored(ineffective, explored, semantics, options),
  };
  if (ineffective.length === 0) return results.delete();
  if (options.ineffective) return results[options.ineffective]();
  const deleted = results.delete();
  const both = { restore: previewRestored(ineffective, explored, semantics, options), delete: deleted };
  return { ...refuse(ineffective.map(describeIneffective)), choice: { ineffective, results: both } };
}

function restoreExplored(...[ineffective, explored, semantics, options]: Parameters<typeof restore>): Migration {
  return refuseFaults(restore(ineffective, explored, semantics, options), options);
}

/**
 * The share of the steps left that the preview of restored lines may take: a list of all requests that they change
 * takes many more than access that stays.
 */
const PREVIEW_SHARE = 1 / 3;

/** Migrates with restored lines in a share of the steps; if it is not enough, tells the user to choose it. */
function previewRestored(...[ineffective, explored, semantics, options]: Parameters<typeof restore>): Migration {
  const steps = explored.steps.part(PREVIEW_SHARE);
  const restored = restoreExplored(ineffective, { ...explored, steps }, semantics, options);
  const isCut = restored.verdict === "refused" && steps.isUsedUp && !explored.steps.isUsedUp;
  return isCut ? refuse([longPreviewReason]) : restored;
}

const longPreviewReason: Inexpressible = {
  ...stateReason("long-preview"),
  help: ["run `migrate` with `--ineffective restore`"],
  directive: undefined,
};

/** Refuses a migration that makes faults permanent that the user does not accept. */
function refuseFaults(migration: Migration, { findFaults, accept = acceptNothing }: MigrateOptions): Migration {
  if (migration.verdict === "refused" || findFaults === undefined) return migration;
  const faults = findFaults(migration);
  const refused = findUnacceptedFaults(faults, accept);
  const { files, exceptions } = migration;
  if (refused.length === 0) return { ...migration, exceptions: { ...exceptions, faults } };
  const { methods, accepted, restored } = exceptions;
  const proposal = { files, differences: [...accepted, ...restored], methods };
  return { verdict: "refused", refused, comparison: undefined, proposal };
}

/** Returns the result for a configuration with nothing to migrate. */
export function createUnchangedMigration(before: Project): ProvedMigration {
  const exceptions = {
    methods: { all: [], unnamed: [] },
    byRelease: [],
    samePage: [],
    accepted: [],
    restored: [],
    faults: [],
  };
  return { verdict: "proved", files: [], after: before, exceptions, ineffective: [], assumesStartFixes: false };
}

/**
 * Returns the remaining mod_access_compat directives, such as those in a `.htaccess` file that the server refuses
 * anyway.
 */
export function findLegacyDirectives(project: Project): readonly Directive[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective);
}

function refuse(refused: readonly Inexpressible[]): Migration & { readonly verdict: "refused" } {
  return { verdict: "refused", refused, comparison: undefined };
}
