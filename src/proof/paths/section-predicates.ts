import { isOnDrive } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import { type EffectName, effectsOf } from "../../facts/effects.js";
import { isSince } from "../../facts/release.js";
import {
  alternate,
  anyText,
  byteSetOf,
  complementBytes,
  concatenate,
  ignoreCaseOf,
  matchBytes,
  matchLiteral,
  matchPathOrBelow,
  matchPathPrefix,
  type RegularLanguage,
  repeat,
} from "../../regex/automata/regular-language.js";
import { wildcardLanguageOf } from "../../regex/automata/wildcards.js";
import { readRedirect } from "../../server/mapping/redirects.js";
import { isVirtualScriptAlias, VIRTUAL_SCRIPTS } from "../../server/mapping/virtual-roots.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import type { Server } from "../../server/model/server.js";
import { indexNamesOf } from "../../server/phases/directory.js";
import { collapseSlashes, normalizePath } from "../../server/request/url-normalization.js";
import { canonicalizePath, ignoresCase, targetOf } from "../../server/sections/section-index.js";
import { fromReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import type { PartitionExtent } from "../model/path-class.js";
import { reasonFor } from "../model/unproved-reasons.js";
import { addConditionPredicates } from "./condition-predicates.js";
import { handlerDirectives, readHandlerLine } from "./handler-extensions.js";
import { isInert } from "./inert-lines.js";
import { findLiteralPrefixes } from "./mapping-targets.js";
import { fileNameViews, PathPredicates } from "./path-predicates.js";
import { hasConditionsWithin, usesExtensions, usesNamedGroups, usesTypes } from "./project-facts.js";
import { addRewritePredicates, areRulesOfServer } from "./rewrite-predicates.js";
import type { ClassifierCache, TextPredicates } from "./text-predicates.js";

/** Reads the predicates of a server's own lines; those of the main server are read separately. */
export function collectServerPredicates(
  { layer }: Server,
  project: Project,
  readings: ClassifierCache,
  extent: PartitionExtent,
): PathPredicates {
  const reader = new SectionReader(project, readings, extent);
  reader.read(layer.content, { kind: "server", folder: undefined });
  return reader.tests;
}

/** Reads the predicates of a `.htaccess` file, beginning with whether a path leads through its directory. */
export function collectHtaccessPredicates(
  file: HtaccessFile,
  project: Project,
  readings: ClassifierCache,
  extent: PartitionExtent,
): PathPredicates {
  const reader = new SectionReader(project, readings, extent);
  const folder = htaccessFolderOf(file);
  reader.literalDirectory(folder);
  reader.read(file.directives, { kind: "file", folder: `${folder}/` });
  return reader.tests;
}

/** Returns the directory of a `.htaccess` file, one character per byte, without a trailing slash. */
export function htaccessFolderOf({ directory }: HtaccessFile): string {
  return fromReadable(directory).replace(/\/$/, "");
}

/** The context of lines: the server level, a Location, or the directory walk. */
export interface LineLocation {
  readonly kind: "server" | "location" | "file";
  /** The directory of a `.htaccess` file, with a trailing slash. */
  readonly folder: string | undefined;
}

/** Effects of directives that give a path another target. */
const redirectingEffects: ReadonlySet<EffectName> = new Set<EffectName>(["mapping", "redirect", "proxy-mapping"]);

function redirects({ key }: Directive, { release }: Project): boolean {
  const { effect } = effectsOf(key, release) ?? {};
  return effect !== undefined && redirectingEffects.has(effect);
}

class SectionReader {
  readonly tests: PathPredicates;

  constructor(
    private readonly project: Project,
    readings: ClassifierCache,
    private readonly extent: PartitionExtent,
  ) {
    this.tests = new PathPredicates(readings);
  }

  read(directives: readonly Directive[], place: LineLocation): void {
    if (directives.some(({ key }) => key === "rewriterule") && !this.isAfterExtent(directives, place))
      addRewritePredicates(directives, place, this.project, this.tests);
    for (const directive of directives) {
      addConditionPredicates(directive, place, this.project, this.tests);
      if (directive.children) this.section(directive, place, directive.children);
      else this.line(directive, place);
    }
  }

  /** Reports whether rules run after the access check: those of sections do (mod_rewrite.c `hook_fixup`). */
  private isAfterExtent(directives: readonly Directive[], place: LineLocation): boolean {
    return this.extent === "access check" && !areRulesOfServer(directives, place);
  }

  private section(section: Directive, place: LineLocation, children: readonly Directive[]): void {
    const { key } = section;
    if (key === "<virtualhost") return;
    this.sectionTest(section);
    const kind = /^<location/.test(key) ? "location" : /^<(directory|files|proxy)/.test(key) ? "file" : place.kind;
    this.read(children, { kind, folder: kind === place.kind ? place.folder : undefined });
  }

  private sectionTest(section: Directive): void {
    const kind = section.key.replace(/match$/, "");
    const target = /^<(directory|files|location|proxy)$/.test(kind) ? targetOf(section) : undefined;
    if (target === undefined || isInert(section, this.project, this.extent)) return;
    const { tests } = this;
    const { text, isPattern } = target;
    const ignoreCase = ignoresCase(this.project.pathRules);
    this.namedGroups(section, target);
    switch (kind) {
      case "<directory":
        if (isPattern)
          tests.pattern(tests.file, text, section, {
            withoutEnd: !isSince(this.project.release, "2.4"),
            ...(ignoreCase ? { ignoreCase, after: "/" } : {}),
          });
        else this.directory(text);
        break;
      case "<files":
        if (isPattern) tests.pattern(tests.file, text, section, { ofName: true, ignoreCase });
        else this.name(text);
        break;
      case "<location":
        this.location(tests.url, section, target);
        if (section.children?.some((line) => redirects(line, this.project) || line.key === "aliaspreservepath"))
          this.location(tests.mapping, section, target, false);
        break;
      case "<proxy":
        this.proxy(section, target);
        break;
    }
  }

  /** Records a limitation for named groups: they contain text of the path, which some line may read. */
  private namedGroups(section: Directive, { text, isPattern }: PredicateTarget): void {
    if (!isPattern || !/\(\?P?[<'](?![=!])/.test(text) || !usesNamedGroups(this.project)) return;
    this.tests.inexact.push({ reason: reasonFor("named-groups"), directive: section });
  }

  private directory(written: string): void {
    const path = canonicalizePath(written, this.project.serverRoot);
    if (path === undefined) return;
    if (hasWildcard(path)) {
      this.directoriesIn(path, () => wildcardLanguageOf(path, true));
      if (ignoresCase(this.project.pathRules))
        this.directoriesIn(`${path} in any case`, () => ignoreCaseOf(wildcardLanguageOf(path, true)));
    } else this.literalDirectory(path);
  }

  /** Adds the tests of a directory without wildcards. */
  literalDirectory(path: string): void {
    if (isOnDrive(path)) this.directoriesIn(`${path} in any case`, () => matchLiteral(path, true));
    else this.tests.file.paths.add(path);
  }

  private directoriesIn(key: string, names: () => RegularLanguage): void {
    const { tests } = this;
    const inside = concatenate(matchBytes(byteSetOf("/")), anyText);
    const seen = (...of: readonly number[]) => ({ seen: of });
    const { directory, missing, file } = fileNameViews;
    tests.regular(tests.file, `at or below ${key}`, () => matchPathOrBelow(names()), seen(directory, file));
    tests.regular(tests.file, `below ${key}`, () => concatenate(names(), inside), seen(missing, file));
  }

  /** Tests of a name never contain a slash. */
  private name(text: string): void {
    const { tests } = this;
    if (text.includes("/")) return;
    const key = `name ${text}`;
    const names = () => (hasWildcard(text) ? wildcardLanguageOf(text, true) : matchLiteral(text));
    tests.regular(tests.file, key, names, { ofName: true });
    // In another case, only the disk can tell whether it applies.
    if (ignoresCase(this.project.pathRules))
      tests.regular(tests.file, `${key} in any case`, () => ignoreCaseOf(names()), { ofName: true });
  }

  private location(
    of: TextPredicates,
    section: Directive,
    { text, isPattern }: PredicateTarget,
    mayAskOracle = true,
  ): void {
    const { tests } = this;
    const readsSentPath = isSince(this.project.release, "2.4") && hasConditionsWithin(this.project);
    for (const ofSent of readsSentPath ? [false, true] : [false])
      if (isPattern) tests.pattern(of, text, section, { ofSent, mayAskOracle });
      else if (hasWildcard(text)) tests.regular(of, `whole ${text}`, () => wildcardLanguageOf(text, true), { ofSent });
      else if (!ofSent) of.paths.add(text);
      else if (text.includes("%")) tests.regular(of, `under ${text}`, () => matchPathPrefix(text), { ofSent });
  }

  private proxy(section: Directive, { text, isPattern }: PredicateTarget): void {
    const { tests } = this;
    const name = text.replace(/^proxy:/i, "");
    const afterScheme = { after: "proxy:" };
    // It applies to all backends.
    if (!isPattern && name === "*") return;
    if (isPattern) tests.pattern(tests.backend, name, section, afterScheme);
    else if (hasWildcard(name))
      tests.regular(tests.backend, `any ${name}`, () => wildcardLanguageOf(name, false), afterScheme);
    else tests.regular(tests.backend, `from ${name}`, () => concatenate(matchLiteral(name), anyText), afterScheme);
  }

  private line(directive: Directive, place: LineLocation): void {
    const { key } = directive;
    if (redirects(directive, this.project)) this.addRedirect(directive, place);
    else if (key === "directoryindex") for (const word of indexNamesOf(directive)) this.index(word, directive);
    else if (handlerDirectives.has(key)) this.handler(directive, place);
    else if (key === "userdir") this.userDirectories(directive);
    else if (key === "fallbackresource" && this.extent === "answer") this.fallback(directive);
    else if (key === "serverpath")
      this.prefix(this.tests.mapping, argumentValuesOf(directive)[0] ?? "", false, directive, true);
  }

  private index(name: string, directive: Directive): void {
    const { tests } = this;
    if (name.toLowerCase() === "disabled") return;
    const path = this.pathOfName(name);
    const isExact = path !== undefined && (name.startsWith("/") || (isPlain(path.slice(1)) && !/[?#]/.test(name)));
    if (!isExact) tests.inexact.push({ reason: reasonFor("index-not-plain", name), directive, isAfterAccess: true });
    else if (name.startsWith("/")) tests.fixedPaths.add(path);
    else tests.indexNames.add(path.slice(1));
  }

  private fallback(directive: Directive): void {
    const { tests } = this;
    const [name = ""] = argumentValuesOf(directive);
    if (name.toLowerCase() === "disabled") return;
    const path = name.startsWith("/") ? this.pathOfName(name) : undefined;
    if (path !== undefined) tests.fixedPaths.add(path);
    else tests.inexact.push({ reason: reasonFor("relative-target"), directive, isAfterAccess: true });
  }

  /** Returns the path of a name, relative to the root; undefined if it depends on the directory, or if httpd may reject it. */
  private pathOfName(name: string): string | undefined {
    const url = normalizePath(`/${name.replace(/[?#].*$/s, "")}`, this.project.release);
    return "status" in url ? undefined : url.path;
  }

  private addRedirect(directive: Directive, place: LineLocation): void {
    const { tests } = this;
    const isAtServer = place.kind === "server" && isOfServer(directive);
    const isMatch = directive.key.endsWith("match");
    if (directive.key.startsWith("redirect")) {
      const from = readRedirect(directive, !isAtServer)?.from;
      if (from !== undefined) this.prefix(isAtServer ? tests.mapping : tests.url, from, isMatch, directive, true);
      return;
    }
    const words = argumentValuesOf(directive);
    const [from] = words[0] === "~" ? words.slice(1) : words;
    // In a section they apply to the same paths as the section.
    if (!isAtServer || from === undefined) return;
    if (isVirtualScriptAlias(directive)) {
      tests.mapping.paths.add(VIRTUAL_SCRIPTS);
      return;
    }
    this.prefix(tests.mapping, from, isMatch || words[0] === "~", directive, false);
    if (/^(script)?aliasmatch$/.test(directive.key))
      for (const { pattern } of findLiteralPrefixes(from))
        tests.pattern(tests.mapping, pattern, directive, { mayAskOracle: false });
  }

  private prefix(
    of: TextPredicates,
    from: string,
    isPattern: boolean,
    directive: Directive,
    mayAskOracle: boolean,
  ): void {
    if (isPattern) this.tests.pattern(of, from, directive, { mayAskOracle });
    else of.paths.add(collapseSlashes(from));
  }

  private handler(directive: Directive, { kind }: LineLocation): void {
    if (this.extent === "access check") return;
    const isOfType = directive.key.endsWith("type");
    if (!(isOfType ? usesTypes(this.project) : usesExtensions(this.project))) return;
    const isDirect = kind === "server" && isOfServer(directive);
    this.tests.handlerLines.push(readHandlerLine(directive, this.project, isDirect));
  }

  private userDirectories(directive: Directive): void {
    const { tests } = this;
    const byte = matchBytes(complementBytes(byteSetOf("/")));
    const belowUser = (name: RegularLanguage) => matchPathOrBelow(concatenate(matchLiteral("/~"), name));
    tests.regular(tests.mapping, "users", () => belowUser(repeat(byte, 1, Number.POSITIVE_INFINITY)));
    // 2.2 skips the first character of such names.
    tests.regular(tests.mapping, "users with dots", () =>
      belowUser(concatenate(repeat(byte, 0, 1), alternate(matchLiteral("."), matchLiteral("..")))),
    );
    for (const word of argumentValuesOf(directive))
      if (!word.includes("/"))
        tests.regular(tests.mapping, `user ${word.toLowerCase()}`, () => belowUser(matchLiteral(word, true)));
  }
}

/** Reports whether a line is not in a section other than a virtual host, such as a condition. */
function isOfServer({ parent }: Directive): boolean {
  return parent === undefined || parent.key === "<virtualhost";
}

type PredicateTarget = NonNullable<ReturnType<typeof targetOf>>;

/** Reports whether all parts of a path are names. */
function isPlain(path: string): boolean {
  return path.split("/").every((part) => !/^\.{0,2}$/.test(part));
}
