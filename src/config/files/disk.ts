import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename, posix, resolve } from "node:path";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { readLinkTarget, useConfined } from "./confinement.js";
import {
  absentFailure,
  compareEntries,
  type DirectoryEntry,
  directoryFailure,
  type FileAccess,
  type FileFailure,
  notDirectoryFailure,
} from "./file-access.js";
import { failureOf, readFoundFile, resolveOrKeepPath } from "./file-content.js";
import { findKernelFile, findKernelPath } from "./kernel-files.js";
import { type PathMap, PathMaps } from "./path-maps.js";
import { isOnDrive, isUtf8Path, isWithin, nativePath, parentOf, toAbsolutePath, withLowerCase } from "./paths.js";

const { join } = posix;

export interface DiskOptions {
  /** The directory below which absolute paths of the configuration are read. */
  readonly sysroot?: string;
  /** Server paths that are read from another location; they take precedence over the system root. */
  readonly maps?: readonly PathMap[];
  /** The directory outside of which nothing is read. */
  readonly confine?: string;
  /** Contents that replace files on disk (an editor's buffer, standard input), by absolute path. */
  readonly overlay?: ReadonlyMap<string, string>;
}

/** Returns access to the files on this machine's disk. */
export function diskAccess(options: DiskOptions = {}): FileAccess {
  const sysroot = options.sysroot === undefined ? undefined : serverForm(resolve(options.sysroot));
  const { confine } = options;
  const maps = new PathMaps((options.maps ?? []).map(completeMap));

  /** Lists the possible locations of a configuration path on this machine, in order of precedence. */
  function placesOf(path: string): readonly string[] {
    const readable = serverForm(toReadable(path));
    // A path below the system root is used unchanged.
    if (sysroot !== undefined && isWithin(readable, sysroot)) {
      const below = resolveInRoot(sysroot, readable.slice(sysroot.length));
      return below === undefined ? [] : [join(sysroot, below)];
    }
    const server = sysroot === undefined ? readable : resolveInRoot(sysroot, readable, isMapped);
    if (server === undefined) return [];
    const hosts = maps.hostsOf(server).map((host) => (isOnDrive(server) ? respell(host) : host));
    if (sysroot !== undefined) {
      const place = isOnDrive(server) ? placeOnDrive(sysroot, server) : join(sysroot, server);
      return place === undefined ? hosts : [...hosts, place];
    }
    // If paths are mapped, this machine's own disk is not the server's.
    return hosts.length > 0 || maps.isElsewhere(server) ? hosts : [readable];
  }

  /** Returns the location of a path on a drive below a system root, with the spelling of this disk. */
  function placeOnDrive(root: string, server: string): string | undefined {
    const place = respell(locateOnDrive(root, server));
    const below = resolveInRoot(root, place.slice(root.length));
    return below === undefined ? undefined : join(root, below);
  }

  /** Returns a path with the spelling of this disk, which may differ in case from that of a server on Windows. */
  function respell(place: string): string {
    if (ignoresCase || lstatOf(place) !== undefined || place === "/") return place;
    const folder = respell(parentOf(place));
    const name = posix.basename(place);
    const entries = listAt(folder);
    const found =
      entries.ok && entries.value.find((entry) => withLowerCase(entry.name) === withLowerCase(fromReadable(name)));
    return join(folder, found ? toReadable(found.name) : name);
  }

  /** Returns why a configuration path is not read: below a system root, such a path is not the kernel's here, but there. */
  function findServerKernelPath(path: string): FileFailure | undefined {
    const readable = toReadable(path);
    return sysroot === undefined || isWithin(readable, sysroot) ? undefined : findKernelPath(readable);
  }

  /** Reports whether a configuration path is read from this machine's own disk, which may not be the server's. */
  function isOwnDisk(path: string): boolean {
    return sysroot === undefined && maps.hostsOf(toReadable(path)).length === 0;
  }

  function isMapped(server: string): boolean {
    return maps.isPlace(server) || maps.hostsOf(server).some((host) => lstatOf(host) !== undefined);
  }

  /** Returns the location of a configuration path on this machine: the first one that exists. */
  function locate(path: string): string | undefined {
    const places = placesOf(path);
    const [first] = places;
    return places.length < 2 ? first : (places.find((place) => lstatOf(place) !== undefined) ?? first);
  }

  // Contents may be given under another name of the file.
  const overlay = new Map([...(options.overlay ?? [])].map(([path, text]) => [resolveOrKeepPath(path), text]));
  const findInOverlay = (located: string) =>
    overlay.size === 0 ? undefined : overlay.get(resolveOrKeepPath(hostForm(located)));
  function listAt(place: string): Result<readonly DirectoryEntry[], FileFailure> {
    const located = hostForm(place);
    const refused = findKernelPath(place);
    if (refused !== undefined) return { ok: false, error: refused };
    try {
      return useConfined(located, confine, (held) => {
        const ofKernel = findKernelFile(held);
        if (ofKernel !== undefined) return { ok: false, error: ofKernel };
        // With buffers, Bun returns no types.
        const entries = readdirSync(held, { encoding: "latin1", withFileTypes: true });
        return { ok: true, value: entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) })) };
      });
    } catch (error) {
      return { ok: false, error: failureOf(error) };
    }
  }

  /** Lists the entries that maps add to a directory. Links on this machine are followed, as by COPY. */
  function mappedIn(directory: string): readonly DirectoryEntry[] {
    return [...maps.namesIn(directory)].map(([name, host]) => {
      const isFile = host !== undefined && statOf(host)?.isDirectory() === false;
      return { name: fromReadable(name), kind: isFile ? "file" : "directory" };
    });
  }

  return {
    isPartial: sysroot === undefined && !maps.isEmpty,
    isCopy: sysroot !== undefined && sysroot !== "/",
    read(path) {
      if (!isUtf8Path(path)) return { ok: false, error: undecodableName };
      const refused = findServerKernelPath(path);
      if (refused !== undefined) return { ok: false, error: refused };
      const located = locate(path);
      if (maps.isAbove(toReadable(path))) return { ok: false, error: directoryFailure };
      if (located === undefined) return { ok: false, error: absentFailure };
      const inMemory = findInOverlay(located);
      if (inMemory !== undefined)
        return { ok: true, value: { text: inMemory, realPath: resolveOrKeepPath(hostForm(located)) } };
      return readFoundFile(hostForm(located), confine);
    },
    exists(path) {
      if (maps.isAbove(toReadable(path))) return true;
      const located = locate(path);
      if (located !== undefined && findInOverlay(located) !== undefined) return true;
      return located !== undefined && statWithin(located, confine) !== undefined;
    },
    isDirectory(path) {
      if (maps.isAbove(toReadable(path))) return true;
      const located = locate(path);
      return located !== undefined && statWithin(located, confine)?.isDirectory() === true;
    },
    list(path) {
      const refused = isUtf8Path(path) ? findServerKernelPath(path) : undecodableName;
      if (refused !== undefined) return { ok: false, error: refused };
      const mapped = mappedIn(toReadable(path));
      const listed: (readonly DirectoryEntry[])[] = [];
      const failures: FileFailure[] = [];
      for (const place of placesOf(path)) {
        const listing = listAt(place);
        if (listing.ok) listed.push(listing.value);
        else failures.push(listing.error);
      }
      const isClosed = (failure: FileFailure) =>
        failure !== absentFailure && failure !== notDirectoryFailure && !isOwnDisk(path);
      const isNowhere = mapped.length === 0 && listed.length === 0;
      const failed = isNowhere ? (failures[0] ?? absentFailure) : failures.find(isClosed);
      return failed === undefined
        ? { ok: true, value: mergeEntries([mapped, ...listed]) }
        : { ok: false, error: failed };
    },
    linkAt(path) {
      if (maps.isPlace(toReadable(path))) return undefined;
      const slash = path.lastIndexOf("/");
      const mapped = maps.hostsOf(toReadable(path)).find((host) => lstatOf(host) !== undefined);
      const parent = locate(path.slice(0, slash) || "/");
      const located = mapped ?? (parent && join(parent, toReadable(path.slice(slash + 1))));
      const owner = located === undefined ? undefined : ownerOfLink(located, confine);
      if (owner === undefined) return undefined;
      const place = locate(path);
      const target = place === undefined ? undefined : statWithin(place, confine);
      return { hasSameOwner: target && target.uid === owner };
    },
    isExecutable(path) {
      const located = process.platform === "win32" ? undefined : locate(path);
      const found = located === undefined ? undefined : statWithin(located, confine);
      return found && (found.mode & EXECUTE_BITS) !== 0;
    },
    realPath: (path) => resolveOrKeepPath(hostForm(locate(path) ?? toReadable(path))),
  };
}

