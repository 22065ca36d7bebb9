import { type Automaton, isAcceptingState, stepAutomaton } from "./automaton.js";
import type { Classifier } from "./classifier.js";

/** Bytes in order of readability. */
const readableBytes = [
  ..."abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./~+=,:;@!$&'()*%#?[]{}|^<>\"`\\ ",
].map((character) => character.charCodeAt(0));

/** All bytes, the most readable ones first. */
export const byReadability = [...new Set([...readableBytes, ...range(0x80, 0xff), ...range(0x01, 0x7f), 0])];

function range(from: number, to: number): number[] {
  return Array.from({ length: to + 1 - from }, (_, index) => from + index);
}

/** Returns a shortest accepted text, preferring readable letters; undefined if there is none. */
export function findShortestText(automaton: Automaton): string | undefined {
  const letters = representativeBytes(automaton);
  const predecessors = new Map<number, { readonly from: number; readonly letter: number }>();
  const queue = [0];
  for (const state of queue) {
    if (isAcceptingState(automaton, state)) return buildTextTo(state, predecessors);
    for (const letter of letters) {
      const to = stepAutomaton(automaton, state, automaton.classOf[letter] ?? 0);
      if (to === 0 || predecessors.has(to)) continue;
      predecessors.set(to, { from: state, letter });
      queue.push(to);
    }
  }
  return undefined;
}

/**
 * Returns a shortest non-empty text for each class that a classifier distinguishes.
 *
 * @param letters the allowed letters, preferred ones first
 * @param max maximum number of states visited: texts beyond are not found
 */
export function findShortestTexts(of: Classifier, letters: string, max: number): readonly string[] {
  const bytes = [...letters].map((letter) => letter.charCodeAt(0));
  const first = new Map(bytes.toReversed().map((byte) => [of.classOf[byte], byte]));
  const kinds = bytes.filter((byte) => first.get(of.classOf[byte]) === byte);
  const found = new Map<number, string>();
  const seen = new Set<number>();
  const queue = [{ state: 0, text: "" }];
  for (const { state, text } of queue) {
    const output = of.output(state, 0);
    if (text !== "" && !found.has(output)) found.set(output, text);
    for (const byte of kinds) {
      const to = of.next(state, of.classOf[byte] ?? 0);
      if (seen.has(to) || seen.size >= max) continue;
      seen.add(to);
      queue.push({ state: to, text: text + String.fromCharCode(byte) });
    }
  }
  return [...found.values()];
}

/**
 * Returns a random accepted text; undefined if there is none.
 *
 * @param random returns numbers from 0 up to 1
 * @param length approximate length: longer only if no such text is accepted
 */
export function generateSampleText(automaton: Automaton, random: () => number, length: number): string | undefined {
  const distances = distancesToEnd(automaton);
  const isNear = (state: number, left: number) => (distances[state] ?? 0) <= left;
  let text = "";
  let state = 0;
  let left = Math.max(Math.floor(random() * (length + 1)), distances[0] ?? 0);
  if (left === Number.POSITIVE_INFINITY) return undefined;
  while (left > 0) {
    const ways = byReadability.filter((byte) =>
      isNear(stepAutomaton(automaton, state, automaton.classOf[byte] ?? 0), left - 1),
    );
    // If the text may end here, or can only continue with unreadable letters, the first ones are used.
    const printable = ways.filter((byte) => byte > 0x20 && byte < 0x7f);
    const letter = pickRandom(printable.length > 0 ? printable : ways.slice(0, 1), random);
    if (letter === undefined) break;
    text += String.fromCharCode(letter);
    state = stepAutomaton(automaton, state, automaton.classOf[letter] ?? 0);
    left--;
  }
  return text;
}

function pickRandom(letters: readonly number[], random: () => number): number | undefined {
  return letters[Math.floor(random() * letters.length)];
}

/** Returns the number of letters from each state to the end of a text. */
function distancesToEnd(automaton: Automaton): readonly number[] {
  const distances: number[] = Array.from(automaton.accepting, (each) => (each === 1 ? 0 : Number.POSITIVE_INFINITY));
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let state = distances.length - 1; state >= 0; state--)
      for (let byteClass = 0; byteClass < automaton.classes; byteClass++) {
        const distance = (distances[stepAutomaton(automaton, state, byteClass)] ?? 0) + 1;
        if (distance >= (distances[state] ?? 0)) continue;
        distances[state] = distance;
        isChanged = true;
      }
  }
  return distances;
}

/** Returns a byte of each class, in order of readability. */
export function representativeBytes({ classOf }: Pick<Automaton, "classOf">): number[] {
  const seen = new Set<number | undefined>();
  return byReadability.filter((byte) => !seen.has(classOf[byte]) && seen.add(classOf[byte]));
}

function buildTextTo(
  last: number,
  predecessors: ReadonlyMap<number, { readonly from: number; readonly letter: number }>,
): string {
  let text = "";
  for (let step = predecessors.get(last); step; step = predecessors.get(step.from))
    text = String.fromCharCode(step.letter) + text;
  return text;
}
