import { dirname } from "node:path";
import { errorCodeOf, type FileSystem } from "./file-system.js";
import { finishTransaction, readFileStates, removeTransaction, undoTransaction } from "./finish-or-undo.js";
import {
  type BackupDirectory,
  computeDigest,
  createJournal,
  describeManualRecovery,
  inspectBackupDirectory,
  type Journal,
  type JournalFile,
  TransactionFolder,
  writeJournal,
} from "./journal.js";
import type { JournalKey, MissingKey } from "./journal-key.js";
import { failBySystemError, failWrite, recoverCommandFor, type WriteFailed } from "./write-failure.js";

export interface WriteResult {
  /** The files that were replaced. */
  readonly written: readonly string[];
  /** The directory whose `old` holds the texts before by their full paths; undefined where nothing was to be changed. */
  readonly backup: string | undefined;
  /** Why --recover would not have finished or undone this run, had it been interrupted; a clause. */
  readonly unsigned?: string;
}

/**
 * Puts changed texts in place: all of them, or none.
 *
 * Everything is written and on the disk before the first file is touched, below the backup directory, which no Include and
 * no DocumentRoot may reach (`reachInto` tells). From then on there are renames alone, each from one whole text to another.
 * Only a file whose ACL or extended attributes a new file does not get is written into: its journal tells what it held.
 * What cuts a run off, `recover` finishes or undoes; what fails is undone here.
 *
 * @param directory the backup directory; made where it is missing
 * @param key signs the journal; without one the run has to be recovered by hand
 */
export function writeChanges(
  changes: readonly FileReplacement[],
  directory: string,
  system: FileSystem,
  key: JournalKey | MissingKey,
  now = new Date(),
): WriteResult | WriteFailed {
  const wanted = changes.filter(({ before, after }) => before !== after);
  if (wanted.length === 0) return { written: [], backup: undefined };
  const run = startTransaction(wanted, directory, system);
  if ("failed" in run) return run;
  const remedy = "failed" in key ? describeManualRecovery(run) : `run ${recoverCommandFor(run.place)}`;
  const journal = prepareTransaction(wanted, run, system, { key, now, remedy });
  const written = "failed" in journal ? journal : replaceFiles(journal, run, system, remedy);
  return "failed" in key && !("failed" in written) ? { ...written, unsigned: key.failed } : written;
}

/** Looks whether all can be replaced, and begins: from here on no other run does. */
function startTransaction(
  changes: readonly FileReplacement[],
  directory: string,
  system: FileSystem,
): TransactionFolder | WriteFailed {
  try {
    const place = inspectBackupDirectory(directory, system);
    if ("failed" in place) return place;
    const run = new TransactionFolder(place.path);
    const earlier = findUnfinishedIn(run, system);
    if (earlier) return earlier;
    for (const change of changes) {
      const refused = explainNotReplaceable(change, place, system);
      if (refused) return refused;
    }
    makeBackupDirectory(place, system);
    // Of two that come to this at once, one is refused by the system.
    system.makeDirectory(run.directory);
    return run;
  } catch (error) {
    return failBySystemError(error, directory, "nothing was changed");
  }
}

function findUnfinishedIn(run: TransactionFolder, system: FileSystem): WriteFailed | undefined {
  const { directory, place } = run;
  if (system.look(directory) === undefined) return undefined;
  const message = `an earlier run was cut off (\`${directory}\`), and may have left some files new and others old, so nothing was changed; run ${recoverCommandFor(place)} first`;
  return failWrite("unfinished", directory, message);
}

