import { readRedirect } from "../../httpd/mapping/redirects.js";
import { documentRootOf, mapUrl, type UrlMapping } from "../../httpd/mapping/url-mapping.js";
import { argumentValuesOf } from "../../httpd/model/config-layer.js";
import { Oracle } from "../../httpd/model/oracle.js";
import { compileRegexPattern, substituteGroups } from "../../httpd/model/patterns.js";
import type { Server } from "../../httpd/model/server.js";
import { collapseSlashes, slashRulesOf } from "../../httpd/request/url-normalization.js";
import { targetOf as sectionTarget } from "../../httpd/sections/section-index.js";
import { DirectoryWalker } from "../../httpd/walk/directory-walk.js";
import { enumerateTexts, type RegularLanguage } from "../../logic/languages/regular-language.js";
import { parsePattern } from "../../logic/pcre/pattern-parser.js";
import { hasWildcard } from "../../project/files/fnmatch.js";
import { resolvePath } from "../../project/files/paths.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { Numbering } from "../model/server-pairs.js";
import type { InexactPredicate } from "./path-predicates.js";

/** Where the URL paths lead that are mapped by one line. */
export type MappingTarget =
  /** What follows the prefix is put behind the target. */
  | {
      readonly kind: "file" | "backend";
      readonly prefix: string;
      readonly target: string;
      /** Whether the target itself is a directory that is there for sure. */
      readonly isRoot: boolean;
    }
  /** All to one file. */
  | { readonly kind: "constant"; readonly target: string };

/** What a server makes of some URL paths: a lead, or nothing that hangs on the rest of them. */
export interface PathMapping {
  readonly mappingTarget: MappingTarget | undefined;
  /** The same for paths that are led by the same line. */
  readonly key: string;
  readonly uncut: InexactPredicate | undefined;
  /** The line, where one leads. */
  readonly by: Directive | undefined;
  /** Whether the rest of the path counts only where lines look at the URL of a backend. */
  readonly isOfBackend: boolean;
}

/** Finds out which line leads URL paths where, by one path for all that are mapped alike. */
export class MappingTargets {
  private readonly walks: DirectoryWalker;
  private readonly numbers = new Numbering<Directive>();

  constructor(private readonly project: Project) {
    this.walks = new DirectoryWalker(project, { kindOf: () => "unknown" }, () => []);
  }

  of(path: string, server: Server): PathMapping {
    const { project } = this;
    const questions = new Oracle(new Map());
    const early = this.walks.configOf(server).extend("location", this.walks.locations(path, server, questions));
    const mapping = mapUrl(path, server, project, { kindOf: () => "unknown" }, questions, early);
    const key = `${mapping.kind} ${mapping.by ? this.numbers.of(mapping.by) : ""}`;
    const { by } = mapping;
    const isOfBackend = mapping.kind === "proxy" && hasFixedHost(mapping.by) && !keepsEscapes(server);
    if (mapping.kind === "answered")
      return { mappingTarget: undefined, key, uncut: inexactRedirect(mapping.by), by, isOfBackend };
    const lead =
      mapping.kind === "proxy" ? backendMappingTarget(mapping.by) : fileMappingTarget(mapping, path, server, project);
    const isSure = mapping.kind !== "proxy" || isOfBackend;
    const isFollowed =
      isSure && questions.undecidable === undefined && lead && applyMapping(lead, path) === targetOf(mapping);
    if (isFollowed)
      return { mappingTarget: lead, key: `${key} ${mappingKey(lead)}`, uncut: undefined, by, isOfBackend };
    const { undecidable, undecidableBy: directive = mapping.by } = questions;
    // In the same words as what is said of each request for such a path.
    const reason = undecidable ?? "where it leads hangs on the path in a way that is not followed";
    return {
      mappingTarget: undefined,
      key: `${key} uncut`,
      uncut: directive && { reason, directive },
      by,
      isOfBackend,
    };
  }
}

