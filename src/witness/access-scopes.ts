import { isOldDirective } from "../access/old-rules.js";
import { hasWildcard } from "../project/fnmatch.js";
import type { Scope } from "../project/scope.js";
import type { ScopePlace } from "../project/standing.js";

/** The two kinds of rules, which merge apart from each other. */
export type RuleKind = "old" | "require";

/** The order in which the server lays sections over each other; a condition comes last. */
const ranks: Readonly<Partial<Record<ScopePlace, number>>> = {
  directory: 0,
  htaccess: 0,
  files: 1,
  location: 2,
  proxy: 2,
  if: 3,
};
const LAST = 3;

/** What counts in every server. */
const everywhere = Symbol("everywhere");
type ServerKey = Scope | typeof everywhere;

/** How many scopes of each rank have rules of each kind. */
type Counts = Record<RuleKind, number[]>;

/** The scopes of a configuration that hold access rules, and what may come into one of them from another. */
export class AccessScopes {
  private readonly kinds = new Map<Scope, ReadonlySet<RuleKind>>();
  private readonly counts = new Map<ServerKey, Counts>();
  /** Those with old rules. */
  private readonly old = new Map<ServerKey, Scope[]>();

  /** In the order in which they were taken into account. */
  [Symbol.iterator](): Iterator<Scope> {
    return this.kinds.keys();
  }

  /** Takes a scope into account; once is enough. */
  add(scope: Scope): void {
    if (this.kinds.has(scope)) return;
    const kinds = kindsIn(scope);
    this.kinds.set(scope, kinds);
    const server = serverAround(scope);
    const counts = this.countsOf(server);
    if (kinds.has("old")) this.oldOf(server).push(scope);
    for (const kind of kinds) {
      const ofKind = counts[kind];
      ofKind[rankOf(scope)] = (ofKind[rankOf(scope)] ?? 0) + 1;
    }
  }

  /** The other scopes with old rules that one may be laid over, for some request or other. */
  *oldUnder(scope: Scope): Generator<Scope> {
    const server = serverAround(scope);
    const servers: readonly ServerKey[] = server === everywhere ? [...this.old.keys()] : [server, everywhere];
    for (const each of servers)
      for (const other of this.old.get(each) ?? []) if (other !== scope && mayLieUnder(other, scope)) yield other;
  }

  /** The kinds of rules that stand in a scope itself. */
  kindsIn(scope: Scope): ReadonlySet<RuleKind> {
    return this.kinds.get(scope) ?? kindsIn(scope);
  }

  /** Whether there are sections that may lie under a scope with rules of a kind; whether they do takes a request. */
  mayInherit(scope: Scope, kind: RuleKind): boolean {
    const server = serverAround(scope);
    // What stands in a `.htaccess` file lies over the sections of every virtual host.
    const servers =
      server === everywhere ? [...this.counts.values()] : [this.countsOf(server), this.countsOf(everywhere)];
    const own = this.kindsIn(scope).has(kind) ? 1 : 0;
    const rank = rankOf(scope);
    return servers.reduce((sum, counts) => sum + sumTo(counts[kind], rank), 0) > own;
  }

  private oldOf(server: ServerKey): Scope[] {
    const old = this.old.get(server) ?? [];
    this.old.set(server, old);
    return old;
  }

  private countsOf(server: ServerKey): Counts {
    const counts = this.counts.get(server) ?? { old: [], require: [] };
    this.counts.set(server, counts);
    return counts;
  }
}

const none: ReadonlySet<RuleKind> = new Set();
const onlyOld: ReadonlySet<RuleKind> = new Set(["old"]);
const onlyRequire: ReadonlySet<RuleKind> = new Set(["require"]);
const both: ReadonlySet<RuleKind> = new Set(["old", "require"]);

function kindsIn({ directives }: Scope): ReadonlySet<RuleKind> {
  let hasOld = false;
  let hasRequire = false;
  for (const directive of directives) {
    if (directive.key === "require") hasRequire = true;
    else if (isOldDirective(directive)) hasOld = true;
  }
  if (hasOld) return hasRequire ? both : onlyOld;
  return hasRequire ? onlyRequire : none;
}

/**
 * Whether a scope may have another laid over it. Of two directories by their names the inner one is laid over the outer; then
 * any request into the inner one shows it.
 */
function mayLieUnder(under: Scope, over: Scope): boolean {
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
export function hostAround(scope: Scope): Scope | undefined {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent)
    if (outer.place === "virtualhost") return outer;
  return undefined;
}

function serverAround(scope: Scope): ServerKey {
  return hostAround(scope) ?? everywhere;
}

function sumTo(counts: readonly number[], rank: number): number {
  let sum = 0;
  for (let each = 0; each <= rank; each++) sum += counts[each] ?? 0;
  return sum;
}
