import { basename, dirname } from "node:path";
import { readStart } from "./file-content.js";

/** So many servers are compared with each other. */
const MOST_SERVERS = 200;

/**
 * Returns main files with those last that another of them seems to include, in their order otherwise: what looks like a
 * main file may be a part of a server, and whether it is shows once that server is read.
 */
export function partsLast(mains: readonly string[]): readonly string[] {
  if (mains.length < 2 || mains.length > MOST_SERVERS) return mains;
  const included = new Set<string>();
  for (const main of mains)
    for (const { folder, name } of includedBy(main))
      for (const other of mains)
        if (other !== main && name.test(basename(other)) && (folder?.test(basename(dirname(other))) ?? true))
          included.add(other);
  return [...mains.filter((main) => !included.has(main)), ...mains.filter((main) => included.has(main))];
}

interface Included {
  readonly folder: RegExp | undefined;
  readonly name: RegExp;
}

/** What the Include lines of a file name: the last parts of their paths, which may have wildcards. */
function includedBy(main: string): readonly Included[] {
  const text = readStart(main, 256 * 1024) ?? "";
  return [...text.matchAll(/^[\t ]*include(?:optional)?[\t ]+"?([^"\s]+)/gim)].map(([, argument = ""]) => {
    const folder = basename(dirname(argument));
    return { folder: folder === "." ? undefined : wildcards(folder), name: wildcards(basename(argument)) };
  });
}

function wildcards(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${source}$`, "s");
}
