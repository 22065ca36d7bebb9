import { errorCodeOf } from "./file-system.js";

/** The reason why files were not replaced. */
export interface WriteFailure {
  readonly kind: /** A file has changed since it was read. */
    | "changed"
    /** A file cannot be replaced atomically: a link, a file with several hard links, or one on another file system. */
    | "not-replaceable"
    /** The backup directory is not suitable. */
    | "place"
    /** An earlier run was interrupted and has to be recovered first. */
    | "unfinished"
    /** A file was edited after a run was interrupted. */
    | "edited"
    /** The journal is invalid. */
    | "journal"
    /** The system returned an error. */
    | "system";
  readonly path: string;
  /** A one-line message: the problem, the state of the files, the remedy. */
  readonly message: string;
}

export interface WriteFailed {
  readonly failed: WriteFailure;
}

export function failWrite(kind: WriteFailure["kind"], path: string, message: string): WriteFailed {
  return { failed: { kind, path, message } };
}

interface Reason {
  readonly what: string;
  readonly remedy: string;
}

/** System error messages, with remedies. */
const reasons: Readonly<Record<string, Reason>> = {
  ENOSPC: { what: "the disk is full", remedy: "make room and run it again" },
  EDQUOT: { what: "the disk quota is used up", remedy: "make room and run it again" },
  EROFS: { what: "the file system is read-only", remedy: "mount it for writing and run it again" },
  EACCES: { what: "permission is denied", remedy: "run it as the owner of the files or as root" },
  EPERM: {
    what: "the system does not permit it (a group that only root can give, or an immutable file)",
    remedy: "run it as root, and see with `lsattr` whether the file is immutable",
  },
  EBUSY: {
    what: "it is busy, most likely mounted on its own",
    remedy: "change the file that is mounted there",
  },
  ENOENT: { what: "it is not there", remedy: "see who moved it, and run it again" },
  EEXIST: {
    what: "something of that name is there already",
    remedy: "see whether another httpd-lint is at work there",
  },
  EIO: { what: "the disk reports an error", remedy: "see the system's log" },
};

/** Returns the message for a system error; rethrows any other error. */
function systemReasonOf(error: unknown): Reason {
  const code = errorCodeOf(error);
  if (code === undefined) throw error;
  return reasons[code] ?? { what: `the system says ${code}`, remedy: "put that right and run it again" };
}

/** Returns the file of a system error; for a rename, the file to replace. */
function errorPathOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("dest" in error && typeof error.dest === "string") return error.dest;
  return "path" in error && typeof error.path === "string" ? error.path : undefined;
}

/**
 * Returns the failure for a system error.
 *
 * @param around the current file or directory, used if the error does not name one
 * @param state the state of the files, as a clause
 * @param remedy the remedy, if the error's message does not include it
 */
export function failBySystemError(error: unknown, around: string, state: string, remedy?: string): WriteFailed {
  const reason = systemReasonOf(error);
  const path = errorPathOf(error) ?? around;
  return failWrite("system", path, `cannot write \`${path}\`: ${reason.what}, so ${state}; ${remedy ?? reason.remedy}`);
}

/** Returns the command that finishes an interrupted run. */
export function recoverCommandFor(place: string): string {
  return `\`httpd-lint migrate --recover --backup-dir ${/^[\w./@%+=:,-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`}\``;
}
