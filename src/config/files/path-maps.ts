import { posix, resolve } from "node:path";
import type { Result } from "../../text/result.js";
import { isWithin, parentOf, toAbsolutePath } from "./paths.js";

/** A file or directory of the server, and the location of its content on this machine. */
export interface PathMap {
  /** A path on this machine. */
  readonly host: string;
  /** An absolute path on the server. */
  readonly server: string;
}

/** Parses `HOST=SERVER`, or returns the reason why it is invalid. */
export function readPathMap(written: string): Result<PathMap, string> {
  const equals = written.indexOf("=");
  const [host, server] = [written.slice(0, equals), written.slice(equals + 1)];
  if (equals < 0 || host === "" || server === "") return { ok: false, error: `\`${written}\` is not HOST=SERVER` };
  const absolute = toAbsolutePath(server);
  if (absolute === undefined) return { ok: false, error: `\`${server}\` is not an absolute path of the server` };
  return { ok: true, value: { host, server: absolute } };
}

/** Locates server paths on this machine. */
export class PathMaps {
  /** The longest server path first; of equal ones, the last given. */
  private readonly maps: readonly PathMap[];

  constructor(maps: readonly PathMap[]) {
    this.maps = maps
      .map(({ host, server }) => ({ host: hostForm(host), server: normalize(server) }))
      .reverse()
      .sort((a, b) => b.server.length - a.server.length);
  }

  get isEmpty(): boolean {
    return this.maps.length === 0;
  }

  /**
   * Lists the possible locations of a server path on this machine, in order of precedence. A path already names a
   * location on this machine if the nearest HOST above it is nearer than the nearest SERVER.
   */
  hostsOf(path: string): readonly string[] {
    if (this.isEmpty) return [];
    const normal = normalize(path);
    const matching = this.maps.filter(({ server }) => isWithin(normal, server));
    const longestHost = this.maps.reduce(
      (longest, { host }) => (isWithin(normal, host) ? Math.max(longest, host.length) : longest),
      -1,
    );
    if (longestHost >= 0 && longestHost >= (matching[0]?.server.length ?? 0)) return [normal];
    return matching.map(({ host, server }) => posix.join(host, normal.slice(server.length)));
  }

  /**
   * Reports whether an unmapped path belongs to the server rather than to this machine. Such a path is at or below the
   * parent of a SERVER, more closely than of a HOST. This machine may have a server of its own there.
   */
  isElsewhere(path: string): boolean {
    if (this.isEmpty) return false;
    const normal = normalize(path);
    const closest = (side: keyof PathMap) => {
      const parents = this.maps.map((map) => parentOf(map[side])).filter((parent) => isWithin(normal, parent));
      return Math.max(0, ...parents.filter((parent) => parent !== "/").map(({ length }) => length));
    };
    return closest("server") > closest("host");
  }

  /** Reports whether a server path is above the server side of a map: then it is a directory. */
  isAbove(path: string): boolean {
    if (this.isEmpty) return false;
    const normal = normalize(path);
    return this.maps.some(({ server }) => !isWithin(normal, server) && isWithin(server, normal));
  }

  /** Reports whether a map names a server path itself, or one below it. */
  isPlace(path: string): boolean {
    if (this.isEmpty) return false;
    const normal = normalize(path);
    return this.maps.some(({ server }) => isWithin(server, normal));
  }

  /** Returns the names that maps add to a directory of the server, each with the host path if the map ends there. */
  namesIn(directory: string): ReadonlyMap<string, string | undefined> {
    if (this.isEmpty) return new Map();
    const normal = normalize(directory);
    const prefix = normal.endsWith("/") ? normal : `${normal}/`;
    const names = new Map<string, string | undefined>();
    for (const { host, server } of this.maps) {
      if (!isWithin(server, normal) || isWithin(normal, server)) continue;
      const [name = "", ...below] = server.slice(prefix.length).split("/");
      if (below.length > 0) names.set(name, undefined);
      else if (!names.has(name)) names.set(name, host);
    }
    return names;
  }
}

/** Returns a path on this machine as an absolute one in the form for paths of the server. */
function hostForm(host: string): string {
  const absolute = resolve(host);
  return toAbsolutePath(absolute) ?? absolute;
}

/** Returns an absolute path without `.`, `..`, repeated slashes and a trailing slash. */
function normalize(path: string): string {
  const normal = posix.normalize(toAbsolutePath(path) ?? path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
