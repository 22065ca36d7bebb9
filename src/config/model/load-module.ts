import { findModuleByManualName, listModules } from "../../facts/modules.js";
import { isSince, type Release } from "../../facts/release.js";
import { findClosestWord } from "../../text/closest-word.js";
import { getOrCreate } from "../../text/collections.js";
import { lineTextOf } from "../../text/edits.js";
import type { FileAccess } from "../files/file-access.js";
import { resolvePath } from "../files/paths.js";
import { type RefusalText, wordingOf } from "../refusals/refusal.js";
import { type LoadModule, sharedObjectOf } from "./modules.js";
import type { Project } from "./project.js";

/**
 * The files that LoadModule lines name. A configuration is usually not read on the server's machine. So a missing file
 * is reported only if its folder has other modules, and these belong to the target version. During an upgrade, this
 * machine may have been upgraded first.
 */
export class SharedObjects {
  /** The names of the shared objects by folder; empty if the folder cannot be relied on. */
  private readonly folders = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly access: FileAccess,
    private readonly release: Release,
  ) {}

  /** Returns the names of all shared objects in the queried folders; undefined if any folder is unknown. */
  knownNames(): ReadonlySet<string> | undefined {
    const all = [...this.folders.values()];
    return all.length === 0 || all.some(({ size }) => size === 0)
      ? undefined
      : new Set(all.flatMap((names) => [...names]));
  }

  /** Returns the server's error for a missing file, as written; undefined if it exists or may exist. */
  describeMissingFile(serverRoot: string, file: string): RefusalText | undefined {
    // Templates are not checked.
    if (/@\w+@|%\w+%|\{\{|\$\{/.test(file)) return undefined;
    // For a name without a slash, the system searches its own folders.
    const path = file.includes("/") ? resolvePath(serverRoot, file) : "";
    const [, folder = "", name = ""] = /^(\/[\s\S]*)\/([^/]+\.so)$/.exec(path) ?? [];
    if (name === "") return undefined;
    const names = this.namesIn(folder);
    if (names.size === 0 || names.has(name) || this.access.exists(path)) return undefined;
    const near = findClosestWord(name, names);
    return near === undefined
      ? wordingOf("missing-module-file", name, folder, file, path)
      : wordingOf("misspelled-module-file", name, folder, near, file, path);
  }

  private namesIn(folder: string): ReadonlySet<string> {
    return getOrCreate(this.folders, folder, () => {
      const entries = this.access.list(folder);
      const names = entries.ok ? entries.value.map(({ name }) => name).filter((name) => name.endsWith(".so")) : [];
      return new Set(isOfOtherRelease(this.release, new Set(names)) ? [] : names);
    });
  }
}

/** Reports whether the modules in a folder belong to another release: only that one has some of them. */
function isOfOtherRelease(release: Release, names: ReadonlySet<string>): boolean {
  const other = isSince(release, "2.4") ? "2.2" : "2.4";
  return isOnlyOf(other, release, names) && !isOnlyOf(release, other, names);
}

function isOnlyOf(release: Release, other: Release, names: ReadonlySet<string>): boolean {
  return listModules(release).some(
    ({ name }) => names.has(`${name}.so`) && findModuleByManualName(other, name) === undefined,
  );
}

/** The parts of a LoadModule line, as a template for others. */
interface LoadModuleStyle {
  readonly indent: string;
  readonly name: string;
  /** The text between identifier and file: blanks, a quote, the folder. */
  readonly folder: string;
  readonly quote: string;
  readonly end: string;
}

/** `LoadModule alias_module "modules/mod_alias.so"`, with leading blanks and the end of its line. */
const loadModulePattern =
  /^([\t ]*)(LoadModule[\t ]+)\w+_module([\t ]+(["']?)(?:[^\t\n\r "']*\/)?)mod_\w+\.so\4[\t ]*(\r?)$/i;

function styleOf(line: LoadModule): LoadModuleStyle | undefined {
  const match = loadModulePattern.exec(lineTextOf(line.span) ?? "");
  if (match === null) return undefined;
  const [, indent = "", name = "", folder = "", quote = "", end = ""] = match;
  return { indent, name, folder, quote, end };
}

/**
 * Returns a LoadModule line for another module in the same style, without its line feed; undefined if the style is
 * unusual.
 */
export function formatLoadModule(line: LoadModule, identifier: string): string | undefined {
  const style = styleOf(line);
  if (style === undefined) return undefined;
  const { indent, name, folder, quote, end } = style;
  return `${indent}${name}${identifier}${folder}${sharedObjectOf(identifier)}${quote}${end}`;
}

/** Returns a LoadModule line in a conditional section, which skips it on a server with the module compiled in. */
export function guardLoadModule(line: string, identifier: string): string {
  const [, indent = "", rest = "", end = ""] = /^([\t ]*)(.*?)(\r?)$/.exec(line) ?? [];
  return `${indent}<IfModule !${identifier}>${end}\n${indent}    ${rest}${end}\n${indent}</IfModule>${end}`;
}

/** Reports whether each module is loaded from a file of its own, as by Debian's a2enmod. */
export function isDebianLayout({ loadModules }: Project): boolean {
  return loadModules.some(({ span }) => /\/mods-(?:enabled|available)\/[^/]+\.load$/.test(span.file.path));
}

/**
 * Returns the LoadModule line to insert others after: the last unconditional one of the main file, or else of all
 * files.
 */
export function findLastLoadModule({ entry, loadModules }: Project): LoadModule | undefined {
  const inMain = loadModules.filter(({ span }) => span.file.path === entry);
  const lines = inMain.length > 0 ? inMain : loadModules;
  return lines.findLast(({ guard }) => guard === undefined) ?? lines.at(-1);
}
