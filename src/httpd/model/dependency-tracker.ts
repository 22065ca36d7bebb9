import type { Predicate } from "../../logic/symbolic/atoms.js";

export type { Predicate };

/** A header and what it is held against: a pattern, or the text that it is to be. */
export interface HeaderTest {
  readonly header: string;
  readonly pattern?: string;
  readonly text?: string;
}

/** A pattern that the client's address is held against, as httpd writes it. */
export interface AddressTest {
  readonly addressPattern: string;
  readonly ignoreCase: boolean;
  /** Whether the test is that it does not match. */
  readonly isNegated: boolean;
}

/** What came out of a test, and what it hangs on. */
export interface PeekedTest {
  readonly holds: boolean;
  readonly predicate: Predicate;
}

/** Takes note of what a decision looks at: whoever knows all of it knows for which other requests it comes out the same. */
export interface DependencyTracker {
  /** Variables, in lower case, that the configuration itself sets: nobody brings them along. */
  readonly ownVariables: ReadonlySet<string>;
  /** @param seen what it saw there */
  recordPredicate(look: Predicate, seen: boolean): void;
  /**
   * A test of what a client may send as it likes, or of a text that is too much to know: a header, the query, an address by
   * its digits.
   *
   * @param test in the words of the configuration: the same words are the same test
   * @param actual what comes out for this request
   * @param of where it is a test of one header, or of the address: what it is held against
   * @returns what the decision is to go on with
   */
  recordTest(test: string, actual: boolean, of?: HeaderTest | AddressTest): boolean;
  /** The same without a note: it matters once somebody looks at what hangs on it. */
  peekTest(test: string, actual: boolean, of?: HeaderTest | AddressTest): PeekedTest;
  /** Something decides of which nothing more is known than its words. @param reason as a clause */
  markUnknown(reason: string): void;
  /**
   * The request's method, which is no part of what requests differ in here.
   *
   * @param names those that it is held against; undefined where all of it matters
   */
  recordMethod(names?: readonly string[]): void;
  /** Whether a file or nothing is where the path leads, which is no part of it either. */
  recordFileExistence(): void;
}

const alwaysSet: Predicate = { kind: "constant", value: true };
const neverSet: Predicate = { kind: "constant", value: false };

/**
 * Variables for whoever takes note of looks at them. Those that no line has set or taken away are as the request brought
 * them; of others it is known what their being set hangs on, which matters once somebody looks.
 */
export class TrackedEnvironment extends Map<string, string> {
  private readonly predicates = new Map<string, Predicate>();

  /**
   * @param before whose variables are brought along; what they hang on stays so
   * @param own variables that nobody brings along
   */
  constructor(
    before: ReadonlyMap<string, string>,
    private readonly own: ReadonlySet<string>,
  ) {
    super();
    for (const [name, value] of before) super.set(name, value);
    if (before instanceof TrackedEnvironment)
      for (const [name, look] of before.predicates) this.predicates.set(name, look);
  }

  /** The same, to be changed by itself. */
  copy(): TrackedEnvironment {
    return new TrackedEnvironment(this, this.own);
  }

  override set(name: string, value: string): this {
    this.predicates.set(name, alwaysSet);
    return super.set(name, value);
  }

  override delete(name: string): boolean {
    this.predicates.set(name, neverSet);
    return super.delete(name);
  }

  /**
   * What a line does that hangs on a test.
   *
   * @param value undefined where it takes the variable away
   */
  changeIf(test: Predicate, holds: boolean, name: string, value: string | undefined): void {
    const before = this.predicateOf(name);
    this.predicates.set(
      name,
      value === undefined
        ? { kind: "not", of: { kind: "any", of: [test, { kind: "not", of: before }] } }
        : { kind: "any", of: [test, before] },
    );
    if (!holds) return;
    if (value === undefined) super.delete(name);
    else super.set(name, value);
  }

  /** What being set hangs on. */
  predicateOf(name: string): Predicate {
    return this.predicates.get(name) ?? (this.own.has(name) ? neverSet : { kind: "env", name });
  }
}

/** Whether a variable is set, as something that was looked at. @param name in lower case */
export function predicateOfVariable(env: ReadonlyMap<string, string>, name: string): Predicate {
  return env instanceof TrackedEnvironment ? env.predicateOf(name) : { kind: "constant", value: env.has(name) };
}
