import { resolve } from "node:path";
import { statOf } from "../project/main-files.js";
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
 * Groups the paths of the command line by the nearest configuration file above each. Folders below a path that have a
 * configuration file of their own form other groups. Without paths, the servers that the configuration file here names are
 * checked, with all other files in its folder; without such servers, the files in this folder.
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
  if (flags.main !== undefined) {
    groups.take(settings, [flags.main], []);
    return groups.asked();
  }
  const entries = settings?.servers.map(({ entry }) => entry) ?? [];
  const folder = settings !== undefined && entries.length > 0 ? settings.directory : undefined;
  if (folder === undefined) groups.take(settings, ["."], []);
  else groups.take(settings, entries, [folder]);
  const failed = groups.addGoverned(folder ?? ".");
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
    return this.addGoverned(path);
  }

  /** Adds the folders below a folder that have a configuration file of their own. */
  addGoverned(path: string): Outcome | undefined {
    const directory = resolve(path);
    const isSearched = this.flags.config === undefined && this.flags.noConfig !== true;
    if (path === "" || !isSearched || !statOf(directory)?.isDirectory()) return undefined;
    for (const folder of this.searches.governedIn(directory)) {
      this.governed.add(folder);
      const found = this.settingsOf(folder);
      if ("failed" in found) return found.failed;
      const entries = found.settings?.servers.map(({ entry }) => entry) ?? [];
      this.take(found.settings, entries, [folder]);
    }
    return undefined;
  }

  take(settings: Settings | undefined, paths: readonly string[], optional: readonly string[]): void {
    const group = this.byFile.get(settings?.path) ?? { settings, paths: [], optional: new Set<string>() };
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
