import { basename, dirname } from "node:path";
import { readStart } from "../project/file-content.js";
import { realPathOf } from "../project/main-files.js";
import type { PlacedFile, Placement } from "./placement.js";

/** A server that may read what is asked for. */
export interface PlacedServer {
  readonly main: string;
  /** Whether it is asked for as a whole. */
  readonly isWhole: boolean;
  /** Whether the configuration file or a flag names it. */
  readonly isNamed: boolean;
  /** Its main file as one that another server may read; undefined if only other files brought it up. */
  readonly file: PlacedFile | undefined;
}

/**
 * Returns the servers of a placement in the order in which they are analyzed: those that are named, and then the others,
 * each before those that it seems to read.
 *
 * @param named main files that the configuration file or a flag names, by real path
 */
export function serversIn(
  { servers, files }: Pick<Placement, "servers" | "files">,
  named: ReadonlyMap<string, string>,
): readonly PlacedServer[] {
  const real = (path: string) => realPathOf(path) ?? path;
  const whole = new Map(servers.map((file) => [file.path, file]));
  const byRealPath = new Map(servers.map((file) => [real(file.path), file]));
  const above = new Set([...servers, ...files].flatMap((file) => file.above));
  const others = [...new Set([...whole.keys(), ...above])].filter((path) => !named.has(real(path)));
  const first = [...named].map(([path, main]) => {
    const file = byRealPath.get(path);
    return { main: file?.path ?? main, isWhole: file !== undefined, isNamed: true, file };
  });
  const rest = inOrder(others).map((main) => {
    const file = whole.get(main);
    return { main, isWhole: file !== undefined, isNamed: false, file };
  });
  return [...first, ...rest];
}

/** So many servers are set beside each other. */
const MOST_SERVERS = 200;

/** Those that another one seems to include come last, since they may be parts of it. */
function inOrder(mains: readonly string[]): readonly string[] {
  const sorted = [...mains].sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  if (sorted.length < 2 || sorted.length > MOST_SERVERS) return sorted;
  const included = new Set<string>();
  for (const main of sorted)
    for (const { folder, name } of includedBy(main))
      for (const other of sorted)
        if (other !== main && name.test(basename(other)) && (folder?.test(basename(dirname(other))) ?? true))
          included.add(other);
  return [...sorted.filter((main) => !included.has(main)), ...included];
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