/** The bits of a mode by which the owner, the group or others may execute a file. */
const EXECUTE_BITS = 0o111;

/** Whether the disk of this machine finds names in any case. */
const ignoresCase = process.platform === "win32";

/** Returns a path of this machine in the form for paths of the server, where a drive is a directory in the root. */
function serverForm(path: string): string {
  return toAbsolutePath(path) ?? path;
}

/** Returns a path of this machine as its system takes it. */
function hostForm(path: string): string {
  return process.platform === "win32" ? nativePath(path) : path;
}

/**
 * Returns the location of a path on a drive below a system root: in the copy of the drive, `C:` or `C`, or in the root
 * itself, if that is a copy of the drive.
 */
function locateOnDrive(sysroot: string, path: string): string {
  const drive = path.charAt(1);
  const copies = [`${drive}:`, drive, drive.toLowerCase()].map((name) => join(sysroot, name));
  return join(copies.find((copy) => statOf(copy)?.isDirectory()) ?? sysroot, path.slice("/C:".length));
}

/** Completes the mapping of a file into a directory: the file keeps its name there, as with COPY. */
function completeMap(map: PathMap): PathMap {
  const { host, server } = map;
  const isFileInto = server.endsWith("/") && statOf(host)?.isDirectory() === false;
  return isFileInto ? { host, server: server + basename(host) } : map;
}

