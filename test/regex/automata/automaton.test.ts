import fc from "fast-check";
import { expect, test } from "vitest";
import { type Automaton, isAcceptingState, minimize, stepAutomaton } from "../../../src/regex/automata/automaton.js";
import { runCount } from "../../support/depth.js";

const STATES = 24;
const CLASSES = 2;

/** Automata over two letters with few distinct transitions, so that many states are equivalent. */
const anyAutomaton: fc.Arbitrary<Automaton> = fc
  .record({
    targets: fc.array(fc.nat({ max: STATES - 1 }), { minLength: STATES * CLASSES, maxLength: STATES * CLASSES }),
    accepting: fc.uniqueArray(fc.nat({ max: STATES - 1 }), { maxLength: 3 }),
  })
  .map(({ targets, accepting }) => ({
    classOf: Uint8Array.from({ length: 256 }, (_, byte) => byte % CLASSES),
    classes: CLASSES,
    next: Int32Array.from(targets),
    accepting: Uint8Array.from({ length: STATES }, (_, state) => (accepting.includes(state) ? 1 : 0)),
  }));

function reachable(automaton: Automaton): number[] {
  const states = new Set([0]);
  for (const state of states)
    for (let letter = 0; letter < automaton.classes; letter++) states.add(stepAutomaton(automaton, state, letter));
  return [...states];
}

/** Counts the distinguishable states by iterative refinement. */
function countDistinctStates(automaton: Automaton): number {
  let kinds = Array.from(automaton.accepting, String);
  for (let round = 0; round < STATES; round++) {
    const names = kinds.map((kind, state) =>
      [kind, ...Array.from({ length: CLASSES }, (_, letter) => kinds[stepAutomaton(automaton, state, letter)])].join(),
    );
    const numbers = new Map([...new Set(names)].map((name, index) => [name, String(index)]));
    kinds = names.map((name) => numbers.get(name) ?? name);
  }
  return new Set(reachable(automaton).map((state) => kinds[state])).size;
}

test("minimize returns an automaton with the distinguishable states, which accepts the same texts", () => {
  const texts = fc.array(fc.array(fc.nat({ max: CLASSES - 1 }), { maxLength: 12 }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(anyAutomaton, texts, (automaton, letters) => {
      const small = minimize(automaton);
      expect(small.accepting.length).toBe(countDistinctStates(automaton));
      const ends = (of: Automaton) =>
        letters.map((text) =>
          isAcceptingState(
            of,
            text.reduce((state, byte) => stepAutomaton(of, state, of.classOf[byte] ?? 0), 0),
          ),
        );
      expect(ends(small)).toEqual(ends(automaton));
      expect(minimize(small)).toEqual(small);
    }),
    { seed: 20_240_509, numRuns: runCount(200, 1_000) },
  );
});
