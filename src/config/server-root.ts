import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArguments } from "../../grammar/arguments.js";
import { parseFile } from "../../grammar/parser.js";
import { fromReadable, toReadable } from "../text/source.js";
import type { FileAccess } from "./files/file-access.js";
import { resolveOrKeepPath } from "./files/file-content.js";
import type { PathMap } from "./files/path-maps.js";
import { isOnDrive, isWithin, resolvePath, toAbsolutePath, withLowerCase } from "./files/paths.js";
import { statOf } from "./main-files.js";
import { Variables } from "./model/variables.js";
import { findIncludedFiles } from "./reader/include.js";
import { listSkippedNames } from "./reader/skipped-files.js";

/** The base of relative paths if the ServerRoot that a main file names is elsewhere. */
export interface GuessedRoot {
  /** An absolute path. */
  readonly root: string;
  /** The ServerRoot in the main file, or that of the package if the main file names none. */
  readonly named: string;
  /** Whether only its path shows that it is a copy: the main file names no ServerRoot, or one that exists here. */
  readonly isByPath?: boolean;
  /** Whether the ServerRoot exists here, outside the repository of the main file. */
  readonly isHere: boolean;
  /**
   * The directory below which other paths of the server exist, too: that of a copy of the whole system. Undefined if
   * httpd-lint may not read it.
   */
  readonly sysroot?: string | undefined;
  /** The only directory of the server that is in the copy, if that is not the ServerRoot but one below it. */
  readonly part?: PathMap | undefined;
}

