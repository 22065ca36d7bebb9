import { type AccessChange, accessChangeOf, answerClassOf } from "../../server/model/answer-class.js";
import type { ObservedAnswer } from "../clients/observe.js";
import type { Pair } from "../model/server-pairs.js";
import type { BddResult } from "../requests/bdd.js";
import type { SymbolTable } from "../requests/symbol-table.js";

/** Clients with different results, and one pair of results. */
export interface DifferingClients {
  readonly when: BddResult;
  readonly results: Pair<ObservedAnswer>;
  /** The change to show: a gain if any of them gains access. */
  readonly change: AccessChange;
  /** Those with this change. */
  readonly changed: BddResult;
}

/** Returns clients with one pair of results. A client that may see a file which does not exist gains nothing. */
export function createDifferingClients(when: BddResult, results: Pair<ObservedAnswer>): DifferingClients {
  const [before, after] = results;
  const change = accessChangeOf(answerClassOf(before.status), answerClassOf(after.status));
  return { when, changed: when, change, results };
}

/** Joins clients if the same lines decide with the same results. */
export function joinClients(
  some: DifferingClients,
  others: DifferingClients,
  { diagrams }: SymbolTable,
): DifferingClients {
  const when = diagrams.or(some.when, others.when);
  if (some.change === others.change) return { ...some, when, changed: diagrams.or(some.changed, others.changed) };
  return { ...(mattersAsMuch(some.change, others.change) ? some : others), when };
}

const ranks: Readonly<Record<AccessChange, number>> = { gain: 0, loss: 1, neither: 2 };

/** Reports whether a change matters at least as much as another: a gain most, then a loss. */
export function mattersAsMuch(change: AccessChange, other: AccessChange): boolean {
  return ranks[change] <= ranks[other];
}
