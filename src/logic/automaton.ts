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

/** The bytes that people like to read, those first that they like best. */
const niceBytes = [
  ..."abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./~+=,:;@!$&'()*%#?[]{}|^<>\"`\\ ",
].map((character) => character.charCodeAt(0));

const byNiceness = [...new Set([...niceBytes, ...range(0x80, 0xff), ...range(0x01, 0x7f), 0])];

function range(from: number, to: number): number[] {
  return Array.from({ length: to + 1 - from }, (_, index) => from + index);
}

/** A shortest text that is accepted, of those the one with the nicest letters; undefined where there is none. */
export function shortestText(automaton: Automaton): string | undefined {
  const letters = nicestOfClasses(automaton);
  const cameBy = new Map<number, { readonly from: number; readonly letter: number }>();
  const queue = [0];
  for (const state of queue) {
    if (isAccepting(automaton, state)) return textTo(state, cameBy);
    for (const letter of letters) {
      const to = nextState(automaton, state, automaton.classOf[letter] ?? 0);
      if (to === 0 || cameBy.has(to)) continue;
      cameBy.set(to, { from: state, letter });
      queue.push(to);
    }
  }
  return undefined;
}

function nicestOfClasses({ classOf }: Automaton): number[] {
  const seen = new Set<number | undefined>();
  return byNiceness.filter((byte) => !seen.has(classOf[byte]) && seen.add(classOf[byte]));
}

function textTo(last: number, cameBy: ReadonlyMap<number, { readonly from: number; readonly letter: number }>): string {
  let text = "";
  for (let step = cameBy.get(last); step; step = cameBy.get(step.from)) text = String.fromCharCode(step.letter) + text;
  return text;
}
