import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArguments } from "../../grammar/arguments.js";
import { parseFile } from "../../grammar/parser.js";
import { fromReadable, toReadable } from "../text/source.js";
import { statOf } from "./discovery/main-files.js";
import { isWithin } from "./files/confinement.js";
import type { FileAccess } from "./files/file-access.js";
import { resolveOrKeepPath } from "./files/file-content.js";
import { resolvePath } from "./files/paths.js";
import { Variables } from "./model/variables.js";
import { findIncludedFiles } from "./reader/include.js";

/** The base of relative paths if the ServerRoot that a main file names is elsewhere. */
export interface GuessedRoot {
  /** An absolute path. */
  readonly root: string;
  /** The ServerRoot in the main file. */
  readonly named: string;
  /** Whether the ServerRoot exists here, outside the repository of the main file. */
  readonly isHere: boolean;
}

/** The values of the variables in a main file. */
interface VariableValues {
  readonly environment?: ReadonlyMap<string, string>;
  readonly defines?: ReadonlyMap<string, string | undefined>;
}

/**
 * Returns the directory that is the ServerRoot of a copied main file: the parent of `conf` on Red Hat, or its own
 * directory.
 */
export function serverRootAround(main: string): string {
  const folder = dirname(main);
  return basename(folder) === "conf" ? dirname(folder) : folder;
}

/**
 * Guesses the ServerRoot of a main file that was copied into another directory. The guess counts only if an Include of
 * the main file finds something below it. An absolute one counts if it leads below the ServerRoot that the file names.
 *
 * @param main absolute
 * @param overlay contents that replace files on disk, by absolute path
 */
export function guessServerRoot(
  main: string,
  access: FileAccess,
  given: VariableValues = {},
  overlay?: ReadonlyMap<string, string>,
): GuessedRoot | undefined {
  // A pipe can be read only once.
  if (overlay?.has(main) !== true && statOf(main)?.isFile() !== true) return undefined;
  const content = access.read(fromReadable(main));
  if ("failed" in content || !/^[ \t]*ServerRoot[ \t]/im.test(content.text)) return undefined;
  const start = fromReadable(dirname(main));
  const isRight = (root: string) => {
    const path = resolvePath(start, root);
    return isRootOf(path, main, access) || (access.isDirectory(path) && !isOutside(path, main));
  };
  // One that is right settles it, so most files need not be parsed here.
  const [, plain = ""] = plainRoot.exec(content.text) ?? [];
  if (linesOf(plain, given).roots.some(isRight)) return undefined;
  const { roots, includes } = linesOf(content.text, given);
  const named = roots.at(-1);
  if (named === undefined || roots.some(isRight)) return undefined;
  const root = serverRootAround(main);
  const inside = includes.flatMap((path) => relativePathIn(named, path) ?? []);
  const isFound = inside.some((path) => findsFileBelow(fromReadable(root), path, access));
  return isFound
    ? { root, named: toReadable(named), isHere: roots.some((each) => access.isDirectory(resolvePath(start, each))) }
    : undefined;
}

/** A ServerRoot line whose meaning depends on no other line: without variables, and neither continued nor a continuation. */
const plainRoot = /(?:^|(?<!\\\r?)\n)([ \t]*ServerRoot[ \t][^\\$\n]*)(?=\n|$)/i;

interface MainLines {
  /** The arguments of ServerRoot lines. */
  readonly roots: readonly string[];
  /** The arguments of Include lines. */
  readonly includes: readonly string[];
}

/** Reads the lines that the guess depends on; which conditional sections apply is not known yet. */
function linesOf(text: string, { environment, defines }: VariableValues): MainLines {
  const variables = new Variables(environment);
  for (const [name, value] of defines ?? []) variables.define(name, value);
  const roots: string[] = [];
  const includes: string[] = [];
  const { lines } = parseFile({ path: "", realPath: "", text });
  for (let index = 0; index < lines.length; index++) {
    const line = lines.at(index);
    if (line?.kind !== "directive") continue;
    const name = text.slice(line.nameStart, line.nameEnd).toLowerCase();
    if (!["serverroot", "define", "include", "includeoptional"].includes(name)) continue;
    const [first, second] = parseArguments(lines.restOf(text, index)).map(({ value }) =>
      value.replace(/\$\{([^}]+)\}/g, (use, variable: string) => variables.valueOf(variable) ?? use),
    );
    if (first === undefined || first === "") continue;
    if (name === "define") variables.define(first, second);
    else if (name === "serverroot") roots.push(first);
    else includes.push(first);
  }
  return { roots, includes };
}

/** Returns a path relative to the ServerRoot; undefined if it is an absolute one elsewhere. */
function relativePathIn(serverRoot: string, path: string): string | undefined {
  if (!path.startsWith("/")) return path;
  const folder = `${serverRoot.replace(/\/+$/, "")}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

/** Reports whether a main file is below a ServerRoot. */
function isRootOf(root: string, main: string, access: FileAccess): boolean {
  return isWithin(main, toReadable(root)) || isWithin(resolveOrKeepPath(main), access.realPath(root));
}

/** Reports whether a directory is outside the repository of a file; false without a repository. */
function isOutside(directory: string, file: string): boolean {
  for (let folder = dirname(resolveOrKeepPath(file)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return !isWithin(resolveOrKeepPath(toReadable(directory)), folder);
    if (dirname(folder) === folder) return false;
  }
}

function findsFileBelow(root: string, path: string, access: FileAccess): boolean {
  const included = findIncludedFiles(resolvePath(root, path), true, "2.4", access);
  return "files" in included && included.files.some((file) => file.startsWith(`${root}/`) && access.exists(file));
}
