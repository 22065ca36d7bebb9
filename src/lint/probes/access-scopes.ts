import { isWithin } from "../../config/files/paths.js";
import type { Scope, ScopeKind } from "../../config/model/scope.js";
import { isCompatDirective } from "../../server/access/compat-rules.js";
import { mergeOrder, type SectionGroup } from "../../server/sections/merge-order.js";
import { getOrCreate } from "../../text/collections.js";
import { hasWildcard } from "../../text/wildcards.js";

/** The two kinds of rules, which merge independently. */
export type RuleKind = "compat" | "require";

/** The group in which a scope is merged. A Proxy section is in that of Location: neither is for a file. */
const groups: Readonly<Partial<Record<ScopeKind, SectionGroup>>> = {
  directory: "directory",
  unknown: "directory",
  htaccess: "directory",
  files: "files",
  location: "location",
  proxy: "location",
};

/** Key for settings that count in every server. */
const everywhere = Symbol("everywhere");
/** Key for all servers taken together. */
const allServers = Symbol("all servers");
type ServerKey = Scope | typeof everywhere | typeof allServers;

/** The scopes of one server, or of all. */
interface ServerScopes {
  /** Number of scopes with each kind of rules, by rank. */
  readonly counts: Readonly<Record<RuleKind, number[]>>;
  /** The scopes with mod_access_compat directives. */
  readonly compat: readonly Scope[];
}

/** The scopes of a configuration that hold or inherit access rules, and the inheritance between them. */
export class AccessScopes {
  private readonly all: Scope[] = [];
  /** These scopes, and the others that they inherit from. */
  private readonly withOuter: Scope[] = [];
  private readonly kinds = new Map<Scope, ReadonlySet<RuleKind>>();
  /** Scopes by server, grouped on demand: most of thousands of virtual hosts are never queried. */
  private grouped: ReadonlyMap<ServerKey, readonly Scope[]> | undefined;
  private readonly servers = new Map<ServerKey, ServerScopes>();

  /** @param hasMore whether there are `.htaccess` files beyond those given */
  constructor(private readonly hasMore = false) {}

  /** In insertion order. */
  [Symbol.iterator](): Iterator<Scope> {
    return this.all[Symbol.iterator]();
  }

  get isEmpty(): boolean {
    return this.all.length === 0;
  }

  /** Adds a scope; each is added once, before any query. */
  add(scope: Scope): void {
    this.all.push(scope);
    this.withOuter.push(scope);
  }

  /** Adds a scope that others inherit from but that is not iterated. */
  addOuter(scope: Scope): void {
    this.withOuter.push(scope);
  }

  /** Yields the other scopes with mod_access_compat directives that may be merged before a scope, for some request. */
  *compatScopesUnder(scope: Scope): Generator<Scope> {
    for (const { compat } of this.serversFor(scope))
      for (const other of compat) if (other !== scope && mayMergeUnder(other, scope)) yield other;
  }

  /** Returns the kinds of rules directly in a scope. */
  kindsIn(scope: Scope): ReadonlySet<RuleKind> {
    return getOrCreate(this.kinds, scope, () => kindsIn(scope));
  }

  /** Returns whether a scope may inherit rules of a kind; only a request can confirm that it does. */
  mayInherit(scope: Scope, kind: RuleKind): boolean {
    if (this.hasMore && !scope.inHtaccess) return true;
    const own = this.kindsIn(scope).has(kind) ? 1 : 0;
    const rank = rankOf(scope);
    return this.serversFor(scope).reduce((sum, { counts }) => sum + sumTo(counts[kind], rank), 0) > own;
  }

  /** Returns whether a scope has one kind of rules and may inherit the other. */
  mayInheritOther(scope: Scope): boolean {
    const kinds = this.kindsIn(scope);
    return kinds.size === 1 && this.mayInherit(scope, kinds.has("compat") ? "require" : "compat");
  }

