import type { Release } from "../../directives/directives.js";
import { findModuleByManualName, listModules } from "../../directives/modules.js";
import { findClosestWord } from "../../text/closest-word.js";
import { lineTextOf } from "../../text/edits.js";
import { toReadable } from "../../text/source.js";
import type { FileAccess } from "../files/file-access.js";
import { resolvePath } from "../files/paths.js";
import { type LoadModule, sharedObjectOf } from "./modules.js";
import { type ProblemDescription, quoteText } from "./problems.js";
import type { Project } from "./project.js";

/**
 * The files that LoadModule lines name. A configuration is mostly read on another machine than the server's: that a file
 * is missing is told only where others of its kind lie in the same folder, and these are of the release that is asked about:
 * where a configuration moves to another one, the machine may have been there first.
 */
export class SharedObjects {
  /** By folder, the names of the shared objects in it; none where it cannot be gone by. */
  private readonly folders = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly access: FileAccess,
    private readonly release: Release,
  ) {}

  /** The names of all that lie in the folders asked about; undefined where any of these is not known. */
  knownNames(): ReadonlySet<string> | undefined {
    const all = [...this.folders.values()];
    return all.length === 0 || all.some(({ size }) => size === 0)
      ? undefined
      : new Set(all.flatMap((names) => [...names]));
  }

  /** What the server says of a file, as written, that is not there; undefined where it is, or may be. */
  describeMissingFile(serverRoot: string, file: string): ProblemDescription | undefined {
    // Templates are not judged.
    if (/@\w+@|%\w+%|\{\{|\$\{/.test(file)) return undefined;
    // Without a slash the system looks in folders of its own.
    const path = file.includes("/") ? resolvePath(serverRoot, file) : "";
    const [, folder = "", name = ""] = /^(\/[\s\S]*)\/([^/]+\.so)$/.exec(path) ?? [];
    if (name === "") return undefined;
    const names = this.namesIn(folder);
    if (names.size === 0 || names.has(name) || this.access.exists(path)) return undefined;
    const near = findClosestWord(name, names);
    return {
      problem: `there is no ${quoteText(name)} beside the other modules in ${quoteText(folder)}`,
      remedy: near ? `did you mean ${quoteText(near)}?` : "install the module, or take the line out",
      server: `Cannot load ${toReadable(file)} into server: ${toReadable(path)}: cannot open shared object file: No such file or directory`,
    };
  }

  private namesIn(folder: string): ReadonlySet<string> {
    const known = this.folders.get(folder);
    if (known) return known;
    const entries = this.access.list(folder);
    const names = "failed" in entries ? [] : entries.map(({ name }) => name).filter((name) => name.endsWith(".so"));
    const found = new Set(isOfOtherRelease(this.release, new Set(names)) ? [] : names);
    this.folders.set(folder, found);
    return found;
  }
}

/** Whether the modules in a folder are those of another release: only that has some of them. */
function isOfOtherRelease(release: Release, names: ReadonlySet<string>): boolean {
  const other = release === "2.4" ? "2.2" : "2.4";
  return isOnlyOf(other, release, names) && !isOnlyOf(release, other, names);
}

function isOnlyOf(release: Release, other: Release, names: ReadonlySet<string>): boolean {
  return listModules(release).some(
    ({ name }) => names.has(`${name}.so`) && findModuleByManualName(other, name) === undefined,
  );
}

/** A LoadModule line taken apart, so that others can be written like it. */
interface LoadModuleStyle {
  readonly indent: string;
  readonly name: string;
  /** What stands between identifier and file: blanks, a quote, the folder. */
  readonly folder: string;
  readonly quote: string;
  readonly end: string;
}

/** `LoadModule alias_module "modules/mod_alias.so"`, with the blanks before it and the end of its line. */
const loadModulePattern =
  /^([\t ]*)(LoadModule[\t ]+)\w+_module([\t ]+(["']?)(?:[^\t\n\r "']*\/)?)mod_\w+\.so\4[\t ]*(\r?)$/i;

function styleOf(line: LoadModule): LoadModuleStyle | undefined {
  const match = loadModulePattern.exec(lineTextOf(line.span) ?? "");
  if (match === null) return undefined;
  const [, indent = "", name = "", folder = "", quote = "", end = ""] = match;
  return { indent, name, folder, quote, end };
}

/** The line that a LoadModule line for another module would be, without its line feed; undefined where it is of no usual form. */
export function formatLoadModule(line: LoadModule, identifier: string): string | undefined {
  const style = styleOf(line);
  if (style === undefined) return undefined;
  const { indent, name, folder, quote, end } = style;
  return `${indent}${name}${identifier}${folder}${sharedObjectOf(identifier)}${quote}${end}`;
}

/** A LoadModule line in a guard that keeps it from a server which has the module in it. */
export function guardLoadModule(line: string, identifier: string): string {
  const [, indent = "", rest = "", end = ""] = /^([\t ]*)(.*?)(\r?)$/.exec(line) ?? [];
  return `${indent}<IfModule !${identifier}>${end}\n${indent}    ${rest}${end}\n${indent}</IfModule>${end}`;
}

/** Whether modules are loaded a file each, as Debian's a2enmod has it. */
export function isDebianLayout({ loadModules }: Project): boolean {
  return loadModules.some(({ span }) => /\/mods-(?:enabled|available)\/[^/]+\.load$/.test(span.file.path));
}

/** The LoadModule line to write others behind: the last of the main file outside of guards, or else of all files. */
export function findLastLoadModule({ entry, loadModules }: Project): LoadModule | undefined {
  const inMain = loadModules.filter(({ span }) => span.file.path === entry);
  const lines = inMain.length > 0 ? inMain : loadModules;
  return lines.findLast(({ guard }) => guard === undefined) ?? lines.at(-1);
}
