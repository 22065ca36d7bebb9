import { basename, resolve } from "node:path";
import { mainIn, mainNames, nearestMain, statOf } from "../project/main-files.js";
import { FolderSearches } from "./folder-searches.js";
import { type PlacedFile, place } from "./placement.js";

/** What a command that is about one server was given: a main file with the paths in it, or a file on its own. */
export interface Target {
  /** A main file, where one was found. */
  readonly main: string | undefined;
  /** Whether everything that the main file reaches is asked for. */
  readonly whole: boolean;
  /** The files asked for beside that. */
  readonly paths: readonly string[];
}

export type Targets = { readonly targets: readonly Target[] } | { readonly failed: string };

/**
 * Returns the servers that each path is, holds or may belong to, for commands that are about one server. A main file that
 * has the name of one comes before those that only their content shows.
 */
export function targetsOf(paths: readonly string[], confine?: string): Targets {
  const targets: Target[] = [];
  for (const path of paths) {
    const absolute = resolve(path);
    const isFolder = path !== "" && statOf(absolute)?.isDirectory() === true;
    const own = isFolder ? mainIn(absolute) : undefined;
    if (own !== undefined) {
      targets.push(serverTarget(own));
      continue;
    }
    const placement = place([path], { searches: new FolderSearches(confine) });
    if ("failed" in placement) return placement;
    const { servers, empty } = placement;
    if (empty[0] !== undefined) return empty[0];
    const files = placement.files.filter(({ isRecognized }) => isRecognized);
    const byName = isFolder ? nearestMain(absolute) : undefined;
    const outer = byName ?? (servers.length > 0 ? undefined : files.map(mainAbove).find((main) => main !== undefined));
    const inside = [...servers, ...files].map((file) => file.path);
    if (outer !== undefined) targets.push({ main: outer, whole: false, paths: inside });
    else if (servers.length > 0) targets.push(...byNameFirst(servers).map((server) => serverTarget(server.path)));
    else targets.push(...files.map((file) => ({ main: undefined, whole: false, paths: [file.path] })));
  }
  return { targets };
}

function serverTarget(main: string): Target {
  return { main, whole: true, paths: [] };
}

function byNameFirst(servers: readonly PlacedFile[]): readonly PlacedFile[] {
  const named = servers.filter(({ path }) => mainNames.includes(basename(path)));
  return named.length > 0 ? named : servers;
}

function mainAbove({ above }: PlacedFile): string | undefined {
  return above.find((main) => mainNames.includes(basename(main))) ?? above[0];
}