/** That an earlier run was cut off, so that the files may be neither as they were nor as they were to be, where that can be seen. */
export function findUnfinishedTransaction(directory: string, system: FileSystem): WriteFailed | undefined {
  try {
    const place = inspectBackupDirectory(directory, system);
    return "failed" in place ? undefined : findUnfinishedIn(new TransactionFolder(place.path), system);
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

function makeBackupDirectory({ path, isExisting }: BackupDirectory, system: FileSystem): void {
  if (isExisting) return;
  system.makeDirectory(path);
  system.sync(dirname(path));
}

interface PreparationOptions {
  readonly key: JournalKey | MissingKey;
  readonly now: Date;
  /** What to do where what was made ready cannot be removed. */
  readonly remedy: string;
}

/** Writes the texts before and after, and then the journal. */
function prepareTransaction(
  changes: readonly FileReplacement[],
  run: TransactionFolder,
  system: FileSystem,
  { key, now, remedy }: PreparationOptions,
): Journal | WriteFailed {
  try {
    const files = changes.map((change, index) => saveTexts(change, index, run, system));
    system.sync(run.place);
    const journal = createJournal(files, now);
    writeJournal(journal, run, key, system);
    return journal;
  } catch (error) {
    const state = "all files are as they were, but what was made ready is left over";
    return undoAfterFailure(error, run, { state, remedy }, () => removeTransaction(run, system));
  }
}

/** Writes the text before and the text after of a file below the run. */
function saveTexts(change: FileReplacement, index: number, run: TransactionFolder, system: FileSystem): JournalFile {
  const { path, before, after } = change;
  const attributes = system.look(path);
  const [old, fresh] = [run.oldPathOf(change), run.newPathOf(index)];
  mirrorDirectory(dirname(path), run, system);
  system.write(old, before, attributes);
  system.write(fresh, after, attributes);
  const extended = system.extendedAttributes(path);
  const mayHave = extended.text !== "" || !extended.isComplete;
  if (mayHave) for (const copy of [old, fresh]) system.copyExtendedAttributes(path, copy);
  system.sync(dirname(old));
  // The new file may also have more than the old one: a directory can have an ACL for new files.
  const inPlace = system.extendedAttributes(fresh).text !== extended.text;
  return { path, before: computeDigest(before), after: computeDigest(after), inPlace };
}

/** Makes a directory below `old` as it is at the top, so that copying all of it back changes the rights of none. */
function mirrorDirectory(directory: string, run: TransactionFolder, system: FileSystem): void {
  const copy = directory === "/" ? run.old : `${run.old}${directory}`;
  if (system.look(copy)) return;
  const above = directory === "/" ? run.directory : dirname(copy);
  if (directory !== "/") mirrorDirectory(dirname(directory), run, system);
  const facts = system.look(directory);
  // Whoever is not root has to be able to write into it.
  system.makeDirectory(copy, facts && { ...facts, mode: system.user === 0 ? facts.mode : facts.mode | 0o700 });
  system.sync(above);
}

/** Replaces the files; where that fails, puts back those that were. */
function replaceFiles(
  journal: Journal,
  run: TransactionFolder,
  system: FileSystem,
  remedy: string,
): WriteResult | WriteFailed {
  try {
    const holdings = readFileStates(journal, run, system);
    const other = holdings.find(({ holds }) => holds !== "before");
    if (other) {
      removeTransaction(run, system);
      return reportChangedFile(other.file.path, "was changed while the new texts were made ready");
    }
    return {
      written: journal.files.map(({ path }) => path),
      backup: finishTransaction(journal, holdings, run, system),
    };
  } catch (error) {
    const state = "some files may be new and others old";
    return undoAfterFailure(error, run, { state, remedy }, () => {
      const holdings = readFileStates(journal, run, system);
      // What somebody edited just now is left to them, and all else to what they decide.
      if (!holdings.every(({ canUndo }) => canUndo)) throw error;
      undoTransaction(holdings, run, system);
    });
  }
}

/**
 * Takes back what a run did that the system refused to go on with.
 *
 * @param left how the files are, as a clause, where it cannot be taken back either, and what to do then
 */
function undoAfterFailure(
  refusal: unknown,
  run: TransactionFolder,
  left: { readonly state: string; readonly remedy: string },
  takeBack: () => void,
): WriteFailed {
  // What is no refusal of the system is not for us to go on after.
  if (errorCodeOf(refusal) === undefined) throw refusal;
  try {
    takeBack();
    return failBySystemError(refusal, run.directory, "all files are as they were");
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error;
    return failBySystemError(refusal, run.directory, left.state, `put that right, then ${left.remedy}`);
  }
}

/** A file to be changed. */
export interface FileReplacement {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** Its text as it was read, a binary string. */
  readonly before: string;
  /** The text to put in its place, a binary string. */
  readonly after: string;
}

/** What keeps a file from being replaced in one step, as far as it can be seen beforehand; throws what the system says. */
function explainNotReplaceable(
  { path, before }: FileReplacement,
  place: BackupDirectory,
  system: FileSystem,
): WriteFailed | undefined {
  const facts = system.look(path);
  if (facts === undefined) return reportChangedFile(path, "is gone");
  const refuse = (what: string, remedy: string) =>
    failWrite("not-replaceable", path, `\`${path}\` ${what}, so nothing was changed; ${remedy}`);
  if (facts.kind !== "file" || system.realPath(path) !== path)
    return refuse("is no regular file or is reached by a link", "name the file that the link leads to");
  if (facts.names > 1)
    return refuse(
      `has ${facts.names} names (hard links), and the others would keep the old text`,
      `leave it one of those that \`find / -xdev -samefile ${path}\` lists, or change it by hand`,
    );
  if (system.user !== 0 && facts.uid !== system.user)
    return refuse("belongs to somebody else, and only root can give a new file to them", "run it as root");
  if (system.read(path) !== before) return reportChangedFile(path, "was changed since it was read");
  system.checkWritable(path);
  system.checkWritable(dirname(path));
  // A file that is mounted on its own may lie elsewhere than its directory: the system tells when it is replaced.
  if (system.look(dirname(path))?.device !== place.device)
    return refuse(
      `lies on another file system than the backup directory \`${place.path}\`, and cannot be replaced from there in one step`,
      "name a directory on the same file system with --backup-dir",
    );
  return undefined;
}

function reportChangedFile(path: string, how: string): WriteFailed {
  return failWrite("changed", path, `\`${path}\` ${how}, so nothing was written; run it again`);
}
