import { type BudgetExceeded, type StepBudget, unlimitedSteps } from "../budget.js";
import { type Automaton, isAcceptingState, isEmptyLanguage, minimize, stepAutomaton } from "./automaton.js";
import { determinize } from "./determinize.js";
import type { RegularLanguage } from "./regular-language.js";

/** The operand and result type of operations. */
export type AutomatonResult = Automaton | BudgetExceeded;

/** Operations on sets of texts. If an intermediate automaton exceeds the state budget, the result is "too large". */
export class AutomatonAlgebra {
  /**
   * @param budget the maximum number of states of one automaton
   * @param allowance for all automata built from patterns
   */
  constructor(
    private readonly budget: number,
    private readonly allowance: StepBudget = unlimitedSteps,
  ) {}

  of(regular: RegularLanguage): AutomatonResult {
    return determinize(regular, this.budget, this.allowance);
  }

  and(...all: readonly [AutomatonResult, ...AutomatonResult[]]): AutomatonResult {
    return all.reduce((a, b) => this.both(a, b, (inA, inB) => inA && inB));
  }

  or(...any: readonly [AutomatonResult, ...AutomatonResult[]]): AutomatonResult {
    return any.reduce((a, b) => this.both(a, b, (inA, inB) => inA || inB));
  }

  not(of: AutomatonResult): AutomatonResult {
    return of === "too large" ? of : { ...of, accepting: of.accepting.map((each) => 1 - each) };
  }

  /** Returns the texts of the first that are not in the second. */
  without(a: AutomatonResult, b: AutomatonResult): AutomatonResult {
    return this.both(a, b, (inA, inB) => inA && !inB);
  }

  /** Reports whether every text of the first is also in the second. */
  isWithin(a: AutomatonResult, b: AutomatonResult): boolean | BudgetExceeded {
    const rest = this.without(a, b);
    return rest === "too large" ? rest : isEmptyLanguage(rest);
  }

  private both(
    a: AutomatonResult,
    b: AutomatonResult,
    accepts: (inA: boolean, inB: boolean) => boolean,
  ): AutomatonResult {
    if (a === "too large" || b === "too large") return "too large";
    const { classOf, pairs } = refineByteClasses(a, b);
    const width = b.accepting.length;
    const numbers = new Map([[0, 0]]);
    const states = [0];
    const next: number[] = [];
    for (const state of states) {
      for (const [classA, classB] of pairs) {
        const toA = stepAutomaton(a, Math.floor(state / width), classA);
        const to = toA * width + stepAutomaton(b, state % width, classB);
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
      accepts(isAcceptingState(a, Math.floor(state / width)), isAcceptingState(b, state % width)) ? 1 : 0,
    );
    return minimize({ classOf, classes: pairs.length, next: Int32Array.from(next), accepting });
  }
}

/** Returns the byte classes that either automaton distinguishes. */
function refineByteClasses(a: Automaton, b: Automaton): { classOf: Uint8Array; pairs: (readonly [number, number])[] } {
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