  /**
   * Returns the servers whose scopes may be merged before a scope: a `.htaccess` file is merged after the sections of
   * every virtual host.
   */
  private serversFor(scope: Scope): readonly ServerScopes[] {
    const server = serverAround(scope);
    if (server === everywhere) return [this.ofServer(allServers, this.withOuter)];
    this.grouped ??= groupedByServer(this.withOuter);
    const { grouped } = this;
    const keys: readonly ServerKey[] = [server, everywhere];
    return keys.map((key) => this.ofServer(key, grouped.get(key) ?? []));
  }

  private ofServer(server: ServerKey, scopes: readonly Scope[]): ServerScopes {
    const known = this.servers.get(server);
    if (known) return known;
    const counts: ServerScopes["counts"] = { compat: [], require: [] };
    for (const scope of scopes)
      for (const kind of this.kindsIn(scope)) {
        const ofKind = counts[kind];
        ofKind[rankOf(scope)] = (ofKind[rankOf(scope)] ?? 0) + 1;
      }
    const made = { counts, compat: scopes.filter((scope) => this.kindsIn(scope).has("compat")) };
    this.servers.set(server, made);
    return made;
  }
}

function groupedByServer(scopes: readonly Scope[]): ReadonlyMap<ServerKey, readonly Scope[]> {
  const groups = new Map<ServerKey, Scope[]>();
  for (const scope of scopes) {
    const server = serverAround(scope);
    getOrCreate(groups, server, () => []).push(scope);
  }
  return groups;
}

const emptyKinds: ReadonlySet<RuleKind> = new Set();
const onlyCompat: ReadonlySet<RuleKind> = new Set(["compat"]);
const onlyRequire: ReadonlySet<RuleKind> = new Set(["require"]);
const both: ReadonlySet<RuleKind> = new Set(["compat", "require"]);

function kindsIn({ directives }: Scope): ReadonlySet<RuleKind> {
  let hasCompat = false;
  let hasRequire = false;
  for (const directive of directives) {
    if (directive.key === "require") hasRequire = true;
    else if (isCompatDirective(directive)) hasCompat = true;
  }
  if (hasCompat) return hasRequire ? both : onlyCompat;
  return hasRequire ? onlyRequire : emptyKinds;
}

/**
 * Returns whether one scope may be merged before another. Of two directories given by name, the inner one is merged
 * after the outer; any request into the inner one shows that.
 */
function mayMergeUnder(outer: Scope, inner: Scope): boolean {
  if (rankOf(outer) > rankOf(inner)) return false;
  const [a, b] = [nameOf(outer), nameOf(inner)];
  if (rankOf(outer) !== rankOf(inner) || a === undefined || b === undefined) return true;
  switch (inner.place) {
    case "directory":
    case "htaccess":
      return false;
    case "files":
      return a === b;
    default:
      return outer.place !== inner.place || isWithin(a, b) || isWithin(b, a);
  }
}

/**
 * Returns the name that a scope applies to, if it is not a pattern. A `.htaccess` file does not have a section; its
 * place is enough.
 */
function nameOf({ section, place }: Scope): string | undefined {
  const name = section?.arguments[0]?.value ?? (place === "htaccess" ? "" : undefined);
  if (place === "if") return undefined;
  const isPattern = section?.key.endsWith("match") || name === "~" || (name !== undefined && hasWildcard(name));
  return isPattern ? undefined : name;
}

function rankOf({ place }: Scope): number {
  return mergeOrder.indexOf(groups[place] ?? "if");
}

/** Returns the virtual host around a scope; undefined for a scope of the main server. */
export function enclosingHostOf(scope: Scope): Scope | undefined {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent)
    if (outer.place === "virtualhost") return outer;
  return undefined;
}

function serverAround(scope: Scope): ServerKey {
  return enclosingHostOf(scope) ?? everywhere;
}

function sumTo(counts: readonly number[], rank: number): number {
  let sum = 0;
  for (let each = 0; each <= rank; each++) sum += counts[each] ?? 0;
  return sum;
}
