import { basename, resolve } from "node:path";
import { createRootFinder } from "../../../config/main-file-finder.js";
import { findMainFile, findNearestMainFile, mainFileNames, statOf } from "../../../config/main-files.js";
import type { Result } from "../../../text/result.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { FolderSearches } from "./folder-search.js";
import { type PlacedFile, type PlacementOptions, placePaths } from "./path-placement.js";

/** The files that an ENTRY may mean. */
export interface EntryFiles {
  /** The main files of the servers that it is, contains or may belong to. */
  readonly mainFiles: readonly string[];
  /** Without a main file: the file itself, or the files in the folder. */
  readonly files: readonly string[];
}

/**
 * Finds the files that an ENTRY may mean, for commands about one server. A main file with a usual name takes precedence over
 * main files that only their content shows.
 */
export function findEntryFiles(
  entry: string,
  { confine, sysroot }: Pick<PlacementOptions, "confine" | "sysroot"> = {},
): Result<EntryFiles, string> {
  const absolute = resolve(entry);
  const isFolder = entry !== "" && statOf(absolute)?.isDirectory() === true;
  const own = isFolder ? findMainFile(absolute) : undefined;
  if (own !== undefined) return { ok: true, value: { mainFiles: [own], files: [] } };
  const placement = placePaths([entry], { search: new FolderSearches({ confine }).under(undefined), sysroot });
  if (!placement.ok) return placement;
  const { servers, empty } = placement.value;
  if (empty[0] !== undefined) return { ok: false, error: empty[0].message };
  const files = placement.value.files.filter(({ isRecognized }) => isRecognized);
  const byName = isFolder && createRootFinder()(absolute) !== undefined ? findNearestMainFile(absolute) : undefined;
  const outer =
    byName ?? (servers.length > 0 ? undefined : files.map(findMainAbove).find((main) => main !== undefined));
  if (outer !== undefined) return { ok: true, value: { mainFiles: [outer], files: [] } };
  if (servers.length > 0)
    return { ok: true, value: { mainFiles: preferUsualNames(servers.map(({ path }) => path)), files: [] } };
  return { ok: true, value: { mainFiles: [], files: files.map(({ path }) => path) } };
}

function preferUsualNames(mainFiles: readonly string[]): readonly string[] {
  const named = mainFiles.filter((path) => mainFileNames.includes(basename(path)));
  return named.length > 0 ? named : mainFiles;
}

function findMainAbove({ above }: PlacedFile): string | undefined {
  return preferUsualNames(above)[0];
}

/**
 * Returns the problem with the main file that --main names; undefined if there is none.
 *
 * @param overlay contents that replace files on disk, by absolute path
 */
export function validateMainFlag(
  main: string | undefined,
  overlay: ReadonlyMap<string, string> | undefined,
): CommandResult | undefined {
  if (main === undefined || (main !== "" && overlay?.has(resolve(main)))) return undefined;
  if (main === "") return createFailure(exitCodes.usage, "--main is empty; name the main file");
  const status = statOf(main);
  if (status === undefined) return createFailure(exitCodes.unreadable, `\`${main}\` of --main does not exist`);
  if (!status.isDirectory()) return undefined;
  return createFailure(exitCodes.usage, `\`${main}\` of --main is a directory; name the main file in it`);
}
