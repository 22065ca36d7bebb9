import { basename, dirname, resolve } from "node:path";
import { diskAccess } from "../../config/files/disk.js";
import type { DirectoryEntry, FileAccess } from "../../config/files/file-access.js";
import { isWithin, parentOf, resolvePath, toAbsolutePath } from "../../config/files/paths.js";
import type { ReadConfig } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import type { ReadResult } from "../../config/read-config.js";
import { type LoadOptions, readEntry } from "../../config/read-entry.js";
import { findIncludedFiles } from "../../config/reader/include.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { listIncludeLines } from "./include-lines.js";
import { backupName, unfinishedName } from "./journal.js";
import type { WriteFailure } from "./write-failure.js";

/** A configuration with the options of one release. */
export interface ReleaseReading {
  readonly entry: string;
  readonly load: LoadOptions;
}

/**
 * Returns whether the server would load or serve the contents of a directory: it is then not suitable for copies and
 * journals. The configuration is read again as if the directory existed, and every access to its contents is detected.
 * Include lines in inactive conditional sections are followed, too: another `-D` may activate them.
 *
 * @param directory absolute; it need not exist
 */
export function findServerAccessTo(directory: string, readings: readonly ReleaseReading[]): WriteFailure | undefined {
  for (const reading of readings) {
    const reached = findReachOf(directory, reading);
    if (reached === undefined) continue;
    const message = `the backup directory \`${directory}\` cannot be used: ${reached}; name another directory with --backup-dir`;
    return { kind: "place", path: directory, message };
  }
  return undefined;
}

/** @returns the way it is reached, as a clause */
function findReachOf(directory: string, { entry, load }: ReleaseReading): string | undefined {
  const watch = new DirectoryProbe(directory, load.access ?? diskAccess());
  const path = load.access ? entry : resolve(entry);
  const read = (options: LoadOptions) => readEntry(path, { ...load, access: watch.access, ...options });
  const loaded = read({ htaccess: false });
  // An unreadable configuration does not reach anything.
  if (!loaded.ok) return undefined;
  const config = loaded.value;
  const isIncluded = watch.takeReached();
  const line = findReachingLine(config, watch);
  const loads = `would load its files as configuration in httpd ${config.release}`;
  if (line !== undefined) return `${line} ${loads}`;
  if (isIncluded) return `an Include ${loads}`;
  if (config.kind !== "server") return findReachAround(watch.directory, config);
  const served = "it is below a DocumentRoot or Alias, so clients could download it";
  read({ htaccess: true });
  if (watch.takeReached() || isInHostFolders(config, watch)) return served;
  for (const start of listOtherStarts(config, load, read)) {
    if (watch.takeReached()) return `an Include in a conditional section ${loads}`;
    const other = read({ ...start, htaccess: true });
    if (watch.takeReached() || (other.ok && isInHostFolders(other.value, watch)))
      return `${served} if a conditional section applies`;
  }
  return undefined;
}

/** Maximum nesting of conditional sections that is followed. */
const MAX_ROUNDS = 8;

/**
 * Returns other ways to start the server: with every name and module that a section tests for, and without any whose
 * absence one tests for. Directories served only then count as well.
 *
 * @param read reads the configuration with these options
 */
function listOtherStarts(
  config: ReadConfig,
  { defines = new Map(), moreModules = [], withoutModules = [] }: LoadOptions,
  read: (options: LoadOptions) => ReadResult,
): readonly LoadOptions[] {
  const on = { defines: new Map(defines), moreModules: [...moreModules] };
  const off = { defines: new Map(defines), withoutModules: [...withoutModules] };
  let [isMore, isLess] = [false, false];
  let seen = config;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = on.defines.size + on.moreModules.length;
    for (const { kind, argument, negated, holds } of seen.guards) {
      if (holds) continue;
      if (kind === "<ifdefine" && negated) isLess = off.defines.delete(argument) || isLess;
      else if (kind === "<ifdefine") on.defines.set(argument, on.defines.get(argument));
      else if (kind !== "<ifmodule") continue;
      else if (negated && !off.withoutModules.includes(argument)) isLess = off.withoutModules.push(argument) > 0;
      else if (!negated && !on.moreModules.includes(argument)) on.moreModules.push(argument);
    }
    if (on.defines.size + on.moreModules.length === before) break;
    isMore = true;
    const next = read({ ...on, htaccess: false });
    if (!next.ok) break;
    seen = next.value;
  }
  return [...(isMore ? [on] : []), ...(isLess ? [off] : [])];
}