/** Node opens files by string paths: other names exist, and the server reads them. */
const undecodableName: FileFailure = { message: "its name is not UTF-8, and httpd-lint does not open such files" };

/** Merges listings of one directory; of entries with the same name, the first is kept. */
function mergeEntries(listings: readonly (readonly DirectoryEntry[])[]): readonly DirectoryEntry[] {
  const byNames = new Map(listings.toReversed().flatMap((entries) => entries.map((entry) => [entry.name, entry])));
  return [...byNames.values()].sort(compareEntries);
}

function kindOf(entry: Pick<Dirent, "isSymbolicLink" | "isDirectory" | "isFile">): DirectoryEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "other";
}

/** Limit of links in a path; beyond it, they form a cycle. */
const MAX_LINKS = 40;

/**
 * Resolves the links of a path below a root directory, as after chroot: links start at the root, and none leads above
 * it. Undefined for a cycle of links, which this machine's own disk may not have.
 *
 * @param isMapped whether a server path is mapped to another location: an entry of the root there is not a link
 */
function resolveInRoot(root: string, path: string, isMapped = (_server: string) => false): string | undefined {
  const waiting = path.split("/");
  let located: string[] = [];
  let links = 0;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === "..") located.pop();
    if (name === "" || name === "." || name === "..") continue;
    const below = [...located, name];
    const target = isMapped(`/${below.join("/")}`) ? undefined : findLinkTarget(join(root, ...below));
    if (target === undefined) {
      located = below;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    if (target.startsWith("/")) located = [];
    waiting.unshift(...target.split("/"));
  }
  return `/${located.join("/")}`;
}

/** Returns the target of a symbolic link on this machine; undefined for anything else. */
function findLinkTarget(place: string): string | undefined {
  const target = readLinkTarget(hostForm(place));
  return target === undefined ? undefined : serverForm(target);
}

/** Returns the owner of a symbolic link; undefined for anything else. @param confine the directory that the link must be in */
function ownerOfLink(path: string, confine: string | undefined): number | undefined {
  try {
    const owner = useConfined(hostForm(parentOf(path)), confine, (held) => {
      const status = lstatSync(join(held, basename(path)));
      return { ok: true, value: status.isSymbolicLink() ? status.uid : undefined };
    });
    return owner.ok ? owner.value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the status of a file, unless it is outside of a directory. */
function statWithin(path: string, confine: string | undefined): Stats | undefined {
  if (confine === undefined) return statOf(path);
  try {
    const status = useConfined(hostForm(path), confine, (held) => ({ ok: true, value: statSync(held) }));
    return status.ok ? status.value : undefined;
  } catch {
    return undefined;
  }
}

function lstatOf(path: string) {
  try {
    return lstatSync(hostForm(path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function statOf(path: string) {
  try {
    return statSync(hostForm(path), { throwIfNoEntry: false });
  } catch {
    // A cycle of links, an overlong name or an unsearchable directory counts as missing.
    return undefined;
  }
}