function targetOf(mapping: Exclude<UrlMapping, { readonly kind: "answered" }>): string {
  return mapping.kind === "proxy" ? mapping.target : mapping.filename;
}

/** The patterns of one line may lead to several places. */
function mappingKey(lead: MappingTarget): string {
  return lead.kind === "constant" ? lead.target : `${lead.prefix} ${lead.target}`;
}

/** Whether the walk to where a lead takes a path has an end that is told. */
export function hasWalkEnd({ kind }: MappingTarget): boolean {
  return kind !== "backend";
}

/** Where a lead takes a path. */
export function applyMapping(lead: MappingTarget, path: string): string {
  if (lead.kind === "constant") return lead.target;
  const text = lead.target + path.slice(lead.prefix.length);
  return lead.kind === "file" ? resolvePath("/", text) : text;
}

type FileMapping = UrlMapping & { readonly kind: "file" };

function fileMappingTarget(
  { filename, by }: FileMapping,
  path: string,
  server: Server,
  project: Project,
): MappingTarget | undefined {
  if (by === undefined || by.key === "documentroot")
    return { kind: "file", prefix: "", target: documentRootOf(server, project), isRoot: true };
  if (isInSection(by)) return { kind: "constant", target: filename };
  const [from = "", to = ""] = argumentValuesOf(by);
  switch (by.key) {
    case "alias":
    case "scriptalias": {
      const prefix = collapseSlashes(from);
      // A part that is only dots may grow into another name.
      if (prefix.endsWith("/") && /(^|\/)\.{1,2}$/.test(to)) return undefined;
      return { kind: "file", prefix, target: resolvePath(project.serverRoot, to), isRoot: false };
    }
    case "aliasmatch":
    case "scriptaliasmatch":
      return /\$\d/.test(to)
        ? findGroupMapping({ from, to }, path, filename, project)
        : { kind: "constant", target: filename };
    default:
      return undefined;
  }
}

function backendMappingTarget(by: Directive): MappingTarget | undefined {
  const section = isInSection(by) ? by.parent : undefined;
  const words = argumentValuesOf(by);
  const [from, to = ""] = section
    ? [sectionTarget(section)?.text, words[0]]
    : words[0] === "~"
      ? words.slice(1)
      : words;
  const isPattern = by.key === "proxypassmatch" || (section ? hasWildcard(from ?? "") : words[0] === "~");
  if (from === undefined || (isPattern && /\$\d/.test(to))) return undefined;
  const prefix = isPattern ? "" : collapseSlashes(from);
  return { kind: "backend", prefix, target: `proxy:${to}`, isRoot: false };
}

/** Whether the path has no part in which host a backend is asked at, or in which way. */
function hasFixedHost(by: Directive): boolean {
  return argumentValuesOf(by).some(
    (word) =>
      word === "!" || (/^(unix:[^|]*\|)?[a-z0-9+.-]+:\/\/[^/$]+(\/|$)/i.test(word) && !extendsHostName(by, word)),
  );
}

