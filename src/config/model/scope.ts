import type { ContextKind } from "../../facts/directives.js";
import { getOrCreate } from "../../text/collections.js";
import { hasWildcard } from "../../text/wildcards.js";
import type { Directive, NameFacts } from "./directive.js";
import type { EntryKind } from "./project.js";

/** `unknown`: the top of a fragment, which may be included anywhere. */
export type ScopeKind = Exclude<ContextKind, "limit"> | "unknown";

const placesBySection: ReadonlyMap<string, ScopeKind> = new Map(
  Object.entries({
    "<virtualhost": "virtualhost",
    "<directory": "directory",
    "<directorymatch": "directory",
    "<location": "location",
    "<locationmatch": "location",
    "<files": "files",
    "<filesmatch": "files",
    "<if": "if",
    "<elseif": "if",
    "<else": "if",
    "<proxy": "proxy",
    "<proxymatch": "proxy",
  } as const),
);

/** Returns the kind of scope that a lower-case section name opens; undefined if it does not open one. */
export function scopeKindOfKey(key: string): ScopeKind | undefined {
  return placesBySection.get(key);
}

/**
 * The context of a directive, by the names of all sections around it. Together with the directive's name, it determines
 * whether the server allows it there. Directives in sections of the same names share a context.
 */
export class SectionContext {
  private readonly within = new Map<NameFacts, SectionContext>();

  constructor(
    /** The kind of the scope. */
    readonly place: ScopeKind,
    /** Whether it is in a `.htaccess` file or a section of one, in which AllowOverride limits the directives. */
    readonly inHtaccess: boolean,
    /** The innermost section; undefined at the top of a file. */
    readonly section?: NameFacts,
    readonly outer?: SectionContext,
  ) {}

  /** Whether the innermost section is a scope of its own. */
  get opensScope(): boolean {
    return this.section !== undefined && scopeKindOfKey(this.section.key) !== undefined;
  }

  /** Returns the context of the content of a section in this context. */
  inside(section: NameFacts): SectionContext {
    return getOrCreate(
      this.within,
      section,
      () => new SectionContext(scopeKindOfKey(section.key) ?? this.place, this.inHtaccess, section, this),
    );
  }
}

const topPlaces: Readonly<Record<EntryKind, ScopeKind>> = {
  server: "server",
  fragment: "unknown",
  htaccess: "htaccess",
};

/** Returns the context of directives at the top of a file. */
export function topSectionContext(kind: EntryKind): SectionContext {
  return new SectionContext(topPlaces[kind], kind === "htaccess");
}

/**
 * A unit whose directives take effect together: the server, a virtual host, a Directory, Location, Files, If or Proxy
 * section, a `.htaccess` file. Limit and the Require containers are not scopes: their content belongs to the scope
 * around them.
 */
export class Scope {
  private all: readonly Directive[] | undefined;

  constructor(
    /** The context of its own directives. */
    readonly sectionContext: SectionContext,
    /** Its content, sections with all their descendants. */
    readonly content: readonly Directive[],
    /** The section that opens it; undefined at the top of a file. */
    readonly section?: Directive,
    readonly parent?: Scope,
  ) {}

  get place(): ScopeKind {
    return this.sectionContext.place;
  }

  /** Whether it is a `.htaccess` file or a section in one, in which AllowOverride limits the directives. */
  get inHtaccess(): boolean {
    return this.sectionContext.inHtaccess;
  }

  /** Its directives. Limit sections and containers are followed by their content, and inner scopes are omitted. */
  get directives(): readonly Directive[] {
    this.all ??= this.content.some(holdsOfScope) ? flattenDirectives(this.content) : this.content;
    return this.all;
  }
}

/**
 * Reports whether the rewrite rules of a scope see paths without its directory, which begin with no slash. In a section with
 * wildcards or a pattern, they see the whole file name (mod_rewrite.c `hook_fixup`).
 */
export function seesPathsBelow({ place, section }: Scope): boolean {
  if (place === "htaccess") return true;
  const [path, ...others] = section?.key === "<directory" ? section.arguments : [];
  return place === "directory" && path !== undefined && others.length === 0 && !hasWildcard(path.value);
}

/** Returns the kind of scope that a section opens; undefined if it does not open one. */
export function scopeKindOf(section: Directive): ScopeKind | undefined {
  return scopeKindOfKey(section.key);
}

function holdsOfScope(directive: Directive): boolean {
  return directive.children !== undefined && scopeKindOf(directive) === undefined;
}

function flattenDirectives(directives: readonly Directive[], into: Directive[] = []): readonly Directive[] {
  for (const directive of directives) {
    into.push(directive);
    if (directive.children && scopeKindOf(directive) === undefined) flattenDirectives(directive.children, into);
  }
  return into;
}

/**
 * Returns the Limit or LimitExcept section around a directive within its scope; undefined if the directive applies to
 * every method.
 */
export function findLimitAround(directive: Directive): Directive | undefined {
  for (let outer = directive.parent; outer; outer = outer.parent) {
    if (outer.key === "<limit" || outer.key === "<limitexcept") return outer;
    if (scopeKindOf(outer)) return undefined;
  }
  return undefined;
}
