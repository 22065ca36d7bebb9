import { closeSync, fchmodSync, fchownSync, openSync, renameSync, rmSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { linkAt } from "../project/confined.js";
import { codeOf } from "./file-system.js";

/** More links than these one behind the other are a circle. */
const MOST_LINKS = 40;
/** Whoever lays more names in the way means harm. */
const MOST_NAMES = 100;

/** What is written to where a path is, or leads by links, there or not. */
export function placeOf(path: string): string {
  let place = path;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const target = linkAt(place);
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
export function putWhole(path: string, before: Stats | undefined, write: (descriptor: number) => void): void {
  const { descriptor, temporary } = made(path, before === undefined ? 0o666 : 0o600);
  try {
    try {
      write(descriptor);
      if (before) giveAttributes(descriptor, before);
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
function made(path: string, mode: number): { readonly descriptor: number; readonly temporary: string } {
  for (let number = 0; ; number++) {
    const temporary = `${path}.${process.pid}${number === 0 ? "" : `-${number}`}.tmp`;
    try {
      return { descriptor: openSync(temporary, "wx", mode), temporary };
    } catch (error) {
      if (codeOf(error) !== "EEXIST" || number === MOST_NAMES) throw error;
    }
  }
}

/** The owner first: to change it takes some permission bits away. */
function giveAttributes(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    // Only root gives files away; who may write here may have one of their own in its place.
    if (codeOf(error) !== "EPERM") throw error;
  }
  fchmodSync(descriptor, mode & 0o777);
}
