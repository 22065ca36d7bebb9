import { realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readFound } from "./file-content.js";

/** What main files are called, as seen from the folder of a server. */
export const mainNames = ["httpd.conf", "apache2.conf", join("conf", "httpd.conf")];

/** The main file of a folder: of several the one that no other one reads, as Debian's apache2.conf once read httpd.conf. */
export function mainIn(directory: string): string | undefined {
  const there = mainNames.map((name) => join(directory, name)).filter((path) => statOf(path)?.isFile());
  if (there.length < 2) return there[0];
  return there.find((path) => !there.some((other) => other !== path && includes(other, basename(path)))) ?? there[0];
}

function includes(path: string, name: string): boolean {
  const content = readFound(path);
  if ("failed" in content) return false;
  return content.text.split("\n").some((line) => {
    const [, argument = ""] = /^[\t ]*include(?:optional)?[\t ]+"?([^"\s]+)/i.exec(line) ?? [];
    return basename(argument) === name;
  });
}

/**
 * The main file of a folder or of the nearest one above it that has one.
 *
 * @param known what was found before, by folder: thousands of files lie below the same folders
 */
export function nearestMain(directory: string, known = new Map<string, string | undefined>()): string | undefined {
  if (known.has(directory)) return known.get(directory);
  const above = dirname(directory);
  const main = mainIn(directory) ?? (above === directory ? undefined : nearestMain(above, known));
  known.set(directory, main);
  return main;
}

/** Undefined also where links go in circles or a folder is closed to us: reading the path says why. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** A path with its links resolved; undefined where nothing is there. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
