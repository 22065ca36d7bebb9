import { resolvePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { hasGroupReference } from "../../config/queries/line-effects.js";
import { enumerateTexts, type RegularLanguage } from "../../regex/automata/regular-language.js";
import { parsePattern } from "../../regex/pcre/language.js";
import { evaluateConstantText, readRedirect } from "../../server/mapping/redirects.js";
import {
  documentRootOf,
  mapUrl,
  mayTurnOffProxies,
  needsUpgrade,
  preservesPath,
  type UrlMapping,
} from "../../server/mapping/url-mapping.js";
import { argumentValuesOf, firstArgumentOf } from "../../server/model/config-layer.js";
import { Oracle } from "../../server/model/oracle.js";
import { compileRegexPattern, stripAliasPrefix, substituteGroups } from "../../server/model/patterns.js";
import type { Server } from "../../server/model/server.js";
import { isWithinServerPath } from "../../server/request/server-names.js";
import { collapseSlashes, slashRulesOf } from "../../server/request/url-normalization.js";
import { targetOf as sectionTarget } from "../../server/sections/section-index.js";
import { DirectoryWalker } from "../../server/walk/directory-walk.js";
import { hasWildcard } from "../../text/wildcards.js";
import { Numbering } from "../model/server-pairs.js";
import { reasonFor } from "../model/unproved-reasons.js";
import type { InexactPredicate } from "./path-predicates.js";

/** The target of the URL paths that one line maps. */
export type MappingTarget =
  /** The part after the prefix is appended to the target. */
  | {
      readonly kind: "file" | "backend";
      readonly prefix: string;
      readonly target: string;
      /** Whether the target itself is a directory known to exist. */
      readonly isRoot: boolean;
    }
  /** All paths map to one file. */
  | { readonly kind: "constant"; readonly target: string };

/** A server's mapping of some URL paths: a target, or a result that does not depend on the rest of the path. */
export interface PathMapping {
  readonly mappingTarget: MappingTarget | undefined;
  /** Equal for paths that the same line maps. */
  readonly key: string;
  readonly inexact: InexactPredicate | undefined;
  /** The mapping line, if any. */
  readonly by: Directive | undefined;
  /** Whether the rest of the path counts only if lines read the URL of a backend. */
  readonly isOfBackend: boolean;
  /**
   * Set if it is a file whose name does not follow from the path in a way that is analyzed, if a variable may replace the
   * backend by such a file, or if the URL of the backend does not follow from the path.
   */
  readonly unknown: "target" | "backend or target" | "any target" | undefined;
}

/** Determines the mapping line and target of URL paths, by one path for all that are mapped alike. */
export class MappingTargets {
  private readonly walks: DirectoryWalker;
  private readonly numbers = new Numbering<Directive>();

  constructor(private readonly project: Project) {
    this.walks = new DirectoryWalker(project, { kindOf: () => "unknown" }, () => []);
  }

  of(path: string, server: Server): PathMapping {
    const { project } = this;
    const oracle = new Oracle(new Map(), true);
    const early = this.walks.configOf(server).extend("location", this.walks.locations(path, server, oracle));
    const mapping = mapUrl({
      path,
      server,
      project,
      files: { kindOf: () => "unknown" },
      oracle,
      early,
      textOf: evaluateConstantText,
    });
    const key = `${mapping.kind} ${mapping.by ? this.numbers.of(mapping.by) : ""}`;
    const { by } = mapping;
    const isKnown = { unknown: undefined };
    // A variable may turn off the proxy, or a request lacks a header, and the path then leads to a file.
    const isOptional =
      mapping.kind === "proxy" && (mayTurnOffProxies(project) || needsUpgrade(mapping, project, early));
    const isOfBackend = mapping.kind === "proxy" && hasFixedHost(mapping.by) && !keepsEscapes(server);
    if (mapping.kind === "answered")
      return { mappingTarget: undefined, key, inexact: inexactRedirect(mapping.by), by, isOfBackend, ...isKnown };
    const mappingTarget =
      mapping.kind === "proxy"
        ? backendMappingTarget(mapping.by)
        : fileMappingTarget(mapping, path, server, project, preservesPath(early));
    const isSure = mapping.kind !== "proxy" || isOfBackend;
    const isFollowed =
      isSure &&
      oracle.undecidable === undefined &&
      mappingTarget &&
      applyMapping(mappingTarget, path) === targetOf(mapping);
    if (isFollowed) {
      const followed = { mappingTarget, key: `${key} ${mappingKey(mappingTarget)}`, by };
      if (!isOptional) return { ...followed, inexact: undefined, isOfBackend, ...isKnown };
      const inexact = by && { reason: reasonFor("target-of-variable"), directive: by };
      return { ...followed, inexact, isOfBackend: false, unknown: "backend or target" };
    }
    const { undecidable, undecidableBy: directive = mapping.by } = oracle;
    // The fact is also the reason for each request with such a path.
    const reason = undecidable ?? reasonFor("target-not-analyzed");
    return {
      mappingTarget: undefined,
      key: `${key} uncut`,
      inexact: directive && { reason, directive },
      by,
      isOfBackend,
      unknown: mapping.kind === "file" ? "target" : "any target",
    };
  }
}

function targetOf(mapping: Exclude<UrlMapping, { readonly kind: "answered" }>): string {
  return mapping.kind === "proxy" ? mapping.target : mapping.filename;
}

/** Returns a key for a target: the patterns of one line may have several. */
function mappingKey(mappingTarget: MappingTarget): string {
  return mappingTarget.kind === "constant" ? mappingTarget.target : `${mappingTarget.prefix} ${mappingTarget.target}`;
}

/** Reports whether the end of the walk to a mapping target is tracked. */
export function hasWalkEnd({ kind }: MappingTarget): boolean {
  return kind !== "backend";
}

/** Returns the target of a path. */
export function applyMapping(mappingTarget: MappingTarget, path: string): string {
  if (mappingTarget.kind === "constant") return mappingTarget.target;
  const text = mappingTarget.target + path.slice(mappingTarget.prefix.length);
  return mappingTarget.kind === "file" ? resolvePath("/", text) : text;
}

type FileMapping = UrlMapping & { readonly kind: "file" };

function fileMappingTarget(
  { filename, by }: FileMapping,
  path: string,
  server: Server,
  project: Project,
  isPathKept: boolean,
): MappingTarget | undefined {
  if (by === undefined || by.key === "documentroot")
    return { kind: "file", prefix: serverPathOf(path, server), target: documentRootOf(server, project), isRoot: true };
  if (isInSection(by)) return isPathKept ? keptPathTarget(by, path, filename) : { kind: "constant", target: filename };
  const [from = "", to = ""] = argumentValuesOf(by);
  switch (by.key) {
    case "wsgiscriptalias":
      // The whole path is appended for this location.
      if (from === "/") return { kind: "file", prefix: "", target: resolvePath("/", to), isRoot: false };
      return prefixTarget(from, resolvePath("/", to), to);
    case "wsgiscriptaliasmatch":
      return programMapping({ from, to }, path, filename, project);
    case "alias":
    case "scriptalias":
      return prefixTarget(from, resolvePath(project.serverRoot, to), to);
    case "aliasmatch":
    case "scriptaliasmatch":
      return hasGroupReference(to)
        ? findGroupMapping({ from, to }, path, filename, project)
        : { kind: "constant", target: filename };
    default:
      return undefined;
  }
}

function prefixTarget(from: string, target: string, written: string): MappingTarget | undefined {
  const prefix = collapseSlashes(from);
  // A part that is only dots may become a different name.
  if (prefix.endsWith("/") && /(^|\/)\.{1,2}$/.test(written)) return undefined;
  return { kind: "file", prefix, target, isRoot: false };
}

/**
 * Returns the target of a pattern of mod_wsgi, which appends the path after the match: a pattern for a literal beginning is like
 * a prefix, and nothing follows one that matches up to the end.
 */
function programMapping(
  line: { readonly from: string; readonly to: string },
  path: string,
  filename: string,
  project: Project,
): MappingTarget | undefined {
  const { from, to } = line;
  const [, literal] = /^\^(\/[\w/-]*)$/.exec(from) ?? [];
  if (hasGroupReference(to))
    return endsAtEnd(from) && to.startsWith("/") ? findGroupMapping(line, path, filename, project) : undefined;
  const target = resolvePath("/", to);
  if (literal !== undefined && !literal.includes("//"))
    return { kind: "file", prefix: literal === "/" ? "" : literal, target, isRoot: false };
  return endsAtEnd(from) ? { kind: "constant", target: filename } : undefined;
}

/** Reports whether each match of a pattern extends to the end of a path. */
function endsAtEnd(pattern: string): boolean {
  return /(?:[^\\]\$|\(\.[*+]\))$/.test(pattern) && !pattern.includes("|");
}

/** Returns the target of an Alias in a section, to which the path after that of the section is appended. */
function keptPathTarget({ parent }: Directive, path: string, filename: string): MappingTarget | undefined {
  const prefix = collapseSlashes((parent && sectionTarget(parent)?.text) ?? "");
  const rest = stripAliasPrefix(prefix, path);
  // A section by a pattern has no path.
  if (rest === undefined) return { kind: "constant", target: filename };
  if (!filename.endsWith(rest)) return undefined;
  return { kind: "file", prefix, target: filename.slice(0, filename.length - rest.length), isRoot: false };
}

/** Returns the ServerPath if the path is in it, without a trailing slash. */
function serverPathOf(path: string, { layer }: Server): string {
  const prefix = firstArgumentOf(layer.setting("serverpath"));
  return prefix !== undefined && isWithinServerPath(path, prefix) ? prefix.replace(/\/+$/, "") : "";
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
  if (from === undefined || (isPattern && hasGroupReference(to))) return undefined;
  const prefix = isPattern ? "" : collapseSlashes(from);
  return { kind: "backend", prefix, target: `proxy:${to}`, isRoot: false };
}

/** Reports whether the backend's host and scheme are independent of the path. */
function hasFixedHost(by: Directive): boolean {
  return argumentValuesOf(by).some(
    (word) =>
      word === "!" || (/^(unix:[^|]*\|)?[a-z0-9+.-]+:\/\/[^/$]+(\/|$)/i.test(word) && !extendsHostName(by, word)),
  );
}

/** Reports whether the rest of the path would become part of the host name. */
function extendsHostName(by: Directive, to: string): boolean {
  if (by.key === "proxypassmatch" || /:\/\/[^/]*\//.test(to)) return false;
  const words = argumentValuesOf(by);
  const from = isInSection(by) ? sectionTarget(by.parent ?? by)?.text : words[words.indexOf(to) - 1];
  return from?.endsWith("/") === true;
}

/**
 * Reports whether the server keeps escaped slashes. A percent sign that is no longer an escape may then produce a URL
 * that mod_proxy rejects.
 */
function keepsEscapes({ layers }: Server): boolean {
  return slashRulesOf(layers).encoded === "kept";
}

function isInSection({ parent }: Directive): boolean {
  return parent !== undefined && parent.key !== "<virtualhost";
}

/** Returns a limitation if the pattern's match decides whether a redirect leads nowhere. */
function inexactRedirect(directive: Directive): InexactPredicate | undefined {
  const to = readRedirect(directive, isInSection(directive))?.to;
  if (directive.key !== "redirectmatch" || to === undefined || !to.startsWith("$")) return undefined;
  return { reason: reasonFor("redirect-of-pattern"), directive };
}

/** A literal start of the paths that a pattern matches: `/manual/de` and `/manual` of `^/manual(?:/de)?(/.*)?$`. */
interface PatternHead {
  readonly text: string;
  /**
   * Matches the pattern's paths with this head. A path that an earlier head also matches belongs to the earlier one.
   */
  readonly pattern: string;
}

/** Maximum number of heads. */
const MAX_HEADS = 64;

/** A head, a group for everything after it, and the end; the head and the rest may be all there is. */
const headAndRest = /^(\^.*?)(\((\/?)\.[*+]\)(\??))?(\$?)$/s;

/** `$0` to `$9`. */
const MAX_GROUPS = 10;

/** Constructs that change the matching order or the mode for the rest. */
const unsupportedSyntax = /\(\?[^:]|\\Q|\?\?|\}/;

/**
 * Returns the heads of a pattern that matches a few fixed texts followed by anything, in the order in which the server
 * tries them.
 */
export function findLiteralPrefixes(pattern: string): readonly PatternHead[] {
  const [, head = "", rest = "", slash, optional, end = ""] = headAndRest.exec(pattern) ?? [];
  // After an optional rest, it is not determined whether the following text belongs to it.
  if (head === "" || unsupportedSyntax.test(head) || (slash && optional && !end)) return [];
  const reading = parsePattern(head);
  const texts = reading.kind === "regular" ? anchoredTexts(reading.found) : undefined;
  return (texts ?? []).map((text) => ({ text, pattern: `^${escapeLiteral(text)}${rest}${end}` }));
}

/** Returns the fixed texts if the pattern is anchored with `^` as a whole. */
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
 * Returns the target of AliasMatch for a path and all paths with the same head: all groups but the last are the same
 * for them, and the last is the rest of the path.
 *
 * @param filename of that path
 * @returns undefined if the target depends on the rest of the path in another way
 */
function findGroupMapping(
  { from, to }: { readonly from: string; readonly to: string },
  path: string,
  filename: string,
  { serverRoot }: Project,
): MappingTarget | undefined {
  const oracle = new Oracle(new Map(), true);
  const head = findLiteralPrefixes(from).find(({ pattern }) => compileRegexPattern(pattern).matches(path, oracle));
  const groups = compileRegexPattern(from).find(path, oracle) ?? [];
  // The releases differ in their handling of `\` and `&`.
  if (head === undefined || /[\\&]/.test(to)) return undefined;
  const [, , rest, slash] = headAndRest.exec(from) ?? [];
  if (groups.length > MAX_GROUPS) return undefined;
  const last = `$${groups.length - 1}`;
  if (rest === undefined || !(to.includes(last) || to.includes("$0"))) return { kind: "constant", target: filename };
  const written = to.slice(0, -last.length);
  if (!to.endsWith(last) || written.includes(last) || written.includes("$0")) return undefined;
  const folder = substituteGroups(written, groups, oracle);
  if (oracle.undecidable !== undefined) return undefined;
  // The text after a head without a slash may be two dots.
  const startsPart = folder.endsWith("/") && !slash && head.text !== "" && !head.text.endsWith("/");
  if (folder === "" || startsPart || /(^|\/)\.{1,2}$/.test(folder)) return undefined;
  return { kind: "file", prefix: head.text, target: resolvePath(serverRoot, folder), isRoot: false };
}
