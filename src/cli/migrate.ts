import { resolve } from "node:path";
import type { Release } from "../directives/directives.js";
import { type MigratedFile, migrate as migrated } from "../migrate/migrate.js";
import { modulesToLoad } from "../modules-to-load.js";
import type { Project } from "../project/project.js";
import { inChunks } from "../report/chunks.js";
import { migrationDiff } from "../report/migration-diff.js";
import { migrationJson } from "../report/migration-json.js";
import { migrationNotes } from "../report/migration-notes.js";
import type { Reading } from "../simulate/decision.js";
import { toReadable } from "../text/source.js";
import type { Failed } from "../writing/failure.js";
import { diskFileSystem } from "../writing/file-system.js";
import { defaultBackupDirectory } from "../writing/place.js";
import { reachInto } from "../writing/reach.js";
import { recover } from "../writing/recover.js";
import { uninterrupted } from "../writing/uninterrupted.js";
import { type Written, writeChanges } from "../writing/write.js";
import { exitCodes } from "./exit-codes.js";
import { lookOf } from "./explain.js";
import { readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { loadServer, type ServerFlags } from "./server.js";

/** The ways in which a migration is written. */
export const migrateFormats = ["diff", "json"] as const;

export interface MigrateFlags extends Omit<ServerFlags, "release" | "entry"> {
  /** Not needed to recover. */
  readonly entry?: string | undefined;
  /** The release whose answers are kept. */
  readonly from: Release;
  readonly reading: Reading;
  readonly format: (typeof migrateFormats)[number];
  /** Whether the files are changed. */
  readonly write: boolean;
  /** Where the old texts are kept, and the journal. */
  readonly backupDir?: string | undefined;
  /** Whether a run that was cut off is brought to its end, or taken back. */
  readonly recover: boolean;
  readonly undo: boolean;
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

/** Shows what a configuration is with Require alone, where it is proved that nobody gains or loses access by it; or writes it. */
export function migrate(flags: MigrateFlags): Outcome {
  const { entry, recover, undo, write } = flags;
  if (recover) return recovered(flags);
  if (undo) return failure(exitCodes.usage, "--undo is for --recover: it takes back a run that was cut off");
  if (entry === undefined) return failure(exitCodes.usage, "name the main configuration file of a server");
  if (write && entry === "-")
    return failure(exitCodes.usage, "standard input cannot be written to; name the file, or leave --write out");
  return migratedServer({ ...flags, entry });
}

function migratedServer(flags: MigrateFlags & { readonly entry: string }): Outcome {
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
  const written = flags.write && isProved ? writtenFiles(migration.files, before.project, flags) : undefined;
  if (written && "failed" in written) return failure(exitCodes.unreadable, written.failed.message);
  return {
    output: inChunks(flags.format === "json" ? migrationJson(migration, look.base) : migrationDiff(migration, look)),
    notes: [
      ...before.notes,
      ...migrationNotes(migration, before.project, look.base),
      ...(written ? writtenNotes(written) : []),
    ],
    exitCode: isProved || flags.exitZero ? exitCodes.clean : exitCodes.findings,
  };
}

/** Puts the new texts in place, where no Include of either release reaches what is kept of the old ones. */
function writtenFiles(
  files: readonly MigratedFile[],
  { entry, files: read }: Project,
  flags: MigrateFlags & { readonly entry: string },
): Written | Failed {
  const main = [...read.values()].find(({ source }) => toReadable(source.path) === entry)?.source.realPath ?? entry;
  const directory = flags.backupDir === undefined ? defaultBackupDirectory(main) : resolve(flags.backupDir);
  const readings = (["2.2", "2.4"] as const).flatMap((release) => {
    const reading = readingOptions({ ...flags, release }, entry);
    return "failed" in reading ? [] : [{ entry, load: { ...reading.load, kind: "server" } as const }];
  });
  return reachInto(directory, readings) ?? uninterrupted(() => writeChanges(files, directory, diskFileSystem));
}

function writtenNotes({ written, backup }: Written): readonly string[] {
  if (backup === undefined) return [];
  const old = `${backup}/old`;
  return [
    `httpd-lint: ${written.length === 1 ? "1 file" : `${written.length} files`} written; the old texts are in \`${old}\`, and \`cp -a ${old}/. /\` brings them back`,
  ];
}

/** Brings a run that was cut off to its end, or takes it back. */
function recovered({ entry, backupDir, undo }: MigrateFlags): Outcome {
  const directory = backupDir === undefined ? entry && defaultBackupDirectory(resolve(entry)) : resolve(backupDir);
  if (directory === undefined)
    return failure(exitCodes.usage, "name the main configuration file, or the backup directory with --backup-dir");
  const outcome = uninterrupted(() => recover(directory, diskFileSystem, undo ? "before" : "after"));
  if ("failed" in outcome) return failure(exitCodes.unreadable, outcome.failed.message);
  const said = {
    nothing: `there is no run that was cut off in \`${directory}\``,
    after: "the run that was cut off is brought to its end: all files are as it would have left them",
    before: "the run that was cut off is taken back: all files are as they were",
  }[outcome.recovered];
  return { output: [], notes: [`httpd-lint: ${said}`], exitCode: exitCodes.clean };
}

/** The modules that 2.4 needs for a configuration of 2.2, and that `upgrade` has it load. */
function modulesFor(flags: MigrateFlags & { readonly entry: string }): readonly string[] {
  const loaded = loadServer({ ...flags, release: "2.4" });
  if ("failed" in loaded) return [];
  return modulesToLoad(loaded.project);
}