/**
 * Returns whether the directory is where mod_vhost_alias looks up host folders: below the part before the first `%`.
 */
function isInHostFolders(config: ReadConfig, watch: DirectoryProbe): boolean {
  for (const { key, arguments: words } of iterateDirectives(config)) {
    if (!hostFolders.has(key)) continue;
    const head = /^(.*?)\/[^/]*%/.exec(words[0]?.value ?? "")?.[1];
    if (head !== undefined && isWithin(watch.directory, watch.access.realPath(head || "/"))) return true;
  }
  return false;
}

const hostFolders: ReadonlySet<string> = new Set([
  ...["virtualdocumentroot", "virtualdocumentrootip", "virtualscriptalias", "virtualscriptaliasip"],
]);

/**
 * Returns how a fragment or a `.htaccess` file reaches the directory. The includer of a fragment is unknown, but likely
 * includes its neighbours. A `.htaccess` file is in a served folder.
 */
function findReachAround(directory: string, { kind, files }: ReadConfig): string | undefined {
  const isBeside = [...files.values()].some(({ source }) => isWithin(directory, dirname(source.realPath)));
  if (!isBeside) return undefined;
  return kind === "htaccess"
    ? "it is in a directory that the server serves, so clients could download it"
    : "the main file is unknown, and the Include that loads this fragment may load its files";
}

/** Returns the first Include line, active or not, whose pattern matches something in the directory. */
function findReachingLine(config: ReadConfig, watch: DirectoryProbe): string | undefined {
  for (const { target, description } of listIncludeLines(config)) {
    findIncludedFiles(target, true, config.release, watch.access);
    if (watch.takeReached()) return description;
  }
  return undefined;
}

/** A file system with an additional virtual directory, which records accesses to it. */
class DirectoryProbe {
  readonly access: FileAccess;
  /** With links resolved. */
  readonly directory: string;
  private reached = false;

  constructor(directory: string, files: FileAccess) {
    // By any of the names that links give it.
    const realOf = (given: string): string => {
      const path = (toAbsolutePath(given) ?? given).replace(/(?!^)\/$/, "");
      if (path === "/" || files.exists(path)) return toAbsolutePath(files.realPath(path)) ?? path;
      return resolvePath(realOf(parentOf(path)), toReadable(path.slice(path.lastIndexOf("/") + 1)));
    };
    const real = realOf(fromReadable(directory));
    this.directory = real;
    const parent = dirname(real);
    const name = fromReadable(basename(real));
    const planted: DirectoryEntry = { name, kind: "directory" };
    const isPlanted = (path: string) => realOf(path) === real;
    const ours = [`${real}/${unfinishedName}`, `${real}/${backupName}`];
    const note = (path: string) => {
      const at = realOf(path);
      // Other contents are not of interest: a shared directory can contain document roots, too.
      if (at === real || ours.some((start) => at.startsWith(start))) this.reached = true;
    };
    this.access = {
      ...files,
      isDirectory: (path) => files.isDirectory(path) || isPlanted(path),
      exists: (path) => files.exists(path) || isPlanted(path),
      read(path) {
        note(path);
        return files.read(path);
      },
      list(path) {
        note(path);
        const entries = files.list(path);
        if (!entries.ok) return isPlanted(path) ? { ok: true, value: [] } : entries;
        const isMissing = realOf(path) === parent && !entries.value.some((entry) => entry.name === name);
        return isMissing
          ? { ok: true, value: [...entries.value, planted].sort((a, b) => (a.name < b.name ? -1 : 1)) }
          : entries;
      },
    };
  }

  /** Returns whether the directory was accessed since the last call. */
  takeReached(): boolean {
    const { reached } = this;
    this.reached = false;
    return reached;
  }
}