/** Returns the directory that replaces the ServerRoot; undefined if a guess maps absolute paths instead. */
export function replacementRootOf(guess: GuessedRoot | undefined): string | undefined {
  return guess?.sysroot === undefined && guess?.part === undefined ? guess?.root : undefined;
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

/** Settings for a guess. */
interface GuessOptions {
  /** Contents that replace files on disk, by absolute path. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
  /** The only directory that may be read. */
  readonly confine?: string | undefined;
}

/**
 * Guesses the ServerRoot of a main file that was copied into another directory. The guess counts only if an Include of
 * the main file, relative or below the ServerRoot that it names, finds something there, or if other paths of the server
 * are in the copy, too. If the ServerRoot does not exist here, it is the parent of `conf`: httpd -d names that directory.
 *
 * @param main absolute
 */
export function guessServerRoot(
  main: string,
  access: FileAccess,
  given: VariableValues = {},
  { overlay, confine }: GuessOptions = {},
): GuessedRoot | undefined {
  // A pipe can be read only once.
  if (overlay?.has(main) !== true && statOf(main)?.isFile() !== true) return undefined;
  const content = access.read(fromReadable(main));
  if (!content.ok) return undefined;
  const mayRead = (sysroot: string) => confine === undefined || isWithin(sysroot, resolve(confine));
  if (!/^[ \t]*ServerRoot[ \t]/im.test(content.value.text)) {
    const packaged = guessPackagedRoot(main, content.value.text, access, given);
    return packaged && mayRead(packaged.sysroot) ? packaged : undefined;
  }
  const start = fromReadable(dirname(main));
  const root = serverRootAround(main);
  const isByPath = (path: string) => path !== "/" && root.endsWith(toReadable(path));
  const isServerRoot = (each: string) => {
    const path = resolvePath(start, each);
    return isRootOf(path, main, access) || (access.isDirectory(path) && !isByPath(path) && !isOutside(path, main));
  };
  // Most files have a correct root near the start, and need not be parsed here.
  const [, plain = ""] = plainRoot.exec(content.value.text) ?? [];
  if (linesOf(plain, given).roots.some(isServerRoot)) return undefined;
  const { roots, includes, paths, includedPaths } = linesOf(content.value.text, given);
  const named = roots.at(-1);
  if (named === undefined || roots.some(isServerRoot)) return undefined;
  const isHere = roots.some((each) => access.isDirectory(resolvePath(start, each)));
  const guess = { named: toReadable(named), isHere, isByPath: isHere && isByPath(resolvePath(start, named)) };
  const copy = findCopiedDrive(main, named, { includes, paths }, access);
  if (copy && mayRead(copy.host)) return { ...guess, root, part: copy };
  const sysroot =
    findSystemRoot(root, toReadable(named), { includes, paths }, access) ?? findSystemAround(main, paths, access);
  if (sysroot !== undefined && mayRead(sysroot)) return { ...guess, root, sysroot };
  const inside = [...includes, ...paths.flatMap((path) => relativePathIn(named, path) ?? [])];
  const place = findCopiedRoot(main, inside, access) ?? (sysroot === undefined && !guess.isByPath ? undefined : root);
  if (place !== undefined) return { ...guess, root: place };
  const part =
    (named.startsWith("/") ? findCopiedPart(main, named, inside, access) : undefined) ??
    findCopiedPart(
      main,
      "/",
      includedPaths.flatMap((path) => relativePathIn("/", path) ?? []),
      access,
    );
  if (part) return { ...guess, root, part };
  // Half a server: only the layout of the main file shows the place of the rest.
  return !isHere && basename(dirname(main)) === "conf" ? { ...guess, root } : undefined;
}

/**
 * Returns the directory of a copy in which the server finds an Include, or files that it skips for their names: the usual
 * one, or the one that the path of the Include leads to, such as `copy` for `copy/etc/apache22/httpd.conf` and
 * `etc/apache22/Includes/*.conf`.
 */
function findCopiedRoot(main: string, includes: readonly string[], access: FileAccess): string | undefined {
  const usual = serverRootAround(main);
  const findsIn = (root: string, path: string) =>
    findsFileBelow(fromReadable(root), path, access) ||
    listSkippedNames(resolvePath(fromReadable(root), path), access).length > 0;
  if (includes.some((path) => findsIn(usual, path))) return usual;
  for (const path of includes) {
    const folders = toReadable(path).split("/").slice(0, -1);
    for (let length = folders.length; length > 0; length--) {
      const suffix = `/${folders.slice(0, length).join("/")}`;
      const root = dirname(main).slice(0, -suffix.length);
      if (root !== "" && dirname(main).endsWith(suffix) && findsIn(root, path)) return root;
    }
  }
  return undefined;
}

/** Returns the directory of the server that is copied beside the main file: `/opt/httpd/conf` for `copy/extra`. */
function findCopiedPart(
  main: string,
  named: string,
  includes: readonly string[],
  access: FileAccess,
): PathMap | undefined {
  const host = dirname(main);
  for (const path of includes) {
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length++) {
      const below = parts.slice(length).join("/");
      // A pattern of file names alone finds the main file.
      if (below === "" || /^[^/]*[*?[]/.test(below) || !findsFileBelow(fromReadable(host), below, access)) continue;
      return { host, server: toReadable(resolvePath(named, parts.slice(0, length).join("/"))) };
    }
  }
  return undefined;
}

/**
 * Returns the directory of a Windows server that is copied with its ServerRoot: its path there, and here. The ServerRoot
 * ends in the same names as the directory of the main file: `C:/xampp/apache` as `copy/apache`. Files that the main file
 * names must be found there.
 */
function findCopiedDrive(
  main: string,
  named: string,
  { includes, paths }: Pick<MainLines, "includes" | "paths">,
  access: FileAccess,
): PathMap | undefined {
  const root = serverRootAround(main);
  const [here, there] = [root, toReadable(toAbsolutePath(named) ?? "")].map((path) => path.split("/").filter(Boolean));
  if (here === undefined || there === undefined || !isOnDrive(`/${there.join("/")}`)) return undefined;
  let length = 0;
  const nameAt = (names: readonly string[]) => withLowerCase(names.at(-1 - length) ?? "");
  // The drive itself is not a name.
  while (length < there.length - 1 && nameAt(here) === nameAt(there)) length++;
  if (length === 0) return undefined;
  const host = `/${here.slice(0, here.length - length).join("/")}`;
  const server = `/${there.slice(0, there.length - length).join("/")}`;
  const isFound = (path: string) => {
    const below = isWithin(path, fromReadable(server)) ? path.slice(fromReadable(server).length + 1) : undefined;
    return below !== undefined && access.exists(resolvePath(fromReadable(host), below.replace(/\/?[^/]*[*?[].*$/, "")));
  };
  const isCopied = includes.some((path) => findsFileBelow(fromReadable(root), path, access)) || paths.some(isFound);
  return isCopied ? { host, server } : undefined;
}

/** Returns the root of a copied system in which the absolute path of a main file and of an Include are the same as on it. */
function findSystemAround(main: string, paths: readonly string[], access: FileAccess): string | undefined {
  for (const path of paths) {
    const [, top = ""] = /^(\/[^/]+\/[^/]+)\//.exec(toReadable(path)) ?? [];
    const end = top === "" ? -1 : main.lastIndexOf(`${top}/`);
    const sysroot = main.slice(0, Math.max(0, end));
    if (sysroot === "" || paths.some((each) => each.startsWith(fromReadable(`${sysroot}/`)))) continue;
    if (findsFileBelow(fromReadable(sysroot), path.slice(1), access)) return sysroot;
  }
  return undefined;
}

/** The main file of Debian and SUSE, whose ServerRoot is its directory without a line. */
const packagedMain = /(?<=.)\/etc\/apache2(?=\/(?:apache2|httpd)\.conf$)/;

/** Guesses the system root of a copy whose main file does not name the ServerRoot. */
function guessPackagedRoot(
  main: string,
  text: string,
  access: FileAccess,
  given: VariableValues,
): (GuessedRoot & { readonly sysroot: string }) | undefined {
  const [named] = packagedMain.exec(main) ?? [];
  if (named === undefined) return undefined;
  const root = dirname(main);
  const sysroot = findSystemRoot(root, named, linesOf(text, given), access);
  return sysroot === undefined ? undefined : { root, named, isByPath: true, isHere: false, sysroot };
}

/** Directories of a system that contain documents. */
const documentFolders = ["var", "srv", "home", "opt", "usr", "www", "data"];

/**
 * Returns the root of a copied system: `backup` for `backup/etc/httpd` and a ServerRoot `/etc/httpd`. Undefined if
 * nothing else of the system is there, or if the configuration names files below that directory: then it is not a copy.
 */
function findSystemRoot(
  root: string,
  named: string,
  { includes, paths }: Pick<MainLines, "includes" | "paths">,
  access: FileAccess,
): string | undefined {
  const clean = named.replace(/(?<=.)\/+$/, "");
  if (!clean.startsWith("/") || !root.endsWith(clean)) return undefined;
  const sysroot = root.slice(0, -clean.length);
  if (sysroot === "") return undefined;
  const isCopied = (path: string) => statOf(join(sysroot, path)) !== undefined;
  const [, own] = clean.split("/");
  const isWhole =
    documentFolders.some((name) => name !== own && isCopied(name)) ||
    paths.some((path) => isCopied(toReadable(path).replace(/\/[^/]*[*?[].*$/, "")));
  const prefix = fromReadable(`${sysroot}/`);
  const namesCopy = (text: string) => text.includes(prefix);
  return !isWhole || paths.some(namesCopy) || textsOf(root, includes, access).some(namesCopy) ? undefined : sysroot;
}

/** The most included files whose contents are searched. */
const MAX_SEARCHED_FILES = 100;

/** Returns the contents of the files that relative Include lines of the main file name. */
function textsOf(root: string, includes: readonly string[], access: FileAccess): readonly string[] {
  const files = includes.flatMap((path) => filesBelow(fromReadable(root), path, access));
  return files.slice(0, MAX_SEARCHED_FILES).map((file) => {
    const content = access.read(file);
    return content.ok ? content.value.text : "";
  });
}

/** A ServerRoot line whose meaning depends on no other line: without variables, and neither continued nor a continuation. */
const plainRoot = /(?:^|(?<!\\\r?)\n)([ \t]*ServerRoot[ \t][^\\$\n]*)(?=\n|$)/i;

interface MainLines {
  /** The arguments of ServerRoot lines. */
  readonly roots: readonly string[];
  /** The relative arguments of Include lines. */
  readonly includes: readonly string[];
  /** The absolute paths that the lines name. */
  readonly paths: readonly string[];
  /** Those of Include lines. */
  readonly includedPaths: readonly string[];
}

/** Directives whose last argument is a path. */
const pathDirectives: ReadonlySet<string> = new Set([
  "documentroot",
  "alias",
  "scriptalias",
  "include",
  "includeoptional",
]);

/** Reads the lines that the guess depends on; which conditional sections apply is not known yet. */
function linesOf(text: string, { environment, defines }: VariableValues): MainLines {
  const variables = new Variables(environment);
  for (const [name, value] of defines ?? []) variables.define(name, value);
  const roots: string[] = [];
  const includes: string[] = [];
  const paths: string[] = [];
  const includedPaths: string[] = [];
  const { lines } = parseFile({ path: "", realPath: "", text });
  for (let index = 0; index < lines.length; index++) {
    const line = lines.at(index);
    if (line?.kind !== "directive") continue;
    const name = text.slice(line.nameStart, line.nameEnd).toLowerCase();
    if (name !== "serverroot" && name !== "define" && !pathDirectives.has(name)) continue;
    const words = parseArguments(lines.restOf(text, index)).map(({ value }) =>
      value.replace(/\$\{([^}]+)\}/g, (use, variable: string) => variables.valueOf(variable) ?? use),
    );
    const [first, second] = words;
    const last = words.at(-1) ?? "";
    if (first === undefined || first === "") continue;
    if (name === "define") variables.define(first, second);
    else if (name === "serverroot") roots.push(first);
    else if (last.length > 1 && toAbsolutePath(last) !== undefined) {
      const path = toAbsolutePath(last) ?? last;
      paths.push(path);
      if (name.startsWith("include")) includedPaths.push(path);
    } else if (name.startsWith("include") && toAbsolutePath(first) === undefined) includes.push(first);
  }
  return { roots, includes, paths, includedPaths };
}

/** Returns a path relative to the ServerRoot; undefined if it is elsewhere. */
function relativePathIn(serverRoot: string, path: string): string | undefined {
  const folder = `${(toAbsolutePath(serverRoot) ?? serverRoot).replace(/\/+$/, "")}/`;
  return path.length > folder.length && isWithin(path, folder.slice(0, -1)) ? path.slice(folder.length) : undefined;
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
  return filesBelow(root, path, access).length > 0;
}

function filesBelow(root: string, path: string, access: FileAccess): readonly string[] {
  const included = findIncludedFiles(resolvePath(root, path), true, "2.4", access);
  return included.ok ? included.value.filter((file) => file.startsWith(`${root}/`) && access.exists(file)) : [];
}
