import { realOrSame } from "../project/file-content.js";
import { partsLast } from "../project/main-file-order.js";
import { byDepth } from "../project/paths.js";
import type { PlacedFile, Placement } from "./placement.js";

/** A server that may read the files to be checked. */
export interface PlacedServer {
  readonly main: string;
  /** Whether it is checked as a whole. */
  readonly isWhole: boolean;
  /** Whether the configuration file or a flag names it. It may read any file, and is a server even if another one reads it. */
  readonly isNamed: boolean;
  /** Whether it is elsewhere in the repository. It may read the remaining files. */
  readonly isFarther: boolean;
  /** Its main file, if that is to be checked: another server may read it. */
  readonly file: PlacedFile | undefined;
}

/**
 * Returns the servers of a placement in the order in which they are analyzed. Named servers come first, and each other
 * server comes before those whose main files it seems to read.
 *
 * @param named main files that the configuration file or a flag names, by real path
 */
export function serversIn(
  { servers, files }: Pick<Placement, "servers" | "files">,
  named: ReadonlyMap<string, string>,
): readonly PlacedServer[] {
  const whole = new Map(servers.map((file) => [file.path, file]));
  const byRealPath = new Map(servers.map((file) => [realOrSame(file.path), file]));
  const above = new Set([...servers, ...files].flatMap((file) => file.above));
  const others = [...new Set([...whole.keys(), ...above])].filter((path) => !named.has(realOrSame(path)));
  const first = [...named].map(([path, main]) => {
    const file = byRealPath.get(path);
    return { main: file?.path ?? main, isWhole: file !== undefined, isNamed: true, isFarther: false, file };
  });
  const rest = inOrder(others).map((main) => {
    const file = whole.get(main);
    return { main, isWhole: file !== undefined, isNamed: false, isFarther: false, file };
  });
  return [...first, ...rest];
}

/** Returns the servers of main files that are not known yet, in the order in which they are analyzed. */
export function fartherServers(mains: readonly string[], known: readonly PlacedServer[]): readonly PlacedServer[] {
  const real = new Set(known.map(({ main }) => realOrSame(main)));
  const others = mains.filter((main) => !real.has(realOrSame(main)));
  return inOrder(others).map((main) => ({ main, isWhole: false, isNamed: false, isFarther: true, file: undefined }));
}

/** Orders main files: those in outer folders first, and those that another one seems to include last. */
function inOrder(mains: readonly string[]): readonly string[] {
  return partsLast([...mains].sort(byDepth));
}
