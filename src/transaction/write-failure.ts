import { errorCodeOf } from "./file-system.js";

/** Why files were not put in place. */
export interface WriteFailure {
  readonly kind: /** A file is not as it was when it was read. */
    | "changed"
    /** A file cannot be replaced in one step: a link, one with further names, one on another file system. */
    | "not-replaceable"
    /** The backup directory is no place for copies. */
    | "place"
    /** An earlier run was cut off and has to be recovered first. */
    | "unfinished"
    /** Somebody edited a file after a run was cut off. */
    | "edited"
    /** The journal cannot be made sense of. */
    | "journal"
    /** The system refused. */
    | "system";
  readonly path: string;
  /** One line for the operator: what is wrong, how the files are now, what to do. */
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

/** The system's reasons in words, with what to do. */
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

/** The system's reason in words; an error that is not the system's is thrown on. */
function systemReasonOf(error: unknown): Reason {
  const code = errorCodeOf(error);
  if (code === undefined) throw error;
  return reasons[code] ?? { what: `the system says ${code}`, remedy: "put that right and run it again" };
}

/** The file that the system refused; for a rename the one to be replaced. */
function errorPathOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("dest" in error && typeof error.dest === "string") return error.dest;
  return "path" in error && typeof error.path === "string" ? error.path : undefined;
}

/**
 * A refusal of the system.
 *
 * @param around the file or directory in hand, where the system names none
 * @param state how the files are now, as a clause
 * @param remedy what to do, where that is not said by the reason
 */
export function failBySystemError(error: unknown, around: string, state: string, remedy?: string): WriteFailed {
  const reason = systemReasonOf(error);
  const path = errorPathOf(error) ?? around;
  return failWrite("system", path, `cannot write \`${path}\`: ${reason.what}, so ${state}; ${remedy ?? reason.remedy}`);
}

/** The command that brings a cut off run to an end. */
export function recoverCommandFor(place: string): string {
  return `\`httpd-lint migrate --recover --backup-dir ${/^[\w./@%+=:,-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`}\``;
}
