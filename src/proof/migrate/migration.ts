import type { Project } from "../../config/model/project.js";
import type { ExplorationBudget } from "../model/budget.js";
import type { ConfigComparison, Difference, ProbedMethods } from "../model/comparison.js";
import type { ProgressListener } from "../model/progress.js";
import type { Acceptance, NamedDifference, PermanentFault } from "./acceptance.js";
import type { IneffectiveLines } from "./intent/ineffective-lines.js";
import type { Inexpressible } from "./plan/inexpressible.js";

/** A configuration, and how to read it again with changed contents. */
export interface MigrateSource {
  /** The configuration as read by the release whose decisions are kept. */
  readonly before: Project;
  /**
   * Reads it as 2.4 without mod_access_compat. It may be read with further changes, which are then part of the
   * migration and of the proof.
   *
   * @param texts of changed files, by real path: binary strings
   */
  readonly after: (texts: ReadonlyMap<string, string>) => Project;
  /** Reads it again with changed contents, as `before` was read. @param texts as of `after` */
  readonly again: (texts: ReadonlyMap<string, string>) => Project;
  /**
   * Reads it as `after` does, with fixes of the lines that 2.4 rejects at start, so that the proof is about a server that
   * starts. The fixes are not part of the migration. Absent if there are none.
   */
  readonly withStartFixes?: (texts: ReadonlyMap<string, string>) => Project;
}

/**
 * What happens to lines that have no effect today although they were written to have one: `restore` gives them that
 * effect, and `delete` keeps the decisions of today.
 */
export const ineffectiveChoices = ["restore", "delete"] as const;
export type IneffectiveChoice = (typeof ineffectiveChoices)[number];

/** Choices of the user for a migration. */
export interface MigrateOptions {
  readonly budget?: ExplorationBudget;
  /** The differences that the result may have. */
  readonly accept?: Acceptance;
  /** Whether sections may set variables that others test. */
  readonly allowsVariables?: boolean;
  /** If absent, a configuration with such lines is not migrated. */
  readonly ineffective?: IneffectiveChoice | undefined;
  /** Returns the faults of the current access that a migration makes permanent: each has to be accepted. */
  readonly findFaults?: (migration: ProvedMigration) => readonly PermanentFault[];
  readonly onProgress?: ProgressListener | undefined;
}

/** A file to be changed; texts are binary strings. */
export interface MigratedFile {
  /** With symbolic links resolved. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The requests that a migration answers differently. */
export interface MigrationExceptions {
  /** The methods of the comparison. */
  readonly methods: ProbedMethods;
  /** Those that 2.4 rejects regardless of the access rules. */
  readonly byRelease: readonly Difference[];
  /** Those for a page that the same clients get at another path anyway. */
  readonly samePage: readonly Difference[];
  readonly accepted: readonly NamedDifference[];
  /** Those that restored lines decide. */
  readonly restored: readonly NamedDifference[];
  /** The accepted faults of the current access. */
  readonly faults: readonly PermanentFault[];
}

/**
 * The migration that an operator would write, and all differences in access that it makes: none if only faults are not
 * accepted.
 */
export interface Proposal {
  readonly files: readonly MigratedFile[];
  readonly differences: readonly NamedDifference[];
  /** The methods of the comparison. */
  readonly methods: ProbedMethods;
}

/** The reason why a configuration is not migrated; the comparison is that with the closest attempt. */
export interface NotMigrated {
  readonly refused: readonly Inexpressible[];
  readonly comparison: ConfigComparison | undefined;
  /** The migration if all its differences were accepted. */
  readonly proposal?: Proposal;
  /** The lines without effect that the user has to choose about, with the result of each choice. */
  readonly choice?: OpenChoice;
}

/** Lines without effect, and the migration for each choice about them. */
export interface OpenChoice {
  readonly ineffective: readonly IneffectiveLines[];
  readonly results: Readonly<Record<IneffectiveChoice, Migration>>;
}

export interface ProvedMigration {
  readonly verdict: "proved";
  readonly files: readonly MigratedFile[];
  /** The migrated configuration. */
  readonly after: Project;
  readonly exceptions: MigrationExceptions;
  /** The lines that had no effect, which it restores or deletes. */
  readonly ineffective: readonly IneffectiveLines[];
  /** Whether the proof assumes fixes of lines that 2.4 rejects at start. */
  readonly assumesStartFixes: boolean;
  /** Whether nothing is migrated, and the releases decide some requests differently, or are not proved to be alike. */
  readonly hasOpenDifferences?: boolean;
}

export type Migration = ProvedMigration | ({ readonly verdict: "refused" } & NotMigrated);
