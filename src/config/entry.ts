import type { EntryKind } from "./model/project.js";

/**
 * Returns the kind of a single file, from its name and content.
 *
 * @param text a binary string; the start of a large file is enough
 */
export function entryKindOf(path: string, text: string): EntryKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^(?:httpd|apache2)\.conf$/i.test(name)) return "server";
  if (isHtaccessName(name)) return "htaccess";
  return isMainText(text) ? "server" : "fragment";
}

/** Reports whether a file name is that of a `.htaccess` file, or of a copy of one under another name. */
export function isHtaccessName(name: string): boolean {
  return /^\.ht/i.test(name) || /(?:^|[._-])htaccess(?:\.(?:txt|dist|sample))?$/i.test(name);
}

/** A quick test: texts without these words are fragments. */
const mainFileHint = /^[ \t]*(?:ServerRoot|Listen|LoadModule[ \t]+mpm_|Include(?:Optional)?)[ \t]/im;

/**
 * Reports whether a text has directives that only the main file of a server has. Packages have single ones in separate
 * files (Debian's ports.conf, Red Hat's 00-mpm.conf), so most of them indicate a main file only in combination.
 */
function isMainText(text: string): boolean {
  if (!mainFileHint.test(text)) return false;
  const found = topDirectives(text);
  if (found.has("serverroot")) return true;
  if (found.has("listen") && found.has("documentroot")) return true;
  const isRunning = processDirectives.some((name) => found.has(name));
  return (found.has(MPM) && (isRunning || found.has("include"))) || (found.has(REST) && isRunning);
}

/** Directives for the process or the whole server; they count only beside an MPM or an Include of the rest. */
const processDirectives = ["listen", "documentroot", "user", "group", "pidfile", "errorlog", "defaultruntimedir"];

/** The LoadModule of an MPM, and an Include of the other parts of a server. */
const MPM = "loadmodule mpm";
const REST = "include rest";

const restOfServer =
  /(?:^|\/)(?:(?:conf|mods|sites|vhosts)-enabled|(?:conf|conf\.modules|mods|modules|sites|vhosts)\.d|extra\/httpd-[^/]*|sites|vhosts)(?:\/|$)/i;

/** Conditional sections, whose content counts as top-level. */
const transparentSections = new Set(["ifmodule", "ifdefine", "ifversion", "iffile", "ifdirective", "ifsection"]);

/** Returns the names of the directives outside of sections, in lower case. */
function topDirectives(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  let depth = 0;
  for (const [, slash, section, name = "", argument = ""] of text.replace(/\\\r?\n/g, " ").matchAll(topLevelLine)) {
    if (section !== undefined) {
      if (!transparentSections.has(section.toLowerCase())) depth = Math.max(0, depth + (slash === "/" ? -1 : 1));
      continue;
    }
    if (depth > 0) continue;
    const key = name.toLowerCase().replace(/^includeoptional$/, "include");
    found.add(key);
    if (key === "loadmodule" && /^mpm_/i.test(argument)) found.add(MPM);
    if (key === "include" && restOfServer.test(argument.replace(/["']/g, ""))) found.add(REST);
  }
  return found;
}

/** A section's tag, or a directive with its first argument. */
const topLevelLine = /^[ \t]*(?:<(\/?)([a-z]\w*)|([a-z]\w*)[ \t]+(\S+))/gim;

/** The sections that a fragment is included in, outermost first, as their opening lines: `<Directory "/srv/app">`. */
export type FragmentContext = readonly string[];

/** The comment that names such a section: `# httpd-lint-context <Directory "/srv/app">`. */
export const CONTEXT_MARK = "httpd-lint-context";

/** The opening line of a section that a fragment can be included in. */
export const contextSectionTag =
  /^<(?:[Vv]irtual[Hh]ost|[Dd]irectory(?:[Mm]atch)?|[Ll]ocation(?:[Mm]atch)?|[Ff]iles(?:[Mm]atch)?|[Pp]roxy(?:[Mm]atch)?)[\t ]+[^>\s][^>\n]*>$/;
const contextComment = /^[\t ]*#[\t ]*httpd-lint-context(?:[\t :]+(.*))?$/;

/** Reports whether a text is the opening line of a section that a fragment can be included in. */
export function isContextSection(text: string): boolean {
  return contextSectionTag.test(text);
}

/** A comment that names a context, whether or not it has an effect. */
export interface ContextComment {
  /** The text after the mark. */
  readonly section: string;
  /** The offset of the line that it is in. */
  readonly start: number;
  readonly end: number;
  /** Whether it precedes all directives; if not, it has no effect. */
  readonly isLeading: boolean;
}

/** Finds the comments of a file that name its context. */
export function findContextComments(text: string): readonly ContextComment[] {
  if (!text.includes(CONTEXT_MARK)) return [];
  const found: ContextComment[] = [];
  let isLeading = true;
  let start = 0;
  for (const line of text.split("\n")) {
    const match = contextComment.exec(line.trimEnd());
    if (match) found.push({ section: (match[1] ?? "").trim(), start, end: start + line.trimEnd().length, isLeading });
    isLeading &&= /^\s*(?:#.*)?$/.test(line);
    start += line.length + 1;
  }
  return found;
}

/** Returns the context that the leading comments of a file name; empty if they name none. */
export function readFragmentContext(text: string): FragmentContext {
  return findContextComments(text)
    .filter((each) => each.isLeading && isContextSection(each.section))
    .map((each) => each.section);
}

/** Returns the lines that open and close the sections of a context. */
export function renderContextLines(context: FragmentContext): string {
  const closing = context.map((line) => `</${/^<(\w+)/.exec(line)?.[1] ?? ""}>`).reverse();
  return [...context, ...closing, ""].join("\n");
}
