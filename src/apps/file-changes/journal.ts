import { createHash } from "node:crypto";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { isOnDrive, toAbsolutePath } from "../../config/files/paths.js";
import { toBytes } from "../../text/bytes.js";
import { parseJson } from "../../text/escaping.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import type { FileSystem } from "./file-system.js";
import { isValidSignature, type JournalKey, signText } from "./journal-key.js";
import type { WriteFailure } from "./write-failure.js";

/** A file to replace, with the SHA-256 of its content before and after. */
export interface JournalFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Whether the existing file is overwritten: a new file would lose its ACL or extended attributes. */
  readonly inPlace: boolean;
}

const VERSION = 2;
/** Size limit; a run of a hundred thousand files stays below it. */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/** The plan of a run: all that is needed to finish or to undo it. */
export interface Journal {
  readonly version: typeof VERSION;
  /** Name of the run's directory after completion. */
  readonly backup: string;
  readonly files: readonly JournalFile[];
}

/** Name of a run's directory, and its prefix after completion. */
export const unfinishedName = "unfinished";
export const backupName = "backup-";

/**
 * The data of a run below the backup directory. While a directory `unfinished` exists, a run is in progress or was
 * interrupted, and no other starts. No file changes until the journal is in place, by one rename. On completion, the
 * directory gets its backup name, also by one rename.
 */
export class TransactionFolder {
  readonly directory: string;
  /** The original contents, by their full paths: `cp -a OLD/. /` restores all of them. */
  readonly old: string;
  readonly journal: string;

  constructor(readonly place: string) {
    this.directory = `${place}/${unfinishedName}`;
    this.old = `${this.directory}/old`;
    this.journal = `${this.directory}/journal.json`;
  }

  oldPathOf({ path }: Pick<JournalFile, "path">): string {
    return `${this.old}${mirroredPathOf(path)}`;
  }

  newPathOf(index: number): string {
    return `${this.directory}/${index + 1}.new`;
  }
}

/** Returns the path of a file or directory below `old`: a drive is a directory there, as in `old/C/xampp`. */
export function mirroredPathOf(path: string): string {
  const absolute = toAbsolutePath(path) ?? path;
  return (isOnDrive(absolute) ? absolute.replace(":", "") : absolute).replace(/^\/$/, "");
}

/** Returns the instruction for removing a run that cannot be recovered: elsewhere, an Include might reach it. */
export function describeMovingAway({ directory, place }: TransactionFolder): string {
  return `rename \`${directory}\` to \`${place}/${backupName}by-hand\``;
}

export function computeDigest(text: string): string {
  return createHash("sha256").update(toBytes(text)).digest("hex");
}

/** Returns the journal of a run with these files. */
export function createJournal(files: readonly JournalFile[], now: Date): Journal {
  return { version: VERSION, backup: `${backupName}${now.toISOString().replaceAll(/[:.]/g, "-")}`, files };
}

/** Writes the journal atomically. Without a key it is not signed, and cannot be used for recovery. */
export function writeJournal(
  journal: Journal,
  run: TransactionFolder,
  key: Result<JournalKey, string>,
  system: FileSystem,
): void {
  const part = `${run.journal}.part`;
  const signed = key.ok ? { ...journal, signature: signText(signedTextOf(journal, run), key.value) } : journal;
  system.write(part, fromReadable(`${JSON.stringify(signed, undefined, 2)}\n`));
  system.rename(part, run.journal);
  system.sync(run.directory);
}

/**
 * Returns the text to sign: the contents of a journal and its location. A journal that is moved or copied is therefore
 * invalid.
 */
function signedTextOf({ version, backup, files }: Journal, { place }: TransactionFolder): string {
  const entries = files.map(({ path, before, after, inPlace }) => [path, before, after, inPlace]);
  return JSON.stringify(["httpd-lint journal", version, place, backup, entries]);
}

/** Reads the journal of an interrupted run; undefined if it does not exist yet, and no file was changed. */
export function readJournal(
  run: TransactionFolder,
  key: Result<JournalKey, string>,
  system: FileSystem,
): Result<Journal, WriteFailure> | undefined {
  const facts = system.inspect(run.journal);
  if (facts === undefined) return undefined;
  const read = facts.size > MAX_JOURNAL_BYTES ? undefined : parseJson(toReadable(system.read(run.journal)));
  if (!isJournal(read)) return { ok: false, error: createUnusableFailure(read, run) };
  const { signature, ...journal } = read;
  if (!key.ok) return { ok: false, error: createForeignFailure(run, `your key is missing: ${key.error}`) };
  const isOwn = signature !== undefined && isValidSignature(signedTextOf(journal, run), signature, key.value);
  return isOwn
    ? { ok: true, value: journal }
    : { ok: false, error: createForeignFailure(run, "it is not signed with your key on this machine") };
}

