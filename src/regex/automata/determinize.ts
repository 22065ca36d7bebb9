import { type BudgetExceeded, STEPS_PER_ENTRY, type StepBudget, unlimitedSteps } from "../budget.js";
import { type Automaton, minimize } from "./automaton.js";
import { LookbehindStates, PendingLookaheads } from "./lookarounds.js";
import { buildNfa, type Nfa } from "./nfa.js";
import { type ByteSet, hasByte, type RegularLanguage, singleByte } from "./regular-language.js";

/** A partition of bytes that the sets do not distinguish: a class for each byte, numbered by their first byte. */
interface ByteClasses {
  readonly classOf: Uint8Array;
  /** The first byte of each class. */
  readonly firsts: readonly number[];
}

function partitionBytes(sets: readonly ByteSet[]): ByteClasses {
  const classOf = new Uint8Array(256);
  const firsts: number[] = [];
  const known = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const mask = singleByte(byte);
    const signature = sets.map((set) => ((set & mask) === 0n ? "0" : "1")).join("");
    const before = known.get(signature);
    classOf[byte] = before ?? firsts.length;
    if (before !== undefined) continue;
    known.set(signature, firsts.length);
    firsts.push(byte);
  }
  return { classOf, firsts };
}

/** The restriction of the remaining text by the anchors passed so far: anything, only a newline, or nothing. */
const FREE = 0;
const NEWLINE_LEFT = 1;
const NOTHING_LEFT = 2;
const DEMANDS = 3;

const NEWLINE = 0x0a;

/** Maximum steps per state of the budget. */
const STEPS_PER_STATE = 2_000;

/** Builds the minimal automaton for a set of texts. @param budget the maximum number of intermediate states */
export function determinize(
  regular: RegularLanguage,
  budget: number,
  allowance: StepBudget = unlimitedSteps,
): Automaton | BudgetExceeded {
  const nfa = buildNfa(regular, budget, (language) => determinize(language, budget, allowance));
  if (nfa === "too large") return "too large";
  const classes = partitionBytes(nfa.sets);
  return new SubsetConstruction(nfa, classes, budget, allowance).automaton();
}

/**
 * The simultaneous states of an NFA, sorted: each encoded as one number, with its restriction and with the lookaheads
 * that the rest of the text must still satisfy.
 */
interface Subset {
  readonly items: readonly number[];
  /** The number of the states of all lookbehinds after the text so far. */
  readonly lookbehindState: number;
}

/** The text is accepted, whatever follows. */
const acceptAll: Subset = { items: [-1], lookbehindState: 0 };

class SubsetConstruction {
  private readonly numbers = new Map<string, number>();
  private readonly subsets: Subset[] = [];
  private steps = 0;
  private readonly aheads: PendingLookaheads;
  private readonly lookbehinds: LookbehindStates;
  /** For each state that reads bytes: 1 for the classes of bytes that it reads. */
  private readonly reads: readonly (Uint8Array | undefined)[];

  constructor(
    private readonly nfa: Nfa,
    private readonly classes: ByteClasses,
    private readonly budget: number,
    private readonly allowance: StepBudget,
  ) {
    this.aheads = new PendingLookaheads(nfa.lookarounds);
    this.lookbehinds = new LookbehindStates(nfa.lookarounds);
    const readIn = new Map(
      nfa.sets.map((set) => [set, Uint8Array.from(classes.firsts, (byte) => (hasByte(set, byte) ? 1 : 0))] as const),
    );
    this.reads = nfa.states.map((state) => (state.kind === "bytes" ? readIn.get(state.set) : undefined));
  }

  automaton(): Automaton | BudgetExceeded {
    const { firsts, classOf } = this.classes;
    const next: number[] = [];
    this.numberOf(this.epsilonClosure([this.encode(this.nfa.start, FREE, 0)], 0, true));
    for (const subset of this.subsets) {
      const { steps } = this;
      for (const byte of firsts) next.push(this.numberOf(this.successors(subset, byte)));
      this.allowance.take((this.steps - steps) * STEPS_PER_ENTRY);
      if (this.allowance.isUsedUp) return "too large";
      if (this.subsets.length > this.budget || this.steps > this.budget * STEPS_PER_STATE) return "too large";
    }
    const accepting = Uint8Array.from(this.subsets, (subset) => (this.accepts(subset) ? 1 : 0));
    return minimize({ classOf, classes: firsts.length, next: Int32Array.from(next), accepting });
  }

