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
import { fromBytes, toBytes } from "../../text/bytes.js";

/** File metadata that the replacement receives. */
export interface FileAttributes {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface FileFacts extends FileAttributes {
  readonly kind: "file" | "directory" | "link" | "other";
  /** Device of the file system. */
  readonly device: number;
  /** Number of hard links. */
  readonly names: number;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * The file operations for replacing files. Each is synchronous and throws the system's error on failure. Tests
 * substitute one that stops or fails at any of them.
 */
export interface FileSystem {
  /** User ID of the process. */
  readonly user: number;
  /** Returns the facts about a path, without following a link; undefined if nothing exists. */
  inspect(path: string): FileFacts | undefined;
  /** Reads a regular file as a binary string; does not follow a link. */
  read(path: string): string;
  list(directory: string): readonly string[];
  realPath(path: string): string;
  /** Throws if a file cannot be opened for writing, or if no file can be created in a directory. */
  checkWritable(path: string): void;
  /** Creates a directory: private, or with these permissions and, if permitted, this owner. */
  makeDirectory(path: string, attributes?: FileAttributes): void;
  /** Creates a new file, private or with these attributes; its content is on the disk on return. */
  write(path: string, text: string, attributes?: FileAttributes): void;
  /** Overwrites an existing file, which keeps all its attributes; the content is on the disk on return. */
  overwrite(path: string, text: string): void;
  extendedAttributes(path: string): ExtendedAttributes;
  /** Copies the ACL and the extended attributes of a file to another, as far as the system's programs support it. */
  copyExtendedAttributes(from: string, to: string): void;
  /** Renames a file or directory atomically, replacing another. */
  rename(from: string, to: string): void;
  remove(file: string): void;
  removeDirectory(path: string): void;
  /** Flushes creations, renames and removals in a directory to the disk. */
  sync(directory: string): void;
}

/** The file system of this machine. */
export const diskFileSystem: FileSystem = {
  user: process.geteuid?.() ?? 0,
  inspect: readFacts,
  read(path) {
    // A link, or a pipe without a writer, may have replaced the file.
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
      // The system does not name the path for errors on an open file.
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    } finally {
      closeSync(handle);
    }
  },
  overwrite(path, text) {
    const handle = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = toBytes(text);
      // The file is truncated last, so that it is never empty: an empty `.htaccess` file would protect nothing.
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
    // Windows flushes only files.
    if (process.platform === "win32") return;
    const handle = openSync(directory, "r");
    try {
      fsyncSync(handle);
    } catch (error) {
      // Some network file systems do not support syncing a directory, and write it to the disk immediately.
      if (!["EINVAL", "ENOTSUP"].includes(errorCodeOf(error) ?? "")) throw error;
    } finally {
      closeSync(handle);
    }
  },
};

/** The owner comes first: changing it clears some permission bits. */
function applyAttributes(handle: number, { mode, uid, gid }: FileAttributes): void {
  const made = fstatSync(handle);
  if (made.uid !== uid || made.gid !== gid) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode);
}

/** Windows has no permission bits: Node repeats those of the owner, which show whether a file may be written. */
const permissionBits = process.platform === "win32" ? 0o700 : 0o7777;

function readFacts(path: string): FileFacts | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  const { mode, uid, gid, dev: device, nlink: names, size } = status;
  return { kind: kindOf(status), mode: mode & permissionBits, uid, gid, device, names, size };
}

function kindOf(status: Stats): FileFacts["kind"] {
  if (status.isSymbolicLink()) return "link";
  if (status.isDirectory()) return "directory";
  return status.isFile() ? "file" : "other";
}

/** Returns the system's error code (`ENOSPC`); undefined for other errors. */
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

/** Timeout: these programs read a few bytes, so a slower one hangs, as on a dead network file system. */
export const ATTRIBUTE_TIMEOUT_MS = 10_000;

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

/** Returns the lines of a dump in sorted order, without the file name. */
function normalizeDump(dump: string): string {
  const lines = dump.split("\n").filter((line) => line !== "" && !line.startsWith("# file: "));
  return lines.sort().join("\n");
}

/** After the permission bits, `ls` marks an ACL with `+`, extended attributes with `@`, and a label of SELinux with `.`. */
function readByLs(path: string): ExtendedAttributes {
  const mark = /^\S{10}([+@.])/.exec(runProgram("ls", ["-ld", "--", path]) ?? "")?.[1];
  // The content of an ACL is not shown, so no two are considered equal.
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
    timeout: ATTRIBUTE_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  return status === 0 ? stdout : undefined;
}
