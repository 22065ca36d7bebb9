import { bytesOf } from "../../text/source.js";
import { STEPS_PER_ENTRY, type StepBudget, unlimitedSteps } from "../budget.js";
import { type Automaton, stepAutomaton } from "./automaton.js";

/**
 * Reads a text byte by byte and tells in each state what holds of the text so far: an automaton with many answers in place
 * of two. Bytes that make no difference are one class. The first state is 0.
 */
export interface Classifier {
  /** The class of each byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  next(state: number, byteClass: number): number;
  /**
   * A number that is the same for texts of which the same holds.
   *
   * @param view what is asked of them: some classifiers tell texts apart for one purpose and not for another
   */
  output(state: number, view: number): number;
}

/** The state behind a text, a character a byte. */
export function stateAfter(classifier: Classifier, text: string, from = 0): number {
  let state = from;
  for (let at = 0; at < text.length; at++) state = classifier.next(state, classifier.classOf[text.charCodeAt(at)] ?? 0);
  return state;
}

/** Tells the texts that an automaton accepts from the others. */
export function classifyByAutomaton(automaton: Automaton): Classifier {
  return {
    classOf: automaton.classOf,
    classes: automaton.classes,
    next: (state, byteClass) => stepAutomaton(automaton, state, byteClass),
    output: (state) => automaton.accepting[state] ?? 0,
  };
}

/** Does so in some views alone: in others all texts are alike. */
export function restrictToViews(views: readonly number[], of: Classifier): Classifier {
  return {
    classOf: of.classOf,
    classes: of.classes,
    next: (state, byteClass) => of.next(state, byteClass),
    output: (state, view) => (views.includes(view) ? of.output(state, view) : 0),
  };
}

/** Asks the same of what follows a literal text; other texts are all alike. */
export function classifyAfterPrefix(text: string, of: Classifier): Classifier {
  const own = new Uint8Array(256);
  for (const [index, byte] of [...new Set(bytesOf(text))].entries()) own[byte] = index + 1;
  const { classOf, firsts } = intersectByteClasses(of.classOf, own);
  const elsewhere = text.length + 1;
  /** Where the states begin of what follows. */
  const inside = text.length + 2;
  const innerOf = (state: number) => (state === text.length ? 0 : state >= inside ? state - inside : undefined);
  return {
    classOf,
    classes: firsts.length,
    next: (state, byteClass) => {
      const byte = firsts[byteClass] ?? 0;
      const inner = innerOf(state);
      if (inner !== undefined) return inside + of.next(inner, of.classOf[byte] ?? 0);
      return text.charCodeAt(state) === byte ? state + 1 : elsewhere;
    },
    output: (state, view) => {
      const inner = innerOf(state);
      return inner === undefined ? 0 : 1 + of.output(inner, view);
    },
  };
}

/** Nothing is told apart. */
export const trivialClassifier: Classifier = {
  classOf: new Uint8Array(256),
  classes: 1,
  next: () => 0,
  output: () => 0,
};

/** Bytes that either of two divisions tells apart: a class for each byte, numbered by their first byte. */
export function intersectByteClasses(
  a: Uint8Array,
  b: Uint8Array,
): { readonly classOf: Uint8Array; readonly firsts: readonly number[] } {
  const numbers = new Map<number, number>();
  const firsts: number[] = [];
  const classOf = a.map((classA, byte) => {
    const key = classA * 256 + (b[byte] ?? 0);
    const number = numbers.get(key) ?? firsts.push(byte) - 1;
    numbers.set(key, number);
    return number;
  });
  return { classOf, firsts };
}

const UNKNOWN = -1;
/** More states than any classifier has. */
const WIDTH = 2 ** 26;

/**
 * Two classifiers side by side. Its states are made as they are come to, and kept: what is shared is worked out once. They
 * take steps of an allowance, which who goes over them is to look at.
 */
export class ProductClassifier implements Classifier {
  readonly classOf: Uint8Array;
  readonly classes: number;
  private readonly firsts: readonly number[];
  private readonly states: number[] = [];
  /** The numbers of states, by that of the first and then by that of the second. */
  private readonly numbers: Map<number, number>[] = [];
  private readonly behind: number[] = [];
  /** For each view the outputs by what the two say, and those of states that are known by now. */
  private readonly outputs: { readonly numbers: Map<number, number>; readonly known: number[] }[] = [];

  constructor(
    readonly first: Classifier,
    readonly second: Classifier,
    private readonly allowance: StepBudget = unlimitedSteps,
  ) {
    const { classOf, firsts } = intersectByteClasses(first.classOf, second.classOf);
    this.classOf = classOf;
    this.firsts = firsts;
    this.classes = firsts.length;
    this.numberOf(0, 0);
  }

  /** The states of the two. */
  partsOf(state: number): readonly [number, number] {
    const both = this.states[state] ?? 0;
    return [Math.floor(both / WIDTH), both % WIDTH];
  }

  next(state: number, byteClass: number): number {
    const place = state * this.classes + byteClass;
    const known = this.behind[place] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const [a, b] = this.partsOf(state);
    const byte = this.firsts[byteClass] ?? 0;
    const number = this.numberOf(
      this.first.next(a, this.first.classOf[byte] ?? 0),
      this.second.next(b, this.second.classOf[byte] ?? 0),
    );
    this.behind[place] = number;
    return number;
  }

  output(state: number, view: number): number {
    const seen = this.outputs[view] ?? { numbers: new Map<number, number>(), known: [] };
    this.outputs[view] = seen;
    const before = seen.known[state];
    if (before !== undefined) return before;
    const [a, b] = this.partsOf(state);
    const key = this.first.output(a, view) * WIDTH + this.second.output(b, view);
    const number = seen.numbers.get(key) ?? seen.numbers.size;
    seen.numbers.set(key, number);
    seen.known[state] = number;
    return number;
  }

  private numberOf(a: number, b: number): number {
    const there = this.numbers[a] ?? new Map<number, number>();
    this.numbers[a] = there;
    const known = there.get(b);
    if (known !== undefined) return known;
    const number = this.states.push(a * WIDTH + b) - 1;
    there.set(b, number);
    this.allowance.take(this.classes * STEPS_PER_ENTRY);
    for (let each = 0; each < this.classes; each++) this.behind.push(UNKNOWN);
    return number;
  }
}

/** Asks only of the texts of which another one says 1; all others are like those of which it says 0. */
export function restrictTo(found: Classifier, of: Classifier, allowance: StepBudget = unlimitedSteps): Classifier {
  const both = new ProductClassifier(found, of, allowance);
  return {
    classOf: both.classOf,
    classes: both.classes,
    next: (state, byteClass) => both.next(state, byteClass),
    output: (state, view) => {
      const [a, b] = both.partsOf(state);
      return found.output(a, view) === 1 ? of.output(b, view) : 0;
    },
  };
}

/** Any number of classifiers side by side: by halves, since what two ask is come to far less often than what all do. */
export function productOf(classifiers: readonly Classifier[], allowance: StepBudget = unlimitedSteps): Classifier {
  const [first = trivialClassifier] = classifiers;
  if (classifiers.length < 2) return first;
  const middle = classifiers.length >> 1;
  const [some, others] = [classifiers.slice(0, middle), classifiers.slice(middle)];
  return new ProductClassifier(productOf(some, allowance), productOf(others, allowance), allowance);
}