  private numberOf(subset: Subset): number {
    const key = `${subset.lookbehindState} ${subset.items.join()}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.subsets.length);
    return this.subsets.push(subset) - 1;
  }

  private encode(state: number, demand: number, ahead: number): number {
    return (ahead * this.nfa.states.length + state) * DEMANDS + demand;
  }

  /** Returns the index of the NFA state of an item. */
  private stateOf(item: number): number {
    return Math.floor(item / DEMANDS) % this.nfa.states.length;
  }

  /** Returns the number of the pending lookaheads of an item. */
  private aheadOf(item: number): number {
    return Math.floor(item / (DEMANDS * this.nfa.states.length));
  }

  private accepts(subset: Subset): boolean {
    if (subset === acceptAll) return true;
    return subset.items.some((item) => {
      const state = this.nfa.states[this.stateOf(item)];
      return state?.kind === "accept" && item % DEMANDS !== NEWLINE_LEFT && this.aheads.holdAtEnd(this.aheadOf(item));
    });
  }

  private successors(subset: Subset, byte: number): Subset {
    if (subset === acceptAll) return acceptAll;
    const items: number[] = [];
    const byteClass = this.classes.classOf[byte] ?? 0;
    for (const item of subset.items) {
      this.steps++;
      const demand = item % DEMANDS;
      if (demand === NOTHING_LEFT || (demand === NEWLINE_LEFT && byte !== NEWLINE)) continue;
      const index = this.stateOf(item);
      const state = this.nfa.states[index];
      const isRead = state?.kind === "bytes" && this.reads[index]?.[byteClass] === 1;
      if (!isRead && !(state?.kind === "accept" && state.open)) continue;
      const pending = this.aheads.after(this.aheadOf(item), byte);
      if (pending === undefined) continue;
      const left = demand === FREE ? FREE : NOTHING_LEFT;
      items.push(this.encode(state.kind === "bytes" ? state.to : index, left, pending));
    }
    return this.epsilonClosure(items, this.lookbehinds.after(subset.lookbehindState, byte), false);
  }

  /** Returns the epsilon closure, reduced to states that read a byte or accept. */
  private epsilonClosure(items: readonly number[], lookbehindState: number, atStart: boolean): Subset {
    const seen = new Set(items);
    const kept: number[] = [];
    // A set can be iterated while it grows.
    for (const item of seen) {
      this.steps++;
      const state = this.nfa.states[this.stateOf(item)];
      if (state?.kind === "accept" && state.open && item % DEMANDS === FREE && this.aheadOf(item) === 0)
        return acceptAll;
      if (state?.kind === "bytes" || state?.kind === "accept") kept.push(item);
      else for (const to of this.freeSteps(item, lookbehindState, atStart)) seen.add(to);
    }
    // Without items, the rest of the text does not matter.
    return { items: kept.sort((a, b) => a - b), lookbehindState: kept.length === 0 ? 0 : lookbehindState };
  }

  private freeSteps(item: number, lookbehindState: number, atStart: boolean): readonly number[] {
    const state = this.nfa.states[this.stateOf(item)];
    const demand = item % DEMANDS;
    const ahead = this.aheadOf(item);
    switch (state?.kind) {
      case "split":
        return state.to.map((to) => this.encode(to, demand, ahead));
      case "start":
        return atStart ? [this.encode(state.to, demand, ahead)] : [];
      case "end": {
        if (demand === NOTHING_LEFT) return [this.encode(state.to, NOTHING_LEFT, ahead)];
        const only = demand === FREE ? [this.encode(state.to, NOTHING_LEFT, ahead)] : [];
        return state.beforeNewline ? [...only, this.encode(state.to, NEWLINE_LEFT, ahead)] : only;
      }
      case "look": {
        const isAhead = this.nfa.lookarounds[state.lookaround]?.isAhead;
        if (!isAhead)
          return this.lookbehinds.holds(lookbehindState, state.lookaround)
            ? [this.encode(state.to, demand, ahead)]
            : [];
        const pending = this.aheads.with(ahead, state.lookaround);
        return pending === undefined ? [] : [this.encode(state.to, demand, pending)];
      }
      default:
        return [];
    }
  }
}
