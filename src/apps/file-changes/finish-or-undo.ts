import { dirname } from "node:path";
import { MAX_FILE_BYTES } from "../../config/files/file-content.js";
import type { FileSystem } from "./file-system.js";
import { computeDigest, type Journal, type JournalFile, type TransactionFolder } from "./journal.js";

/** The current state of a file in a journal. */
export interface FileState {
  readonly file: JournalFile;
  /** Its current content: one of the two, a mixture after an interrupted write, or another. */
  readonly holds: "before" | "after" | "mixed" | "other";
  /** Whether it has, or can get, the new content. */
  readonly canFinish: boolean;
  /** Whether it has, or can get back, the original content. */
  readonly canUndo: boolean;
  /** Path of a saved content whose digest does not match the journal. */
  readonly damaged?: string;
}

export function readFileStates({ files }: Journal, run: TransactionFolder, system: FileSystem): FileState[] {
  return files.map((file, index) => {
    const [saved, fresh] = [
      readSavedText(run.oldPathOf(file), file.before, system),
      readSavedText(run.newPathOf(index), file.after, system),
    ];
    const holds = classifyContent(file, saved.text, fresh.text, system);
    const isOpen = holds === "before" || holds === "mixed";
    const damaged = [saved, fresh].find(({ isDamaged }) => isDamaged)?.path;
    return {
      file,
      holds,
      // Without a saved original, its content would be lost.
      canFinish: holds === "after" || (isOpen && saved.text !== undefined && fresh.text !== undefined),
      canUndo: holds === "before" || (holds !== "other" && saved.text !== undefined),
      ...(damaged === undefined ? {} : { damaged }),
    };
  });
}

interface SavedText {
  readonly path: string;
  /** Undefined if the file is missing or damaged. */
  readonly text: string | undefined;
  readonly isDamaged: boolean;
}

/** Reads a saved content and verifies its digest: a file with a mismatch is never used. */
function readSavedText(path: string, digest: string, system: FileSystem): SavedText {
  const facts = system.inspect(path);
  if (facts === undefined) return { path, text: undefined, isDamaged: false };
  const isPlain = facts.kind === "file" && facts.names === 1 && facts.size <= MAX_FILE_BYTES;
  const text = isPlain ? system.read(path) : undefined;
  const hasDigest = text !== undefined && computeDigest(text) === digest;
  return { path, text: hasDigest ? text : undefined, isDamaged: !hasDigest };
}

function classifyContent(
  { path, before, after, inPlace }: JournalFile,
  saved: string | undefined,
  fresh: string | undefined,
  system: FileSystem,
): FileState["holds"] {
  const facts = system.inspect(path);
  const isPlain = facts?.kind === "file" && facts.names === 1 && facts.size <= MAX_FILE_BYTES;
  // A parent directory may have become a link.
  if (!isPlain || system.realPath(path) !== path) return "other";
  const text = system.read(path);
  const digest = computeDigest(text);
  if (digest === before) return "before";
  if (digest === after) return "after";
  const isPartlyWritten = inPlace && saved !== undefined && fresh !== undefined && isMixture(text, saved, fresh);
  return isPartlyWritten ? "mixed" : "other";
}

/** Returns whether a text may result from an interrupted `overwrite`: each byte is from one or the other content. */
function isMixture(text: string, one: string, other: string): boolean {
  const [shorter, longer] = [Math.min(one.length, other.length), Math.max(one.length, other.length)];
  if (text.length < shorter || text.length > longer) return false;
  for (let index = 0; index < text.length; index++)
    if (text[index] !== one[index] && text[index] !== other[index]) return false;
  return true;
}

/**
 * Installs all new contents and turns the run into a backup.
 *
 * @returns the path of the backup
 */
export function finishTransaction(
  { backup }: Journal,
  fileStates: readonly FileState[],
  run: TransactionFolder,
  system: FileSystem,
): string {
  for (const [index, { file, holds }] of fileStates.entries()) {
    if (holds === "after") continue;
    if (file.inPlace) system.overwrite(file.path, system.read(run.newPathOf(index)));
    else system.rename(run.newPathOf(index), file.path);
  }
  syncAll(fileStates, system);
  for (const [index, { file }] of fileStates.entries())
    if (file.inPlace && system.inspect(run.newPathOf(index))) system.remove(run.newPathOf(index));
  // If a power failure undoes this, recovery finds all files in place and repeats it.
  const kept = `${run.place}/${backup}`;
  system.rename(run.directory, kept);
  return kept;
}

/**
 * Restores all original contents by renaming the saved files, which needs no disk space. Removes all data of the run.
 */
export function undoTransaction(fileStates: readonly FileState[], run: TransactionFolder, system: FileSystem): void {
  for (const { file, holds } of fileStates) {
    if (holds === "before") continue;
    if (file.inPlace) system.overwrite(file.path, system.read(run.oldPathOf(file)));
    else system.rename(run.oldPathOf(file), file.path);
  }
  syncAll(fileStates, system);
  removeTransaction(run, system);
}

/**
 * Flushes all directories, including those of files replaced earlier: the run may have been interrupted before this.
 */
function syncAll(fileStates: readonly FileState[], system: FileSystem): void {
  for (const directory of new Set(fileStates.map(({ file }) => dirname(file.path)))) system.sync(directory);
}

/**
 * Removes the data of a run that has not replaced any file. The journal is removed first: without it, the rest is not used.
 */
export function removeTransaction(run: TransactionFolder, system: FileSystem): void {
  if (system.inspect(run.journal)) system.remove(run.journal);
  removeAll(run.directory, system);
}

function removeAll(directory: string, system: FileSystem): void {
  for (const name of system.list(directory)) {
    const path = `${directory}/${name}`;
    if (system.inspect(path)?.kind === "directory") removeAll(path, system);
    else system.remove(path);
  }
  system.removeDirectory(directory);
}
