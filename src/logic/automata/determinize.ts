import { type BudgetExceeded, STEPS_PER_ENTRY, type StepBudget, unlimitedSteps } from "../budget.js";
import {
  anyText,
  type ByteSet,
  hasByte,
  newlineByte,
  type RegularLanguage,
  singleByte,
} from "../languages/regular-language.js";
import { type Automaton, minimize } from "./automaton.js";

/** A state of a nondeterministic automaton (NFA). */
export type NfaState =
  | { readonly kind: "bytes"; readonly set: ByteSet; readonly to: number }
  /** Continues in all targets without reading a byte. */
  | { readonly kind: "split"; to: readonly number[] }
  | { readonly kind: "start"; readonly to: number }
  | { readonly kind: "end"; readonly beforeNewline: boolean; readonly to: number }
  /** @property open whether any text may follow */
  | { readonly kind: "accept"; readonly open: boolean };

interface Nfa {
  readonly states: readonly NfaState[];
  readonly start: number;
  /** The sets of bytes that it distinguishes. */
  readonly sets: readonly ByteSet[];
}

/** @param budget the maximum number of states: repeated parts are copied as often as they must occur */
function buildNfa(regular: RegularLanguage, budget: number): Nfa | BudgetExceeded {
  const builder = new NfaBuilder(budget);
  const start = builder.build(regular, builder.accept);
  if (builder.isTooLarge) return "too large";
  const sets = new Set<ByteSet>();
  for (const state of builder.states) {
    if (state.kind === "bytes") sets.add(state.set);
    if (state.kind === "end" && state.beforeNewline) sets.add(newlineByte);
  }
  return { states: builder.states, start, sets: [...sets] };
}

class NfaBuilder {
  readonly states: NfaState[] = [];
  isTooLarge = false;
  readonly accept: number;
  /** The shared accepting state for parts that any text may follow. */
  private readonly openAccept: number;

  constructor(private readonly budget: number) {
    this.accept = this.add({ kind: "accept", open: false });
    this.openAccept = this.add({ kind: "accept", open: true });
  }

  add(state: NfaState): number {
    if (this.states.length >= this.budget) this.isTooLarge = true;
    else this.states.push(state);
    return this.states.length - 1;
  }

  /** Returns the start state of a part that continues in another state. */
  build(part: RegularLanguage, to: number): number {
    if (this.isTooLarge) return to;
    if (part === anyText && to === this.accept) return this.openAccept;
    switch (part.kind) {
      case "bytes":
        return this.add({ kind: "bytes", set: part.set, to });
      case "start":
        return this.add({ kind: "start", to });
      case "end":
        return this.add({ kind: "end", beforeNewline: part.beforeNewline, to });
      case "sequence":
        return part.parts.reduceRight((next, each) => this.build(each, next), to);
      case "either":
        return this.add({ kind: "split", to: part.of.map((each) => this.build(each, to)) });
      case "repeat":
        return this.repeat(part.of, part.least, part.most, to);
    }
  }

  private repeat(of: RegularLanguage, least: number, most: number, to: number): number {
    let first = most === Number.POSITIVE_INFINITY ? this.loop(of, to) : to;
    if (most !== Number.POSITIVE_INFINITY)
      for (let left = most - least; left > 0 && !this.isTooLarge; left--)
        first = this.add({ kind: "split", to: [this.build(of, first), to] });
    for (let left = least; left > 0 && !this.isTooLarge; left--) first = this.build(of, first);
    return first;
  }

  private loop(of: RegularLanguage, to: number): number {
    const state: NfaState = { kind: "split", to: [] };
    const again = this.add(state);
    state.to = [this.build(of, again), to];
    return again;
  }
}

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
  const nfa = buildNfa(regular, budget);
  if (nfa === "too large") return "too large";
  const classes = partitionBytes(nfa.sets);
  return new SubsetConstruction(nfa, classes, budget, allowance).automaton();
}

/** The simultaneous states of an NFA, sorted: each encoded with its restriction as one number. */
type Subset = readonly number[];

/** The text is accepted, whatever follows. */
const acceptAll: Subset = [-1];

class SubsetConstruction {
  private readonly numbers = new Map<string, number>();
  private readonly subsets: Subset[] = [];
  private steps = 0;

  constructor(
    private readonly nfa: Nfa,
    private readonly classes: ByteClasses,
    private readonly budget: number,
    private readonly allowance: StepBudget,
  ) {}

  automaton(): Automaton | BudgetExceeded {
    const { firsts, classOf } = this.classes;
    const next: number[] = [];
    this.numberOf(this.epsilonClosure([this.nfa.start * DEMANDS + FREE], true));
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
    if (subset === acceptAll) return true;
    return subset.some((item) => this.stateOf(item)?.kind === "accept" && item % DEMANDS !== NEWLINE_LEFT);
  }

  private successors(subset: Subset, byte: number): Subset {
    if (subset === acceptAll) return acceptAll;
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
    return this.epsilonClosure(items, false);
  }

  /** Returns the epsilon closure, reduced to states that read a byte or accept. */
  private epsilonClosure(items: readonly number[], atStart: boolean): Subset {
    const seen = new Set(items);
    const kept: number[] = [];
    // A set can be iterated while it grows.
    for (const item of seen) {
      this.steps++;
      const state = this.stateOf(item);
      if (state?.kind === "accept" && state.open && item % DEMANDS === FREE) return acceptAll;
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
