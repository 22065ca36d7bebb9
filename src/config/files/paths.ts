import { fromReadable, toReadable } from "../../text/source.js";

/** A doubled slash, or a component of only dots. */
const uncleanPath = /\/\/|\/\.\.?(?:\/|$)/;

/** The start of an absolute path of Windows: on a drive, or on the current one. */
const windowsStart = /^(?:[A-Za-z]:[\\/]|\\)/;

/**
 * Returns a path as an absolute one: a drive is a directory in the root, and backslashes of Windows are slashes
 * (apr_filepath_merge). Undefined if the path is relative.
 */
export function toAbsolutePath(path: string): string | undefined {
  if (path.startsWith("/")) return path;
  if (!windowsStart.test(path)) return undefined;
  const slashed = path.replaceAll("\\", "/");
  return slashed.startsWith("/") ? slashed : `/${slashed}`;
}

/** Reports whether an absolute path is one of Windows. */
export function isWindowsPath(path: string): boolean {
  return windowsStart.test(path);
}

/**
 * Returns an absolute path without `.`, `..` and doubled slashes, like apr_filepath_merge; relative ones start at
 * `root`. A trailing slash is kept, also before dots.
 */
export function resolvePath(root: string, path: string): string {
  const joined = toAbsolutePath(path) ?? `${root}/${path}`;
  if (joined.startsWith("/") && !uncleanPath.test(joined)) return joined;
  const parts: string[] = [];
  for (const part of joined.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  const trailing = /\/\.{0,2}$/.test(joined) && parts.length > 0 ? "/" : "";
  return `/${parts.join("/")}${trailing}`;
}

/** Returns the parent directory of a path. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** Compares paths: outer ones first, and those of the same depth by name. */
export function compareByDepth(a: string, b: string): number {
  const depth = (path: string) => path.split("/").length;
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

/** Returns a path with a slash at its end. */
export function withTrailingSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/**
 * Reports whether an absolute path is a directory, or below it. Neither has a slash at its end, except for the root, which
 * may also be empty.
 */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(withTrailingSlash(directory));
}

/** Returns a path without slashes at its end; of the root, nothing is left. */
export function stripTrailingSlash(path: string): string {
  return path.endsWith("/") ? path.replace(/\/+$/, "") : path;
}

/** Returns a path without the slash at its end; the root is left as it is. */
export function dropFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Reports whether a path is UTF-8: Node opens only such files, while a server opens any. */
export function isUtf8Path(path: string): boolean {
  return fromReadable(toReadable(path)) === path;
}
