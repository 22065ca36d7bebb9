import type { Place } from "../directives/directives.js";
import type { KnownName } from "./directive.js";
import type { EntryKind } from "./project.js";

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

/** The kind of scope that sections of a name open; undefined for those that open none. */
export function scopePlaceOf({ key }: KnownName): ScopePlace | undefined {
  return placesBySection.get(key);
}

/**
 * Where a directive stands, by the names of all sections around it: with its own name that decides whether the server
 * takes it there. Whatever stands in sections of the same names stands alike.
 */
export class Standing {
  private readonly within = new Map<KnownName, Standing>();

  constructor(
    /** Of the scope. */
    readonly place: ScopePlace,
    /** In a `.htaccess` file or a section of one, where only what AllowOverride grants may stand. */
    readonly inHtaccess: boolean,
    /** The innermost section; undefined at the top of a file. */
    readonly section?: KnownName,
    readonly outer?: Standing,
  ) {}

  /** Whether the innermost section is a scope of its own. */
  get opensScope(): boolean {
    return this.section !== undefined && scopePlaceOf(this.section) !== undefined;
  }

  /** Where the content of a section stands that itself stands here. */
  inside(section: KnownName): Standing {
    const known = this.within.get(section);
    if (known) return known;
    const inner = new Standing(scopePlaceOf(section) ?? this.place, this.inHtaccess, section, this);
    this.within.set(section, inner);
    return inner;
  }
}

const topPlaces: Readonly<Record<EntryKind, ScopePlace>> = {
  server: "server",
  fragment: "unknown",
  htaccess: "htaccess",
};

/** Where directives at the top of a file stand. */
export function topStanding(kind: EntryKind): Standing {
  return new Standing(topPlaces[kind], kind === "htaccess");
}