/** Whether what follows is taken for a part of the host's name. */
function extendsHostName(by: Directive, to: string): boolean {
  if (by.key === "proxypassmatch" || /:\/\/[^/]*\//.test(to)) return false;
  const words = argumentValuesOf(by);
  const from = isInSection(by) ? sectionTarget(by.parent ?? by)?.text : words[words.indexOf(to) - 1];
  return from?.endsWith("/") === true;
}

/** There a percent sign that is none any more may make a URL that mod_proxy refuses. */
function keepsEscapes({ layers }: Server): boolean {
  return slashRulesOf(layers).encoded === "kept";
}

function isInSection({ parent }: Directive): boolean {
  return parent !== undefined && parent.key !== "<virtualhost";
}

/** Whether a redirect is one that leads nowhere hangs on what its pattern found. */
function inexactRedirect(directive: Directive): InexactPredicate | undefined {
  const to = readRedirect(directive, isInSection(directive))?.to;
  if (directive.key !== "redirectmatch" || to === undefined || !to.startsWith("$")) return undefined;
  return { reason: "whether it leads anywhere hangs on what its pattern finds", directive };
}

/** One of the texts that paths start with for which a pattern is: `/manual/de` and `/manual` of `^/manual(?:/de)?(/.*)?$`. */
interface PatternHead {
  readonly text: string;
  /** Finds the paths of the pattern that start so. Those that an earlier one is for as well are the earlier one's. */
  readonly pattern: string;
}

/** So many are told apart. */
const MAX_HEADS = 64;

/** A head, a group for all that is behind it, and the end; the head and the rest may be all that there is. */
const headAndRest = /^(\^.*?)(\((\/?)\.[*+]\)(\??))?(\$?)$/s;

/** `$0` to `$9`. */
const MAX_GROUPS = 10;

/** What is read in another order, or says how the rest is to be read. */
const unsupportedSyntax = /\(\?[^:]|\\Q|\?\?|\}/;

/** The heads of a pattern that takes a few and whatever is behind them, in the order in which the server tries them. */
export function findPatternHeads(pattern: string): readonly PatternHead[] {
  const [, head = "", rest = "", slash, optional, end = ""] = headAndRest.exec(pattern) ?? [];
  // Of what is behind a rest that may be left out it is not told whether it goes along.
  if (head === "" || unsupportedSyntax.test(head) || (slash && optional && !end)) return [];
  const reading = parsePattern(head);
  const texts = reading.kind === "regular" ? anchoredTexts(reading.found) : undefined;
  return (texts ?? []).map((text) => ({ text, pattern: `^${escapeLiteral(text)}${rest}${end}` }));
}

/** Where a `^` is for all of it. */
function anchoredTexts(found: RegularLanguage): readonly string[] | undefined {
  if (found.kind === "start") return [""];
  if (found.kind !== "sequence") return undefined;
  const [first, ...parts] = found.parts;
  return first?.kind === "start" ? enumerateTexts({ kind: "sequence", parts }, MAX_HEADS) : undefined;
}

function escapeLiteral(text: string): string {
  return text.replace(/[^\w/]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/**
 * Where AliasMatch leads a path, and all that start with the same head: its groups but the last are the same for them, and the
 * last is the rest of the path.
 *
 * @param filename of that path
 * @returns undefined where it hangs on the rest of the path in another way
 */
function findGroupMapping(
  { from, to }: { readonly from: string; readonly to: string },
  path: string,
  filename: string,
  { serverRoot }: Project,
): MappingTarget | undefined {
  const questions = new Oracle(new Map());
  const head = findPatternHeads(from).find(({ pattern }) => compileRegexPattern(pattern).matches(path, questions));
  const groups = compileRegexPattern(from).find(path, questions) ?? [];
  // Of a `\` or `&` the releases make different things.
  if (head === undefined || /[\\&]/.test(to)) return undefined;
  const [, , rest, slash] = headAndRest.exec(from) ?? [];
  if (groups.length > MAX_GROUPS) return undefined;
  const last = `$${groups.length - 1}`;
  if (rest === undefined || !(to.includes(last) || to.includes("$0"))) return { kind: "constant", target: filename };
  const written = to.slice(0, -last.length);
  if (!to.endsWith(last) || written.includes(last) || written.includes("$0")) return undefined;
  const folder = substituteGroups(written, groups, questions);
  if (questions.undecidable !== undefined) return undefined;
  // What is behind a head without a slash may be two dots.
  const startsPart = folder.endsWith("/") && !slash && head.text !== "" && !head.text.endsWith("/");
  if (folder === "" || startsPart || /(^|\/)\.{1,2}$/.test(folder)) return undefined;
  return { kind: "file", prefix: head.text, target: resolvePath(serverRoot, folder), isRoot: false };
}
