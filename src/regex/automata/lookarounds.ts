import { type Automaton, stepAutomaton } from "./automaton.js";

/** A lookaround, with the texts that may follow its position or precede it. */
export interface CompiledLookaround {
  readonly isAhead: boolean;
  readonly texts: Automaton;
}

/** Combinations of lookaheads with the states of their automata, each with a number; 0 is none. */
export class PendingLookaheads {
  private readonly known = new Map<string, number>([["", 0]]);
  /** Pairs of a lookahead and a state. */
  private readonly pairs: (readonly (readonly [lookaround: number, state: number])[])[] = [[]];
  /** The states from which every text is accepted, and those from which none is. */
  private readonly sure: readonly (readonly (boolean | undefined)[])[];

  constructor(private readonly lookarounds: readonly CompiledLookaround[]) {
    this.sure = lookarounds.map(({ texts }) => sureStatesOf(texts));
  }

  /** Adds a lookahead from here on. Returns undefined if it fails whatever follows. */
  with(pending: number, lookaround: number): number | undefined {
    return this.numberOf([...(this.pairs[pending] ?? []), [lookaround, 0]]);
  }

  after(pending: number, byte: number): number | undefined {
    if (pending === 0) return 0;
    const moved = (this.pairs[pending] ?? []).map(
      ([lookaround, state]) => [lookaround, this.move(lookaround, state, byte)] as const,
    );
    return this.numberOf(moved);
  }

  holdAtEnd(pending: number): boolean {
    return (this.pairs[pending] ?? []).every(
      ([lookaround, state]) => this.lookarounds[lookaround]?.texts.accepting[state] === 1,
    );
  }

  private move(lookaround: number, state: number, byte: number): number {
    const texts = this.lookarounds[lookaround]?.texts;
    return texts === undefined ? 0 : stepAutomaton(texts, state, texts.classOf[byte] ?? 0);
  }

  private numberOf(pairs: readonly (readonly [lookaround: number, state: number])[]): number | undefined {
    if (pairs.some(([lookaround, state]) => this.sure[lookaround]?.[state] === false)) return undefined;
    const open = pairs.filter(([lookaround, state]) => this.sure[lookaround]?.[state] !== true);
    const keys = [...new Set(open.map(([lookaround, state]) => `${lookaround}:${state}`))].sort();
    const key = keys.join();
    const before = this.known.get(key);
    if (before !== undefined) return before;
    this.known.set(key, this.pairs.length);
    const sorted = keys
      .map((each) => each.split(":").map(Number))
      .map(([lookaround = 0, state = 0]) => [lookaround, state] as const);
    return this.pairs.push(sorted) - 1;
  }
}

/** Returns for each state of a minimal automaton whether all texts are accepted from it, or none; else undefined. */
function sureStatesOf({ accepting, classes, next }: Automaton): readonly (boolean | undefined)[] {
  return Array.from(accepting, (accepts, state) => {
    const isFinal = next.subarray(state * classes, (state + 1) * classes).every((to) => to === state);
    return isFinal ? accepts === 1 : undefined;
  });
}

/** The states of all lookbehinds after a text, as numbers; 0 is the start. */
export class LookbehindStates {
  private readonly known = new Map<string, number>();
  private readonly states: (readonly number[])[] = [];
  private readonly isEmpty: boolean;

  constructor(private readonly lookarounds: readonly CompiledLookaround[]) {
    this.isEmpty = lookarounds.every(({ isAhead }) => isAhead);
    this.numberOf(lookarounds.map(() => 0));
  }

  after(state: number, byte: number): number {
    if (this.isEmpty) return 0;
    const before = this.states[state] ?? [];
    return this.numberOf(
      this.lookarounds.map(({ isAhead, texts }, lookaround) =>
        isAhead ? 0 : stepAutomaton(texts, before[lookaround] ?? 0, texts.classOf[byte] ?? 0),
      ),
    );
  }

  holds(state: number, lookaround: number): boolean {
    return this.lookarounds[lookaround]?.texts.accepting[this.states[state]?.[lookaround] ?? 0] === 1;
  }

  private numberOf(states: readonly number[]): number {
    const key = states.join();
    const before = this.known.get(key);
    if (before !== undefined) return before;
    this.known.set(key, this.states.length);
    return this.states.push(states) - 1;
  }
}
