import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { resolve, sep } from "node:path";
import { isatty } from "node:tty";
import { fromBytes } from "../text/bytes.js";
import { absent, aDirectory, type FileContent, type FileFailure, notDirectory } from "./files.js";

/** A file larger than this is not read: no configuration is, and httpd would refuse its lines. */
export const LARGEST_FILE = 512 * 1024 * 1024;

/**
 * The text of a file of this machine that was found, not named: a pipe, a device or a file without end is not waited for.
 *
 * @param confine the directory that it must lie below
 */
export function readFound(path: string, confine?: string): FileContent {
  return readFromDisk(path, confine === undefined ? undefined : realOrSame(resolve(confine)));
}

/**
 * The text of a file that the user named: it may be a pipe or a terminal, which are waited for. A device without end is not read.
 */
export function readNamed(path: string): FileContent {
  let handle: number | undefined;
  try {
    handle = openSync(path, "r");
    if (fstatSync(handle).isDirectory()) return aDirectory;
    return isEndless(handle) ? notRegular : contentOf(handle, path);
  } catch (error) {
    return failureOf(error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * Returns the first bytes of a regular file as a binary string; undefined if it cannot be read.
 *
 * @param confine the directory that it must be in
 */
export function readStart(path: string, length: number, confine?: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(handle);
    if (!status.isFile()) return undefined;
    if (confine !== undefined && !isOpenedWithin(status, path, realOrSame(resolve(confine)))) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(length, status.size));
    return fromBytes(bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0)));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Whether an opened file is a device that gives bytes for ever, as /dev/zero: neither a terminal nor the null device. */
export function isEndless(handle: number): boolean {
  const status = fstatSync(handle);
  if (!status.isCharacterDevice() || isatty(handle)) return false;
  return status.rdev !== statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
}

/** @param confine what is opened must lie below it: who changes links meanwhile gets no other file read */
export function readFromDisk(path: string, confine: string | undefined): FileContent {
  let handle: number | undefined;
  try {
    // Opening a pipe that nobody writes to would wait for ever.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(handle);
    if (confine !== undefined && !isOpenedWithin(status, path, confine))
      return { failed: "it changed while it was opened" };
    if (status.isDirectory()) return aDirectory;
    return status.isFile() || path === "/dev/null" ? contentOf(handle, path) : notRegular;
  } catch (error) {
    return failureOf(error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

const notRegular: FileFailure = { ...aDirectory, failed: "it is not a regular file" };

function contentOf(handle: number, path: string): FileContent {
  const { size } = fstatSync(handle);
  const bytes = size > LARGEST_FILE ? undefined : bytesOf(handle, size);
  if (bytes === undefined) return { failed: `it is larger than ${LARGEST_FILE >> 20} MB` };
  return { text: fromBytes(bytes), realPath: realOrSame(path) };
}

/**
 * What an opened file holds; undefined where that is too much. It may grow or shrink meanwhile, and those of the kernel have no
 * end that is known ahead (`/proc/self/pagemap`).
 */
function bytesOf(handle: number, size: number): Buffer | undefined {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(handle, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > LARGEST_FILE) return undefined;
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(length)]);
  }
}

/** Whether an opened file is the one that now lies below a directory, with all links resolved. */
function isOpenedWithin(opened: Stats, path: string, directory: string): boolean {
  const real = realOrSame(path);
  const there = isWithin(real, directory) ? lstatSync(real, { throwIfNoEntry: false }) : undefined;
  return there !== undefined && there.dev === opened.dev && there.ino === opened.ino;
}

const failures: Readonly<Record<string, FileFailure>> = {
  ENOENT: absent,
  ENOTDIR: notDirectory,
  ELOOP: { failed: "its symbolic links go in circles", system: "Too many levels of symbolic links" },
  ENAMETOOLONG: { failed: "its name is too long", system: "File name too long" },
  // The server starts as root, whoever we are.
  EACCES: { failed: "permission to read it is denied" },
  EPERM: { failed: "permission to read it is denied" },
  EMFILE: { failed: "too many files are open" },
};

export function failureOf(error: unknown): FileFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return failures[code] ?? { failed: `the system says ${code || String(error)}` };
}

/** Where a symbolic link leads; undefined for what is none. */
export function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** A path with its links resolved; the path itself where nothing is there. */
export function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether a path is a directory, or below it; both absolute, with links resolved. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
