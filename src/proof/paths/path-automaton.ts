import type { Classifier } from "../../regex/automata/classifier.js";
import { representativeBytes } from "../../regex/automata/shortest-texts.js";
import type { BudgetExceeded, StepBudget } from "../../regex/budget.js";
import type { Pair } from "../model/server-pairs.js";
import type { PathMapping } from "./mapping-targets.js";

/**
 * The state of a text within a normalized path. Paths normalized by the server do not have double slashes or parts that
 * are only dots.
 */
export const PATH_START = 0;
/** After a slash. */
export const AFTER_SLASH = 1;
const IN_NAME = 2;
const ONE_DOT = 3;
const TWO_DOTS = 4;
export const INVALID_PATH = 5;
/** The number of states. */
export const PATH_STATES = 6;

const SLASH = 0x2f;
const DOT = 0x2e;

/** Returns the state after a byte. */
export function nextPathState(place: number, byte: number): number {
  if (byte === SLASH) return place === PATH_START || place === IN_NAME ? AFTER_SLASH : INVALID_PATH;
  if (place === PATH_START || place === INVALID_PATH || byte === 0) return INVALID_PATH;
  if (byte !== DOT || place === IN_NAME || place === TWO_DOTS) return IN_NAME;
  return place === AFTER_SLASH ? ONE_DOT : TWO_DOTS;
}

/** Reports whether a path may end in a state. */
export function isPathEnd(place: number): boolean {
  return place === AFTER_SLASH || place === IN_NAME;
}

/** Paths that both sides map by the same lines. */
export interface EquallyMappedPaths {
  readonly number: number;
  readonly mappings: readonly PathMapping[];
}

/**
 * Returns the paths for each output of the mapping classifier, by one example path each.
 *
 * @param mappingsOf the mapping of a path on each side
 * @param budget the maximum number of states
 * @param allowance the step budget
 */
export function groupByMapping(
  mapping: Classifier,
  mappingsOf: (path: string) => Pair<PathMapping>,
  budget: number,
  allowance: StepBudget,
): ReadonlyMap<number, EquallyMappedPaths> | BudgetExceeded {
  const paths = shortestPathByOutput(mapping, budget, allowance);
  if (paths === "too large") return paths;
  const byOutput = new Map<number, EquallyMappedPaths>();
  const byKey = new Map<string, EquallyMappedPaths>();
  for (const [output, path] of paths) {
    const both = mappingsOf(path);
    const key = both.map((each) => each.key).join("; ");
    const group = byKey.get(key) ?? { number: byKey.size, mappings: both };
    byKey.set(key, group);
    byOutput.set(output, group);
  }
  return byOutput;
}

/** Returns a shortest path for each output. */
function shortestPathByOutput(
  of: Classifier,
  budget: number,
  allowance: StepBudget,
): ReadonlyMap<number, string> | BudgetExceeded {
  const special = representativeBytes(of);
  const letters = [...new Set([...special, 0x61, 0x2e, 0x2f])];
  const found = new Map<number, string>();
  const seen = new Set([PATH_START]);
  const queue = [{ state: 0, place: PATH_START, text: "" }];
  for (const { state, place, text } of queue) {
    allowance.take(letters.length);
    if (queue.length > budget || allowance.isUsedUp) return "too large";
    const output = of.output(state, 0);
    if (isPathEnd(place) && !found.has(output)) found.set(output, text);
    for (const letter of letters) {
      const next = nextPathState(place, letter);
      if (next === INVALID_PATH) continue;
      const to = of.next(state, of.classOf[letter] ?? 0);
      const key = to * PATH_STATES + next;
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ state: to, place: next, text: text + String.fromCharCode(letter) });
    }
  }
  return found;
}

/** The states of a classifier of URL paths, each with the states before it. */
export class PathStateGraph {
  private readonly before: number[][] = [[]];

  private constructor() {}

  /** Returns the graph of all states; undefined if there are too many. @param budget the maximum number of states */
  static of(url: Classifier, budget: number, allowance: StepBudget): PathStateGraph | undefined {
    const graph = new PathStateGraph();
    const { before } = graph;
    for (let state = 0; state < before.length; state++) {
      allowance.take(url.classes);
      if (before.length > budget || allowance.isUsedUp) return undefined;
      const next = new Set<number>();
      for (let byteClass = 0; byteClass < url.classes; byteClass++) next.add(url.next(state, byteClass));
      for (const to of next) {
        while (before.length <= to) before.push([]);
        before[to]?.push(state);
      }
    }
    return graph;
  }

  get size(): number {
    return this.before.length;
  }

  /** Returns the states from which some state is reached, each as 1. */
  statesBefore(isReached: (state: number) => boolean): Uint8Array {
    const found = new Uint8Array(this.before.length);
    const open: number[] = [];
    const add = (state: number) => {
      if (found[state] === 1) return;
      found[state] = 1;
      open.push(state);
    };
    for (let state = 0; state < found.length; state++) if (isReached(state)) add(state);
    for (let state = open.pop(); state !== undefined; state = open.pop())
      for (const previous of this.before[state] ?? []) add(previous);
    return found;
  }
}
