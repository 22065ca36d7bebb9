import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import { fromBytes } from "../../text/bytes.js";
import type { Result } from "../../text/result.js";
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
  if (refused !== undefined) return { ok: false, error: isDevice(path) ? notRegularFailure : refused };
  try {
    return useConfined(path, confine, (held, realPath) => {
      const handle = openSync(held, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const status = fstatSync(handle);
        if (status.isDirectory()) return { ok: false, error: directoryFailure };
        const isNull = path === "/dev/null";
        if (!status.isFile() && !isNull) return { ok: false, error: notRegularFailure };
        const ofKernel = isNull ? undefined : findKernelFile(pathOfDescriptor(handle, held));
        if (ofKernel !== undefined) return { ok: false, error: ofKernel };
        return contentOf(handle, realPath ?? resolveOrKeepPath(path));
      } finally {
        closeSync(handle);
      }
    });
  } catch (error) {
    return { ok: false, error: failureOf(error) };
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
    if (status.isDirectory()) return { ok: false, error: directoryFailure };
    if (isEndlessDevice(handle)) return { ok: false, error: notRegularFailure };
    const ofKernel = status.isFile() ? findKernelFile(pathOfDescriptor(handle, path)) : undefined;
    if (ofKernel !== undefined) return { ok: false, error: ofKernel };
    const content = contentOf(handle, resolveOrKeepPath(path), new PipeReader(handle, path, patienceMs));
    if (status.isFIFO()) pipeContents.set(path, content);
    return content;
  } catch (error) {
    return { ok: false, error: failureOf(error) };
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
    const start = useConfined(path, confine, (held) => ({ ok: true, value: readOpenedStart(held, length) }));
    return start.ok ? start.value : undefined;
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

const notRegularFailure: FileFailure = { ...directoryFailure, message: "it is not a regular file" };

function contentOf(handle: number, realPath: string, pipe?: PipeReader): FileContent {
  const { size } = fstatSync(handle);
  const bytes =
    size > MAX_FILE_BYTES
      ? tooLargeFailure
      : readAllBytes((buffer, length) => {
          if (pipe !== undefined) return pipe.read(buffer, length);
          return { ok: true, value: readSync(handle, buffer, length, buffer.length - length, null) };
        }, size);
  return bytes.ok ? { ok: true, value: { text: fromBytes(bytes.value), realPath } } : bytes;
}

const tooLargeFailure = { ok: false, error: { message: `it is larger than ${MAX_FILE_BYTES >> 20} MB` } } as const;

/**
 * Returns the content of an open file, unless it is too large. The file may grow or shrink meanwhile.
 *
 * @param readNext reads into a buffer at an offset; returns the number of bytes, 0 at the end
 */
function readAllBytes(
  readNext: (bytes: Buffer, offset: number) => Result<number, FileFailure>,
  size: number,
): Result<Buffer, FileFailure> {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readNext(bytes, length);
    if (!read.ok) return read;
    if (read.value === 0) return { ok: true, value: bytes.subarray(0, length) };
    length += read.value;
    if (length > MAX_FILE_BYTES) return tooLargeFailure;
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(length)]);
  }
}

const systemFailures: Readonly<Record<string, FileFailure>> = {
  ENOENT: absentFailure,
  ENOTDIR: notDirectoryFailure,
  ELOOP: { message: "its symbolic links go in circles", system: "Too many levels of symbolic links" },
  ENAMETOOLONG: { message: "its name is too long", system: "File name too long" },
  // The server starts as root, whichever user runs httpd-lint.
  EACCES: { message: "permission to read it is denied" },
  EPERM: { message: "permission to read it is denied" },
  EMFILE: { message: "too many files are open" },
};

export function failureOf(error: unknown): FileFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return systemFailures[code] ?? { message: `the system reports ${code || String(error)}` };
}

/** Returns a path with its links resolved; the path itself if it does not exist, or is a pipe without a name. */
export function resolveOrKeepPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
