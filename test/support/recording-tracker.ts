import type { DependencyTracker, Predicate } from "../../src/server/model/dependency-tracker.js";
import { wordsOfFact } from "../../src/server/model/unknown-facts.js";

/** The predicate of a test, which is recorded with the words of its fact. */
const ofTest: Predicate = { kind: "constant", value: true };

/**
 * Returns a tracker with one variable that only lines set, `own`. It adds predicates with their values to a list, and tests as
 * words, results, and what they compare to what.
 */
export function createRecordingTracker(dependencies: unknown[]): DependencyTracker {
  return {
    readsPlainPaths: false,
    ownVariables: new Set(["own"]),
    recordPredicate: (predicate, value) => {
      if (predicate !== ofTest) dependencies.push([predicate, value]);
    },
    peekTest: (fact, holds, of) => {
      // How a value is compared follows from the words.
      const { comparison: _, ...compared } = { comparison: undefined, ...of };
      dependencies.push([wordsOfFact(fact), holds, ...(of === undefined ? [] : [compared])]);
      return { predicate: ofTest, holds };
    },
    markUnknown: (fact) => void dependencies.push(wordsOfFact(fact)),
    recordMethod: () => undefined,
    recordFileExistence: () => undefined,
    recordUserSource: () => undefined,
  };
}
