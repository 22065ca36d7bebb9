import { basename, resolve } from "node:path";
import { mainIn, mainNames, nearestMain, statOf } from "../project/main-files.js";
import { FolderSearches } from "./folder-searches.js";
import { type PlacedFile, place } from "./placement.js";

/** The files that an ENTRY may mean. */
export interface EntryFiles {
  /** The main files of the servers that it is, contains or may belong to. */
  readonly mains: readonly string[];
  /** Without a main file: the file itself, or the files in the folder. */
  readonly files: readonly string[];
}

/**
 * Finds the files that an ENTRY may mean, for commands about one server. A main file with a usual name takes precedence over
 * main files that only their content shows.
 */
export function entryFiles(entry: string, confine?: string): EntryFiles | { readonly failed: string } {
  const absolute = resolve(entry);
  const isFolder = entry !== "" && statOf(absolute)?.isDirectory() === true;
  const own = isFolder ? mainIn(absolute) : undefined;
  if (own !== undefined) return { mains: [own], files: [] };
  const placement = place([entry], { searches: new FolderSearches(confine) });
  if ("failed" in placement) return placement;
  const { servers, empty } = placement;
  if (empty[0] !== undefined) return empty[0];
  const files = placement.files.filter(({ isRecognized }) => isRecognized);
  const byName = isFolder ? nearestMain(absolute) : undefined;
  const outer = byName ?? (servers.length > 0 ? undefined : files.map(mainAbove).find((main) => main !== undefined));
  if (outer !== undefined) return { mains: [outer], files: [] };
  if (servers.length > 0) return { mains: byNameFirst(servers.map(({ path }) => path)), files: [] };
  return { mains: [], files: files.map(({ path }) => path) };
}

function byNameFirst(mains: readonly string[]): readonly string[] {
  const named = mains.filter((path) => mainNames.includes(basename(path)));
  return named.length > 0 ? named : mains;
}

function mainAbove({ above }: PlacedFile): string | undefined {
  return byNameFirst(above)[0];
}
