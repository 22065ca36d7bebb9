import { dirname } from "node:path";
import { MAX_FILE_BYTES } from "../project/files/file-content.js";
import type { FileSystem } from "./file-system.js";
import { computeDigest, type Journal, type JournalFile, type TransactionFolder } from "./journal.js";

/** A file of a journal as it is now. */
export interface FileState {
  readonly file: JournalFile;
  /** Which of its two contents it holds, a mixture that an interrupted write leaves, or what somebody else wrote. */
  readonly holds: "before" | "after" | "mixed" | "other";
  /** Whether it holds, or can be given, the text after. */
  readonly canFinish: boolean;
  /** Whether it holds, or can be given back, the text before. */
  readonly canUndo: boolean;
  /** A saved content that is not as the journal says. */
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
      // Without the text before, it would be lost.
      canFinish: holds === "after" || (isOpen && saved.text !== undefined && fresh.text !== undefined),
      canUndo: holds === "before" || (holds !== "other" && saved.text !== undefined),
      ...(damaged === undefined ? {} : { damaged }),
    };
  });
}

interface SavedText {
  readonly path: string;
  /** Undefined where the file is missing or damaged. */
  readonly text: string | undefined;
  readonly isDamaged: boolean;
}

/** A content that a run saved, compared with its digest: a file of another content is never put in place. */
function readSavedText(path: string, digest: string, system: FileSystem): SavedText {
  const facts = system.look(path);
  if (facts === undefined) return { path, text: undefined, isDamaged: false };
  const isPlain = facts.kind === "file" && facts.names === 1 && facts.size <= MAX_FILE_BYTES;
  const text = isPlain ? system.read(path) : undefined;
  const isRight = text !== undefined && computeDigest(text) === digest;
  return { path, text: isRight ? text : undefined, isDamaged: !isRight };
}

function classifyContent(
  { path, before, after, inPlace }: JournalFile,
  saved: string | undefined,
  fresh: string | undefined,
  system: FileSystem,
): FileState["holds"] {
  const facts = system.look(path);
  const isPlain = facts?.kind === "file" && facts.names === 1 && facts.size <= MAX_FILE_BYTES;
  // A directory on the way may have become a link.
  if (!isPlain || system.realPath(path) !== path) return "other";
  const text = system.read(path);
  const digest = computeDigest(text);
  if (digest === before) return "before";
  if (digest === after) return "after";
  const isTorn = inPlace && saved !== undefined && fresh !== undefined && isMixture(text, saved, fresh);
  return isTorn ? "mixed" : "other";
}

/** Whether a text is what an interrupted `overwrite` leaves: at each place it has the byte of one or of the other. */
function isMixture(text: string, one: string, other: string): boolean {
  const [shorter, longer] = [Math.min(one.length, other.length), Math.max(one.length, other.length)];
  if (text.length < shorter || text.length > longer) return false;
  for (let index = 0; index < text.length; index++)
    if (text[index] !== one[index] && text[index] !== other[index]) return false;
  return true;
}

/**
 * Puts every text after in place, and makes a backup of the run.
 *
 * @returns where the backup is
 */
export function finishTransaction(
  { backup }: Journal,
  holdings: readonly FileState[],
  run: TransactionFolder,
  system: FileSystem,
): string {
  for (const [index, { file, holds }] of holdings.entries()) {
    if (holds === "after") continue;
    if (file.inPlace) system.overwrite(file.path, system.read(run.newPathOf(index)));
    else system.rename(run.newPathOf(index), file.path);
  }
  syncAll(holdings, system);
  for (const [index, { file }] of holdings.entries())
    if (file.inPlace && system.look(run.newPathOf(index))) system.remove(run.newPathOf(index));
  // If this is lost in a power failure, recovering finds all in place and does it again.
  const kept = `${run.place}/${backup}`;
  system.rename(run.directory, kept);
  return kept;
}

/** Puts every text before back, by the saved file itself: that needs no room on the disk. Nothing is left of the run. */
export function undoTransaction(holdings: readonly FileState[], run: TransactionFolder, system: FileSystem): void {
  for (const { file, holds } of holdings) {
    if (holds === "before") continue;
    if (file.inPlace) system.overwrite(file.path, system.read(run.oldPathOf(file)));
    else system.rename(run.oldPathOf(file), file.path);
  }
  syncAll(holdings, system);
  removeTransaction(run, system);
}

/** Also those that were replaced before: the run may have been cut off ahead of this. */
function syncAll(holdings: readonly FileState[], system: FileSystem): void {
  for (const directory of new Set(holdings.map(({ file }) => dirname(file.path)))) system.sync(directory);
}

/** Removes all of a run of which no file is in place: the journal first, without which the rest means nothing. */
export function removeTransaction(run: TransactionFolder, system: FileSystem): void {
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
