import type { Look } from "../logic/atoms.js";

export type { Look };

/** A header and what it is held against: a pattern, or the text that it is to be. */
export interface SentText {
  readonly header: string;
  readonly pattern?: string;
  readonly text?: string;
}

/** Takes note of what a decision looks at: whoever knows all of it knows for which other requests it comes out the same. */
export interface Looks {
  /** @param seen what it saw there */
  at(look: Look, seen: boolean): void;
  /**
   * A test of what a client may send as it likes, or of a text that is too much to know: a header, the query, an address by
   * its digits.
   *
   * @param test in the words of the configuration: the same words are the same test
   * @param actual what comes out for this request
   * @param sent where it is a test of one header: of which, and what it is held against
   * @returns what the decision is to go on with
   */
  test(test: string, actual: boolean, sent?: SentText): boolean;
  /** The same without a note: it matters once somebody looks at what hangs on it. */
  peek(test: string, actual: boolean, sent?: SentText): boolean;
  /**
   * The request's method, which is no part of what requests differ in here.
   *
   * @param names those that it is held against; undefined where all of it matters
   */
  atMethod(names?: readonly string[]): void;
}
