import type { BudgetExceeded } from "../budget.js";
import type { Automaton } from "./automaton.js";
import type { CompiledLookaround } from "./lookarounds.js";
import {
  anyText,
  type ByteSet,
  concatenate,
  emptyByteSet,
  type Lookaround,
  newlineByte,
  type RegularLanguage,
  singleByte,
} from "./regular-language.js";

/** A state of a nondeterministic automaton (NFA). */
export type NfaState =
  | { readonly kind: "bytes"; readonly set: ByteSet; readonly to: number }
  /** Continues in all targets without reading a byte. */
  | { readonly kind: "split"; to: readonly number[] }
  | { readonly kind: "start"; readonly to: number }
  | { readonly kind: "end"; readonly beforeNewline: boolean; readonly to: number }
  /** @property look the number of the lookaround that must hold */
  | { readonly kind: "look"; readonly lookaround: number; readonly to: number }
  /** @property open whether any text may follow */
  | { readonly kind: "accept"; readonly open: boolean };

export interface Nfa {
  readonly states: readonly NfaState[];
  readonly start: number;
  /** The sets of bytes that it distinguishes. */
  readonly sets: readonly ByteSet[];
  readonly lookarounds: readonly CompiledLookaround[];
}

/** Builds the automaton for a language. */
type BuildAutomaton = (language: RegularLanguage) => Automaton | BudgetExceeded;

/**
 * Builds an NFA for a language.
 *
 * @param budget the maximum number of states: repeated parts are copied as often as they must occur
 * @param automatonOf for the languages of lookarounds
 */
export function buildNfa(regular: RegularLanguage, budget: number, automatonOf: BuildAutomaton): Nfa | BudgetExceeded {
  const builder = new NfaBuilder(budget, automatonOf);
  const start = builder.build(regular, builder.accept);
  if (builder.isTooLarge) return "too large";
  const sets = new Set<ByteSet>();
  for (const state of builder.states) {
    if (state.kind === "bytes") sets.add(state.set);
    if (state.kind === "end" && state.beforeNewline) sets.add(newlineByte);
  }
  for (const { texts } of builder.lookarounds) for (const set of byteClassesOf(texts)) sets.add(set);
  return { states: builder.states, start, sets: [...sets], lookarounds: builder.lookarounds };
}

/** Returns the bytes of each class of an automaton. */
function byteClassesOf({ classOf, classes }: Automaton): readonly ByteSet[] {
  const sets = Array.from({ length: classes }, () => emptyByteSet);
  for (const [byte, number] of classOf.entries()) sets[number] = (sets[number] ?? emptyByteSet) | singleByte(byte);
  return sets;
}

class NfaBuilder {
  readonly states: NfaState[] = [];
  readonly lookarounds: CompiledLookaround[] = [];
  isTooLarge = false;
  readonly accept: number;
  /** The shared accepting state for parts that any text may follow. */
  private readonly openAccept: number;

  constructor(
    private readonly budget: number,
    private readonly automatonOf: BuildAutomaton,
  ) {
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
        return this.repeat(part.of, part.min, part.max, to);
      case "look":
        return this.lookaround(part, to);
    }
  }

  private lookaround({ direction, isNegative, of }: Lookaround, to: number): number {
    const isAhead = direction === "ahead";
    const whole = isAhead ? concatenate(of, anyText) : concatenate(anyText, of);
    const automaton = this.automatonOf(whole);
    if (automaton === "too large") {
      this.isTooLarge = true;
      return to;
    }
    const texts = isNegative ? { ...automaton, accepting: automaton.accepting.map((each) => 1 - each) } : automaton;
    return this.add({ kind: "look", lookaround: this.lookarounds.push({ isAhead, texts }) - 1, to });
  }

  private repeat(of: RegularLanguage, min: number, max: number, to: number): number {
    let first = max === Number.POSITIVE_INFINITY ? this.loop(of, to) : to;
    if (max !== Number.POSITIVE_INFINITY)
      for (let left = max - min; left > 0 && !this.isTooLarge; left--)
        first = this.add({ kind: "split", to: [this.build(of, first), to] });
    for (let left = min; left > 0 && !this.isTooLarge; left--) first = this.build(of, first);
    return first;
  }

  private loop(of: RegularLanguage, to: number): number {
    const state: NfaState = { kind: "split", to: [] };
    const loop = this.add(state);
    state.to = [this.build(of, loop), to];
    return loop;
  }
}
