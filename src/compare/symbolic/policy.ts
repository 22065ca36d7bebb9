import type { Diagram } from "../../logic/bdd/bdd.js";
import type { BudgetExceeded } from "../../logic/budget.js";
import type { Atom, RequestModel } from "../../logic/symbolic/atoms.js";
import { type ExplorerBudget, SymbolicExplorer } from "../../logic/symbolic/explorer.js";
import type { SymbolTable } from "../../logic/symbolic/symbol-table.js";
import type { Directive } from "../../project/model/directive.js";
import { Numbering, type ServerPair } from "../model/server-pairs.js";
import type { PathClass } from "../paths/path-class.js";
import type { ProbeResult } from "./probe.js";

/** Requests that differ only in their sender and that each side decides by the same lines. */
export interface PolicyBlock {
  /** The senders, as a function in the symbol table of the policy. */
  readonly when: Diagram;
  /** The probe result of each side for one of them; if there is only one, it holds for all sides. */
  readonly asked: readonly ProbeResult[];
}

/** The access policy of the sides. Its parts are disjoint and cover all senders. */
export interface ClientPolicy {
  readonly universe: SymbolTable;
  readonly parts: readonly PolicyBlock[];
}

/** Probes a model on each side, or only on the first if all have the same result. */
type ProbeFunction = (situation: RequestModel) => readonly ProbeResult[];

/** Computes access policies by enumerating all senders. */
export class PolicyExplorer {
  private readonly everybody: SymbolicExplorer;

  constructor(budget: ExplorerBudget) {
    this.everybody = new SymbolicExplorer(budget);
  }

  of(ask: ProbeFunction): ClientPolicy | BudgetExceeded {
    const found = this.everybody.explore((situation) => {
      const asked = ask(situation);
      return { asked, seen: asked.flatMap(({ seen }) => seen) };
    });
    if (found === "too large") return found;
    const parts = found.parts.map(({ when, result: { asked }, isUncertain }) => ({
      when,
      asked: isUncertain ? asked.map((each) => ({ ...each, unprovedReason: "what it looks at" })) : asked,
    }));
    return { universe: found.universe, parts };
  }
}

/** Reports whether a condition represents a pattern that is not parsed: its result is determined, but unknown here. */
export function isUnreadPattern(atom: Atom): boolean {
  return atom.kind === "term" && atom.text.startsWith("whether the pattern ");
}

/** The access policy for one method. */
export interface MethodPolicy {
  readonly method: string;
  readonly policy: ClientPolicy | BudgetExceeded;
}

/** The cached results for a path with a given object at its end. */
interface KnownPolicies {
  readonly walks: PathClass["walks"];
  readonly policies: readonly MethodPolicy[];
  /** For each side: whether the result depends on a file or nothing being at the end of the walk. */
  readonly atPlace: readonly boolean[];
}

/**
 * Recorded predicates are most of the cache: beyond this number nothing more is kept, and results are computed again.
 */
const MAX_OBSERVATIONS = 1_000_000;

/**
 * Cache for a path with a file and with nothing at its target. If the same sections apply and no decision depended on
 * the object, the policy is the same.
 */
export class PolicyCache {
  private pair: ServerPair | undefined;
  private readonly kept = new Map<string, KnownPolicies[]>();
  private looks = 0;
  private readonly numbers = new Numbering<Directive>();

  /** Returns the cached policies of another cell that also hold for this one. */
  find(pair: ServerPair, cell: PathClass): readonly MethodPolicy[] | undefined {
    if (this.pair !== pair) {
      this.kept.clear();
      this.looks = 0;
    }
    this.pair = pair;
    return this.kept.get(this.keyOf(cell))?.find((each) => hasSameFileNames(each, cell))?.policies;
  }

  store(pair: ServerPair, cell: PathClass, policies: readonly MethodPolicy[]): void {
    if (this.pair !== pair || policies.some(({ policy }) => policy === "too large")) return;
    this.looks += policies.reduce((sum, { policy }) => sum + countObservations(policy), 0);
    if (this.looks > MAX_OBSERVATIONS) return;
    const atPlace = cell.walks.map((_, side) =>
      policies.some(
        ({ policy }) =>
          policy !== "too large" && policy.parts.some(({ asked }) => (asked[side] ?? asked[0])?.dependsOnPlace),
      ),
    );
    const key = this.keyOf(cell);
    const others = this.kept.get(key) ?? [];
    this.kept.set(key, others);
    others.push({ walks: cell.walks, policies, atPlace });
  }

  private keyOf({ path, walks, sections }: PathClass): string {
    const ends = walks.map((walk) => walk?.filename ?? "");
    const applying = sections.map((each) => each.map((section) => this.numbers.of(section)).join(" "));
    return [path, ...ends, ...applying].join("\n");
  }
}

function countObservations(policy: ClientPolicy | BudgetExceeded): number {
  if (policy === "too large") return 0;
  return policy.parts.reduce((sum, { asked }) => asked.reduce((all, { seen }) => all + seen.length, sum), 0);
}

/** Reports whether cached policies hold for a cell. The file names are equal; only the objects there may differ. */
function hasSameFileNames({ walks, atPlace }: KnownPolicies, cell: PathClass): boolean {
  return walks.every((walk, side) => {
    const other = cell.walks[side];
    if (walk?.kind === other?.kind) return true;
    return !atPlace[side] && walk?.kind !== "directory" && other?.kind !== "directory";
  });
}
