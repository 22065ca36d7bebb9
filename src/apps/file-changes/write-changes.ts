import { dirname } from "node:path";
import type { Result } from "../../text/result.js";
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
  mirroredPathOf,
  TransactionFolder,
  writeJournal,
} from "./journal.js";
import type { JournalKey } from "./journal-key.js";
import { createSystemFailure, recoverCommandFor, type WriteFailure } from "./write-failure.js";

export interface WriteResult {
  /** The files that were replaced. */
  readonly written: readonly string[];
  /** The directory whose `old` holds the originals by their full paths; undefined if there was nothing to change. */
  readonly backup: string | undefined;
  /** Reason, as a clause, why --recover could not have finished or undone this run after an interruption. */
  readonly unsigned?: string;
}

/**
 * Writes changed contents as a transaction: all of them, or none.
 *
 * Everything is on the disk below the backup directory before the first file is changed. No Include and no DocumentRoot
 * may reach that directory (`findReachInto` checks it). After that, there are only renames, each from one complete content
 * to another. The exception: a file whose ACL or extended attributes cannot be copied is overwritten, and its journal
 * records its content. After an interruption, `recover` finishes or undoes the run; a failure is undone here.
 *
 * @param directory the backup directory; created if missing
 * @param key signs the journal; without one the run has to be recovered by hand
 */
export function writeChanges(
  changes: readonly FileReplacement[],
  directory: string,
  system: FileSystem,
  key: Result<JournalKey, string>,
  now = new Date(),
): Result<WriteResult, WriteFailure> {
  const wanted = changes.filter(({ before, after }) => before !== after);
  if (wanted.length === 0) return { ok: true, value: { written: [], backup: undefined } };
  const started = startTransaction(wanted, directory, system);
  if (!started.ok) return started;
  const run = started.value;
  const remedy = key.ok ? `run ${recoverCommandFor(run.place)}` : describeManualRecovery(run);
  const journal = prepareTransaction(wanted, run, system, { key, now, remedy });
  const written = journal.ok ? replaceFiles(journal.value, run, system, remedy) : journal;
  return written.ok && !key.ok ? { ok: true, value: { ...written.value, unsigned: key.error } } : written;
}

/** Checks whether all files can be replaced, and starts the run, which blocks any other. */
function startTransaction(
  changes: readonly FileReplacement[],
  directory: string,
  system: FileSystem,
): Result<TransactionFolder, WriteFailure> {
  try {
    const place = inspectBackupDirectory(directory, system);
    if (!place.ok) return place;
    const run = new TransactionFolder(place.value.path);
    const earlier = findUnfinishedIn(run, system);
    if (earlier) return { ok: false, error: earlier };
    for (const change of changes) {
      const refused = explainNotReplaceable(change, place.value, system);
      if (refused) return { ok: false, error: refused };
    }
    makeBackupDirectory(place.value, system);
    // If two runs get here at once, the system rejects one.
    system.makeDirectory(run.directory);
    return { ok: true, value: run };
  } catch (error) {
    return { ok: false, error: createSystemFailure(error, directory, "nothing was changed") };
  }
}

function findUnfinishedIn(run: TransactionFolder, system: FileSystem): WriteFailure | undefined {
  const { directory, place } = run;
  if (system.inspect(directory) === undefined) return undefined;
  const message = `an earlier run was interrupted (\`${directory}\`), and some files may be new and others old, so nothing was changed; run ${recoverCommandFor(place)} first`;
  return { kind: "unfinished", path: directory, message };
}

