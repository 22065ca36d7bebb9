import { basename, dirname } from "node:path";
import { toReadable } from "../text/source.js";
import { readStart } from "./file-content.js";
import { compileFnmatch } from "./fnmatch.js";

/** Longer lists keep their order: each server is compared with every other one. */
const MOST_SERVERS = 200;
/** Include lines after this many bytes are ignored. */
const START = 256 * 1024;

/**
 * Moves main files that another one seems to include to the end, and keeps the order of the rest. A file that looks like a
 * main file may be a part of a server; reading that server first shows whether it is.
 */
export function partsLast(mains: readonly string[]): readonly string[] {
  if (mains.length < 2 || mains.length > MOST_SERVERS) return mains;
  const included = new Set<string>();
  for (const main of mains)
    for (const { folder, name } of includedBy(main))
      for (const other of mains)
        if (other !== main && name(basename(other)) && (folder?.(basename(dirname(other))) ?? true))
          included.add(other);
  return [...mains.filter((main) => !included.has(main)), ...mains.filter((main) => included.has(main))];
}

/** The last two components of the path of an Include, which may have wildcards. */
interface Included {
  /** Undefined if the path does not name the folder. */
  readonly folder: ((name: string) => boolean) | undefined;
  readonly name: (name: string) => boolean;
}

/** Lists the paths of the Include lines of a file. */
function includedBy(main: string): readonly Included[] {
  const text = toReadable(readStart(main, START) ?? "");
  return [...text.matchAll(/^[\t ]*include(?:optional)?[\t ]+"?([^"\s]+)/gim)].map(([, argument = ""]) => {
    const folder = basename(dirname(argument));
    const isNamed = folder !== "." && folder !== "..";
    return { folder: isNamed ? compileFnmatch(folder) : undefined, name: compileFnmatch(basename(argument)) };
  });
}
