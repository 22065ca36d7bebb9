import {
  comparePatterns,
  type Directive,
  escapePattern,
  hasWildcard,
  readRedirect,
} from "../../src/lint/api/configuration.js";

/** The modules that map a URL, in the order in which httpd asks them (mod_proxy.c `proxy_trans`, mod_alias.c); a page for failing backends. */
type MappingKind = "proxy" | "redirect" | "alias" | "document";

/** A line that maps URLs, and which ones. */
export interface MappingLine {
  readonly kind: MappingKind;
  readonly directive: Directive;
  readonly from: string;
  readonly isPattern: boolean;
  /** The target; undefined for a Redirect without one. */
  readonly to: string | undefined;
  /** The Location section around the line, whose path it maps. */
  readonly section: Directive | undefined;
}

const kinds: ReadonlyMap<string, MappingKind> = new Map([
  ["proxypass", "proxy"],
  ["proxypassmatch", "proxy"],
  ["redirect", "redirect"],
  ["redirectmatch", "redirect"],
  ["redirectpermanent", "redirect"],
  ["redirecttemp", "redirect"],
  ["alias", "alias"],
  ["aliasmatch", "alias"],
  ["scriptalias", "alias"],
  ["scriptaliasmatch", "alias"],
  ["errordocument", "document"],
  ["wsgiscriptalias", "alias"],
  ["wsgiscriptaliasmatch", "alias"],
]);

export const mappingNames: readonly string[] = [...kinds.keys()];

/** Returns the lines of a server that map URLs, in the order of the file; those in Location sections are among them. */
export function listMappingLines(directives: readonly Directive[]): readonly MappingLine[] {
  return directives.flatMap((line) => {
    if (line.key !== "<location" && line.key !== "<locationmatch") return readLine(line, undefined);
    return (line.children ?? []).flatMap((child) => readLine(child, line));
  });
}

function readLine(directive: Directive, section: Directive | undefined): readonly MappingLine[] {
  const kind = kinds.get(directive.key);
  // A Redirect in a section applies after access control, also to requests for a backend (mod_alias.c `fixup_redir`).
  if (kind === undefined || (section && (kind === "redirect" || kind === "document"))) return [];
  const source = section ? sourceInSection(directive, section) : sourceOf(directive, kind);
  // The value of a variable, of the request or of the environment, is unknown.
  if (source === undefined || (!source.isPattern && /[$%]/.test(source.from)) || source.from.includes("${")) return [];
  return [{ kind, directive, section, ...source }];
}

type Source = Pick<MappingLine, "from" | "isPattern" | "to">;

function sourceOf(directive: Directive, kind: MappingKind): Source | undefined {
  const words = directive.arguments.map(({ value }) => value);
  if (kind === "document") return documentOf(words);
  const isPattern = directive.key.endsWith("match") || words[0] === "~";
  const read = kind === "redirect" ? readRedirect(directive, false) : undefined;
  const [from, to] = read ? [read.from, read.to] : words[0] === "~" ? words.slice(1) : words;
  if (from === undefined || (kind !== "redirect" && to === undefined)) return undefined;
  return isPattern || from.startsWith("/") ? { from, isPattern, to } : undefined;
}

/** Returns the path of the page for a backend that fails. */
function documentOf([code = "", path = ""]: readonly string[]): Source | undefined {
  return /^50[234]$/.test(code) && /^\/[^?#\s]+$/.test(path) ? { from: path, isPattern: false, to: path } : undefined;
}

/** In a section, a line maps the path of the section. */
function sourceInSection(directive: Directive, section: Directive): Source | undefined {
  const words = section.arguments.map(({ value }) => value);
  const isPattern = section.key === "<locationmatch" || words[0] === "~";
  const from = words[0] === "~" ? words[1] : words[0];
  if (from === undefined) return undefined;
  if (!isPattern && (!from.startsWith("/") || hasWildcard(from))) return undefined;
  return { from, isPattern, to: directive.arguments[0]?.value };
}

/**
 * Returns the ProxyPass that takes every request of a line; undefined if there is none. Location sections come before
 * other lines, the last one first (mod_proxy.c `proxy_trans`).
 *
 * @param proxies those of the server, in order
 */
export function findShadowing(line: MappingLine, proxies: readonly MappingLine[]): MappingLine | undefined {
  const place = proxies.indexOf(line);
  const isOther = (each: MappingLine) => each !== line && covers(each, line);
  const inSections = (each: MappingLine, index: number) =>
    each.section !== undefined && (line.section === undefined || index > place) && isOther(each);
  if (line.kind === "proxy") {
    const later = proxies.findLast(inSections);
    if (later !== undefined || line.section !== undefined) return later;
    return proxies.find((each, index) => each.section === undefined && index < place && isOther(each));
  }
  // Paths that a ProxyPass excludes are left to the other modules.
  if (proxies.some((each) => each.to === "!" && mayShare(each, line))) return undefined;
  const { file } = line.directive.span;
  return proxies.find((each) => each.to !== "!" && each.directive.span.file === file && covers(each, line));
}

/** Reports whether two lines of ProxyPass send the requests of the second one alike. */
export function hasSameTarget(line: MappingLine, by: MappingLine): boolean {
  if (line.kind !== "proxy") return false;
  if (line.to === "!" || by.to === "!") return line.to === by.to;
  const settingsOf = ({ directive, section }: MappingLine) =>
    directive.arguments.slice(section ? 1 : 2).map(({ value }) => value);
  if (settingsOf(line).join(" ") !== settingsOf(by).join(" ")) return false;
  if (line.isPattern || by.isPattern) return line.from === by.from && line.to === by.to;
  return `${by.to}${line.from.slice(by.from.length)}` === line.to;
}

/** Reports whether some path may be one of both lines. */
function mayShare(line: MappingLine, other: MappingLine): boolean {
  return comparePatterns(textsOf(other), line.isPattern ? line.from : prefixPattern(line.from), false) !== "none";
}

/** Reports whether a line maps every path that another one maps. */
function covers(line: MappingLine, other: MappingLine): boolean {
  if (line.from === other.from && line.isPattern === other.isPattern) return true;
  return comparePatterns(textsOf(other), line.isPattern ? line.from : prefixPattern(line.from), false) === "all";
}

/** Returns a pattern of the paths that begin with another one, at the end of a word (mod_alias.c `alias_matches`). */
function prefixPattern(from: string): string {
  return `^${escapePattern(from)}${from.endsWith("/") ? "" : "(?:/|$)"}`;
}

/** Returns a pattern of the texts that a line maps, as a whole. */
function textsOf({ from, isPattern }: MappingLine): string {
  if (!isPattern) return `${escapePattern(from)}${from.endsWith("/") ? ".*" : "(?:/.*)?"}`;
  // With alternatives, `^` and `$` may belong to one of them.
  if (from.includes("|")) return `/.*`;
  const [, start, body, end] = /^(\^?)(.*?)((?<!\\)\$)?$/s.exec(from) ?? [];
  return `${start ? "" : "/.*"}${body}${end === undefined ? ".*" : ""}`;
}
