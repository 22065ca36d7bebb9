import type { AssertionNode } from "./ast.js";

/** One instruction of a backtracking matcher. Unless it names a target, the next one follows. */
export type Instruction =
  /** Reads one byte of a set: 1 for each member. */
  | { readonly op: "byte"; readonly set: Uint8Array }
  /** Reads as many bytes of a set as possible. A possessive one gives none back. */
  | {
      readonly op: "span";
      readonly set: Uint8Array;
      readonly min: number;
      readonly max: number;
      readonly isPossessive: boolean;
    }
  /** Continues at the first target, and at the second if that fails. */
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "jump"; to: number }
  /** Stores the position in a register. */
  | { readonly op: "save"; readonly register: number }
  /** Sets a group to the text between the position in a register and the current one. */
  | { readonly op: "capture"; readonly group: number; readonly register: number }
  /** Continues at the target if nothing was read since the register was saved: the end of an empty iteration. */
  | { readonly op: "leaveIfEmpty"; readonly register: number; to: number }
  | { readonly op: "assert"; readonly mark: PositionMark }
  | { readonly op: "reference"; readonly group: number; readonly ignoreCase: boolean }
  /**
   * Runs the instructions up to the target's `accept` on their own. Only
   * `atomic` continues where they end.
   */
  | { readonly op: "group"; readonly kind: "ahead" | "behind" | "atomic"; readonly isNegative: boolean; to: number }
  /** Goes back by some bytes; fails at the start of the text. */
  | { readonly op: "back"; readonly by: number }
  | { readonly op: "accept" }
  | { readonly op: "fail" };

export type PositionMark = AssertionNode["mark"] | "$newline" | "word" | "not-word";

/** A pattern as instructions for a backtracking matcher. */
export interface PcreProgram {
  readonly instructions: readonly Instruction[];
  /** The number of capture groups; group n uses the registers 2n and 2n + 1. */
  readonly groupCount: number;
  readonly registers: number;
  /** Numbers of the named groups, by name. */
  readonly names: ReadonlyMap<string, number>;
}
