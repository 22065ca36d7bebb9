import { textOfLines } from "../text/edits.js";
import { type LoadModule, sharedObjectOf } from "./modules.js";
import type { Project } from "./project.js";

/** A LoadModule line taken apart, so that others can be written like it. */
interface Style {
  readonly indent: string;
  readonly name: string;
  /** What stands between identifier and file: blanks, a quote, the folder. */
  readonly folder: string;
  readonly quote: string;
  readonly end: string;
}

/** `LoadModule alias_module "modules/mod_alias.so"`, with the blanks before it and the end of its line. */
const usual = /^([\t ]*)(LoadModule[\t ]+)\w+_module([\t ]+(["']?)(?:[^\t\n\r "']*\/)?)mod_\w+\.so\4[\t ]*(\r?)$/i;

function styleOf(line: LoadModule): Style | undefined {
  const match = usual.exec(textOfLines(line.span) ?? "");
  if (match === null) return undefined;
  const [, indent = "", name = "", folder = "", quote = "", end = ""] = match;
  return { indent, name, folder, quote, end };
}

/** The line that a LoadModule line for another module would be, without its line feed; undefined where it is of no usual form. */
export function loadLineLike(line: LoadModule, identifier: string): string | undefined {
  const style = styleOf(line);
  if (style === undefined) return undefined;
  const { indent, name, folder, quote, end } = style;
  return `${indent}${name}${identifier}${folder}${sharedObjectOf(identifier)}${quote}${end}`;
}

/** A LoadModule line in a guard that keeps it from a server which has the module in it. */
export function unlessBuiltIn(line: string, identifier: string): string {
  const [, indent = "", rest = "", end = ""] = /^([\t ]*)(.*?)(\r?)$/.exec(line) ?? [];
  return `${indent}<IfModule !${identifier}>${end}\n${indent}    ${rest}${end}\n${indent}</IfModule>${end}`;
}

/** Whether modules are loaded a file each, as Debian's a2enmod has it. */
export function isDebianLayout({ loadModules }: Project): boolean {
  return loadModules.some(({ span }) => /\/mods-(?:enabled|available)\/[^/]+\.load$/.test(span.file.path));
}

/** The LoadModule line to write others behind: the last of the main file outside of guards, or else of all files. */
export function lastLoadLine({ entry, loadModules }: Project): LoadModule | undefined {
  const inMain = loadModules.filter(({ span }) => span.file.path === entry);
  const lines = inMain.length > 0 ? inMain : loadModules;
  return lines.findLast(({ guard }) => guard === undefined) ?? lines.at(-1);
}
