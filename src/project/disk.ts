import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fromBytes } from "../text/bytes.js";
import { fromReadable, toReadable } from "../text/source.js";
import { failureOf, isWithin, linkAt, readFromDisk, realOrSame } from "./file-content.js";
import { byName, type DirectoryEntry, type FileAccess, type FileFailure } from "./files.js";

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

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Links in a circle, a name too long, a directory that may not be searched: nothing is there for us.
    return undefined;
  }
}
