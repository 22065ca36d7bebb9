import { resolve } from "node:path";
import { isWithin } from "../../../config/files/paths.js";
import { realPathOf, statOf } from "../../../config/main-files.js";
import type { Result } from "../../../text/result.js";
import { mainFileOfEntry, type Settings } from "../../settings/settings.js";
import type { FolderSearches } from "../inputs/folder-search.js";
import { enclosingFolderOf, loadSettingsAt, type SettingsFlags } from "../inputs/project-settings.js";
import type { CommandResult } from "../output/command-result.js";

/** Paths that share a configuration file. */
export interface CheckGroup {
  readonly settings: Settings | undefined;
  readonly paths: readonly string[];
  /** Folders with a configuration file of their own. A search of an outer folder skips the files in them. */
  readonly governed: readonly string[];
  /** Folders among the paths that may have no configuration. */
  readonly optional: ReadonlySet<string>;
}

/** The flags that control how paths are grouped. */
export interface CheckGroupFlags extends SettingsFlags {
  /** Main file of the server. */
  readonly main?: string | undefined;
}

type CheckGrouping = Result<readonly CheckGroup[], CommandResult>;

/**
 * Groups the paths of the command line by the nearest configuration file above each. Folders below a path with a
 * configuration file of their own form their own group. Without paths, the group consists of the servers that the
 * configuration file here names and the rest of its folder; without such servers, of the current folder. A server in a
 * folder with its own configuration file uses that file, even if an outer one names it.
 */
export function groupPaths(paths: readonly string[], flags: CheckGroupFlags, searches: FolderSearches): CheckGrouping {
  const groups = new PathGrouper(flags, searches);
  if (paths.length > 0) {
    for (const path of paths) {
      const failed = groups.add(path);
      if (failed) return { ok: false, error: failed };
    }
    return groups.toGrouping();
  }
  const here = loadSettingsAt(flags, ".");
  if (!here.ok) return here;
  const settings = here.value;
  if (flags.main !== undefined) groups.take(settings, [flags.main], []);
  else if (settings === undefined || settings.servers.length === 0) groups.take(settings, ["."], []);
  else groups.take(settings, groups.ownEntries(settings), [settings.directory]);
  const searched = settings?.servers.length ? settings.directory : ".";
  const failed = flags.main === undefined ? groups.addGoverned(searched, settings) : undefined;
  return failed ? { ok: false, error: failed } : groups.toGrouping();
}

interface OpenCheckGroup {
  readonly settings: Settings | undefined;
  readonly paths: string[];
  readonly optional: Set<string>;
}

/** Groups paths by their configuration files. */
class PathGrouper {
  private readonly byFolder = new Map<string, Settings | undefined>();
  private readonly byFile = new Map<string | undefined, OpenCheckGroup>();
  private readonly governed = new Set<string>();

  constructor(
    private readonly flags: CheckGroupFlags,
    private readonly searches: FolderSearches,
  ) {}

  toGrouping(): CheckGrouping {
    const governed = [...this.governed];
    return { ok: true, value: [...this.byFile.values()].map((group) => ({ ...group, governed })) };
  }

  /** @returns the failure, if any */
  add(path: string): CommandResult | undefined {
    const settings = this.settingsOf(path === "" ? "." : enclosingFolderOf(path));
    if (!settings.ok) return settings.error;
    this.take(settings.value, [path], []);
    return path === "" ? undefined : this.addGoverned(path, settings.value);
  }

  /**
   * Adds the folders in a folder that have their own configuration file. @param outer the configuration file of the
   * folder itself
   */
  addGoverned(path: string, outer: Settings | undefined): CommandResult | undefined {
    const byFolder = new Map<string, Settings>();
    for (const folder of this.governedIn(resolve(path), outer)) {
      this.governed.add(folder);
      const found = this.settingsOf(folder);
      if (!found.ok) return found.error;
      if (found.value) byFolder.set(folder, found.value);
    }
    const all = [...(outer ? [outer] : []), ...byFolder.values()];
    for (const [folder, settings] of byFolder) {
      const given = all.flatMap((each) => each.servers.filter(({ entry }) => this.ownerOf(entry, each) === folder));
      const entries = [...this.ownEntries(settings), ...given.map(({ entry }) => entry)];
      this.take(addOuterServers(settings, given), entries, [folder]);
    }
    return undefined;
  }

  /**
   * Returns the servers that a configuration file names, without those in folders with their own configuration file.
   */
  ownEntries(settings: Settings): readonly string[] {
    const entries = settings.servers.map(({ entry }) => entry);
    return entries.filter((entry) => this.ownerOf(entry, settings) === undefined);
  }

  /** Returns the folder with its own configuration file that contains an entry of the outer one. */
  private ownerOf(entry: string, settings: Settings): string | undefined {
    const folders = this.governedIn(settings.directory, settings).filter((folder) => isWithin(entry, folder));
    return folders.sort((a, b) => b.length - a.length)[0];
  }

  private governedIn(directory: string, settings: Settings | undefined): readonly string[] {
    const isSearched = this.flags.config === undefined && this.flags.noConfig !== true;
    return isSearched && statOf(directory)?.isDirectory() ? this.searches.under(settings).governedIn(directory) : [];
  }

  take(settings: Settings | undefined, paths: readonly string[], optional: readonly string[]): void {
    const known = this.byFile.get(settings?.path) ?? { settings, paths: [], optional: new Set<string>() };
    // The same configuration file may come with servers that outer ones name.
    const isMore = (settings?.servers.length ?? 0) > (known.settings?.servers.length ?? 0);
    const group: OpenCheckGroup = isMore ? { ...known, settings } : known;
    group.paths.push(...paths, ...optional);
    for (const folder of optional) group.optional.add(folder);
    this.byFile.set(settings?.path, group);
  }

  private settingsOf(path: string): Result<Settings | undefined, CommandResult> {
    const folder = this.flags.config === undefined ? resolve(path) : "";
    if (!this.byFolder.has(folder)) {
      const found = loadSettingsAt(this.flags, folder);
      if (!found.ok) return found;
      this.byFolder.set(folder, found.value);
    }
    return { ok: true, value: this.byFolder.get(folder) };
  }
}

/** Adds servers that an outer configuration file names, with its options for them. */
function addOuterServers(settings: Settings, given: Settings["servers"]): Settings {
  const real = (entry: string) => realPathOf(mainFileOfEntry(entry)) ?? entry;
  const own = new Set(settings.servers.map(({ entry }) => real(entry)));
  const added = given.filter(({ entry }) => !own.has(real(entry)));
  return added.length === 0 ? settings : { ...settings, servers: [...settings.servers, ...added] };
}
