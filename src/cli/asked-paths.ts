import { resolve } from "node:path";
import { isWithin } from "../project/confined.js";
import { realPathOf, statOf } from "../project/main-files.js";
import { mainOf } from "../settings/servers.js";
import type { Settings } from "../settings/settings.js";
import type { FolderSearches } from "./folder-searches.js";
import type { Outcome } from "./outcome.js";
import { folderOf, type SettingsFlags, settingsAt } from "./settings.js";

/** Paths that the same settings hold for. */
export interface AskedPaths {
  readonly settings: Settings | undefined;
  readonly paths: readonly string[];
  /** Folders with a configuration file of their own. A search of an outer folder skips the files in them. */
  readonly governed: readonly string[];
  /** Folders among the paths that may have no configuration. */
  readonly optional: ReadonlySet<string>;
}

/** The flags that decide how paths are grouped. */
export interface AskedFlags extends SettingsFlags {
  /** The main file of the server. */
  readonly main?: string | undefined;
}

type Asked = { readonly asked: readonly AskedPaths[] } | { readonly failed: Outcome };

/**
 * Sorts the paths of the command line by the settings nearest to each, upwards; folders below a path that have settings of
 * their own are taken by these. Without paths, the servers that the settings here name are meant, and what else is in the
 * folder of the settings; without such servers, what is here. A server in a folder with settings of its own is taken by
 * these, also if outer settings name it.
 */
export function askedPaths(paths: readonly string[], flags: AskedFlags, searches: FolderSearches): Asked {
  const groups = new Groups(flags, searches);
  if (paths.length > 0) {
    for (const path of paths) {
      const failed = groups.add(path);
      if (failed) return { failed };
    }
    return groups.asked();
  }
  const here = settingsAt(flags, ".");
  if ("failed" in here) return here;
  const { settings } = here;
  if (flags.main !== undefined) groups.take(settings, [flags.main], []);
  else if (settings === undefined || settings.servers.length === 0) groups.take(settings, ["."], []);
  else groups.take(settings, groups.ownEntries(settings), [settings.directory]);
  const searched = settings?.servers.length ? settings.directory : ".";
  const failed = flags.main === undefined ? groups.addGoverned(searched, settings) : undefined;
  return failed ? { failed } : groups.asked();
}

interface Group {
  readonly settings: Settings | undefined;
  readonly paths: string[];
  readonly optional: Set<string>;
}

/** Groups paths by their configuration files. */
class Groups {
  private readonly byFolder = new Map<string, Settings | undefined>();
  private readonly byFile = new Map<string | undefined, Group>();
  private readonly governed = new Set<string>();

  constructor(
    private readonly flags: AskedFlags,
    private readonly searches: FolderSearches,
  ) {}

  asked(): Asked {
    const governed = [...this.governed];
    return { asked: [...this.byFile.values()].map((group) => ({ ...group, governed })) };
  }

  /** @returns what went wrong */
  add(path: string): Outcome | undefined {
    const settings = this.settingsOf(path === "" ? "." : folderOf(path));
    if ("failed" in settings) return settings.failed;
    this.take(settings.settings, [path], []);
    return path === "" ? undefined : this.addGoverned(path, settings.settings);
  }

  /** Adds the folders in a folder that have settings of their own. @param outer the settings of the folder itself */
  addGoverned(path: string, outer: Settings | undefined): Outcome | undefined {
    const byFolder = new Map<string, Settings>();
    for (const folder of this.governedIn(resolve(path))) {
      this.governed.add(folder);
      const found = this.settingsOf(folder);
      if ("failed" in found) return found.failed;
      if (found.settings) byFolder.set(folder, found.settings);
    }
    const all = [...(outer ? [outer] : []), ...byFolder.values()];
    for (const [folder, settings] of byFolder) {
      const given = all.flatMap((each) => each.servers.filter(({ entry }) => this.ownerOf(entry, each) === folder));
      const entries = [...this.ownEntries(settings), ...given.map(({ entry }) => entry)];
      this.take(withServers(settings, given), entries, [folder]);
    }
    return undefined;
  }

  /** Returns the servers that settings name, without those in folders that have settings of their own. */
  ownEntries(settings: Settings): readonly string[] {
    const entries = settings.servers.map(({ entry }) => entry);
    return entries.filter((entry) => this.ownerOf(entry, settings) === undefined);
  }

  /** Returns the folder with settings of its own that an entry of outer settings is in. */
  private ownerOf(entry: string, { directory }: Settings): string | undefined {
    const folders = this.governedIn(directory).filter((folder) => isWithin(entry, folder));
    return folders.sort((a, b) => b.length - a.length)[0];
  }

  private governedIn(directory: string): readonly string[] {
    const isSearched = this.flags.config === undefined && this.flags.noConfig !== true;
    return isSearched && statOf(directory)?.isDirectory() ? this.searches.governedIn(directory) : [];
  }

  take(settings: Settings | undefined, paths: readonly string[], optional: readonly string[]): void {
    const known = this.byFile.get(settings?.path) ?? { settings, paths: [], optional: new Set<string>() };
    // The same settings may come with servers that outer ones name.
    const isMore = (settings?.servers.length ?? 0) > (known.settings?.servers.length ?? 0);
    const group: Group = isMore ? { ...known, settings } : known;
    group.paths.push(...paths, ...optional);
    for (const folder of optional) group.optional.add(folder);
    this.byFile.set(settings?.path, group);
  }

  private settingsOf(path: string): { readonly settings: Settings | undefined } | { readonly failed: Outcome } {
    const folder = this.flags.config === undefined ? resolve(path) : "";
    if (!this.byFolder.has(folder)) {
      const found = settingsAt(this.flags, folder);
      if ("failed" in found) return found;
      this.byFolder.set(folder, found.settings);
    }
    return { settings: this.byFolder.get(folder) };
  }
}

/** Adds servers that outer settings name, read as these say. */
function withServers(settings: Settings, given: Settings["servers"]): Settings {
  const real = (entry: string) => realPathOf(mainOf(entry)) ?? entry;
  const own = new Set(settings.servers.map(({ entry }) => real(entry)));
  const added = given.filter(({ entry }) => !own.has(real(entry)));
  return added.length === 0 ? settings : { ...settings, servers: [...settings.servers, ...added] };
}
