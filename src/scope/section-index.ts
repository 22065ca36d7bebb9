import type { Release } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import { hasWildcard } from "../project/fnmatch.js";
import { type Layer, layerOfSection } from "./layer.js";
import { anyName, pathWildcard } from "./names.js";
import { Once } from "./once.js";
import { type Pattern, patternOf } from "./patterns.js";
import type { Questions } from "./questions.js";
import { withoutDoubleSlashes } from "./url.js";

/** A section with its place in the order of its kind. */
export interface Indexed {
  readonly section: Directive;
  readonly layer: Layer;
  readonly order: number;
}

const none: readonly Indexed[] = [];

/** A test of one name, path or pattern. */
type Test = (subject: string, questions: Questions) => boolean;

interface Tested extends Indexed {
  readonly test: Test;
}

/** What a section is for, and whether that is a pattern: its name and its words tell. */
export function targetOf(section: Directive): { readonly text: string; readonly isPattern: boolean } | undefined {
  const words = section.arguments;
  const [first, second] = words;
  if (first === undefined) return undefined;
  if (section.key.endsWith("match")) return { text: first.value, isPattern: true };
  if (first.value === "~" && first.quote === "none") return second && { text: second.value, isPattern: true };
  return { text: first.value, isPattern: false };
}

/**
 * The Directory, Location, Proxy and Files sections at the level of one server, ready to be asked which of them apply.
 * Literal paths are looked up, so that a request costs what could match and not what there is.
 */
export class SectionIndex {
  private readonly literalDirectories = new Map<string, Indexed[]>();
  /** By number of path components. */
  private readonly wildcardDirectories = new Map<number, Tested[]>();
  /** Of the Directory sections by path: how many components they have at most. */
  private deepest = -1;
  readonly directoryPatterns: readonly (Tested & { readonly slashes: number })[];
  private readonly literalLocations = new Map<string, Indexed[]>();
  /** How long the paths of these are. */
  private readonly locationLengths: number[] = [];
  private readonly otherLocations: Tested[] = [];
  readonly files: readonly Directive[];
  readonly proxies: readonly Tested[];

  constructor(content: readonly Directive[], release: Release) {
    const directoryPatterns: (Tested & { readonly slashes: number })[] = [];
    const files: Directive[] = [];
    const proxies: Tested[] = [];
    for (const [order, section] of content.entries()) {
      if (section.children === undefined) continue;
      const kind = section.key.replace(/match$/, "");
      if (kind === "<files") files.push(section);
      const target = kind === "<directory" || kind === "<location" || kind === "<proxy" ? targetOf(section) : undefined;
      if (target === undefined) continue;
      const indexed: Indexed = { section, layer: layerOfSection(section), order };
      if (kind === "<proxy") proxies.push({ ...indexed, test: proxyTest(target) });
      else if (kind === "<location") this.addLocation(indexed, target);
      else if (target.isPattern) {
        const slashes = target.text.split("/").length - 1;
        directoryPatterns.push({
          ...indexed,
          slashes,
          test: testOf(patternOf(target.text, { withoutEnd: release === "2.2" })),
        });
      } else this.addDirectory(indexed, target.text);
    }
    this.directoryPatterns = directoryPatterns;
    this.files = files;
    this.proxies = proxies;
  }

  private addDirectory(indexed: Indexed, written: string): void {
    const path = canonicalPath(written);
    if (path === undefined) return;
    const components = path.split("/").length - 1;
    this.deepest = Math.max(this.deepest, components);
    if (!hasWildcard(path)) {
      addTo(this.literalDirectories, path, indexed);
      return;
    }
    addTo(this.wildcardDirectories, components, { ...indexed, test: pathWildcard(path) });
  }

  /** The Directory sections for one directory, in the order of the file. @param path without a slash at its end; "" is the root */
  directoriesAt(path: string, components: number, questions: Questions): readonly Indexed[] {
    if (components > this.deepest) return none;
    const literal = this.literalDirectories.get(path);
    const wildcards = this.wildcardDirectories.get(components)?.filter(({ test }) => test(path, questions));
    if (!wildcards || wildcards.length === 0) return literal ?? none;
    return [...(literal ?? []), ...wildcards].sort((a, b) => a.order - b.order);
  }

  private addLocation(indexed: Indexed, { text, isPattern }: { text: string; isPattern: boolean }): void {
    if (isPattern) this.otherLocations.push({ ...indexed, test: testOf(patternOf(text)) });
    else if (hasWildcard(text)) {
      const fits = pathWildcard(text);
      this.otherLocations.push({
        ...indexed,
        test: (uri) => fits(withoutDoubleSlashes(uri)),
      });
    } else {
      addTo(this.literalLocations, text, indexed);
      if (!this.locationLengths.includes(text.length)) this.locationLengths.push(text.length);
    }
  }

  /** The Location sections for a URL path, in the order of the file. */
  locationsAt(uri: string, questions: Questions): readonly Indexed[] {
    const found: Indexed[] = [];
    for (const each of this.otherLocations) if (each.test(uri, questions)) found.push(each);
    if (this.literalLocations.size > 0) {
      const plain = withoutDoubleSlashes(uri);
      for (const length of this.locationLengths)
        if (isBoundary(plain, length)) found.push(...(this.literalLocations.get(plain.slice(0, length)) ?? []));
    }
    return found.length > 1 ? found.sort((a, b) => a.order - b.order) : found;
  }
}

function addTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

function testOf(pattern: Pattern): Test {
  return (subject, questions) => pattern.matches(subject, questions);
}

/** Where a literal Location may end to apply to a path: ahead of a slash or behind it, and where the path does. */
function isBoundary(uri: string, length: number): boolean {
  return length === 0 || length === uri.length || uri[length] === "/" || uri[length - 1] === "/";
}

/** The name of a backend, or its beginning (modules/proxy/mod_proxy.c `proxy_walk`). */
function proxyTest({ text, isPattern }: { text: string; isPattern: boolean }): Test {
  const name = text.replace(/^proxy:/i, "");
  if (isPattern) return testOf(patternOf(name));
  return hasWildcard(name) ? anyName(name) : (subject) => subject.startsWith(name);
}

/** A doubled slash, a part that begins with a dot, or a slash at the end. */
const unusual = /\/(?:[/.]|$)/;

/** A Directory's path without doubled slashes, dots and a slash at its end; undefined for one that is not absolute. */
export function canonicalPath(written: string): string | undefined {
  if (!written.startsWith("/")) return undefined;
  if (!unusual.test(written)) return written;
  const parts: string[] = [];
  for (const part of written.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.length === 0 ? "" : `/${parts.join("/")}`;
}

/** Whether a Files section applies to a name: exactly, by wildcard or by pattern. */
export function fileTestOf(section: Directive): Test {
  return fileTests.of(section);
}

const fileTests = new Once((section: Directive): Test => {
  const target = targetOf(section);
  if (target === undefined) return () => false;
  const { text, isPattern } = target;
  if (isPattern) return testOf(patternOf(text));
  return hasWildcard(text) ? pathWildcard(text) : (name) => name === text;
});
