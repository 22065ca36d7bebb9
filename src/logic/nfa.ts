import type { TooLarge } from "./budget.js";
import { type ByteSet, newline, oneByte } from "./byte-sets.js";
import { anyText, type Regular } from "./regular.js";

/** A state of an automaton that may be in several at once. */
export type NfaState =
  | { readonly kind: "bytes"; readonly set: ByteSet; readonly to: number }
  /** It goes on in all of them without taking anything. */
  | { readonly kind: "split"; to: readonly number[] }
  | { readonly kind: "start"; readonly to: number }
  | { readonly kind: "end"; readonly beforeNewline: boolean; readonly to: number }
  /** @property open whether whatever may follow */
  | { readonly kind: "accept"; readonly open: boolean };

export interface Nfa {
  readonly states: readonly NfaState[];
  readonly start: number;
  /** The sets of bytes that it tells apart. */
  readonly sets: readonly ByteSet[];
}

/** @param budget the most states: repeated parts are there as often as they must occur */
export function nfaOf(regular: Regular, budget: number): Nfa | TooLarge {
  const builder = new Builder(budget);
  const start = builder.build(regular, builder.accept);
  if (builder.isTooLarge) return "too large";
  const sets = new Set<ByteSet>();
  for (const state of builder.states) {
    if (state.kind === "bytes") sets.add(state.set);
    if (state.kind === "end" && state.beforeNewline) sets.add(newline);
  }
  return { states: builder.states, start, sets: [...sets] };
}

class Builder {
  readonly states: NfaState[] = [];
  isTooLarge = false;
  readonly accept: number;
  /** What may be followed by anything is accepted for good, and need not be told apart any further. */
  private readonly openAccept: number;

  constructor(private readonly budget: number) {
    this.accept = this.add({ kind: "accept", open: false });
    this.openAccept = this.add({ kind: "accept", open: true });
  }

  add(state: NfaState): number {
    if (this.states.length >= this.budget) this.isTooLarge = true;
    else this.states.push(state);
    return this.states.length - 1;
  }

  /** The state at which a part begins, when it goes on behind it in another one. */
  build(part: Regular, to: number): number {
    if (this.isTooLarge) return to;
    if (part === anyText && to === this.accept) return this.openAccept;
    switch (part.kind) {
      case "bytes":
        return this.add({ kind: "bytes", set: part.set, to });
      case "start":
        return this.add({ kind: "start", to });
      case "end":
        return this.add({ kind: "end", beforeNewline: part.beforeNewline, to });
      case "sequence":
        return part.parts.reduceRight((next, each) => this.build(each, next), to);
      case "either":
        return this.add({ kind: "split", to: part.of.map((each) => this.build(each, to)) });
      case "repeat":
        return this.repeat(part.of, part.least, part.most, to);
    }
  }

  private repeat(of: Regular, least: number, most: number, to: number): number {
    let first = most === Number.POSITIVE_INFINITY ? this.loop(of, to) : to;
    if (most !== Number.POSITIVE_INFINITY)
      for (let left = most - least; left > 0 && !this.isTooLarge; left--)
        first = this.add({ kind: "split", to: [this.build(of, first), to] });
    for (let left = least; left > 0 && !this.isTooLarge; left--) first = this.build(of, first);
    return first;
  }

  private loop(of: Regular, to: number): number {
    const state: NfaState = { kind: "split", to: [] };
    const again = this.add(state);
    state.to = [this.build(of, again), to];
    return again;
  }
}

/** Which bytes the sets do not tell apart: a class for each byte, numbered by their first byte. */
export interface ByteClasses {
  readonly classOf: Uint8Array;
  /** The first byte of each. */
  readonly firsts: readonly number[];
}

export function byteClasses(sets: readonly ByteSet[]): ByteClasses {
  const classOf = new Uint8Array(256);
  const firsts: number[] = [];
  const known = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const mask = oneByte(byte);
    const signature = sets.map((set) => ((set & mask) === 0n ? "0" : "1")).join("");
    const before = known.get(signature);
    classOf[byte] = before ?? firsts.length;
    if (before !== undefined) continue;
    known.set(signature, firsts.length);
    firsts.push(byte);
  }
  return { classOf, firsts };
}
