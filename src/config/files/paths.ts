import { fromReadable, toReadable } from "../../text/source.js";

/**
 * How a system names files. On Windows, a path has a drive, a backslash is a slash, and names do not differ in case
 * (os/win32/os.h `HAVE_DRIVE_LETTERS`, `CASE_BLIND_FILESYSTEM`; manual, platform/windows).
 *
 * Inside of httpd-lint, a drive is a directory in the root, in upper case as apr_filepath_root makes it: `/C:/Apache24`.
 * So each absolute path starts with a slash, and a path on a drive shows that the rules are those of Windows.
 */
export type PathRules = "posix" | "windows";

/** A doubled slash, or a component of only dots. */
const uncleanPath = /\/\/|\/\.\.?(?:\/|$)/;

/** The start of an absolute path of Windows: on a drive, or on the current one. */
const windowsStart = /^(?:[A-Za-z]:[\\/]|\\)/;

/** The drive of an absolute path. */
const driveOf = /^\/[A-Za-z]:(?=\/|$)/;

/** A line whose first or second argument is a path on a drive. */
const drivePathLine = /^[ \t]*<?[A-Za-z]+[ \t]+(?:[^\s"']+[ \t]+)?["']?[A-Za-z]:[\\/]/m;

/** The ServerRoot of XAMPP for Windows without an installer, which may be on any drive. */
const portableRoot = /^[ \t]*ServerRoot[ \t]+"?\/xampp[^/]*\/apache\b/im;

/**
 * Returns the rules for the paths of a configuration: those of Windows if its main file is on a drive, or names one, or is
 * that of a portable XAMPP.
 */
export function pathRulesOf(entry: string, text: string): PathRules {
  const isWindows = isOnDrive(toAbsolutePath(entry) ?? "") || drivePathLine.test(text) || portableRoot.test(text);
  return isWindows ? "windows" : "posix";
}

/** Reports whether an absolute path is on a drive of Windows: its names do not differ in case. */
export function isOnDrive(path: string): boolean {
  return driveOf.test(path);
}

/**
 * Returns a path as an absolute one: a drive is a directory in the root, and backslashes of Windows are slashes
 * (apr_filepath_merge). Undefined if the path is relative.
 *
 * @param root a path without a drive is on the drive of this one
 */
export function toAbsolutePath(path: string, root = ""): string | undefined {
  if (isOnDrive(path)) return path.slice(0, 2).toUpperCase() + path.slice(2);
  const isRooted = path.startsWith("/");
  if (!isRooted && !windowsStart.test(path)) return undefined;
  if (isRooted && !isOnDrive(root)) return path;
  const slashed = path.replaceAll("\\", "/");
  if (!slashed.startsWith("/")) return `/${slashed.charAt(0).toUpperCase()}${slashed.slice(1)}`;
  // A share, which two slashes start, is on no drive.
  return slashed.startsWith("//") ? slashed : `${driveOf.exec(root)?.[0] ?? ""}${slashed}`;
}

/** Reports whether a path is an absolute one of Windows, as written. */
export function isWindowsPath(path: string): boolean {
  return windowsStart.test(path);
}

/** Returns a path as its system writes it: a path on a drive starts with the drive. */
export function nativePath(path: string): string {
  return isOnDrive(path) ? path.slice(1) : path;
}

/**
 * Returns a text that is equal for all spellings of a path: on a drive, names do not differ in case. httpd gives a path
 * the spelling of the disk (APR_FILEPATH_TRUENAME), and then compares exactly (server/request.c `ap_directory_walk`).
 */
export function pathKey(path: string): string {
  return isOnDrive(path) ? withLowerCase(path) : path;
}

/** Returns a text with its letters of ASCII in lower case; it may be a binary string. */
export function withLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Returns an absolute path without `.`, `..` and doubled slashes, like apr_filepath_merge; relative ones start at
 * `root`. A trailing slash is kept, also before dots.
 */
export function resolvePath(root: string, path: string): string {
  const base = isWindowsPath(root) ? (toAbsolutePath(root) ?? root) : root;
  const relative = isOnDrive(base) ? path.replaceAll("\\", "/") : path;
  const joined = toAbsolutePath(path, base) ?? `${base}/${relative}`;
  if (joined.startsWith("/") && !uncleanPath.test(joined)) return joined;
  const parts: string[] = [];
  // Nothing is above a drive.
  const outermost = isOnDrive(joined) ? 1 : 0;
  for (const part of joined.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > outermost) parts.pop();
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
 * may also be empty. On a drive, case does not matter. Both may be
 * written as on Windows.
 */
export function isWithin(path: string, directory: string): boolean {
  if (path === directory || path.startsWith(withTrailingSlash(directory))) return true;
  if (isWindowsPath(directory)) return isWithin(toAbsolutePath(path) ?? path, toAbsolutePath(directory) ?? "");
  return isOnDrive(directory) && `${withLowerCase(path)}/`.startsWith(withTrailingSlash(withLowerCase(directory)));
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
