import { isCompatDirective } from "../access/rules/compat-rules.js";
import { hasWildcard } from "../project/files/fnmatch.js";
import type { Scope, ScopeKind } from "../project/model/scope.js";

/** The two kinds of rules, which merge apart from each other. */
export type RuleKind = "old" | "require";

/** The order in which the server lays sections over each other; a condition comes last. */
const ranks: Readonly<Partial<Record<ScopeKind, number>>> = {
  directory: 0,
  unknown: 0,
  htaccess: 0,
  files: 1,
  location: 2,
  proxy: 2,
  if: 3,
};
const LAST = 3;

/** What counts in every server. */
const everywhere = Symbol("everywhere");
/** All servers taken together. */
const allServers = Symbol("all servers");
type ServerKey = Scope | typeof everywhere | typeof allServers;

/** The scopes of one server, or of all. */
interface ServerScopes {
  /** How many of each rank have rules of each kind. */
  readonly counts: Readonly<Record<RuleKind, number[]>>;
  /** Those with old rules. */
  readonly old: readonly Scope[];
}

/** The scopes of a configuration that are looked at for the access rules in them or over them, and what may come into one of them from another. */
export class AccessScopes {
  private readonly all: Scope[] = [];
  /** Those, and the scopes that they inherit from and that are not among them. */
  private readonly withOuter: Scope[] = [];
  private readonly kinds = new Map<Scope, ReadonlySet<RuleKind>>();
  /** By server, when they are asked about: most of thousands of virtual hosts never are. */
  private grouped: ReadonlyMap<ServerKey, readonly Scope[]> | undefined;
  private readonly servers = new Map<ServerKey, ServerScopes>();

  /** @param hasMore whether there are `.htaccess` files beside those that are shown */
  constructor(private readonly hasMore = false) {}

  /** In the order in which they were taken into account. */
  [Symbol.iterator](): Iterator<Scope> {
    return this.all[Symbol.iterator]();
  }

  get isEmpty(): boolean {
    return this.all.length === 0;
  }

  /** Takes a scope into account, once, before anything is asked. */
  add(scope: Scope): void {
    this.all.push(scope);
    this.withOuter.push(scope);
  }

  /** Adds a scope that others inherit from, and that is not among those to go through. */
  addOuter(scope: Scope): void {
    this.withOuter.push(scope);
  }

  /** The other scopes with old rules that one may be laid over, for some request or other. */
  *compatScopesUnder(scope: Scope): Generator<Scope> {
    for (const { old } of this.serversFor(scope))
      for (const other of old) if (other !== scope && mayMergeUnder(other, scope)) yield other;
  }

  /** The kinds of rules that stand in a scope itself. */
  kindsIn(scope: Scope): ReadonlySet<RuleKind> {
    const known = this.kinds.get(scope) ?? kindsIn(scope);
    this.kinds.set(scope, known);
    return known;
  }

  /** Whether there are sections that may lie under a scope with rules of a kind; whether they do takes a request. */
  mayInherit(scope: Scope, kind: RuleKind): boolean {
    if (this.hasMore && !scope.inHtaccess) return true;
    const own = this.kindsIn(scope).has(kind) ? 1 : 0;
    const rank = rankOf(scope);
    return this.serversFor(scope).reduce((sum, { counts }) => sum + sumTo(counts[kind], rank), 0) > own;
  }

  /** The servers whose scopes may lie under one: what stands in a `.htaccess` file lies over the sections of every virtual host. */
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
    const counts: ServerScopes["counts"] = { old: [], require: [] };
    for (const scope of scopes)
      for (const kind of this.kindsIn(scope)) {
        const ofKind = counts[kind];
        ofKind[rankOf(scope)] = (ofKind[rankOf(scope)] ?? 0) + 1;
      }
    const made = { counts, old: scopes.filter((scope) => this.kindsIn(scope).has("old")) };
    this.servers.set(server, made);
    return made;
  }
}

function groupedByServer(scopes: readonly Scope[]): ReadonlyMap<ServerKey, readonly Scope[]> {
  const groups = new Map<ServerKey, Scope[]>();
  for (const scope of scopes) {
    const server = serverAround(scope);
    const group = groups.get(server);
    if (group) group.push(scope);
    else groups.set(server, [scope]);
  }
  return groups;
}

const emptyKinds: ReadonlySet<RuleKind> = new Set();
const onlyOld: ReadonlySet<RuleKind> = new Set(["old"]);
const onlyRequire: ReadonlySet<RuleKind> = new Set(["require"]);
const both: ReadonlySet<RuleKind> = new Set(["old", "require"]);

function kindsIn({ directives }: Scope): ReadonlySet<RuleKind> {
  let hasOld = false;
  let hasRequire = false;
  for (const directive of directives) {
    if (directive.key === "require") hasRequire = true;
    else if (isCompatDirective(directive)) hasOld = true;
  }
  if (hasOld) return hasRequire ? both : onlyOld;
  return hasRequire ? onlyRequire : emptyKinds;
}

/**
 * Whether a scope may have another laid over it. Of two directories by their names the inner one is laid over the outer; then
 * any request into the inner one shows it.
 */
function mayMergeUnder(under: Scope, over: Scope): boolean {
  if (rankOf(under) > rankOf(over)) return false;
  const [a, b] = [nameOf(under), nameOf(over)];
  if (rankOf(under) !== rankOf(over) || a === undefined || b === undefined) return true;
  switch (over.place) {
    case "directory":
    case "htaccess":
      return false;
    case "files":
      return a === b;
    default:
      return under.place !== over.place || isBelow(a, b) || isBelow(b, a);
  }
}

/** What a scope is for where that is no pattern; for a `.htaccess` file, which has no section, its place says enough. */
function nameOf({ section, place }: Scope): string | undefined {
  const name = section?.arguments[0]?.value ?? (place === "htaccess" ? "" : undefined);
  if (place === "if") return undefined;
  const isPattern = section?.key.endsWith("match") || name === "~" || (name !== undefined && hasWildcard(name));
  return isPattern ? undefined : name;
}

function isBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(above.endsWith("/") ? above : `${above}/`);
}

function rankOf({ place }: Scope): number {
  return ranks[place] ?? LAST;
}

/** The virtual host around a scope; undefined for one of the main server. */
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
