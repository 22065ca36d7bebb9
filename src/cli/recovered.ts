import { dirname, resolve } from "node:path";
import { isWithin } from "../project/confined.js";
import { realPathOf } from "../project/main-files.js";
import { writtenNotes } from "../report/written-notes.js";
import { diskFileSystem } from "../writing/file-system.js";
import { findJournalKey } from "../writing/journal-key.js";
import { defaultBackupDirectory } from "../writing/place.js";
import { recover } from "../writing/recover.js";
import { uninterrupted } from "../writing/uninterrupted.js";
import { unfinishedRun } from "../writing/write.js";
import { writeNotes } from "./deliver.js";
import { exitCodes } from "./exit-codes.js";
import { gitOf } from "./git.js";
import type { MigrateFlags } from "./migrate.js";
import { failure, type Outcome } from "./outcome.js";
import { filesReadBy, loadServer, mainFileAround } from "./server.js";
import { folderOf } from "./settings.js";

/** Brings a run that was cut off to its end, or takes it back. */
export function recovered(flags: MigrateFlags): Outcome {
  const { backupDir, entry, main = entry, quiet, undo } = flags;
  const directory = backupDir === undefined ? main && backupDirectoryAround(main) : resolve(backupDir);
  if (directory === undefined)
    return failure(exitCodes.usage, "name the main configuration file, or the backup directory with --backup-dir");
  if (typeof directory !== "string") return directory.failed;
  // A directory that the user names with a flag may be anywhere.
  const outside = backupDir === undefined ? outsideConfine([dirname(directory)], flags) : undefined;
  if (outside !== undefined)
    return failure(exitCodes.unreadable, `the backup directory is in ${outside}; nothing was changed`);
  const announce = (paths: readonly string[]) => {
    if (quiet) return;
    const [first = "", ...others] = paths.map((path) => `\`${path}\``);
    writeNotes([`httpd-lint: recovering ${first}`, ...others.map((path) => `httpd-lint: recovering ${path}`)]);
  };
  const outcome = uninterrupted(() =>
    recover(directory, diskFileSystem, {
      wanted: undo ? "before" : "after",
      key: findJournalKey(),
      whyNot: (paths) => whyNotRecovered(paths, flags),
      isTracked,
      announce,
    }),
  );
  if ("failed" in outcome) return failure(exitCodes.unreadable, outcome.failed.message);
  const said = {
    nothing: `there is no run that was cut off in \`${directory}\``,
    after:
      "the run that was cut off is brought to its end: all files are as it would have left them; have the server read them: `apachectl graceful`",
    before: "the run that was cut off is taken back: all files are as they were",
  }[outcome.recovered];
  const { backup, files: written } = outcome;
  const notes = [said, ...writtenNotes({ written, backup })].map((note) => `httpd-lint: ${note}`);
  return { output: [], notes, exitCode: exitCodes.clean };
}

/** Where a run on the server of an entry keeps its copies: beside the main file, or beside a main file of its own. */
function backupDirectoryAround(entry: string): string | { readonly failed: Outcome } {
  const main = mainFileAround(entry);
  if ("failed" in main) return main;
  const beside = (path: string) => defaultBackupDirectory(realPathOf(path) ?? resolve(path));
  const isCutOff = (directory: string) => unfinishedRun(directory, diskFileSystem) !== undefined;
  const [usual, own] = [beside(main.path), beside(entry)];
  return !isCutOff(usual) && realPathOf(entry) !== realPathOf(folderOf(entry)) && isCutOff(own) ? own : usual;
}

/** Why the files of a journal may not be changed, as a clause: they are outside of --confine, or not of the entry. */
function whyNotRecovered(paths: readonly string[], flags: MigrateFlags): string | undefined {
  const outside = outsideConfine(paths, flags);
  if (outside !== undefined) return `it names ${outside}`;
  const { entry } = flags;
  if (entry === undefined) return undefined;
  const read = new Set<string>();
  for (const release of ["2.2", "2.4"] as const) {
    const loaded = loadServer({ ...flags, entry, release });
    if ("failed" in loaded) return `\`${entry}\` cannot be read, so its files are unknown`;
    for (const path of filesReadBy(loaded)) read.add(path);
  }
  const other = paths.find((path) => !read.has(path));
  if (other === undefined) return undefined;
  return `it names \`${other}\`, which is not among the files that \`${entry}\` reads; give the flags of the interrupted run, or name only its backup directory with --backup-dir`;
}

/** Names the first path that is outside of --confine. */
function outsideConfine(paths: readonly string[], { confine }: MigrateFlags): string | undefined {
  if (confine === undefined) return undefined;
  const folder = realPathOf(resolve(confine));
  const outside = paths.find((path) => folder === undefined || !isWithin(realPathOf(path) ?? path, folder));
  return outside === undefined ? undefined : `\`${outside}\`, which is outside \`${confine}\` (--confine)`;
}

/** Whether git tracks a path, or something below it. Without git, or outside of a repository, it does not. */
function isTracked(path: string): boolean {
  const answer = gitOf(dirname(path))("--literal-pathspecs", "ls-files", "-z", "--", path);
  return "output" in answer && answer.output !== "";
}
