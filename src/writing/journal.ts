import { createHash } from "node:crypto";
import { isAbsolute, normalize } from "node:path";
import { toBytes } from "../text/bytes.js";
import { fromReadable, toReadable } from "../text/source.js";
import { type Failed, failed } from "./failure.js";
import type { FileSystem } from "./file-system.js";

/** A file to be replaced, with the SHA-256 of its text before and after. */
export interface JournalFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** What a run is about to do: all that is needed to finish or to undo it. */
export interface Journal {
  readonly version: 1;
  /** What the directory of the run is called when it is over. */
  readonly backup: string;
  readonly files: readonly JournalFile[];
}

/** What the directory of a run is called, and with what its name starts when it is over. */
export const unfinishedName = "unfinished";
export const backupName = "backup-";

/**
 * What a run keeps below the backup directory. While there is a directory `unfinished`, a run is on its way or was cut
 * off, and no other starts. Until its journal is there, in one rename, no file was touched. When all is in place the
 * directory takes its name as a backup, in one rename, too.
 */
export class Run {
  readonly directory: string;
  /** The texts before, by their full paths: `cp -a OLD/. /` puts all of them back. */
  readonly old: string;
  readonly journal: string;

  constructor(readonly place: string) {
    this.directory = `${place}/${unfinishedName}`;
    this.old = `${this.directory}/old`;
    this.journal = `${this.directory}/journal.json`;
  }

  oldOf({ path }: Pick<JournalFile, "path">): string {
    return `${this.old}${path}`;
  }

  newOf(index: number): string {
    return `${this.directory}/${index + 1}.new`;
  }
}

/** What an operator does with a run that cannot be recovered: elsewhere it might lie where an Include reaches. */
export function puttingAway({ directory, place }: Run): string {
  return `rename \`${directory}\` to \`${place}/${backupName}by-hand\``;
}

export function digestOf(text: string): string {
  return createHash("sha256").update(toBytes(text)).digest("hex");
}

/** Writes the journal: all of it is there, or nothing. */
export function writeJournal(journal: Journal, run: Run, system: FileSystem): void {
  const part = `${run.journal}.part`;
  system.write(part, fromReadable(`${JSON.stringify(journal, undefined, 2)}\n`));
  system.rename(part, run.journal);
  system.sync(run.directory);
}

/** The journal of a run that was cut off; undefined where it did not get so far, and nothing was touched. */
export function readJournal(run: Run, system: FileSystem): Journal | Failed | undefined {
  if (system.look(run.journal) === undefined) return undefined;
  const read = parsed(toReadable(system.read(run.journal)));
  if (isJournal(read)) return read;
  const isOther = isObject<Journal>(read) && typeof read.version === "number" && read.version !== 1;
  const wrong = isOther
    ? `\`${run.journal}\` was written by another release of httpd-lint (version ${read.version} of its journal), so nothing was changed; recover with that one`
    : `\`${run.journal}\` is damaged, so nothing was changed; compare the texts before in \`${run.old}\` with the files by hand, then ${puttingAway(run)}`;
  return failed("journal", run.journal, wrong);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJournal(value: unknown): value is Journal {
  if (!isObject<Journal>(value)) return false;
  const { version, backup, files } = value;
  const isName = typeof backup === "string" && /^[\w.:-]+$/.test(backup);
  return version === 1 && isName && Array.isArray(files) && files.every(isJournalFile);
}

function isJournalFile(value: unknown): value is JournalFile {
  if (!isObject<JournalFile>(value)) return false;
  const { path, before, after } = value;
  const isFull = typeof path === "string" && isAbsolute(path) && normalize(path) === path;
  return isFull && typeof before === "string" && typeof after === "string";
}

/** Whether it may have what a type has, of whatever kind. */
function isObject<T>(value: unknown): value is { readonly [key in keyof T]?: unknown } {
  return typeof value === "object" && value !== null;
}
