import type { Result } from "../../text/result.js";
import type { FileSystem } from "./file-system.js";
import {
  type FileState,
  finishTransaction,
  readFileStates,
  removeTransaction,
  undoTransaction,
} from "./finish-or-undo.js";
import {
  describeManualRecovery,
  describeMovingAway,
  inspectBackupDirectory,
  type Journal,
  readJournal,
  TransactionFolder,
} from "./journal.js";
import type { JournalKey } from "./journal-key.js";
import { createSystemFailure, type WriteFailure } from "./write-failure.js";

export interface RecoveryResult {
  /** The contents that all files now have; `nothing` if there was nothing to recover. */
  readonly recovered: "before" | "after" | "nothing";
  /** The files of the run. */
  readonly files: readonly string[];
  /** The directory with the originals, if the files have the new contents. */
  readonly backup?: string;
}

/** Options of a recovery: its goal and its limits. */
export interface RecoveryOptions {
  /** The preferred contents; if only the others are possible (undoing had begun), those are used. */
  readonly wanted: "before" | "after";
  /** The key that has signed the journal. */
  readonly key: Result<JournalKey, string>;
  /** Returns why the files of a journal may not be changed, as a clause; called once. */
  readonly explainForbidden?: (paths: readonly string[]) => string | undefined;
  /** Returns whether a repository contains a path, or something below it. */
  readonly isTracked?: (path: string) => boolean;
  /** Called with the files before the first of them is changed. */
  readonly announce?: (paths: readonly string[]) => void;
}

/**
 * Finishes or undoes an interrupted run: afterwards, all files have their new contents, or all their old. It may itself
 * be interrupted and repeated. Nothing is changed unless this user wrote the journal on this machine, and all digests
 * match.
 *
 * @param directory the backup directory of the run
 */
export function recover(
  directory: string,
  system: FileSystem,
  recovery: RecoveryOptions,
): Result<RecoveryResult, WriteFailure> {
  try {
    if (system.inspect(directory) === undefined) return { ok: true, value: { recovered: "nothing", files: [] } };
    const place = inspectBackupDirectory(directory, system);
    if (!place.ok) return place;
    const run = new TransactionFolder(place.value.path);
    if (system.inspect(run.directory) === undefined) return { ok: true, value: { recovered: "nothing", files: [] } };
    const planted = explainPlanted(run, system, recovery);
    if (planted) return { ok: false, error: planted };
    const journal = readJournal(run, recovery.key, system);
    if (journal !== undefined) return journal.ok ? finishOrUndo(journal.value, run, system, recovery) : journal;
    // Without a journal, no file was changed.
    removeTransaction(run, system);
    return { ok: true, value: { recovered: "before", files: [] } };
  } catch (error) {
    return { ok: false, error: createSystemFailure(error, directory, "the run is still unfinished") };
  }
}

/** Returns why the data of a run was not written by httpd-lint, as far as that is visible without the journal. */
function explainPlanted(
  run: TransactionFolder,
  system: FileSystem,
  { isTracked, key }: RecoveryOptions,
): WriteFailure | undefined {
  const refuse = (path: string, what: string): WriteFailure => {
    const message = `\`${path}\` ${what}, so nothing was changed; ${describeManualRecovery(run)}`;
    return { kind: "journal", path, message };
  };
  const foreign = findForeignEntry(run, system);
  if (foreign) return refuse(foreign.path, foreign.what);
  const tracked = [run.directory, ...(key.ok && key.value.path !== undefined ? [key.value.path] : [])];
  const path = tracked.find((each) => isTracked?.(each));
  return path === undefined ? undefined : refuse(path, "is tracked by git");
}

