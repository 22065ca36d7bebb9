import { resolve } from "node:path";
import type { Project } from "../../../config/model/project.js";
import { releaseLines } from "../../../facts/release.js";
import type { MigratedFile, ProvedMigration } from "../../../proof/migrate/migration.js";
import type { Result } from "../../../text/result.js";
import { defaultBackupDirectoryOf } from "../../file-changes/journal.js";
import type { WriteResult } from "../../file-changes/write-changes.js";
import type { WriteFailure } from "../../file-changes/write-failure.js";
import type { ServerMigration } from "../commands/migrate-flags.js";
import { createReadingOptions } from "../inputs/reading-options.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";
import { findServerProgram, installedServerOf, type Verification, verifyWithServer } from "./verify.js";
import { describeUnsignedJournal, mainPathOf, writeInPlace } from "./write-in-place.js";

type MigrationEnd = Pick<CommandResult, "notes" | "exitCode"> & { readonly written: WriteResult | undefined };

/** Verifies the new contents with the installed server and writes them, as requested. */
export function verifyAndWrite(
  { files, after }: ProvedMigration,
  before: Project,
  flags: ServerMigration,
): Result<MigrationEnd, CommandResult> {
  const seen = flags.verifyWithHttpd === undefined ? undefined : verifyMigrated(after, files, flags);
  const notes = (seen?.notes ?? []).map((note) => `httpd-lint: ${note}`);
  if (seen?.exitCode !== undefined || !flags.write) {
    const code = seen?.exitCode ?? exitCodes.clean;
    return {
      ok: true,
      value: {
        notes,
        exitCode: flags.exitZero && code === exitCodes.findings ? exitCodes.clean : code,
        written: undefined,
      },
    };
  }
  const written = writeMigrated(files, before, flags);
  if (!written.ok) return failWith(exitCodes.unreadable, written.error.message);
  const unsigned = describeUnsignedJournal(written.value).map((note) => `httpd-lint: ${note}`);
  return { ok: true, value: { notes: [...notes, ...unsigned], exitCode: exitCodes.clean, written: written.value } };
}

function verifyMigrated(after: Project, files: readonly MigratedFile[], flags: ServerMigration): Verification {
  const found = findServerProgram(flags.verifyWithHttpd ?? "");
  if (!found.ok) return { notes: [found.error], exitCode: exitCodes.usage };
  const reading = createReadingOptions({ ...flags, release: "2.4" }, after.entry);
  if (!reading.ok) return { notes: [reading.error], exitCode: exitCodes.usage };
  return verifyWithServer(
    installedServerOf(found.value, after, reading.value.load),
    after,
    new Set(files.map(({ path }) => path)),
    flags.from,
  );
}

/** Writes the new contents. The originals are kept where no Include of either release reaches them. */
function writeMigrated(
  files: readonly MigratedFile[],
  before: Project,
  flags: ServerMigration,
): Result<WriteResult, WriteFailure> {
  const readings = releaseLines.flatMap((release) => {
    const reading = createReadingOptions({ ...flags, release }, before.entry);
    return reading.ok ? [{ entry: before.entry, load: { ...reading.value.load, kind: "server" } as const }] : [];
  });
  return writeInPlace(files, chooseBackupDirectory(before, flags), readings);
}

/** Returns the directory for the originals. */
export function chooseBackupDirectory(before: Project, { backupDir }: ServerMigration): string {
  return backupDir === undefined ? defaultBackupDirectoryOf(mainPathOf(before)) : resolve(backupDir);
}
