import { resolve } from "node:path";
import type { Settings } from "../settings/settings.js";
import type { Outcome } from "./outcome.js";
import { folderOf, type SettingsFlags, settingsAt } from "./settings.js";

/** Paths that the same settings hold for. */
export interface AskedPaths {
  readonly settings: Settings | undefined;
  readonly paths: readonly string[];
}

/**
 * The paths of the command line by the settings nearest to each, upwards. Where there are none, the servers that the
 * settings here name, or what lies here.
 */
export function askedPaths(
  paths: readonly string[],
  flags: SettingsFlags,
): { readonly asked: readonly AskedPaths[] } | { readonly failed: Outcome } {
  if (paths.length === 0) {
    const here = settingsAt(flags, ".");
    if ("failed" in here) return here;
    const entries = here.settings?.servers.map(({ entry }) => entry) ?? [];
    return { asked: [{ settings: here.settings, paths: entries.length > 0 ? entries : ["."] }] };
  }
  const byFolder = new Map<string, Settings | undefined>();
  const groups = new Map<string | undefined, { settings: Settings | undefined; paths: string[] }>();
  for (const path of paths) {
    const folder = flags.config === undefined ? resolve(folderOf(path)) : "";
    if (!byFolder.has(folder)) {
      const found = settingsAt(flags, folder);
      if ("failed" in found) return found;
      byFolder.set(folder, found.settings);
    }
    const settings = byFolder.get(folder);
    const group = groups.get(settings?.path) ?? { settings, paths: [] };
    group.paths.push(path);
    groups.set(settings?.path, group);
  }
  return { asked: [...groups.values()] };
}