function createUnusableFailure(read: unknown, run: TransactionFolder): WriteFailure {
  const isOther = isObject<Journal>(read) && typeof read.version === "number" && read.version !== VERSION;
  const message = isOther
    ? `\`${run.journal}\` was written by another version of httpd-lint (journal version ${read.version}), so nothing was changed; ${describeManualRecovery(run)}`
    : `\`${run.journal}\` is damaged, so nothing was changed; ${describeManualRecovery(run)}`;
  return { kind: "journal", path: run.journal, message };
}

/**
 * Rejects a journal that may come with the files, as in a clone, and name any file of this machine: it is not executed.
 */
function createForeignFailure(run: TransactionFolder, why: string): WriteFailure {
  const message = `\`${run.journal}\` is rejected, because ${why}; nothing was changed; ${describeManualRecovery(run)}`;
  return { kind: "journal", path: run.journal, message };
}

/** Returns the instruction for manual recovery if --recover does not act. */
export function describeManualRecovery(run: TransactionFolder): string {
  return `if it came with the files, as from a clone, delete \`${run.directory}\`; if your own run was interrupted, compare the originals in \`${run.old}\` with the files, then ${describeMovingAway(run)}`;
}

interface SignedJournal extends Journal {
  readonly signature?: string;
}

/** Returns whether a value is a journal, signed or not. */
export function isJournal(value: unknown): value is SignedJournal {
  if (!isObject<SignedJournal>(value)) return false;
  const { version, backup, files, signature } = value;
  const isName = typeof backup === "string" && backup.startsWith(backupName) && /^[\w.:-]+$/.test(backup);
  const isText = signature === undefined || typeof signature === "string";
  return version === VERSION && isName && isText && Array.isArray(files) && files.every(isJournalFile);
}

function isJournalFile(value: unknown): value is JournalFile {
  if (!isObject<JournalFile>(value)) return false;
  const { path, before, after, inPlace } = value;
  const isFull = typeof path === "string" && isAbsolute(path) && normalize(path) === path && !path.includes("\0");
  return isFull && typeof before === "string" && typeof after === "string" && typeof inPlace === "boolean";
}

/** Returns whether a value is an object, whose properties may have any type. */
function isObject<T>(value: unknown): value is { readonly [key in keyof T]?: unknown } {
  return typeof value === "object" && value !== null;
}

/** Default name of the directory for copies and the journal: no wildcard matches it. */
export const backupFolderName = ".httpd-lint";

/** Returns the default backup directory: beside the main file. */
export function defaultBackupDirectoryOf(mainFile: string): string {
  return `${dirname(mainFile)}/${backupFolderName}`;
}

/** A backup directory with links resolved, and its file system. */
export interface BackupDirectory {
  readonly path: string;
  readonly device: number;
  readonly isExisting: boolean;
}

/**
 * Checks a backup directory. An existing one must belong to this user: others could plant a journal that replaces
 * arbitrary files.
 */
export function inspectBackupDirectory(directory: string, system: FileSystem): Result<BackupDirectory, WriteFailure> {
  const refuse = (what: string, remedy = "name another with --backup-dir"): Result<never, WriteFailure> => {
    const message = `the backup directory \`${directory}\` ${what}, so nothing was changed; ${remedy}`;
    return { ok: false, error: { kind: "place", path: directory, message } };
  };
  if (system.inspect(directory) === undefined) {
    const parent = system.inspect(dirname(directory)) && system.realPath(dirname(directory));
    const above = parent === undefined ? undefined : system.inspect(parent);
    if (parent === undefined || above?.kind !== "directory")
      return refuse("is in a directory that does not exist", "create that, or name another");
    return { ok: true, value: { path: join(parent, basename(directory)), device: above.device, isExisting: false } };
  }
  // A clone can contain a link to any directory of this user.
  if (system.inspect(directory)?.kind === "link")
    return refuse("is a symbolic link", "if you trust it, name its target with --backup-dir");
  const path = system.realPath(directory);
  const facts = system.inspect(path);
  if (facts?.kind !== "directory") return refuse("is not a directory");
  if (facts.uid !== system.user && facts.uid !== 0) return refuse("belongs to another user");
  if ((facts.mode & 0o022) !== 0)
    return refuse("is writable by others", "remove that permission, or name another with --backup-dir");
  return { ok: true, value: { path, device: facts.device, isExisting: true } };
}
