import { toReadable } from "../text/source.js";
import { withInner } from "./all-directives.js";
import type { Directive } from "./directive.js";
import { hasWildcard } from "./fnmatch.js";
import { asInstalled } from "./installed.js";
import { absolutePath } from "./paths.js";
import type { HtaccessFile, Project } from "./project.js";
import type { Scope } from "./scope.js";

/** The lines of the main server or of a virtual host, told apart by where they count. */
export class ServerLines {
  /** Those that hold for the whole server, by lower-case name. */
  private readonly direct = new Map<string, Directive[]>();
  private readonly sections: Directive[] = [];

  constructor(
    private readonly project: Project,
    content: readonly Directive[],
    /** Undefined for the main server. */
    readonly section?: Directive,
    readonly main?: ServerLines,
  ) {
    for (const directive of content) {
      const others = this.direct.get(directive.key);
      if (others) others.push(directive);
      else this.direct.set(directive.key, [directive]);
      if (directive.children && directive.key !== "<virtualhost") this.sections.push(directive);
    }
  }

  /** The server's own lines of a name that hold for all of it, in their order. */
  own(key: string): readonly Directive[] {
    return this.direct.get(key) ?? [];
  }

  /** Those that hold for all of it, the main server's first. */
  inForce(key: string): readonly Directive[] {
    return this.main ? [...this.main.own(key), ...this.own(key)] : this.own(key);
  }

  /** Its own lines of any name, sections with all that is in them. */
  *within(): Generator<Directive> {
    for (const [key, directives] of this.direct) if (key !== "<virtualhost") yield* withInner(directives);
  }

  /** Its own lines and the main server's. */
  *around(): Generator<Directive> {
    if (this.main) yield* this.main.within();
    yield* this.within();
  }

  /** The directory that it serves; undefined where the configuration does not say. */
  get root(): string | undefined {
    const [word] = this.inForce("documentroot").at(-1)?.arguments ?? [];
    if (word === undefined || word.value.includes("${")) return undefined;
    return withSlash(absolutePath(this.project.serverRoot, toReadable(word.value)));
  }

  /** The lines of a name that hold for the document root, or may: sections by pattern may be about it. */
  *atRoot(key: string): Generator<Directive> {
    yield* this.inForce(key);
    const { root } = this;
    for (const section of [...(this.main?.sections ?? []), ...this.sections]) {
      const lines = (section.children ?? []).filter((directive) => directive.key === key);
      if (lines.length > 0 && mayHold(section, root)) yield* lines;
    }
    for (const file of this.htaccessAt(root)) yield* file.directives.filter((directive) => directive.key === key);
  }

  private htaccessAt(root: string | undefined): readonly HtaccessFile[] {
    if (root === undefined) return [];
    return this.project.htaccess.filter(({ directory }) => root.startsWith(withSlash(directory)));
  }
}

/** The main server, and then the virtual hosts. */
export type Servers = readonly [ServerLines, ...ServerLines[]];

export function serversOf(configuration: Project): Servers {
  const project = asInstalled(configuration);
  const main = new ServerLines(project, project.directives);
  const hosts = main.own("<virtualhost").map((host) => new ServerLines(project, host.children ?? [], host, main));
  return [main, ...hosts];
}

/** The server that a scope belongs to; the main one for a `.htaccess` file, which belongs to all. */
export function serverAround(scope: Scope, [main, ...hosts]: Servers): ServerLines {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) {
    const { section } = outer;
    if (section?.key === "<virtualhost") return hosts.find((host) => host.section === section) ?? main;
  }
  return main;
}

/** Whether a section is about a directory as a whole, or may be. */
function mayHold({ key, arguments: words, argumentText }: Directive, root: string | undefined): boolean {
  const path = toReadable(words[0]?.value ?? "");
  if (key === "<directorymatch" || key === "<locationmatch" || argumentText.startsWith("~")) return true;
  if (key === "<location") return path === "/" || hasWildcard(path);
  if (key !== "<directory") return false;
  if (hasWildcard(path) || path.includes("${")) return true;
  return root === undefined ? withSlash(path) === "/" : root.startsWith(withSlash(path));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
