import type { Automaton } from "./automaton.js";
import { STEPS_PER_ENTRY, type Steps, type TooLarge, unbounded } from "./budget.js";
import { hasByte } from "./byte-sets.js";
import { minimized } from "./minimize.js";
import { type ByteClasses, byteClasses, type Nfa, nfaOf } from "./nfa.js";
import type { Regular } from "./regular.js";

/**
 * What has been asked of the rest of the text by the anchors passed so far: anything may follow, a newline alone must
 * follow, or nothing.
 */
const FREE = 0;
const NEWLINE_LEFT = 1;
const NOTHING_LEFT = 2;
const DEMANDS = 3;

const NEWLINE = 0x0a;

/** So much may be looked at for each state of the budget. */
const STEPS_PER_STATE = 2_000;

/** The minimal automaton for a set of texts. @param budget the most states on the way there */
export function determinized(regular: Regular, budget: number, allowance: Steps = unbounded): Automaton | TooLarge {
  const nfa = nfaOf(regular, budget);
  if (nfa === "too large") return "too large";
  const classes = byteClasses(nfa.sets);
  return new Subsets(nfa, classes, budget, allowance).automaton();
}

/** The states that an automaton may be in at once: each with its demand, as one number, in order. */
type Subset = readonly number[];

/** Whatever follows, the text is accepted. */
const everything: Subset = [-1];

class Subsets {
  private readonly numbers = new Map<string, number>();
  private readonly subsets: Subset[] = [];
  private steps = 0;

  constructor(
    private readonly nfa: Nfa,
    private readonly classes: ByteClasses,
    private readonly budget: number,
    private readonly allowance: Steps,
  ) {}

  automaton(): Automaton | TooLarge {
    const { firsts, classOf } = this.classes;
    const next: number[] = [];
    this.numberOf(this.closed([this.nfa.start * DEMANDS + FREE], true));
    for (const subset of this.subsets) {
      const { steps } = this;
      for (const byte of firsts) next.push(this.numberOf(this.behind(subset, byte)));
      this.allowance.take((this.steps - steps) * STEPS_PER_ENTRY);
      if (this.allowance.isUsedUp) return "too large";
      if (this.subsets.length > this.budget || this.steps > this.budget * STEPS_PER_STATE) return "too large";
    }
    const accepting = Uint8Array.from(this.subsets, (subset) => (this.accepts(subset) ? 1 : 0));
    return minimized({ classOf, classes: firsts.length, next: Int32Array.from(next), accepting });
  }

  private numberOf(subset: Subset): number {
    const key = subset.join();
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.subsets.length);
    return this.subsets.push(subset) - 1;
  }

  private stateOf(item: number) {
    return this.nfa.states[Math.floor(item / DEMANDS)];
  }

  private accepts(subset: Subset): boolean {
    if (subset === everything) return true;
    return subset.some((item) => this.stateOf(item)?.kind === "accept" && item % DEMANDS !== NEWLINE_LEFT);
  }

  private behind(subset: Subset, byte: number): Subset {
    if (subset === everything) return everything;
    const items: number[] = [];
    for (const item of subset) {
      this.steps++;
      const state = this.stateOf(item);
      const demand = item % DEMANDS;
      if (demand === NOTHING_LEFT || (demand === NEWLINE_LEFT && byte !== NEWLINE)) continue;
      const left = demand === FREE ? FREE : NOTHING_LEFT;
      if (state?.kind === "bytes" && hasByte(state.set, byte)) items.push(state.to * DEMANDS + left);
      if (state?.kind === "accept" && state.open) items.push(item - demand + left);
    }
    return this.closed(items, false);
  }

  /** All that is reached without taking anything, as far as it takes something or accepts. */
  private closed(items: readonly number[], atStart: boolean): Subset {
    const seen = new Set(items);
    const kept: number[] = [];
    // A set can be gone through while it grows.
    for (const item of seen) {
      this.steps++;
      const state = this.stateOf(item);
      if (state?.kind === "accept" && state.open && item % DEMANDS === FREE) return everything;
      if (state?.kind === "bytes" || state?.kind === "accept") kept.push(item);
      else for (const to of this.freeSteps(item, atStart)) seen.add(to);
    }
    return kept.sort((a, b) => a - b);
  }

  private freeSteps(item: number, atStart: boolean): readonly number[] {
    const state = this.stateOf(item);
    const demand = item % DEMANDS;
    switch (state?.kind) {
      case "split":
        return state.to.map((to) => to * DEMANDS + demand);
      case "start":
        return atStart ? [state.to * DEMANDS + demand] : [];
      case "end": {
        if (demand === NOTHING_LEFT) return [state.to * DEMANDS + NOTHING_LEFT];
        const alone = demand === FREE ? [state.to * DEMANDS + NOTHING_LEFT] : [];
        return state.beforeNewline ? [...alone, state.to * DEMANDS + NEWLINE_LEFT] : alone;
      }
      default:
        return [];
    }
  }
}