function finishOrUndo(
  journal: Journal,
  run: TransactionFolder,
  system: FileSystem,
  recovery: RecoveryOptions,
): Result<RecoveryResult, WriteFailure> {
  const files = journal.files.map(({ path }) => path);
  const refused = recovery.explainForbidden?.(files);
  if (refused !== undefined) {
    const message = `\`${run.journal}\` is rejected: ${refused}; nothing was changed`;
    return { ok: false, error: { kind: "journal", path: run.journal, message } };
  }
  const fileStates = readFileStates(journal, run, system);
  const damaged = fileStates.find((each) => each.damaged !== undefined)?.damaged;
  if (damaged !== undefined) return { ok: false, error: createDamageFailure(damaged, run) };
  const edited = fileStates.find(({ holds }) => holds === "other");
  if (edited) return { ok: false, error: createEditFailure(edited, run) };
  const canFinish = fileStates.every((each) => each.canFinish);
  const canUndo = fileStates.every((each) => each.canUndo);
  if (!canFinish && !canUndo) return { ok: false, error: createLossFailure(run) };
  recovery.announce?.(files);
  if (canFinish && (recovery.wanted === "after" || !canUndo))
    return {
      ok: true,
      value: { recovered: "after", files, backup: finishTransaction(journal, fileStates, run, system) },
    };
  undoTransaction(fileStates, run, system);
  return { ok: true, value: { recovered: "before", files } };
}

function createDamageFailure(path: string, run: TransactionFolder): WriteFailure {
  const message = `\`${path}\` differs from what the interrupted run wrote: its digest is not the one in \`${run.journal}\`, so nothing was changed; ${describeManualRecovery(run)}`;
  return { kind: "journal", path, message };
}

function createEditFailure({ file: { path } }: FileState, run: TransactionFolder): WriteFailure {
  const message = `\`${path}\` was edited after the run was interrupted, so nothing was changed; compare it with \`${run.oldPathOf({ path })}\`, correct it by hand, then ${describeMovingAway(run)}`;
  return { kind: "edited", path, message };
}

function createLossFailure(run: TransactionFolder): WriteFailure {
  const { directory, journal } = run;
  const message = `some of the contents that \`${journal}\` lists are no longer in \`${directory}\`, so nothing was changed; correct the files by hand, then ${describeMovingAway(run)}`;
  return { kind: "journal", path: journal, message };
}

/** An entry in a run's directory that a run of this user does not create. */
interface ForeignEntry {
  readonly path: string;
  /** The problem, as the rest of a sentence. */
  readonly what: string;
}

/** Names of the data of a run, beside the originals in `old`. */
const ownNamePattern = /^(?:journal\.json(?:\.part)?|\d+\.new|old)$/;

/**
 * Finds an entry in a run's directory that the run cannot have created. A clone or an archive may contain such a
 * directory. Following its links, or removing its contents, could affect other files.
 */
function findForeignEntry(run: TransactionFolder, system: FileSystem): ForeignEntry | undefined {
  const { directory } = run;
  const facts = system.inspect(directory);
  if (facts === undefined) return undefined;
  if (facts.kind === "link") return { path: directory, what: "is a symbolic link" };
  if (facts.kind !== "directory") return { path: directory, what: "is not a directory" };
  if (facts.uid !== system.user && facts.uid !== 0) return { path: directory, what: "belongs to another user" };
  // A run creates it for its user only; git or an archive creates it readable for all.
  if ((facts.mode & 0o077) !== 0) return { path: directory, what: "is open to other users, unlike that of a run" };
  for (const name of system.list(directory)) {
    const path = `${directory}/${name}`;
    const foreign = findForeignEntryAt(path, system);
    if (foreign) return foreign;
    const isDirectory = system.inspect(path)?.kind === "directory";
    if (!ownNamePattern.test(name) || isDirectory !== (name === "old"))
      return { path, what: "was not written by httpd-lint" };
  }
  return undefined;
}

/** Finds a link, a device, or a file with several hard links, at a path or below it. */
function findForeignEntryAt(path: string, system: FileSystem): ForeignEntry | undefined {
  const facts = system.inspect(path);
  if (facts?.kind === "directory") {
    for (const name of system.list(path)) {
      const foreign = findForeignEntryAt(`${path}/${name}`, system);
      if (foreign) return foreign;
    }
    return undefined;
  }
  if (facts?.kind === "link") return { path, what: "is a symbolic link" };
  if (facts?.kind !== "file") return { path, what: "is not a regular file" };
  return facts.names === 1 ? undefined : { path, what: "has more than one hard link" };
}
