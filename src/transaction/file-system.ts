import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { fromBytes, toBytes } from "../text/bytes.js";

/** What a file has beside its text, and its successor is given. */
export interface FileAttributes {
  /** The permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface FileFacts extends FileAttributes {
  readonly kind: "file" | "directory" | "link" | "other";
  /** The file system that it lies on. */
  readonly device: number;
  /** How many names it has. */
  readonly names: number;
  /** Its length in bytes. */
  readonly size: number;
}

/**
 * The few operations by which files are replaced. Each is done when it returns, and throws the system's error where it
 * cannot be done; tests put one in place that stops or fails at any of them.
 */
export interface FileSystem {
  /** Whose rights we act with. */
  readonly user: number;
  /** What is at a path, a link for itself; undefined where nothing is. */
  look(path: string): FileFacts | undefined;
  /** The content of a regular file, as a binary string; a link is not followed. */
  read(path: string): string;
  list(directory: string): readonly string[];
  realPath(path: string): string;
  /** Throws what opening it for writing would; of a directory, what making a file in it would. */
  checkWritable(path: string): void;
  /** Makes a directory: for us alone, or with these permissions and, where we may give things away, this owner. */
  makeDirectory(path: string, attributes?: FileAttributes): void;
  /** Makes a file that was not there, for us alone or with these attributes; its text is on the disk when this returns. */
  write(path: string, text: string, attributes?: FileAttributes): void;
  /** Writes into a file that is there, which keeps all its attributes; the text is on the disk when this returns. */
  overwrite(path: string, text: string): void;
  extendedAttributes(path: string): ExtendedAttributes;
  /** Copies the ACL and the extended attributes of a file to another, as far as the system's programs can. */
  copyExtendedAttributes(from: string, to: string): void;
  /** Puts a file or directory in the place of another in one step. */
  rename(from: string, to: string): void;
  remove(file: string): void;
  removeDirectory(path: string): void;
  /** What was made, renamed and removed in a directory is on the disk when this returns. */
  sync(directory: string): void;
}

/** This machine's files. */
export const diskFileSystem: FileSystem = {
  user: process.geteuid?.() ?? 0,
  look: readFacts,
  read(path) {
    // A link, or a pipe that nobody writes to, may have taken the place of the file.
    const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(handle).isFile()) throw Object.assign(new Error("not a regular file"), { code: "EINVAL", path });
      return fromBytes(readFileSync(handle));
    } finally {
      closeSync(handle);
    }
  },
  list: (directory) => readdirSync(directory),
  realPath: (path) => realpathSync(path),
  checkWritable: (path) => accessSync(path, constants.W_OK),
  makeDirectory(path, attributes) {
    mkdirSync(path, { mode: 0o700 });
    if (attributes === undefined) return;
    if (process.geteuid?.() === 0) chownSync(path, attributes.uid, attributes.gid);
    chmodSync(path, attributes.mode);
  },
  write(path, text, attributes) {
    const handle = openSync(path, "wx", 0o600);
    try {
      writeFileSync(handle, toBytes(text));
      if (attributes) applyAttributes(handle, attributes);
      fsyncSync(handle);
    } catch (error) {
      // Of an open file the system does not say which.
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    } finally {
      closeSync(handle);
    }
  },
  overwrite(path, text) {
    const handle = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = toBytes(text);
      // Shortened last: at no time is the file empty, which would be a `.htaccess` file that protects nothing.
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done, done);
      ftruncateSync(handle, bytes.length);
      fsyncSync(handle);
    } catch (error) {
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    } finally {
      closeSync(handle);
    }
  },
  extendedAttributes: readExtendedAttributes,
  copyExtendedAttributes,
  rename: (from, to) => renameSync(from, to),
  remove: (file) => unlinkSync(file),
  removeDirectory: (path) => rmdirSync(path),
  sync(directory) {
    const handle = openSync(directory, "r");
    try {
      fsyncSync(handle);
    } catch (error) {
      // Some network file systems know no such thing of a directory, and have it on the disk anyway.
      if (!["EINVAL", "ENOTSUP"].includes(errorCodeOf(error) ?? "")) throw error;
    } finally {
      closeSync(handle);
    }
  },
};

/** The owner first: to change it takes some permission bits away. */
function applyAttributes(handle: number, { mode, uid, gid }: FileAttributes): void {
  const made = fstatSync(handle);
  if (made.uid !== uid || made.gid !== gid) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode);
}

function readFacts(path: string): FileFacts | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  const { mode, uid, gid, dev: device, nlink: names, size } = status;
  return { kind: kindOf(status), mode: mode & 0o7777, uid, gid, device, names, size };
}

function kindOf(status: Stats): FileFacts["kind"] {
  if (status.isSymbolicLink()) return "link";
  if (status.isDirectory()) return "directory";
  return status.isFile() ? "file" : "other";
}

/** The system's name for an error (`ENOSPC`); undefined for one that is not the system's. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The ACL and the extended attributes of a file, which Node does not show. */
interface ExtendedAttributes {
  /** A text to compare: the same for files with the same attributes, and empty if none are found. */
  readonly text: string;
  /** Whether the text covers all attributes: without `getfattr`, those of `user.*` are not found. */
  readonly isComplete: boolean;
}

/** These programs read a few bytes: one that is slower hangs, as on a dead network file system. */
const ATTRIBUTES_TIMEOUT_MS = 10_000;

/** Finds the ACL and the extended attributes of a file by `getfattr`, or by `ls` if that is not installed. */
export function readExtendedAttributes(path: string): ExtendedAttributes {
  const words = ["--absolute-names", "--no-dereference", "--dump", "--match=-", "--encoding=hex", "--", path];
  const dump = runProgram("getfattr", words);
  return dump === undefined ? readByLs(path) : { text: normalizeDump(dump), isComplete: true };
}

/** Copies the ACL and the extended attributes of a file to another by GNU `cp`. It may fail: compare them afterwards. */
export function copyExtendedAttributes(from: string, to: string): void {
  runProgram("cp", ["--attributes-only", "--preserve=mode,xattr", "--", from, to]);
}

/** The lines of a dump without the name of the file, in an order of their own. */
function normalizeDump(dump: string): string {
  const lines = dump.split("\n").filter((line) => line !== "" && !line.startsWith("# file: "));
  return lines.sort().join("\n");
}

/** After the permission bits, `ls` marks an ACL with `+`, extended attributes with `@`, and a label of SELinux with `.`. */
function readByLs(path: string): ExtendedAttributes {
  const mark = /^\S{10}([+@.])/.exec(runProgram("ls", ["-ld", "--", path]) ?? "")?.[1];
  // What is in an ACL is not shown, so no two count as the same.
  const text = mark === undefined ? "" : mark === "." ? readSelinuxLabel(path) : `${mark} ${path}`;
  return { text, isComplete: false };
}

function readSelinuxLabel(path: string): string {
  const [label = path] = (runProgram("ls", ["-dZ", "--", path]) ?? "").trim().split(/\s+/);
  return label;
}

/** Returns what a program prints, as a binary string; undefined if it cannot be run or reports an error. */
function runProgram(program: string, words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, words, {
    encoding: "latin1",
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: ATTRIBUTES_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  return status === 0 ? stdout : undefined;
}
