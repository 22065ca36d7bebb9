import { nativePath, type PathRules, pathKey, toAbsolutePath, withLowerCase } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { compileNameWildcard, compilePathWildcard, hasWildcard } from "../../text/wildcards.js";
import { type ConfigLayer, layerOfSection } from "../model/config-layer.js";
import type { Environment } from "../model/environment.js";
import type { Oracle } from "../model/oracle.js";
import { compileRegexPattern, type Pattern } from "../model/patterns.js";
import { unknownFact } from "../model/unknown-facts.js";

/** A section with its index in the order of its kind. */
export interface IndexedSection {
  readonly section: Directive;
  readonly layer: ConfigLayer;
  readonly order: number;
}

const emptySections: readonly IndexedSection[] = [];

/** A test of one name, path or pattern. */
type SubjectTest = (subject: string, oracle: Oracle) => boolean;

interface TestedSection extends IndexedSection {
  readonly test: SubjectTest;
}

/**
 * Returns the target of a section, and whether it is a pattern, from its name and arguments. The name of a Files section
 * is the one that httpd compares.
 */
export function targetOf(section: Directive): { readonly text: string; readonly isPattern: boolean } | undefined {
  const words = section.arguments;
  const [first, second] = words;
  if (first === undefined) return undefined;
  if (section.key.endsWith("match")) return { text: first.value, isPattern: true };
  if (first.value === "~" && first.quote === "none") return second && { text: second.value, isPattern: true };
  return { text: section.key === "<files" ? canonicalizeName(first.value) : first.value, isPattern: false };
}

/**
 * Returns the name of a Files section as httpd compares it: without empty names and dots between slashes (server/core.c
 * `filesection` and `apr_filepath_merge` without flags, also for `.htaccess` files). `./x` is `x`; `.` is empty.
 */
export function canonicalizeName(written: string): string {
  if (!nonCanonicalName.test(written)) return written;
  const kept: string[] = [];
  const segments = written.match(/[^/]*(?:\/|$)/g) ?? [];
  for (const segment of segments) {
    const name = segment.replace("/", "");
    const isAbove = kept.length === 0 || kept.at(-1) === "../";
    if (name === "" || name === ".") continue;
    if (name !== "..") kept.push(segment);
    else if (!isAbove) kept.pop();
    else if (!written.startsWith("/")) kept.push(segment);
  }
  return (written.startsWith("/") ? "/" : "") + kept.join("");
}

/** An empty name, `.` or `..` between slashes. */
const nonCanonicalName = /^\.{0,2}\/|\/\.{0,2}\/|(?:^|\/)\.{0,2}$/;

/**
 * An index of the Directory, Location, Proxy and Files sections at the level of one server, which finds those that
 * apply. Literal paths are looked up, so that the cost depends on possible matches rather than on all sections.
 */
export class SectionIndex {
  private readonly literalDirectories = new Map<string, IndexedSection[]>();
  /** By number of path components. */
  private readonly wildcardDirectories = new Map<number, TestedSection[]>();
  /** Maximum number of components of the Directory sections by path. */
  private deepest = -1;
  readonly directoryPatterns: readonly (TestedSection & { readonly slashes: number })[];
  private readonly literalLocations = new Map<string, IndexedSection[]>();
  /** Lengths of the paths of these. */
  private readonly locationLengths: number[] = [];
  private readonly patternLocations: TestedSection[] = [];
  private readonly wildcardLocations: TestedSection[] = [];
  readonly files: readonly Directive[];
  readonly proxies: readonly TestedSection[];

  private readonly rules: PathRules;
  private readonly serverRoot: string;