/** Returns a failure if an earlier run was visibly interrupted, so that the files may be inconsistent. */
export function findUnfinishedTransaction(directory: string, system: FileSystem): WriteFailure | undefined {
  try {
    const place = inspectBackupDirectory(directory, system);
    return place.ok ? findUnfinishedIn(new TransactionFolder(place.value.path), system) : undefined;
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
  readonly key: Result<JournalKey, string>;
  readonly now: Date;
  /** The remedy if the prepared data cannot be removed. */
  readonly remedy: string;
}

/** Saves old and new contents, then writes the journal. */
function prepareTransaction(
  changes: readonly FileReplacement[],
  run: TransactionFolder,
  system: FileSystem,
  { key, now, remedy }: PreparationOptions,
): Result<Journal, WriteFailure> {
  try {
    const files = changes.map((change, index) => saveTexts(change, index, run, system));
    system.sync(run.place);
    const journal = createJournal(files, now);
    writeJournal(journal, run, key, system);
    return { ok: true, value: journal };
  } catch (error) {
    const state = "all files are unchanged, but temporary data remains";
    const undo = () => removeTransaction(run, system);
    return { ok: false, error: undoAfterFailure(error, run, { state, remedy }, undo) };
  }
}

/** Saves the old and new content of a file in the run's directory. */
function saveTexts(change: FileReplacement, index: number, run: TransactionFolder, system: FileSystem): JournalFile {
  const { path, before, after } = change;
  const attributes = system.inspect(path);
  const [old, fresh] = [run.oldPathOf(change), run.newPathOf(index)];
  mirrorDirectory(dirname(path), run, system);
  system.write(old, before, attributes);
  system.write(fresh, after, attributes);
  const extended = system.extendedAttributes(path);
  const mayHave = extended.text !== "" || !extended.isComplete;
  if (mayHave) for (const copy of [old, fresh]) system.copyExtendedAttributes(path, copy);
  system.sync(dirname(old));
  // The new file may also have additional attributes: a directory can have a default ACL.
  const inPlace = system.extendedAttributes(fresh).text !== extended.text;
  return { path, before: computeDigest(before), after: computeDigest(after), inPlace };
}

/**
 * Creates a directory below `old` with the original attributes, so that copying everything back does not change
 * permissions.
 */
function mirrorDirectory(directory: string, run: TransactionFolder, system: FileSystem): void {
  const parent = dirname(directory);
  const isTop = parent === directory;
  const copy = `${run.old}${mirroredPathOf(directory)}`.replace(/\/$/, "");
  if (system.inspect(copy)) return;
  if (!isTop) mirrorDirectory(parent, run, system);
  else if (copy !== run.old && system.inspect(run.old) === undefined) system.makeDirectory(run.old);
  const above = dirname(copy);
  const facts = system.inspect(directory);
  // Users other than root need write permission for it.
  system.makeDirectory(copy, facts && { ...facts, mode: system.user === 0 ? facts.mode : facts.mode | 0o700 });
  system.sync(above);
}

/** Replaces the files; on failure, restores those already replaced. */
function replaceFiles(
  journal: Journal,
  run: TransactionFolder,
  system: FileSystem,
  remedy: string,
): Result<WriteResult, WriteFailure> {
  try {
    const fileStates = readFileStates(journal, run, system);
    const other = fileStates.find(({ holds }) => holds !== "before");
    if (other) {
      removeTransaction(run, system);
      const how = "was changed while the new contents were prepared";
      return { ok: false, error: createChangeFailure(other.file.path, how) };
    }
    const backup = finishTransaction(journal, fileStates, run, system);
    return { ok: true, value: { written: journal.files.map(({ path }) => path), backup } };
  } catch (error) {
    const state = "some files may be new and others old";
    const undo = () => {
      const fileStates = readFileStates(journal, run, system);
      // A file edited just now is left to its author, and so is the decision about the rest.
      if (!fileStates.every(({ canUndo }) => canUndo)) throw error;
      undoTransaction(fileStates, run, system);
    };
    return { ok: false, error: undoAfterFailure(error, run, { state, remedy }, undo) };
  }
}

/**
 * Undoes a run after a system error.
 *
 * @param left the state of the files, as a clause, and the remedy if undoing fails, too
 */
function undoAfterFailure(
  refusal: unknown,
  run: TransactionFolder,
  left: { readonly state: string; readonly remedy: string },
  undo: () => void,
): WriteFailure {
  // Any other error is rethrown.
  if (errorCodeOf(refusal) === undefined) throw refusal;
  try {
    undo();
    return createSystemFailure(refusal, run.directory, "all files are unchanged");
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error;
    return createSystemFailure(refusal, run.directory, left.state, `correct that, then ${left.remedy}`);
  }
}

/** A file to change. */
export interface FileReplacement {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** Original content, a binary string. */
  readonly before: string;
  /** New content, a binary string. */
  readonly after: string;
}

/** Returns why a file cannot be replaced atomically, as far as can be checked in advance. Throws the system's error. */
function explainNotReplaceable(
  { path, before }: FileReplacement,
  place: BackupDirectory,
  system: FileSystem,
): WriteFailure | undefined {
  const facts = system.inspect(path);
  if (facts === undefined) return createChangeFailure(path, "no longer exists");
  const refuse = (what: string, remedy: string): WriteFailure => {
    const message = `\`${path}\` ${what}, so nothing was changed; ${remedy}`;
    return { kind: "not-replaceable", path, message };
  };
  if (facts.kind !== "file" || system.realPath(path) !== path)
    return refuse("is not a regular file, or is reached through a link", "name the target of the link");
  if (facts.names > 1)
    return refuse(
      `has ${facts.names} hard links, and the others would keep the old contents`,
      `delete the other links, which \`find / -xdev -samefile ${path}\` lists, or change it by hand`,
    );
  if (system.user !== 0 && facts.uid !== system.user)
    return refuse("belongs to another user, and only root can create files for that user", "run it as root");
  if (system.read(path) !== before) return createChangeFailure(path, "was changed since it was read");
  system.checkWritable(path);
  system.checkWritable(dirname(path));
  // A bind-mounted file may be on another device than its directory: only the rename detects that.
  if (system.inspect(dirname(path))?.device !== place.device)
    return refuse(
      `is on another file system than the backup directory \`${place.path}\`, and cannot be replaced atomically`,
      "name a directory on the same file system with --backup-dir",
    );
  return undefined;
}

function createChangeFailure(path: string, how: string): WriteFailure {
  return { kind: "changed", path, message: `\`${path}\` ${how}, so nothing was written; run it again` };
}
