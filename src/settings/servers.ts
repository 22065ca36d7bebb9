import { MainFileFinder } from "../project/main-file-finder.js";
import { mainIn, realPathOf, statOf } from "../project/main-files.js";
import type { PathMap } from "../project/path-maps.js";
import type { ServerSettings, Settings } from "./settings.js";

/** The main file of an entry in the settings: itself, or the one in it by name or by content. */
export function mainOf(entry: string): string {
  const byName = mainIn(entry);
  if (byName !== undefined || !statOf(entry)?.isDirectory()) return byName ?? entry;
  const [main = entry, other] = new MainFileFinder().mainsIn(entry);
  return other === undefined ? main : entry;
}

/** What the settings say of the server with a main file; what stands at their top holds for any. */
export function serverIn(settings: Settings | undefined, main: string | undefined): ServerSettings {
  const real = main === undefined ? undefined : realPathOf(main);
  const named = settings?.servers.find(({ entry }) => realPathOf(mainOf(entry)) === real);
  return (real === undefined ? undefined : named) ?? settings?.common ?? {};
}

/** The maps of a server in the settings. */
export function mapsIn({ map = {} }: ServerSettings): readonly PathMap[] {
  return Object.entries(map).map(([host, server]) => ({ host, server }));
}
