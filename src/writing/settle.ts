import { dirname } from "node:path";
import type { FileSystem } from "./file-system.js";
import { digestOf, type Journal, type JournalFile, type Run } from "./journal.js";

/** A file of a journal as it is now. */
export interface Holding {
  readonly file: JournalFile;
  /** Which of its two texts it holds, or what somebody else wrote. */
  readonly holds: "before" | "after" | "other";
  /** Whether it holds, or can be given, the text after. */
  readonly canFinish: boolean;
  /** Whether it holds, or can be given back, the text before. */
  readonly canUndo: boolean;
}

export function holdingsOf({ files }: Journal, run: Run, system: FileSystem): Holding[] {
  return files.map((file, index) => {
    const holds = holdingOf(file, system);
    const saved = (path: string, other: Holding["holds"]) => holds === other && system.look(path) !== undefined;
    return {
      file,
      holds,
      canFinish: holds === "after" || saved(run.newOf(index), "before"),
      canUndo: holds === "before" || saved(run.oldOf(file), "after"),
    };
  });
}

function holdingOf({ path, before, after }: JournalFile, system: FileSystem): Holding["holds"] {
  if (system.look(path)?.kind !== "file") return "other";
  const digest = digestOf(system.read(path));
  if (digest === before) return "before";
  return digest === after ? "after" : "other";
}

/**
 * Puts every text after in place, and makes a backup of the run.
 *
 * @returns where the backup is
 */
export function finish({ backup }: Journal, holdings: readonly Holding[], run: Run, system: FileSystem): string {
  for (const [index, { file, holds }] of holdings.entries())
    if (holds === "before") system.rename(run.newOf(index), file.path);
  syncAll(holdings, system);
  // If this is lost in a power failure, recovering finds all in place and does it again.
  const kept = `${run.place}/${backup}`;
  system.rename(run.directory, kept);
  return kept;
}

/** Puts every text before back, by the saved file itself: that needs no room on the disk. Nothing is left of the run. */
export function undo(holdings: readonly Holding[], run: Run, system: FileSystem): void {
  for (const { file, holds } of holdings) if (holds === "after") system.rename(run.oldOf(file), file.path);
  syncAll(holdings, system);
  removeRun(run, system);
}

/** Also those that were replaced before: the run may have been cut off ahead of this. */
function syncAll(holdings: readonly Holding[], system: FileSystem): void {
  for (const directory of new Set(holdings.map(({ file }) => dirname(file.path)))) system.sync(directory);
}

/** Removes all of a run of which no file is in place: the journal first, without which the rest means nothing. */
export function removeRun(run: Run, system: FileSystem): void {
  if (system.look(run.journal)) system.remove(run.journal);
  removeAll(run.directory, system);
}

function removeAll(directory: string, system: FileSystem): void {
  for (const name of system.list(directory)) {
    const path = `${directory}/${name}`;
    if (system.look(path)?.kind === "directory") removeAll(path, system);
    else system.remove(path);
  }
  system.removeDirectory(directory);
}
