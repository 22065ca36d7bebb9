import type { Directive } from "../../config/model/directive.js";
import type { BudgetExceeded } from "../../regex/budget.js";
import { normalizeMethod } from "../../server/access/clients-and-methods.js";
import type { Atom, RequestModel } from "../../server/model/atoms.js";
import { isFact, unknownFact } from "../../server/model/unknown-facts.js";
import type { PathClass } from "../model/path-class.js";
import { Numbering, type ServerPair } from "../model/server-pairs.js";
import type { Diagram } from "../requests/bdd.js";
import type { SymbolicExplorer } from "../requests/explorer.js";
import type { SymbolTable } from "../requests/symbol-table.js";
import type { ObservedAnswer, ObservedMethods } from "./observe.js";

/** A block of clients whose requests each side decides by the same lines. */
export interface PolicyBlock {
  /** The senders, as a function in the symbol table of the policy. */
  readonly when: Diagram;
  /** The probe result of each side for one of them; if there is only one, it holds for all sides. */
  readonly results: readonly ObservedAnswer[];
}

/** The access policy of the sides. Its parts are disjoint and cover all senders. */
export interface ClientPolicy {
  readonly symbols: SymbolTable;
  readonly blocks: readonly PolicyBlock[];
}

/**
 * Computes the access policy of all clients.
 *
 * @param probe probes a model on each side, or only on the first if all have the same result
 * @param runs the maximum number of models probed, if it is lower than that of the explorer
 */
export function explorePolicy(
  explorer: SymbolicExplorer,
  probe: (model: RequestModel) => readonly ObservedAnswer[],
  runs?: number,
): ClientPolicy | BudgetExceeded {
  const probeAll = (model: RequestModel) => {
    const results = probe(model);
    return { results, observations: results.flatMap(({ observations }) => observations) };
  };
  const partition = explorer.explore(probeAll, undefined, runs);
  if (partition === "too large") return partition;
  const blocks = partition.blocks.map(({ when, result: { results }, isUncertain }) => ({
    when,
    results: isUncertain ? results.map(markUncertain) : results,
  }));
  return { symbols: partition.symbols, blocks };
}

/** Marks the result of a probe that an unrecorded predicate affected. */
function markUncertain(result: ObservedAnswer): ObservedAnswer {
  return { ...result, unprovedReason: unknownFact("unrecorded-data") };
}

/** Reports whether a condition represents a pattern that is not parsed: its result is determined, but unknown here. */
export function isUnreadPattern(atom: Atom): boolean {
  return (
    atom.kind === "fact" && isFact(atom.fact, "pattern-matches", "pattern-matches-in-limit", "pattern-matches-unknown")
  );
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
  private observations = 0;
  private readonly numbers = new Numbering<Directive>();

  /** Returns the cached policies of another path class that also hold for this one. */
  find(pair: ServerPair, pathClass: PathClass): readonly MethodPolicy[] | undefined {
    if (this.pair !== pair) {
      this.kept.clear();
      this.observations = 0;
    }
    this.pair = pair;
    return this.kept.get(this.keyOf(pathClass))?.find((each) => hasSameFileNames(each, pathClass))?.policies;
  }

  store(pair: ServerPair, pathClass: PathClass, policies: readonly MethodPolicy[]): void {
    if (this.pair !== pair || policies.some(({ policy }) => policy === "too large")) return;
    this.observations += policies.reduce((sum, { policy }) => sum + countObservations(policy), 0);
    if (this.observations > MAX_OBSERVATIONS) return;
    const atPlace = pathClass.walks.map((_, side) =>
      policies.some(
        ({ policy }) =>
          policy !== "too large" && policy.blocks.some(({ results }) => (results[side] ?? results[0])?.dependsOnPlace),
      ),
    );
    const key = this.keyOf(pathClass);
    const others = this.kept.get(key) ?? [];
    this.kept.set(key, others);
    others.push({ walks: pathClass.walks, policies, atPlace });
  }

  private keyOf({ path, walks, sections }: PathClass): string {
    const ends = walks.map((walk) => walk?.filename ?? "");
    const applying = sections.map((each) => each.map((section) => this.numbers.of(section)).join(" "));
    return [path, ...ends, ...applying].join("\n");
  }
}

function countObservations(policy: ClientPolicy | BudgetExceeded): number {
  if (policy === "too large") return 0;
  return policy.blocks.reduce(
    (sum, { results }) => results.reduce((all, { observations }) => all + observations.length, sum),
    0,
  );
}

/** Reports whether cached policies hold for a path class. The file names are equal; only the objects there may differ. */
function hasSameFileNames({ walks, atPlace }: KnownPolicies, pathClass: PathClass): boolean {
  return walks.every((walk, side) => {
    const other = pathClass.walks[side];
    if (walk?.kind === other?.kind) return true;
    return !atPlace[side] && walk?.kind !== "directory" && other?.kind !== "directory";
  });
}

/** Reports whether the policy of one method also holds for another: no recorded predicate distinguishes them. */
export function isSamePolicy(method: string, other: string, policy: ClientPolicy | BudgetExceeded): boolean {
  if (policy === "too large") return false;
  return policy.blocks.every(({ results }) =>
    results.every(({ methods }) => methods !== "all" && !distinguishes(methods, method, other)),
  );
}

function distinguishes({ names, tests }: Exclude<ObservedMethods, "all">, method: string, other: string): boolean {
  const [one, two] = [normalizeMethod(method), normalizeMethod(other)];
  if (one !== two && (names.has(one) || names.has(two))) return true;
  return [...tests.values()].some((test) => test.resultFor(method) !== test.resultFor(other));
}
