import type { Diagram } from "../../logic/bdd/bdd.js";
import type { BudgetExceeded } from "../../logic/budget.js";
import type { Atom, RequestModel } from "../../logic/symbolic/atoms.js";
import { type ExplorerBudget, SymbolicExplorer } from "../../logic/symbolic/explorer.js";
import type { SymbolTable } from "../../logic/symbolic/symbol-table.js";
import type { Directive } from "../../project/model/directive.js";
import { Numbering, type ServerPair } from "../model/server-pairs.js";
import type { PathClass } from "../paths/path-class.js";
import type { ProbeResult } from "./probe.js";

/** Requests that differ in nothing but who sends them, and that each of some sides answers by the same lines. */
export interface PolicyBlock {
  /** For whom, as a function in the universe that the policy was made in. */
  readonly when: Diagram;
  /** What each side was asked for one of them; that of the first alone is that of all. */
  readonly asked: readonly ProbeResult[];
}

/** Who gets what of some sides. The parts are disjoint, and together they are everybody. */
export interface ClientPolicy {
  readonly universe: SymbolTable;
  readonly parts: readonly PolicyBlock[];
}

/** Asks what comes of a situation: each side, or the first alone where all make the same of it. */
type ProbeFunction = (situation: RequestModel) => readonly ProbeResult[];

/** Works out who gets what by asking about everybody. */
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
      asked: isUncertain ? asked.map((each) => ({ ...each, untold: "what it looks at" })) : asked,
    }));
    return { universe: found.universe, parts };
  }
}

/** Whether a condition is that of a pattern which is not read: what it comes to is not open, it is only not known here. */
export function isUnreadPattern(atom: Atom): boolean {
  return atom.kind === "term" && atom.text.startsWith("whether the pattern ");
}

/** Who gets what by one method. */
export interface MethodPolicy {
  readonly method: string;
  readonly policy: ClientPolicy | BudgetExceeded;
}

/** What is known of some path with something there. */
interface KnownPolicies {
  readonly walks: PathClass["walks"];
  readonly policies: readonly MethodPolicy[];
  /** Of each side: whether it matters there if a file or nothing is at the end of the walk. */
  readonly atPlace: readonly boolean[];
}

/** What answers hang on is most of what is kept: beyond so many looks nothing more is, and it is asked anew. */
const MAX_OBSERVATIONS = 1_000_000;

/**
 * The same path with a file and with nothing where it leads: where the same sections apply and no decision looked at what is
 * there, who gets what is the same.
 */
export class PolicyCache {
  private pair: ServerPair | undefined;
  private readonly kept = new Map<string, KnownPolicies[]>();
  private looks = 0;
  private readonly numbers = new Numbering<Directive>();

  /** What is known of another cell that holds for this one as well. */
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

/** The files have the same names: what is there is left to be told apart. */
function hasSameFileNames({ walks, atPlace }: KnownPolicies, cell: PathClass): boolean {
  return walks.every((walk, side) => {
    const other = cell.walks[side];
    if (walk?.kind === other?.kind) return true;
    return !atPlace[side] && walk?.kind !== "directory" && other?.kind !== "directory";
  });
}