  constructor(content: readonly Directive[], project: SectionRules) {
    const { pathRules, release, serverRoot } = project;
    this.rules = pathRules;
    this.serverRoot = serverRoot;

    const directoryPatterns: (TestedSection & { readonly slashes: number })[] = [];
    const files: Directive[] = [];
    const proxies: TestedSection[] = [];
    for (const [order, section] of content.entries()) {
      if (section.children === undefined || section.key === "<virtualhost") continue;
      const kind = section.key.replace(/match$/, "");
      if (kind === "<files") files.push(section);
      const target = kind === "<directory" || kind === "<location" || kind === "<proxy" ? targetOf(section) : undefined;
      if (target === undefined) continue;
      const indexed: IndexedSection = { section, layer: layerOfSection(section), order };
      if (kind === "<proxy") proxies.push({ ...indexed, test: proxyTest(target) });
      else if (kind === "<location") this.addLocation(indexed, target);
      else if (target.isPattern) {
        const slashes = target.text.split("/").length - 1;
        const pattern = compileRegexPattern(target.text, {
          withoutEnd: !isSince(release, "2.4"),
          ignoreCase: ignoresCase(pathRules),
        });
        directoryPatterns.push({
          ...indexed,
          slashes,
          test: (path, oracle) => pattern.matches(nativePath(path), oracle),
        });
      } else this.addDirectory(indexed, target.text);
    }
    this.directoryPatterns = directoryPatterns;
    this.files = files;
    this.proxies = proxies;
  }

  private addDirectory(indexed: IndexedSection, written: string): void {
    const path = canonicalizePath(written, this.serverRoot);
    if (path === undefined) return;
    const components = path.split("/").length - 1;
    this.deepest = Math.max(this.deepest, components);
    if (!hasWildcard(path)) {
      getOrCreate(this.literalDirectories, pathKey(path), () => []).push(indexed);
      return;
    }
    const test = spellingTest(path, compilePathWildcard, this.rules);
    getOrCreate(this.wildcardDirectories, components, () => []).push({ ...indexed, test });
  }

  /**
   * Returns the Directory sections for one directory, in file order. On Windows, a literal path applies in any case: both
   * have the spelling of the disk (server/core.c `dirsection`). @param path without a trailing slash; "" is the
   * root
   */
  directoriesAt(path: string, components: number, oracle: Oracle): readonly IndexedSection[] {
    if (components > this.deepest) return emptySections;
    const literal = this.literalDirectories.get(pathKey(path));
    const wildcards = this.wildcardDirectories.get(components)?.filter(({ test }) => test(path, oracle));
    if (!wildcards || wildcards.length === 0) return literal ?? emptySections;
    return [...(literal ?? []), ...wildcards].sort((a, b) => a.order - b.order);
  }

  private addLocation(indexed: IndexedSection, { text, isPattern }: { text: string; isPattern: boolean }): void {
    if (isPattern) this.patternLocations.push({ ...indexed, test: testOf(compileRegexPattern(text)) });
    else if (hasWildcard(text)) {
      const fits = compilePathWildcard(text);
      this.wildcardLocations.push({ ...indexed, test: fits });
    } else {
      getOrCreate(this.literalLocations, text, () => []).push(indexed);
      if (!this.locationLengths.includes(text.length)) this.locationLengths.push(text.length);
    }
  }

  /** Returns the Location sections for a URL path, in file order. @param plain the path for those without a pattern */
  locationsAt(uri: string, plain: string, oracle: Oracle): readonly IndexedSection[] {
    const found: IndexedSection[] = [];
    for (const each of this.patternLocations) if (each.test(uri, oracle)) found.push(each);
    for (const each of this.wildcardLocations) if (each.test(plain, oracle)) found.push(each);
    for (const length of this.locationLengths)
      if (isBoundary(plain, length)) found.push(...(this.literalLocations.get(plain.slice(0, length)) ?? []));
    return found.length > 1 ? found.sort((a, b) => a.order - b.order) : found;
  }
}

/** What the paths of sections depend on. */
export type SectionRules = Pick<Project, "release" | "pathRules" | "serverRoot">;

/**
 * Reports whether the patterns of Directory and Files sections ignore case (server/core.c `USE_ICASE`). Those of Location
 * sections do not.
 */
export function ignoresCase(rules: PathRules): boolean {
  return rules === "windows";
}

/**
 * Returns the test of a name or path against a text of a section. On Windows, httpd compares the name on the disk exactly
 * (server/request.c `ap_file_walk`), and a request may spell it in another case: then only the disk can tell.
 */
