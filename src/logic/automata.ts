import { type Automaton, isAccepting, isEmpty, nextState } from "./automaton.js";
import { type Steps, type TooLarge, unbounded } from "./budget.js";
import { determinized } from "./determinize.js";
import { minimized } from "./minimize.js";
import type { Regular } from "./regular.js";

/** What an operation gives, and takes. */
export type AutomatonOutcome = Automaton | TooLarge;

/** Operations on sets of texts. None goes beyond a number of states on its way: it is "too large" instead. */
export class Automata {
  /**
   * @param budget the most states of one automaton
   * @param allowance for all that are made of patterns
   */
  constructor(
    private readonly budget: number,
    private readonly allowance: Steps = unbounded,
  ) {}

  of(regular: Regular): AutomatonOutcome {
    return determinized(regular, this.budget, this.allowance);
  }

  and(...all: readonly [AutomatonOutcome, ...AutomatonOutcome[]]): AutomatonOutcome {
    return all.reduce((a, b) => this.both(a, b, (inA, inB) => inA && inB));
  }

  or(...any: readonly [AutomatonOutcome, ...AutomatonOutcome[]]): AutomatonOutcome {
    return any.reduce((a, b) => this.both(a, b, (inA, inB) => inA || inB));
  }

  not(of: AutomatonOutcome): AutomatonOutcome {
    return of === "too large" ? of : { ...of, accepting: of.accepting.map((each) => 1 - each) };
  }

  /** The texts of the one that the other has not. */
  without(a: AutomatonOutcome, b: AutomatonOutcome): AutomatonOutcome {
    return this.both(a, b, (inA, inB) => inA && !inB);
  }

  /** Whether every text of the first is one of the second. */
  isWithin(a: AutomatonOutcome, b: AutomatonOutcome): boolean | TooLarge {
    const rest = this.without(a, b);
    return rest === "too large" ? rest : isEmpty(rest);
  }

  private both(
    a: AutomatonOutcome,
    b: AutomatonOutcome,
    accepts: (inA: boolean, inB: boolean) => boolean,
  ): AutomatonOutcome {
    if (a === "too large" || b === "too large") return "too large";
    const { classOf, pairs } = pairedClasses(a, b);
    const width = b.accepting.length;
    const numbers = new Map([[0, 0]]);
    const states = [0];
    const next: number[] = [];
    for (const state of states) {
      for (const [classA, classB] of pairs) {
        const toA = nextState(a, Math.floor(state / width), classA);
        const to = toA * width + nextState(b, state % width, classB);
        let number = numbers.get(to);
        if (number === undefined) {
          number = states.push(to) - 1;
          numbers.set(to, number);
        }
        next.push(number);
      }
      if (states.length > this.budget) return "too large";
    }
    const accepting = Uint8Array.from(states, (state) =>
      accepts(isAccepting(a, Math.floor(state / width)), isAccepting(b, state % width)) ? 1 : 0,
    );
    return minimized({ classOf, classes: pairs.length, next: Int32Array.from(next), accepting });
  }
}

/** Bytes that either automaton tells apart. */
function pairedClasses(a: Automaton, b: Automaton): { classOf: Uint8Array; pairs: (readonly [number, number])[] } {
  const pairs: (readonly [number, number])[] = [];
  const numbers = new Map<number, number>();
  const classOf = a.classOf.map((classA, byte) => {
    const classB = b.classOf[byte] ?? 0;
    const key = classA * 256 + classB;
    const number = numbers.get(key) ?? pairs.push([classA, classB]) - 1;
    numbers.set(key, number);
    return number;
  });
  return { classOf, pairs };
}
