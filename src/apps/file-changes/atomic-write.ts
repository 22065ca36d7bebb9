import { closeSync, fchmodSync, fchownSync, openSync, renameSync, rmSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { readLinkTarget } from "../../config/files/confinement.js";
import { errorCodeOf, type FileAttributes, type FileSystem } from "./file-system.js";
import { createSystemFailure, type WriteFailure } from "./write-failure.js";

/** Maximum length of a chain of links; a longer one is a cycle. */
const MAX_LINKS = 40;
/** Maximum number of temporary names to try: more conflicts are an attack. */
const MAX_TEMPORARY_NAMES = 100;

/** Returns the real location of a path, following links, whether it exists or not. */
export function resolveWriteTarget(path: string): string {
  let place = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const target = readLinkTarget(place);
    if (target === undefined) return place;
    place = resolve(dirname(place), target);
  }
  return path;
}

/**
 * Writes a file atomically, or leaves it unchanged. Throws the system's error.
 *
 * @param path a path that is not a link
 * @param before the existing file; its permission bits and, if permitted, owner are kept
 * @param write writes the content
 */
export function writeAtomically(path: string, before: Stats | undefined, write: (descriptor: number) => void): void {
  const { descriptor, temporary } = createTemporary(path, before === undefined ? 0o666 : 0o600);
  try {
    try {
      write(descriptor);
      if (before) copyAttributes(descriptor, before);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a temporary file beside another, under an unused name: an existing one may be a link. */
function createTemporary(path: string, mode: number): { readonly descriptor: number; readonly temporary: string } {
  for (let number = 0; ; number++) {
    const temporary = `${path}.${process.pid}${number === 0 ? "" : `-${number}`}.tmp`;
    try {
      return { descriptor: openSync(temporary, "wx", mode), temporary };
    } catch (error) {
      if (errorCodeOf(error) !== "EEXIST" || number === MAX_TEMPORARY_NAMES) throw error;
    }
  }
}

/** The owner comes first: changing it clears some permission bits. */
function copyAttributes(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    // Only root can change owners; others with write access may have replaced it with a file of their own.
    if (errorCodeOf(error) !== "EPERM") throw error;
  }
  fchmodSync(descriptor, mode & 0o777);
}

/**
 * Replaces or creates a file atomically: at any time its old or new content is complete.
 *
 * @param path absolute, with links resolved; a link that still exists is itself replaced
 * @param temporary an unused name beside it that no server loads
 * @param attributes used if no file exists
 */
export function replaceFile(
  path: string,
  text: string,
  temporary: string,
  attributes: FileAttributes,
  system: FileSystem,
): WriteFailure | undefined {
  try {
    const before = system.inspect(path);
    // The permission bits of a link are meaningless.
    system.write(temporary, text, before?.kind === "file" ? before : attributes);
    system.rename(temporary, path);
    system.sync(dirname(path));
    return undefined;
  } catch (error) {
    if (system.inspect(temporary)?.kind === "file") system.remove(temporary);
    return createSystemFailure(error, path, "nothing was changed");
  }
}

const blockedSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a function to completion despite signals, so that a replacement is complete when the operator is back at the
 * prompt. Signals with a listener do not end the process, and listeners are not called before `run` returns.
 */
export function withSignalsBlocked<T>(run: () => T): T {
  const listen = () => {};
  for (const signal of blockedSignals) process.on(signal, listen);
  try {
    return run();
  } finally {
    for (const signal of blockedSignals) process.off(signal, listen);
  }
}
