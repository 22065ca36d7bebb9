import type { ContextKind } from "../../directives/directives.js";
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

/** The kind of scope that sections of a name open; undefined for those that open none. */
function scopeKindOfName({ key }: NameFacts): ScopeKind | undefined {
  return placesBySection.get(key);
}

/**
 * Where a directive stands, by the names of all sections around it: with its own name that decides whether the server
 * takes it there. Whatever stands in sections of the same names stands alike.
 */
export class SectionContext {
  private readonly within = new Map<NameFacts, SectionContext>();

  constructor(
    /** Of the scope. */
    readonly place: ScopeKind,
    /** In a `.htaccess` file or a section of one, where only what AllowOverride grants may stand. */
    readonly inHtaccess: boolean,
    /** The innermost section; undefined at the top of a file. */
    readonly section?: NameFacts,
    readonly outer?: SectionContext,
  ) {}

  /** Whether the innermost section is a scope of its own. */
  get opensScope(): boolean {
    return this.section !== undefined && scopeKindOfName(this.section) !== undefined;
  }

  /** Where the content of a section stands that itself stands here. */
  inside(section: NameFacts): SectionContext {
    const known = this.within.get(section);
    if (known) return known;
    const inner = new SectionContext(scopeKindOfName(section) ?? this.place, this.inHtaccess, section, this);
    this.within.set(section, inner);
    return inner;
  }
}

const topPlaces: Readonly<Record<EntryKind, ScopeKind>> = {
  server: "server",
  fragment: "unknown",
  htaccess: "htaccess",
};

/** Where directives at the top of a file stand. */
export function topSectionContext(kind: EntryKind): SectionContext {
  return new SectionContext(topPlaces[kind], kind === "htaccess");
}

/**
 * A place whose directives take effect together: the server, a virtual host, a Directory, Location, Files, If or Proxy
 * section, a `.htaccess` file. Limit and the Require containers are not scopes: what they hold belongs to the scope
 * around them.
 */
export class Scope {
  private all: readonly Directive[] | undefined;

  constructor(
    /** Where its own directives stand. */
    readonly standing: SectionContext,
    /** What it holds, sections with all that is in them. */
    readonly content: readonly Directive[],
    /** The section that opens it; undefined at the top of a file. */
    readonly section?: Directive,
    readonly parent?: Scope,
  ) {}

  get place(): ScopeKind {
    return this.standing.place;
  }

  /** A `.htaccess` file or a section in one, where only what AllowOverride grants may stand. */
  get inHtaccess(): boolean {
    return this.standing.inHtaccess;
  }

  /** What stands in it, Limit sections and containers with their contents behind them, inner scopes left out. */
  get directives(): readonly Directive[] {
    this.all ??= this.content.some(holdsOfScope) ? flattenDirectives(this.content) : this.content;
    return this.all;
  }
}

/** The kind of scope that a section opens; undefined for one that opens none. */
export function scopeKindOf(section: Directive): ScopeKind | undefined {
  return scopeKindOfName(section.known);
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

/** The Limit or LimitExcept section around a directive within its scope; undefined where every method is meant. */
export function findLimitAround(directive: Directive): Directive | undefined {
  for (let outer = directive.parent; outer; outer = outer.parent) {
    if (outer.key === "<limit" || outer.key === "<limitexcept") return outer;
    if (scopeKindOf(outer)) return undefined;
  }
  return undefined;
}
