import { bytesOf } from "../../text/source.js";
import { STEPS_PER_ENTRY, type StepBudget, unlimitedSteps } from "../budget.js";
import { type Automaton, stepAutomaton } from "./automaton.js";

/**
 * Reads a text byte by byte and classifies the text read so far: an automaton with many outputs instead of two. Bytes
 * without a difference share a class. The initial state is 0.
 */
export interface Classifier {
  /** The class of each byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** The number of its states, if it is an automaton. */
  readonly stateCount?: number;
  next(state: number, byteClass: number): number;
  /**
   * Returns a number that is equal for texts with the same properties.
   *
   * @param view the purpose: some classifiers distinguish texts only in certain views
   */
  output(state: number, view: number): number;
}

/** Returns the state after a text, one character per byte. */
export function stateAfter(classifier: Classifier, text: string, from = 0): number {
  let state = from;
  for (let at = 0; at < text.length; at++) state = classifier.next(state, classifier.classOf[text.charCodeAt(at)] ?? 0);
  return state;
}

/** Returns a classifier that distinguishes the texts that an automaton accepts. */
export function classifyByAutomaton(automaton: Automaton): Classifier {
  return {
    classOf: automaton.classOf,
    classes: automaton.classes,
    stateCount: automaton.accepting.length,
    next: (state, byteClass) => stepAutomaton(automaton, state, byteClass),
    output: (state) => automaton.accepting[state] ?? 0,
  };
}

/** Restricts a classifier to some views: in others all texts are equal. */
export function restrictToViews(views: readonly number[], of: Classifier): Classifier {
  return {
    classOf: of.classOf,
    classes: of.classes,
    next: (state, byteClass) => of.next(state, byteClass),
    output: (state, view) => (views.includes(view) ? of.output(state, view) : 0),
  };
}

/** Applies a classifier to the part after a literal text; all other texts are equal. */
export function classifyAfterPrefix(text: string, of: Classifier): Classifier {
  const own = new Uint8Array(256);
  for (const [index, byte] of [...new Set(bytesOf(text))].entries()) own[byte] = index + 1;
  const { classOf, firsts } = intersectByteClasses(of.classOf, own);
  const elsewhere = text.length + 1;
  /** The first state for the part after the text. */
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

/** Does not distinguish any texts. */
export const trivialClassifier: Classifier = {
  classOf: new Uint8Array(256),
  classes: 1,
  next: () => 0,
  output: () => 0,
};

/** Returns the common refinement of two partitions of bytes: a class for each byte, numbered by their first byte. */
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
/** An upper bound for the states of a classifier. */
const WIDTH = 2 ** 26;

/**
 * The product of two classifiers. States are created on demand and kept, so that shared ones are computed once. They
 * take steps of an allowance, which callers must check.
 */
export class ProductClassifier implements Classifier {
  readonly classOf: Uint8Array;
  readonly classes: number;
  private readonly firsts: readonly number[];
  private readonly states: number[] = [];
  /** State numbers by the first state, then by the second. */
  private readonly numbers: Map<number, number>[] = [];
  private readonly transitions: number[] = [];
  /** For each view, the outputs by those of the two classifiers, and the cached outputs of states. */
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

  /** Returns the states of the two classifiers. */
  partsOf(state: number): readonly [number, number] {
    const both = this.states[state] ?? 0;
    return [Math.floor(both / WIDTH), both % WIDTH];
  }

  next(state: number, byteClass: number): number {
    const place = state * this.classes + byteClass;
    const known = this.transitions[place] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const [a, b] = this.partsOf(state);
    const byte = this.firsts[byteClass] ?? 0;
    const number = this.numberOf(
      this.first.next(a, this.first.classOf[byte] ?? 0),
      this.second.next(b, this.second.classOf[byte] ?? 0),
    );
    this.transitions[place] = number;
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
    for (let each = 0; each < this.classes; each++) this.transitions.push(UNKNOWN);
    return number;
  }
}

/**
 * Restricts a classifier to texts for which another one returns 1; all others are treated like those for which it
 * returns 0.
 */
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

/**
 * Builds the product of any number of classifiers by halves: the product of two has far fewer reachable states than
 * that of all.
 */
export function productOf(classifiers: readonly Classifier[], allowance: StepBudget = unlimitedSteps): Classifier {
  const [first = trivialClassifier] = classifiers;
  if (classifiers.length < 2) return first;
  const middle = classifiers.length >> 1;
  const [some, others] = [classifiers.slice(0, middle), classifiers.slice(middle)];
  return new ProductClassifier(productOf(some, allowance), productOf(others, allowance), allowance);
}
