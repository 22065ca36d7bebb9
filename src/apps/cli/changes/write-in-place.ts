import { dirname, resolve } from "node:path";
import { isWithin } from "../../../config/files/paths.js";
import { realPathOf } from "../../../config/main-files.js";
import { mainFileOf, type Project } from "../../../config/model/project.js";
import { releaseLines } from "../../../facts/release.js";
import { describeWrittenFiles } from "../../../report/text/file-changes.js";
import type { Result } from "../../../text/result.js";
import { withSignalsBlocked } from "../../file-changes/atomic-write.js";
import { findServerAccessTo, type ReleaseReading } from "../../file-changes/backup-reach.js";
import { diskFileSystem } from "../../file-changes/file-system.js";
import { defaultBackupDirectoryOf } from "../../file-changes/journal.js";
import { ensureJournalKey, findJournalKey } from "../../file-changes/journal-key.js";
import { recover } from "../../file-changes/recover.js";
import { findUnfinishedTransaction, type WriteResult, writeChanges } from "../../file-changes/write-changes.js";
import type { WriteFailure } from "../../file-changes/write-failure.js";
import type { MigrateFlags } from "../commands/migrate-flags.js";
import { openGit } from "../inputs/git.js";
import { collectFilesRead, findMainFileAround, loadServer } from "../inputs/load-server.js";
import { enclosingFolderOf } from "../inputs/project-settings.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { writeNotes } from "../output/write-output.js";

/** Writes new contents, all or none. The backups are kept where no server loads or serves them. */
export function writeInPlace(
  files: Parameters<typeof writeChanges>[0],
  directory: string,
  readings: readonly ReleaseReading[],
): Result<WriteResult, WriteFailure> {
  const reached = findServerAccessTo(directory, readings);
  if (reached) return { ok: false, error: reached };
  return withSignalsBlocked(() => writeChanges(files, directory, diskFileSystem, ensureJournalKey()));
}

/** Returns a note that --recover could not have helped if the run had been interrupted. */
export function describeUnsignedJournal({ unsigned }: WriteResult): readonly string[] {
  return unsigned === undefined
    ? []
    : [
        `the journal of this run was not signed, because ${unsigned}; after an interruption, you would have to recover by hand`,
      ];
}

/** Returns the path of a server's main file, with links resolved: copies are kept next to it. */
export function mainPathOf(project: Project): string {
  return mainFileOf(project)?.realPath ?? project.entry;
}

/** Finishes an interrupted run, or undoes it. */
export function runRecover(flags: MigrateFlags): CommandResult {
  const { backupDir, entry, main = entry, quiet = 0, recover: how, undo } = flags;
  if (backupDir === undefined && main === undefined)
    return createFailure(
      exitCodes.usage,
      "ENTRY is missing: name the main file, or the backup directory with --backup-dir",
    );
  const directory =
    backupDir === undefined ? findBackupDirectory(main ?? "") : ({ ok: true, value: resolve(backupDir) } as const);
  if (!directory.ok) return directory.error;
  // A directory that the user names with a flag may be anywhere.
  const outside = backupDir === undefined ? findFileOutsideConfine([dirname(directory.value)], flags) : undefined;
  if (outside !== undefined)
    return createFailure(exitCodes.unreadable, `the backup directory is in ${outside}; nothing was changed`);
  const announce = (paths: readonly string[]) => {
    if (quiet > 0) return;
    const [first = "", ...others] = paths.map((path) => `\`${path}\``);
    writeNotes([`httpd-lint: recovering ${first}`, ...others.map((path) => `httpd-lint: recovering ${path}`)]);
  };
  const outcome = withSignalsBlocked(() =>
    recover(directory.value, diskFileSystem, {
      wanted: undo || how === "undo" ? "before" : "after",
      key: findJournalKey(),
      explainForbidden: (paths) => explainNotRecoverable(paths, flags),
      isTracked,
      announce,
    }),
  );
  if (!outcome.ok) return createFailure(exitCodes.unreadable, outcome.error.message);
  const summary = {
    nothing: `no interrupted run in \`${directory.value}\``,
    after: "the interrupted run is finished: all files have their new contents; run `apachectl graceful` to load them",
    before: "the interrupted run is undone: all files have their original contents",
  }[outcome.value.recovered];
  const { backup, files: written } = outcome.value;
  const notes = [summary, ...describeWrittenFiles({ written, backup })].map((note) => `httpd-lint: ${note}`);
  return { output: [], notes, exitCode: exitCodes.clean };
}

/**
 * Returns the directory with the backups of a run on an entry's server: next to the main file, or next to the entry if
 * it is a main file of its own.
 */
function findBackupDirectory(entry: string): Result<string, CommandResult> {
  const main = findMainFileAround(entry);
  if (!main.ok) return main;
  const candidateDirectory = (path: string) => defaultBackupDirectoryOf(realPathOf(path) ?? resolve(path));
  const isCutOff = (directory: string) => findUnfinishedTransaction(directory, diskFileSystem) !== undefined;
  const [usual, own] = [candidateDirectory(main.value.path), candidateDirectory(entry)];
  const isOwn = !isCutOff(usual) && realPathOf(entry) !== realPathOf(enclosingFolderOf(entry)) && isCutOff(own);
  return { ok: true, value: isOwn ? own : usual };
}

/**
 * Returns the reason why the files of a journal may not be changed, as a clause: they are outside --confine, or not of
 * the entry.
 */
function explainNotRecoverable(paths: readonly string[], flags: MigrateFlags): string | undefined {
  const outside = findFileOutsideConfine(paths, flags);
  if (outside !== undefined) return `it names ${outside}`;
  const { entry } = flags;
  if (entry === undefined) return undefined;
  const read = new Set<string>();
  for (const release of releaseLines) {
    const loaded = loadServer({ ...flags, entry, release });
    if (!loaded.ok) return `\`${entry}\` cannot be read, so its files are unknown`;
    for (const path of collectFilesRead(loaded.value)) read.add(path);
  }
  const other = paths.find((path) => !read.has(path));
  if (other === undefined) return undefined;
  return `it names \`${other}\`, which is not among the files that \`${entry}\` reads; give the flags of the interrupted run, or name only its backup directory with --backup-dir`;
}

/** Describes the first path that is outside --confine. */
function findFileOutsideConfine(paths: readonly string[], { confine }: MigrateFlags): string | undefined {
  if (confine === undefined) return undefined;
  const folder = realPathOf(resolve(confine));
  const outside = paths.find((path) => folder === undefined || !isWithin(realPathOf(path) ?? path, folder));
  return outside === undefined
    ? undefined
    : `\`${outside}\`, which is outside of the --confine directory \`${confine}\``;
}

/** Reports whether git tracks a path, or something below it; false without git, or outside a repository. */
function isTracked(path: string): boolean {
  const answer = openGit(dirname(path))("--literal-pathspecs", "ls-files", "-z", "--", path);
  return answer.ok && answer.value !== "";
}
