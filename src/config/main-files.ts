import { existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toReadable } from "../text/source.js";
import { compileFileWildcard } from "../text/wildcards.js";
import { readFileStart, readFoundFile } from "./files/file-content.js";

/** Names of main files, relative to the folder of a server. */
export const mainFileNames = ["httpd.conf", "apache2.conf", join("conf", "httpd.conf")];

/**
 * Returns the main file of a folder: of several, the one that no other one reads, as Debian's apache2.conf once read
 * httpd.conf.
 */
export function findMainFile(directory: string): string | undefined {
  const there = mainFileNames.map((name) => join(directory, name)).filter((path) => statOf(path)?.isFile());
  if (there.length < 2) return there[0];
  return (
    there.find((path) => !there.some((other) => other !== path && includesFile(other, basename(path)))) ?? there[0]
  );
}

function includesFile(path: string, name: string): boolean {
  const content = readFoundFile(path);
  if (!content.ok) return false;
  return content.value.text.split("\n").some((line) => {
    const [, argument = ""] = /^[\t ]*include(?:optional)?[\t ]+"?([^"\s]+)/i.exec(line) ?? [];
    return basename(argument) === name;
  });
}

/**
 * Returns the main file of a folder, or of the nearest one above it that has one. The search ends at the root of a
 * repository.
 *
 * @param known earlier results by folder, since thousands of files may be below the same folders
 */
export function findNearestMainFile(
  directory: string,
  known = new Map<string, string | undefined>(),
): string | undefined {
  if (known.has(directory)) return known.get(directory);
  const above = dirname(directory);
  const isTop = above === directory || existsSync(join(directory, ".git"));
  const main = findMainFile(directory) ?? (isTop ? undefined : findNearestMainFile(above, known));
  known.set(directory, main);
  return main;
}

/**
 * Returns the status of a path. It is undefined also for a cycle of links or an unreadable folder: reading the path
 * gives the reason.
 */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Returns a path with its links resolved; undefined if it does not exist. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Longer lists keep their order: each server is compared with every other one. */
const MAX_SORTED_SERVERS = 200;
/** Include lines after this many bytes are ignored. */
const INCLUDE_SCAN_BYTES = 256 * 1024;

/**
 * Moves main files that another one seems to include to the end, and keeps the order of the rest. A file that looks
 * like a main file may be a part of a server. Reading that server first shows whether it is.
 */
export function sortPartsLast(mainFiles: readonly string[]): readonly string[] {
  if (mainFiles.length < 2 || mainFiles.length > MAX_SORTED_SERVERS) return mainFiles;
  const included = new Set<string>();
  for (const main of mainFiles)
    for (const { folder, name } of includedBy(main))
      for (const other of mainFiles)
        if (other !== main && name(basename(other)) && (folder?.(basename(dirname(other))) ?? true))
          included.add(other);
  return [...mainFiles.filter((main) => !included.has(main)), ...mainFiles.filter((main) => included.has(main))];
}

/** The last two components of the path of an Include, which may have wildcards. */
interface IncludedPath {
  /** Undefined if the path does not name the folder. */
  readonly folder: ((name: string) => boolean) | undefined;
  readonly name: (name: string) => boolean;
}

/** Returns the paths of the Include lines of a file. */
function includedBy(main: string): readonly IncludedPath[] {
  const text = toReadable(readFileStart(main, INCLUDE_SCAN_BYTES) ?? "");
  return [...text.matchAll(/^[\t ]*include(?:optional)?[\t ]+"?([^"\s]+)/gim)].map(([, argument = ""]) => {
    const folder = basename(dirname(argument));
    const isNamed = folder !== "." && folder !== "..";
    return { folder: isNamed ? compileFileWildcard(folder) : undefined, name: compileFileWildcard(basename(argument)) };
  });
}
