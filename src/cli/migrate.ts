import { resolve } from "node:path";
import type { Release } from "../directives/directives.js";
import {
  type MigratedFile,
  type Migration,
  migrate as migrated,
  oldDirectivesIn,
  unchanged,
} from "../migrate/migrate.js";
import { newerLines } from "../migrate/newer-lines.js";
import { assumeServer } from "../project/assumed-server.js";
import type { EntryKind, Project } from "../project/project.js";
import { inChunks } from "../report/chunks.js";
import { migrationDiff } from "../report/migration-diff.js";
import { migrationJson } from "../report/migration-json.js";
import { halfMoved, migrationNotes } from "../report/migration-notes.js";
import type { Reading } from "../simulate/decision.js";
import type { Failed } from "../writing/failure.js";
import { diskFileSystem } from "../writing/file-system.js";
import { defaultBackupDirectory } from "../writing/place.js";
import { unfinishedRun, type Written } from "../writing/write.js";
import { exitCodes } from "./exit-codes.js";
import { lookOf } from "./explain.js";
import { mainPathOf, putInPlace, unsignedNotes } from "./in-place.js";
import { keptFaults } from "./kept-faults.js";
import { readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { recovered } from "./recovered.js";
import { filesReadBy, loadServer, type ServerFlags } from "./server.js";
import { type Readied, startFindings, withStartFixes } from "./start-fixes.js";
import { serverOf, serverProgram, type Verified, verified } from "./verify.js";

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
  /** Whether notes are left out. */
  readonly quiet?: boolean | undefined;
  /** The program of the installed server that is to be shown the new texts; empty for the one on the PATH. */
  readonly verifyWithHttpd?: string | undefined;
  /** Whether a part of a server is written on the assumption that no other file sets access for the same paths. */
  readonly assumeComplete?: boolean | undefined;
  /** Whether what keeps 2.4 from starting is changed as well. */
  readonly fixStart: boolean;
  readonly undo: boolean;
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

/** Shows what a configuration is with Require alone, where it is proved that nobody gains or loses access by it; or writes it. */
export function migrate(flags: MigrateFlags): Outcome {
  const { entry, recover, undo } = flags;
  if (recover) return recovered(flags);
  if (undo) return failure(exitCodes.usage, "--undo is for --recover: it takes back a run that was cut off");
  if (entry === undefined) return failure(exitCodes.usage, "name the main configuration file of a server");
  const wrong = wrongUsage(flags, entry);
  return wrong === undefined ? migratedServer({ ...flags, entry }) : failure(exitCodes.usage, wrong);
}

/** What goes with what, and whether what is asked for can be had on this machine. */
function wrongUsage(
  { from, fixStart, sysroot, map = [], moreMaps = [], verifyWithHttpd: asked, write }: MigrateFlags,
  entry: string,
): string | undefined {
  if (write && entry === "-") return "standard input cannot be written to; name the file, or leave --write out";
  if (fixStart && from !== "2.2") return "--fix-start goes with --from 2.2: it changes what keeps 2.4 from starting";
  if (asked === undefined) return undefined;
  const mapped = map.length + moreMaps.length > 0 ? "use --map" : undefined;
  const elsewhere = sysroot === undefined ? mapped : "read below --sysroot";
  const different = entry === "-" ? "read standard input" : elsewhere;
  if (different !== undefined)
    return `--verify-with-httpd asks the server of this machine, which does not ${different}`;
  const found = serverProgram(asked);
  return "failed" in found ? found.failed : undefined;
}

/** Returns what is wrong with the flags if the entry is a part of a server. */
function misusedOnPart(
  { entry, write, assumeComplete, verifyWithHttpd, backupDir }: ServerMigration,
  kind: EntryKind,
): string | undefined {
  const part = `\`${entry}\` is only a part of a server`;
  if (verifyWithHttpd !== undefined)
    return `${part}: --verify-with-httpd needs its main file; name it with ENTRY or --main`;
  if (write && !assumeComplete)
    return `${part}, so nothing is written; name its main file with ENTRY or --main, or add --assume-complete if no other file sets access for these paths`;
  if (write && kind === "htaccess" && backupDir === undefined)
    return `\`${entry}\` may be in a document root: name a directory outside of it for the originals with --backup-dir`;
  return undefined;
}

type ServerMigration = MigrateFlags & { readonly entry: string };

function migratedServer(flags: ServerMigration): Outcome {
  const loaded = loadServer({ ...flags, release: flags.from });
  if ("failed" in loaded) return loaded.failed;
  const { assumptions } = loaded;
  const misused = assumptions.length === 0 ? undefined : misusedOnPart(flags, loaded.project.kind);
  if (misused !== undefined) return failure(exitCodes.usage, misused);
  const before = { ...loaded, project: assumeServer(loaded.project) };
  const cutOff = unfinishedRun(backupDirectory(before.project, flags), diskFileSystem);
  if (cutOff) return failure(exitCodes.unreadable, cutOff.failed.message);
  const look = lookOf(flags);
  const [newer] = flags.from === "2.2" ? newerLines(before.project) : [];
  if (newer && oldDirectivesIn(before.project).length > 0) return failure(exitCodes.usage, halfMoved(newer, look.base));
  const readied = new Map<Project, Readied>();
  const after = (overlay: ReadonlyMap<string, string>): Project => {
    const made = readAfter(overlay, before.project, flags);
    readied.set(made.project, made);
    return made.project;
  };
  const migration = newer ? unchanged(before.project) : migrated({ before: before.project, after }, flags.reading);
  const read = filesReadBy(before);
  const output = inChunks(
    flags.format === "json" ? migrationJson(migration, look.base, assumptions) : migrationDiff(migration, look),
  );
  if (migration.verdict === "refused")
    return { output, read, notes: before.notes, exitCode: flags.exitZero ? exitCodes.clean : exitCodes.findings };
  const done = verifiedAndWritten(migration, before.project, flags);
  if ("failed" in done) return done.failed;
  const notes = migrationNotes(migration, look.base, {
    before: before.project,
    isAssumed: assumptions.length > 0,
    newer,
    written: done.written,
    startup: readied.get(migration.after)?.findings ?? [],
    kept: keptFaults(before, flags.from === "2.4" ? before.project : readAs24(before.project, flags)),
  });
  return { output, read, notes: [...before.notes, ...notes, ...done.notes], exitCode: done.exitCode };
}

/** The configuration as it is, by 2.4. */
function readAs24(before: Project, flags: ServerMigration): Project {
  const loaded = loadServer({ ...flags, release: "2.4" });
  return "failed" in loaded ? before : assumeServer(loaded.project);
}

/** The configuration as 2.4 without mod_access_compat reads it, with all modules that it has or is to be given. */
function readAfter(overlay: ReadonlyMap<string, string>, before: Project, flags: ServerMigration): Readied {
  const read = (texts: ReadonlyMap<string, string>, moreModules: readonly string[] = []) => {
    const noModule = [...(flags.noModule ?? []), "access_compat"];
    const loaded = loadServer({ ...flags, release: "2.4", noModule, moreModules, overlay: texts });
    return "failed" in loaded ? before : assumeServer(loaded.project);
  };
  if (flags.from === "2.4") return { texts: overlay, project: read(overlay), findings: [] };
  const known = new Set([...before.files.values()].map(({ source }) => source.realPath));
  const made = flags.fixStart ? withStartFixes(overlay, read, (path) => known.has(path)) : startFindings(overlay, read);
  const lacking = [...new Set(made.findings.flatMap(({ supplies = [] }) => supplies))];
  return lacking.length === 0 ? made : { ...made, project: read(made.texts, lacking) };
}

type Done = Pick<Outcome, "notes" | "exitCode"> & { readonly written: Written | undefined };

/** Has the installed server look at the new texts, and writes them, where that is asked for. */
function verifiedAndWritten(
  { files, after }: Migration & { readonly verdict: "proved" },
  before: Project,
  flags: ServerMigration,
): Done | { readonly failed: Outcome } {
  const seen = flags.verifyWithHttpd === undefined ? undefined : verifiedFor(after, files, flags);
  const notes = (seen?.notes ?? []).map((note) => `httpd-lint: ${note}`);
  if (seen?.exitCode !== undefined || !flags.write) {
    const code = seen?.exitCode ?? exitCodes.clean;
    return {
      notes,
      exitCode: flags.exitZero && code === exitCodes.findings ? exitCodes.clean : code,
      written: undefined,
    };
  }
  const written = writtenFiles(files, before, flags);
  if ("failed" in written) return { failed: failure(exitCodes.unreadable, written.failed.message) };
  const unsigned = unsignedNotes(written).map((note) => `httpd-lint: ${note}`);
  return { notes: [...notes, ...unsigned], exitCode: exitCodes.clean, written };
}

function verifiedFor(after: Project, files: readonly MigratedFile[], flags: ServerMigration): Verified {
  const found = serverProgram(flags.verifyWithHttpd ?? "");
  if ("failed" in found) return { notes: [found.failed], exitCode: exitCodes.usage };
  const reading = readingOptions({ ...flags, release: "2.4" }, after.entry);
  if ("failed" in reading) return { notes: [reading.failed], exitCode: exitCodes.usage };
  return verified(
    serverOf(found.program, after, reading.load),
    after,
    new Set(files.map(({ path }) => path)),
    flags.from,
  );
}

/** Puts the new texts in place, where no Include of either release reaches what is kept of the old ones. */
function writtenFiles(files: readonly MigratedFile[], before: Project, flags: ServerMigration): Written | Failed {
  const readings = (["2.2", "2.4"] as const).flatMap((release) => {
    const reading = readingOptions({ ...flags, release }, before.entry);
    return "failed" in reading ? [] : [{ entry: before.entry, load: { ...reading.load, kind: "server" } as const }];
  });
  return putInPlace(files, backupDirectory(before, flags), readings);
}

function backupDirectory(before: Project, { backupDir }: ServerMigration): string {
  return backupDir === undefined ? defaultBackupDirectory(mainPathOf(before)) : resolve(backupDir);
}