function spellingTest(
  text: string,
  compile: (text: string) => (subject: string) => boolean,
  rules: PathRules,
): SubjectTest {
  const fits = compile(text);
  if (!ignoresCase(rules)) return fits;
  const fitsFolded = compile(withLowerCase(text));
  return (subject, oracle) =>
    fits(subject) ||
    (fitsFolded(withLowerCase(subject)) && oracle.ask(unknownFact("spelling", nativePath(subject), text)));
}

function testOf(pattern: Pattern): SubjectTest {
  return (subject, oracle) => pattern.matches(subject, oracle);
}

/**
 * Reports whether a literal Location that ends at an offset applies to a path: before a slash or after it, and at the
 * end of the path.
 */
function isBoundary(uri: string, length: number): boolean {
  return length === 0 || length === uri.length || uri[length] === "/" || uri[length - 1] === "/";
}

/** Returns a test for the name of a backend, or for its beginning (modules/proxy/mod_proxy.c `proxy_walk`). */
function proxyTest({ text, isPattern }: { text: string; isPattern: boolean }): SubjectTest {
  const name = text.replace(/^proxy:/i, "");
  if (isPattern) return testOf(compileRegexPattern(name));
  return hasWildcard(name) ? compileNameWildcard(name) : (subject) => subject.startsWith(name);
}

/** A doubled slash, a component that begins with a dot, or a trailing slash. */
const nonCanonicalPath = /\/(?:[/.]|$)/;

/**
 * Returns a Directory's path without doubled slashes, dots and a trailing slash; undefined if it is not absolute.
 *
 * @param serverRoot a path without a drive is on the drive of this one
 */
export function canonicalizePath(written: string, serverRoot?: string): string | undefined {
  // The root is above all drives (server/core.c `dirsection`).
  if (written === "/") return "";
  const path = toAbsolutePath(written, serverRoot);
  if (path === undefined || !nonCanonicalPath.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.length === 0 ? "" : `/${parts.join("/")}`;
}

/** Returns the test for names that a Files section applies to: exact, by wildcard or by pattern. */
export function fileTestOf(section: Directive, rules: PathRules): SubjectTest {
  return getOrCreate(knownFileTests[rules], section, () => makeFileTest(section, rules));
}

const knownFileTests: Readonly<Record<PathRules, WeakMap<Directive, SubjectTest>>> = {
  posix: new WeakMap(),
  windows: new WeakMap(),
};

function makeFileTest(section: Directive, rules: PathRules): SubjectTest {
  const target = targetOf(section);
  if (target === undefined) return () => false;
  const { text, isPattern } = target;
  if (isPattern) return testOf(compileRegexPattern(text, { ignoreCase: ignoresCase(rules) }));
  return spellingTest(text, (each) => (hasWildcard(each) ? compilePathWildcard(each) : (name) => name === each), rules);
}

/**
 * Sets a variable for each named group of the patterns of sections that apply: `MATCH_NAME` (server/request.c). A group
 * that did not participate in the match keeps its variable unchanged.
 *
 * @param layers sections that apply
 * @param subject the text that their patterns were tested against
 * @param env changed; names are in lower case
 */
export function setNamedGroups(
  layers: readonly ConfigLayer[],
  subject: string,
  env: Environment,
  oracle: Oracle,
): void {
  for (const layer of layers) {
    const pattern = patternWithNames(layer);
    const groups = pattern?.find(subject, oracle);
    if (!pattern || !groups) continue;
    for (const [name, number] of pattern.names) {
      const value = groups[number];
      if (value !== undefined) env.set(`match_${name.toLowerCase()}`, value);
    }
  }
}

/** Reports whether a section's pattern has named groups. */
export function hasNamedGroups(layer: ConfigLayer): boolean {
  return patternWithNames(layer) !== undefined;
}

const patternWithNames = memoize((layer: ConfigLayer): Pattern | undefined => {
  const target = layer.section && layer.section.key !== "<if" ? targetOf(layer.section) : undefined;
  const pattern = target?.isPattern && /\(\?P?[<']/.test(target.text) ? compileRegexPattern(target.text) : undefined;
  return pattern?.names.size ? pattern : undefined;
});
