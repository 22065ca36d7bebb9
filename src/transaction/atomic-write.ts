import { closeSync, fchmodSync, fchownSync, openSync, renameSync, rmSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { readLinkTarget } from "../project/files/confinement.js";
import { errorCodeOf, type FileAttributes, type FileSystem } from "./file-system.js";
import { failBySystemError, type WriteFailed } from "./write-failure.js";

/** More links than these one behind the other are a circle. */
const MAX_LINKS = 40;
/** Whoever lays more names in the way means harm. */
const MAX_TEMPORARY_NAMES = 100;

/** What is written to where a path is, or leads by links, there or not. */
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
 * Puts a file in place whole, or leaves what is there. Throws the system's error.
 *
 * @param path no link
 * @param before what is there, whose permission bits and, where that may be given, owner it gets
 * @param write writes what it is to hold
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

/** Makes a file beside another, under a name where nothing was: what is there may lead elsewhere. */
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

/** The owner first: to change it takes some permission bits away. */
function copyAttributes(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    // Only root gives files away; who may write here may have one of their own in its place.
    if (errorCodeOf(error) !== "EPERM") throw error;
  }
  fchmodSync(descriptor, mode & 0o777);
}

/**
 * Puts a text in the place of a file, or makes it: at any time the file is there whole, as it was or as it is to be.
 *
 * @param path absolute, with links resolved; a link that is there all the same is replaced itself
 * @param temporary a name beside it that no server loads
 * @param attributes where no file was there
 */
export function replaceFile(
  path: string,
  text: string,
  temporary: string,
  attributes: FileAttributes,
  system: FileSystem,
): WriteFailed | undefined {
  try {
    const before = system.look(path);
    // Of a link, which leads nowhere or is to go, the permission bits are nobody's word.
    system.write(temporary, text, before?.kind === "file" ? before : attributes);
    system.rename(temporary, path);
    system.sync(dirname(path));
    return undefined;
  } catch (error) {
    if (system.look(temporary)?.kind === "file") system.remove(temporary);
    return failBySystemError(error, path, "nothing was changed");
  }
}

const blockedSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs something to its end whoever interrupts: that what is being put in place is all there when the operator is back at
 * the prompt. Signals that somebody listens to end no process, and nobody is told of them before `run` returns.
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
