import { closeSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fromBytes } from "../../text/bytes.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import type { FileFailure } from "./file-access.js";
import { isWithin } from "./paths.js";

/** Linux: opens a path without reading it, whatever is there. Node does not name this flag. */
const O_PATH = 0o10000000;
/** Limit of links in a path; beyond it, they form a cycle. */
const MAX_LINKS = 40;

/** A file or directory that stays the same while in use, even if another process replaces its path. */
interface OpenedPath {
  /** A path that leads to it. */
  readonly path: string;
  /** Its path with all links resolved, as a binary string. */
  readonly realPath: string;
}

/**
 * Uses a file or directory only if it is in a directory. Checking a path first and opening it later is not enough: another
 * process may replace a part of the path by a link in between.
 *
 * @param confine the directory; undefined if files may be anywhere
 * @param use what to do with it, by a path that leads to what was checked
 * @throws the error of the system if the path does not exist or cannot be used
 */
export function useConfined<T>(
  path: string,
  confine: string | undefined,
  use: (held: string, realPath: string | undefined) => Result<T, FileFailure>,
): Result<T, FileFailure> {
  if (confine === undefined) return use(path, undefined);
  const directory = resolveConfine(confine);
  if (directory === undefined) return { ok: false, error: outsideFailure(confine) };
  const root = fromReadable(directory);
  let isUsed = false;
  try {
    return withOpenedPath(path, (held) => {
      if (!isWithin(held.realPath, root)) return { ok: false, error: outsideFailure(directory) };
      isUsed = true;
      return use(held.path, toReadable(held.realPath));
    });
  } catch (error) {
    // A path outside is not even reported as missing.
    if (!isUsed && !isMissingWithin(isAbsolute(path) ? path : process.cwd() + sep + path, root))
      return { ok: false, error: outsideFailure(directory) };
    throw error;
  }
}

/**
 * Opens a path so that it stays the same while in use. On Linux an open descriptor holds the file. Elsewhere its real
 * path is used, and resolved again afterwards.
 */
function withOpenedPath<T>(path: string, use: (held: OpenedPath) => Result<T, FileFailure>): Result<T, FileFailure> {
  if (process.platform !== "linux") {
    const real = realpathSync(path);
    const result = use({ path: real, realPath: fromReadable(real) });
    return realpathSync(real) === real
      ? result
      : { ok: false, error: { message: "its path changed while it was read" } };
  }
  const descriptor = openSync(path, O_PATH);
  try {
    const held = `/proc/self/fd/${descriptor}`;
    return use({ path: held, realPath: fromBytes(readlinkSync(held, { encoding: "buffer" })) });
  } finally {
    closeSync(descriptor);
  }
}

/** Reports whether a path that cannot be opened would be in a directory, judged by its parent and its link target. */
function isMissingWithin(path: string, root: string, links = 0): boolean {
  const parent = dirname(path);
  if (parent === path) return false;
  if (links > MAX_LINKS) return true;
  let target: string | undefined;
  try {
    const held = withOpenedPath(parent, ({ path: folder, realPath }) => {
      if (!isWithin(realPath, root)) return { ok: false, error: outsideFailure(root) };
      const link = readLinkTarget(join(folder, basename(path)));
      return { ok: true, value: link === undefined ? undefined : resolve(toReadable(realPath), link) };
    });
    if (!held.ok) return false;
    target = held.value;
  } catch {
    return isMissingWithin(parent, root, links);
  }
  return target === undefined || isMissingWithin(target, root, links + 1);
}

function outsideFailure(confine: string): FileFailure {
  return { message: `it is outside of the --confine directory \`${confine}\``, isConfined: true };
}

const resolvedDirectories = new Map<string, string>();

/**
 * Resolves the directory of `--confine` once, so that it cannot be moved while files are read; undefined if it does not
 * exist.
 */
function resolveConfine(confine: string): string | undefined {
  const absolute = resolve(confine);
  const known = resolvedDirectories.get(absolute);
  if (known !== undefined) return known;
  try {
    const real = realpathSync(absolute);
    resolvedDirectories.set(absolute, real);
    return real;
  } catch {
    return undefined;
  }
}

/** Returns the target of a symbolic link; undefined for anything else. */
export function readLinkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
