import type { Look } from "../logic/atoms.js";

export type { Look };

/** A header and what it is held against: a pattern, or the text that it is to be. */
export interface SentText {
  readonly header: string;
  readonly pattern?: string;
  readonly text?: string;
}

/** A pattern that the client's address is held against, as httpd writes it. */
export interface AddressText {
  readonly addressPattern: string;
  readonly ignoreCase: boolean;
  /** Whether the test is that it does not match. */
  readonly isNegated: boolean;
}

/** What came out of a test, and what it hangs on. */
export interface Peeked {
  readonly holds: boolean;
  readonly look: Look;
}

/** Takes note of what a decision looks at: whoever knows all of it knows for which other requests it comes out the same. */
export interface Looks {
  /** Variables, in lower case, that the configuration itself sets: nobody brings them along. */
  readonly ownVariables: ReadonlySet<string>;
  /** @param seen what it saw there */
  at(look: Look, seen: boolean): void;
  /**
   * A test of what a client may send as it likes, or of a text that is too much to know: a header, the query, an address by
   * its digits.
   *
   * @param test in the words of the configuration: the same words are the same test
   * @param actual what comes out for this request
   * @param of where it is a test of one header, or of the address: what it is held against
   * @returns what the decision is to go on with
   */
  test(test: string, actual: boolean, of?: SentText | AddressText): boolean;
  /** The same without a note: it matters once somebody looks at what hangs on it. */
  peek(test: string, actual: boolean, of?: SentText | AddressText): Peeked;
  /** Something decides of which nothing more is known than its words. @param reason as a clause */
  untold(reason: string): void;
  /**
   * The request's method, which is no part of what requests differ in here.
   *
   * @param names those that it is held against; undefined where all of it matters
   */
  atMethod(names?: readonly string[]): void;
  /** Whether a file or nothing is where the path leads, which is no part of it either. */
  atPlace(): void;
}
