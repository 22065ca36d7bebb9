/**
 * A deterministic automaton over bytes: it is in one state at a time, and reads every text to its end. Bytes that make no
 * difference are one class.
 *
 * Those that come out of `Automata` are minimal and numbered in one way, so that two that accept the same texts are alike
 * in every number.
 */
export interface Automaton {
  /** The class of each byte, numbered by their first byte. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  /** The state behind each state and class, at state × classes + class. The first state is 0. */
  readonly next: Int32Array;
  /** 1 for a state in which a text may end. */
  readonly accepting: Uint8Array;
}

/** The state behind a state and a class. */
export function nextState({ classes, next }: Automaton, state: number, byteClass: number): number {
  return next[state * classes + byteClass] ?? 0;
}

export function isAccepting({ accepting }: Automaton, state: number): boolean {
  return accepting[state] === 1;
}

/** Whether a text, a character a byte, is accepted. */
export function accepts(automaton: Automaton, text: string): boolean {
  let state = 0;
  for (let at = 0; at < text.length; at++)
    state = nextState(automaton, state, automaton.classOf[text.charCodeAt(at)] ?? 0);
  return isAccepting(automaton, state);
}

/** Whether no text is accepted. */
export function isEmpty({ accepting }: Automaton): boolean {
  return !accepting.includes(1);
}

/** Whether every text is accepted. */
export function isEverything({ accepting }: Automaton): boolean {
  return !accepting.includes(0);
}

/** Whether two automata of `Automata` accept the same texts. */
export function acceptAlike(a: Automaton, b: Automaton): boolean {
  return isSame(a.accepting, b.accepting) && isSame(a.classOf, b.classOf) && isSame(a.next, b.next);
}

function isSame(a: Uint8Array | Int32Array, b: Uint8Array | Int32Array): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
