import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fromBytes } from "../text/bytes.js";
import { fromReadable, toReadable } from "../text/source.js";
import {
  absent,
  aDirectory,
  byName,
  type DirectoryEntry,
  type FileAccess,
  type FileContent,
  type FileFailure,
  notDirectory,
} from "./files.js";

/** A file larger than this is not read: no configuration is, and httpd would refuse its lines. */
export const LARGEST_FILE = 512 * 1024 * 1024;

export interface DiskOptions {
  /** Absolute paths of the configuration are read below this directory. */
  readonly sysroot?: string;
  /** Nothing outside this directory is read. */
  readonly confine?: string;
  /** Contents that take the place of files on disk (an editor's buffer, standard input), by absolute path. */
  readonly overlay?: ReadonlyMap<string, string>;
}

/** Files on this machine's disk. */
export function diskAccess(options: DiskOptions = {}): FileAccess {
  const sysroot = options.sysroot === undefined ? undefined : resolve(options.sysroot);
  const confine = options.confine === undefined ? undefined : realOrSame(resolve(options.confine));

  /** Where a path of the configuration lies here: below the system root, unless it already names a place there. */
  function locate(path: string): string {
    const readable = toReadable(path);
    if (sysroot === undefined) return readable;
    return belowRoot(sysroot, isWithin(readable, sysroot) ? readable.slice(sysroot.length) : readable);
  }

  // Who says what a file holds may mean it by another of its names.
  const overlay = new Map([...(options.overlay ?? [])].map(([path, text]) => [realOrSame(path), text]));
  const overlaid = (located: string) => (overlay.size === 0 ? undefined : overlay.get(realOrSame(located)));

  function refusal(located: string): string | undefined {
    if (confine === undefined || isWithin(realOrSame(located), confine)) return undefined;
    return `it lies outside \`${confine}\`, where reading is confined to (--confine)`;
  }

  return {
    read(path) {
      if (!isSayable(path)) return unsayable;
      const located = locate(path);
      const inMemory = overlaid(located);
      if (inMemory !== undefined) return { text: inMemory, realPath: realOrSame(located) };
      const refused = refusal(located);
      if (refused) return { failed: refused, isConfined: true };
      return readFromDisk(located, confine);
    },
    exists(path) {
      const located = locate(path);
      return overlaid(located) !== undefined || (refusal(located) === undefined && statOf(located) !== undefined);
    },
    isDirectory(path) {
      const located = locate(path);
      return refusal(located) === undefined && statOf(located)?.isDirectory() === true;
    },
    list(path) {
      if (!isSayable(path)) return unsayable;
      const located = locate(path);
      const refused = refusal(located);
      if (refused) return { failed: refused, isConfined: true };
      try {
        const entries = readdirSync(located, { encoding: "buffer", withFileTypes: true });
        // A link may have been laid on the way since.
        const moved = refusal(located);
        if (moved) return { failed: moved, isConfined: true };
        return entries.map((entry) => ({ name: fromBytes(entry.name), kind: kindOf(entry) })).sort(byName);
      } catch (error) {
        return failureOf(error);
      }
    },
    linkAt(path) {
      const slash = path.lastIndexOf("/");
      const located = join(locate(path.slice(0, slash) || "/"), toReadable(path.slice(slash + 1)));
      const owner = refusal(dirname(located)) === undefined ? ownerOfLink(located) : undefined;
      if (owner === undefined) return undefined;
      const target = refusal(locate(path)) === undefined ? statOf(locate(path)) : undefined;
      return { isOwners: target && target.uid === owner };
    },
    realPath: (path) => realOrSame(locate(path)),
  };
}

/** Node opens files by strings: others are there, and the server reads them. */
const unsayable: FileFailure = { failed: "its name is no UTF-8, and httpd-lint opens no such file" };

function isSayable(path: string): boolean {
  return fromReadable(toReadable(path)) === path;
}

/**
 * The text of a file of this machine that was found, not named: a pipe, a device or a file without end is not waited for.
 *
 * @param confine the directory that it must lie below
 */
export function readFound(path: string, confine?: string): FileContent {
  return readFromDisk(path, confine === undefined ? undefined : realOrSame(resolve(confine)));
}

function kindOf(entry: Pick<Dirent, "isSymbolicLink" | "isDirectory" | "isFile">): DirectoryEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "other";
}

/** More links than these on one path are a circle. */
const MOST_LINKS = 40;

/** A path as it is where a directory is the root, as after chroot: links start there again, and nothing leads above it. */
function belowRoot(root: string, path: string): string {
  const waiting = path.split(sep);
  let located: string[] = [];
  let links = 0;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === "..") located.pop();
    if (name === "" || name === "." || name === "..") continue;
    const target = links < MOST_LINKS ? linkAt(join(root, ...located, name)) : undefined;
    if (target === undefined) {
      located.push(name);
      continue;
    }
    links++;
    if (target.startsWith(sep)) located = [];
    waiting.unshift(...target.split(sep));
  }
  return join(root, ...located);
}

/** Whose a symbolic link is; undefined for what is none. */
function ownerOfLink(path: string): number | undefined {
  try {
    const status = lstatSync(path);
    return status.isSymbolicLink() ? status.uid : undefined;
  } catch {
    return undefined;
  }
}

/** Where a symbolic link leads; undefined for what is none. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Links in a circle, a name too long, a directory that may not be searched: nothing is there for us.
    return undefined;
  }
}

/** @param confine what is opened must lie below it: who changes links meanwhile gets no other file read */
function readFromDisk(path: string, confine: string | undefined): FileContent {
  let handle: number | undefined;
  try {
    // Opening a pipe that nobody writes to would wait for ever.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(handle);
    if (confine !== undefined && !isOpenedWithin(status, path, confine))
      return { failed: "it changed while it was opened" };
    if (status.isDirectory()) return aDirectory;
    if (!status.isFile() && path !== "/dev/null") return { ...aDirectory, failed: "it is not a regular file" };
    if (status.size > LARGEST_FILE) return { failed: `it is larger than ${LARGEST_FILE >> 20} MB` };
    const bytes = bytesOf(handle, status.size);
    if (bytes === undefined) return { failed: `it is larger than ${LARGEST_FILE >> 20} MB` };
    return { text: fromBytes(bytes), realPath: realOrSame(path) };
  } catch (error) {
    return failureOf(error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
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

function failureOf(error: unknown): FileFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return failures[code] ?? { failed: `the system says ${code || String(error)}` };
}
