import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import { fromBytes } from "../../text/bytes.js";
import { useConfined } from "./confinement.js";
import {
  absentFailure,
  directoryFailure,
  type FileContent,
  type FileFailure,
  notDirectoryFailure,
} from "./file-access.js";
import { findKernelFile, findKernelPath, pathOfDescriptor } from "./kernel-files.js";
import { PIPE_PATIENCE_MS, PipeReader } from "./pipe-reader.js";

/** Size limit for files: no configuration is larger, and httpd would reject its lines. */
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

/**
 * Reads a file that was found rather than named by the user: it does not wait for a pipe or a device, and reads nothing
 * of the kernel.
 *
 * @param confine the directory that it must be in
 */
export function readFoundFile(path: string, confine?: string): FileContent {
  const refused = findKernelPath(resolve(path));
  // The server rejects a device itself.
  if (refused !== undefined) return isDevice(path) ? notRegularFailure : refused;
  try {
    return useConfined(path, confine, (held, realPath) => {
      const handle = openSync(held, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const status = fstatSync(handle);
        if (status.isDirectory()) return directoryFailure;
        const isNull = path === "/dev/null";
        if (!status.isFile() && !isNull) return notRegularFailure;
        const ofKernel = isNull ? undefined : findKernelFile(pathOfDescriptor(handle, held));
        return ofKernel ?? contentOf(handle, realPath ?? resolveOrKeepPath(path));
      } finally {
        closeSync(handle);
      }
    });
  } catch (error) {
    return failureOf(error);
  }
}

/** Reports whether a path leads to a device, without opening it. */
function isDevice(path: string): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && (status.isCharacterDevice() || status.isBlockDevice());
}

/** A pipe can be read only once. */
const pipeContents = new Map<string, FileContent>();

/**
 * Reads a file that the user named. It may be a pipe or a terminal, and reading waits for it. An endless device, or a
 * file of the kernel, is not read.
 *
 * @param patienceMs how long it waits for data
 */
export function readNamedFile(path: string, patienceMs = PIPE_PATIENCE_MS): FileContent {
  const known = pipeContents.get(path);
  if (known !== undefined) return known;
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(handle);
    if (status.isDirectory()) return directoryFailure;
    if (isEndlessDevice(handle)) return notRegularFailure;
    const ofKernel = status.isFile() ? findKernelFile(pathOfDescriptor(handle, path)) : undefined;
    const content = ofKernel ?? contentOf(handle, resolveOrKeepPath(path), new PipeReader(handle, path, patienceMs));
    if (status.isFIFO()) pipeContents.set(path, content);
    return content;
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
export function readFileStart(path: string, length: number, confine?: string): string | undefined {
  if (findKernelPath(resolve(path)) !== undefined) return undefined;
  try {
    const start = useConfined(path, confine, (held) => readOpenedStart(held, length));
    return typeof start === "string" ? start : undefined;
  } catch {
    return undefined;
  }
}

function readOpenedStart(path: string, length: number): string | undefined {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(handle);
    if (!status.isFile() || findKernelFile(pathOfDescriptor(handle, path)) !== undefined) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(length, status.size));
    return fromBytes(bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0)));
  } finally {
    closeSync(handle);
  }
}

/** Reports whether an open file is an endless device such as /dev/zero: neither a terminal nor the null device. */
export function isEndlessDevice(handle: number): boolean {
  const status = fstatSync(handle);
  if (!status.isCharacterDevice() || isatty(handle)) return false;
  return status.rdev !== statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
}

const notRegularFailure: FileFailure = { ...directoryFailure, failed: "it is not a regular file" };

function contentOf(handle: number, realPath: string, pipe?: PipeReader): FileContent {
  const { size } = fstatSync(handle);
  const readNext = (bytes: Buffer, length: number) =>
    pipe === undefined ? readSync(handle, bytes, length, bytes.length - length, null) : pipe.read(bytes, length);
  const bytes = size > MAX_FILE_BYTES ? undefined : readAllBytes(readNext, size);
  if (bytes === undefined) return { failed: `it is larger than ${MAX_FILE_BYTES >> 20} MB` };
  return "failed" in bytes ? bytes : { text: fromBytes(bytes), realPath };
}

/**
 * Returns the content of an open file; undefined if it is too large. The file may grow or shrink meanwhile.
 *
 * @param readNext reads into a buffer at an offset; returns the number of bytes, 0 at the end
 */
function readAllBytes(
  readNext: (bytes: Buffer, offset: number) => number | FileFailure,
  size: number,
): Buffer | FileFailure | undefined {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readNext(bytes, length);
    if (typeof read !== "number") return read;
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > MAX_FILE_BYTES) return undefined;
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(length)]);
  }
}

const systemFailures: Readonly<Record<string, FileFailure>> = {
  ENOENT: absentFailure,
  ENOTDIR: notDirectoryFailure,
  ELOOP: { failed: "its symbolic links go in circles", system: "Too many levels of symbolic links" },
  ENAMETOOLONG: { failed: "its name is too long", system: "File name too long" },
  // The server starts as root, whichever user runs httpd-lint.
  EACCES: { failed: "permission to read it is denied" },
  EPERM: { failed: "permission to read it is denied" },
  EMFILE: { failed: "too many files are open" },
};

export function failureOf(error: unknown): FileFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return systemFailures[code] ?? { failed: `the system reports ${code || String(error)}` };
}

/** Returns a path with its links resolved; the path itself if it does not exist, or is a pipe without a name. */
export function resolveOrKeepPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
