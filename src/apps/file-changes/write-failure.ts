import { quoteShellWord } from "../../text/escaping.js";
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

interface Reason {
  readonly what: string;
  readonly remedy: string;
}

/** System error messages, with remedies. */
const reasons: Readonly<Record<string, Reason>> = {
  ENOSPC: { what: "the disk is full", remedy: "free some space and run it again" },
  EDQUOT: { what: "the disk quota is used up", remedy: "free some space and run it again" },
  EROFS: { what: "the file system is read-only", remedy: "remount it read-write and run it again" },
  EACCES: { what: "permission is denied", remedy: "run it as the owner of the files or as root" },
  EPERM: {
    what: "the system does not permit it (the group can only be set by root, or the file is immutable)",
    remedy: "run it as root, and check with `lsattr` whether the file is immutable",
  },
  EBUSY: {
    what: "it is busy, probably a mount point",
    remedy: "change the mounted file instead",
  },
  ENOENT: { what: "it does not exist", remedy: "check whether it was moved, and run it again" },
  EEXIST: {
    what: "the name already exists",
    remedy: "check whether another httpd-lint is running there",
  },
  EIO: { what: "the disk reports an error", remedy: "check the system log" },
};

/** Returns the message for a system error; rethrows any other error. */
function systemReasonOf(error: unknown): Reason {
  const code = errorCodeOf(error);
  if (code === undefined) throw error;
  return reasons[code] ?? { what: `the system reports ${code}`, remedy: "correct that and run it again" };
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
 * @param defaultPath the current file or directory, used if the error does not name one
 * @param state the state of the files, as a clause
 * @param remedy the remedy, if the error's message does not include it
 */
export function createSystemFailure(error: unknown, defaultPath: string, state: string, remedy?: string): WriteFailure {
  const reason = systemReasonOf(error);
  const path = errorPathOf(error) ?? defaultPath;
  const message = `cannot write \`${path}\`: ${reason.what}, so ${state}; ${remedy ?? reason.remedy}`;
  return { kind: "system", path, message };
}

/** Returns the command that finishes an interrupted run. */
export function recoverCommandFor(place: string): string {
  return `\`httpd-lint migrate --recover --backup-dir ${quoteShellWord(place)}\``;
}
