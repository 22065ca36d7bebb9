import { type Classifier, stateAfter } from "../../logic/automata/classifier.js";

/** Predicates with more states are not analyzed. */
const MAX_STATES = 2_000;

const SLASH = 0x2f;

/**
 * Reports whether predicates on paths cannot distinguish two names: replacing one with the other, as a whole name after a
 * slash, leads to the same state of each.
 */
export class NameCongruence {
  private readonly tests: readonly { readonly of: Classifier; readonly starts: readonly number[] }[];
  private readonly known = new Map<string, string>();
  /** Whether some predicate has too many states to compare names. */
  private readonly isTooLarge: boolean;

  constructor(classifiers: Iterable<Classifier>) {
    const tests = [...new Set(classifiers)].map((of) => ({ of, starts: statesAfterSlash(of) }));
    this.tests = tests.flatMap(({ of, starts }) => (starts ? [{ of, starts }] : []));
    this.isTooLarge = tests.some(({ starts }) => starts === undefined);
  }

  areAlike(name: string, other: string): boolean {
    return !this.isTooLarge && this.statesOf(name) === this.statesOf(other);
  }

  private statesOf(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const states = this.tests.map(({ of, starts }) => starts.map((start) => stateAfter(of, name, start)).join(" "));
    const text = states.join("\n");
    this.known.set(name, text);
    return text;
  }
}

/** Returns the states in which a name may start; undefined if there are too many. */
function statesAfterSlash(of: Classifier): readonly number[] | undefined {
  const seen = new Set([0]);
  for (const state of seen)
    for (let byteClass = 0; byteClass < of.classes; byteClass++) {
      seen.add(of.next(state, byteClass));
      if (seen.size > MAX_STATES) return undefined;
    }
  return [...new Set([...seen].map((state) => of.next(state, of.classOf[SLASH] ?? 0)))];
}
