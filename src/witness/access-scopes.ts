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

  /** In the order in which they were taken into account. */
  [Symbol.iterator](): Iterator<Scope> {
    return this.kinds.keys();
  }

  /** Takes a scope into account; once is enough. */
  add(scope: Scope): void {
    if (this.kinds.has(scope)) return;
    const kinds = kindsIn(scope);
    this.kinds.set(scope, kinds);
    const counts = this.countsOf(serverAround(scope));
    for (const kind of kinds) {
      const ofKind = counts[kind];
      ofKind[rankOf(scope)] = (ofKind[rankOf(scope)] ?? 0) + 1;
    }
  }

  /** Those that have old rules. */
  *withOld(): Generator<Scope> {
    for (const [scope, kinds] of this.kinds) if (kinds.has("old")) yield scope;
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

  private countsOf(server: ServerKey): Counts {
    const counts = this.counts.get(server) ?? { old: [], require: [] };
    this.counts.set(server, counts);
    return counts;
  }
}

const oldKeys = new Set(["order", "allow", "deny", "satisfy"]);
const none: ReadonlySet<RuleKind> = new Set();
const onlyOld: ReadonlySet<RuleKind> = new Set(["old"]);
const onlyRequire: ReadonlySet<RuleKind> = new Set(["require"]);
const both: ReadonlySet<RuleKind> = new Set(["old", "require"]);

function kindsIn({ directives }: Scope): ReadonlySet<RuleKind> {
  let hasOld = false;
  let hasRequire = false;
  for (const { key } of directives) {
    if (key === "require") hasRequire = true;
    else if (oldKeys.has(key)) hasOld = true;
  }
  if (hasOld) return hasRequire ? both : onlyOld;
  return hasRequire ? onlyRequire : none;
}

function rankOf({ place }: Scope): number {
  return ranks[place] ?? LAST;
}

/** The virtual host around a scope; undefined for one of the main server. */
export function hostAround(scope: Scope): Scope | undefined {
  const server = serverAround(scope);
  return server === everywhere ? undefined : server;
}

function serverAround(scope: Scope): ServerKey {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent)
    if (outer.place === "virtualhost") return outer;
  return everywhere;
}

function sumTo(counts: readonly number[], rank: number): number {
  let sum = 0;
  for (let each = 0; each <= rank; each++) sum += counts[each] ?? 0;
  return sum;
}
