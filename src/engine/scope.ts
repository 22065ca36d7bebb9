import type { Place } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import type { EntryKind } from "../project/project.js";

/**
 * A place whose directives take effect together: the server, a virtual host, a Directory, Location, Files, If or Proxy
 * section, a `.htaccess` file. Limit and the Require containers are not scopes: what they hold belongs to the scope
 * around them.
 */
export interface Scope {
  readonly place: ScopePlace;
  /** The section that opens it; undefined at the top of a file. */
  readonly section: Directive | undefined;
  readonly parent: Scope | undefined;
  /** A `.htaccess` file or a section in one, where only what AllowOverride grants may stand. */
  readonly inHtaccess: boolean;
  /** What stands in it, Limit sections and containers with their contents behind them, inner scopes left out. */
  readonly directives: Directive[];
}

/** `unknown`: the top of a fragment, which may be included anywhere. */
export type ScopePlace = Exclude<Place, "limit"> | "unknown";

const placesBySection: ReadonlyMap<string, ScopePlace> = new Map(
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

/** The kind of scope that a section opens; undefined for one that opens none. */
export function placeOfSection(section: Directive): ScopePlace | undefined {
  return placesBySection.get(section.key);
}

/** The scope at the top of an entry. */
export function topScope(kind: EntryKind): Scope {
  const places: Readonly<Record<EntryKind, ScopePlace>> = {
    server: "server",
    fragment: "unknown",
    htaccess: "htaccess",
  };
  return {
    place: places[kind],
    section: undefined,
    parent: undefined,
    inHtaccess: kind === "htaccess",
    directives: [],
  };
}

/** The scope that a section opens within another. */
export function innerScope(place: ScopePlace, section: Directive, parent: Scope): Scope {
  return { place, section, parent, inHtaccess: parent.inHtaccess, directives: [] };
}

/** The Limit or LimitExcept section around a directive within its scope; undefined where every method is meant. */
export function limitAround(directive: Directive): Directive | undefined {
  for (let outer = directive.parent; outer; outer = outer.parent) {
    if (outer.key === "<limit" || outer.key === "<limitexcept") return outer;
    if (placeOfSection(outer)) return undefined;
  }
  return undefined;
}
