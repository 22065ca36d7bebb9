import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { toReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import { isWithin, resolvePath, toAbsolutePath, withTrailingSlash } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import type { HtaccessFile, Project } from "../model/project.js";
import type { Scope } from "../model/scope.js";
import { iterateDescendants } from "./directive-tree.js";

/** The directives of the main server or of a virtual host, by the part of the server they apply to. */
export class ServerDirectives {
  /** Directives that apply to the whole server, by lower-case name. */
  private readonly direct = new Map<string, Directive[]>();
  private readonly sections: Directive[] = [];

  constructor(
    private readonly project: Project,
    content: readonly Directive[],
    /** Undefined for the main server. */
    readonly section?: Directive,
    readonly main?: ServerDirectives,
  ) {
    for (const directive of content) {
      getOrCreate(this.direct, directive.key, () => []).push(directive);
      if (directive.children && directive.key !== "<virtualhost") this.sections.push(directive);
    }
  }

  /** Returns the server's own directives of a name that apply to all of it, in order. */
  own(key: string): readonly Directive[] {
    return this.direct.get(key) ?? [];
  }

  /** Returns the directives that apply to all of it, the main server's first. */
  effective(key: string): readonly Directive[] {
    return this.main ? [...this.main.own(key), ...this.own(key)] : this.own(key);
  }

  /** Yields its own directives of any name, sections with their descendants. */
  *iterateOwn(): Generator<Directive> {
    for (const [key, directives] of this.direct) if (key !== "<virtualhost") yield* iterateDescendants(directives);
  }

  /** Yields its own directives and the main server's. */
  *iterateInherited(): Generator<Directive> {
    if (this.main) yield* this.main.iterateOwn();
    yield* this.iterateOwn();
  }

  /** The document root; undefined if the configuration does not set it. */
  get root(): string | undefined {
    const [word] = this.effective("documentroot").at(-1)?.arguments ?? [];
    if (word === undefined || word.value.includes("${")) return undefined;
    return withTrailingSlash(resolvePath(this.project.serverRoot, toReadable(word.value)));
  }

  /**
   * Yields the directives of a name that apply, or may apply, to the document root: sections with a pattern may match
   * it.
   */
  *atRoot(key: string): Generator<Directive> {
    yield* this.effective(key);
    const { root } = this;
    for (const section of [...(this.main?.sections ?? []), ...this.sections]) {
      const lines = (section.children ?? []).filter((directive) => directive.key === key);
      if (lines.length > 0 && mayContain(section, root, this.project)) yield* lines;
    }
    for (const file of this.htaccessAt(root)) yield* file.directives.filter((directive) => directive.key === key);
  }

  private htaccessAt(root: string | undefined): readonly HtaccessFile[] {
    if (root === undefined) return [];
    return this.project.htaccess.filter(({ directory }) => isWithin(root, withTrailingSlash(directory)));
  }
}

/** The main server, followed by the virtual hosts. */
export type AllServerDirectives = readonly [ServerDirectives, ...ServerDirectives[]];

/** Returns the servers of a configuration. Several rules share them. */
export const serverDirectivesOf = memoize((project: Project): AllServerDirectives => {
  const main = new ServerDirectives(project, project.directives);
  const hosts = main.own("<virtualhost").map((host) => new ServerDirectives(project, host.children ?? [], host, main));
  return [main, ...hosts];
});

/** Returns the server that a scope belongs to; the main one for a `.htaccess` file, which belongs to all. */
export function serverOfScope(scope: Scope, [main, ...hosts]: AllServerDirectives): ServerDirectives {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) {
    const { section } = outer;
    if (section?.key === "<virtualhost") return hosts.find((host) => host.section === section) ?? main;
  }
  return main;
}

/** Reports whether a section applies, or may apply, to a directory as a whole. */
function mayContain(
  { key, arguments: words, argumentText }: Directive,
  root: string | undefined,
  { serverRoot }: Project,
): boolean {
  const path = toReadable(words[0]?.value ?? "");
  if (key === "<directorymatch" || key === "<locationmatch" || argumentText.startsWith("~")) return true;
  if (key === "<location") return path === "/" || hasWildcard(path);
  if (key !== "<directory") return false;
  if (hasWildcard(path) || path.includes("${")) return true;
  if (root === undefined || path === "/") return withTrailingSlash(path) === "/";
  return isWithin(root, withTrailingSlash(toAbsolutePath(path, serverRoot) ?? path));
}
