import type { Directive } from "../../config/model/directive.js";
import type { PatternTest } from "../../regex/pcre/comparison.js";
import type { Predicate } from "./atoms.js";
import type { ReadonlyEnvironment } from "./environment.js";
import { type UnknownFact, unknownFact } from "./unknown-facts.js";
import { isUnknown, type UnknownValue } from "./unknown-value.js";

export type { Predicate };

/** A header and the pattern or text it is compared to. */
export interface HeaderTest {
  readonly header: string;
  readonly pattern?: string;
  readonly text?: string;
  /** How a value is compared: whether the test holds for exactly the values that match, or for the others. */
  readonly comparison?: { readonly ignoreCase: boolean; readonly isNegated: boolean };
}

/** A pattern that is matched against the client's address, in httpd's notation. */
export interface AddressTest {
  readonly addressPattern: string;
  readonly ignoreCase: boolean;
  /** Whether the test is negated. */
  readonly isNegated: boolean;
}

/**
 * A test of the path as the client sends it. Clients may escape any character, so that it says nothing about the path as
 * resolved.
 */
export interface SentPathTest {
  /** The pattern that it is matched against; undefined for another comparison. */
  readonly sentPath: PatternTest | undefined;
}

/** The result of a test, and the predicate it depends on. */
export interface PeekedTest {
  readonly holds: boolean;
  readonly predicate: Predicate;
}

export type ClientTest = HeaderTest | AddressTest | SentPathTest;

/** Data outside the configuration that decides about users, such as a password file. */
export interface UserSource {
  /** What it decides: passwords, or the groups of one kind. */
  readonly kind: string;
  /** Equal for the same data: the settings as resolved. */
  readonly id: string;
  /** The line that names it. */
  readonly by: Directive | undefined;
}

/** A test of the method: methods with the same result are treated alike. */
export interface MethodTest {
  /** Tests with equal keys have the same results. */
  readonly key: string;
  readonly resultFor: (method: string) => string;
}

/** Records the predicates that a decision reads; together they identify all other requests with the same result. */
export interface DependencyTracker {
  /** Variables, in lower case, that only the configuration sets: no request has them initially. */
  readonly ownVariables: ReadonlySet<string>;
  /** Whether clients are assumed to send paths without unnecessary escapes, as browsers do. */
  readonly readsPlainPaths: boolean;
  /** @param seen the observed value */
  recordPredicate(predicate: Predicate, seen: boolean): void;
  /**
   * Returns the result of a test with its predicate, without recording it: it matters only if a value that depends on it
   * is read. `recordTest` and `peekTest` in `request.ts` call it.
   */
  peekTest(test: UnknownFact, actual: boolean, of?: ClientTest): PeekedTest;
  /** Records that the decision depends on a text of unknown value. */
  markUnknown(fact: UnknownFact): void;
  /**
   * Records a read of the request's method, which is fixed for the explored requests.
   *
   * @param read the methods it is compared to, or a test of it; undefined if any method matters
   */
  recordMethod(read?: readonly string[] | MethodTest): void;
  /** Records a check for a file at the path, which is fixed as well. */
  recordFileExistence(): void;
  /** Records that data outside the configuration decided about the user. */
  recordUserSource(source: UserSource): void;
}

/** The prefix of the names that variables get in an internal redirect. */
const RENAMED = "redirect_";

/** Among the variables that only lines set: all with that prefix, apart from those of an internal redirect. */
export const ALL_RENAMED = `${RENAMED}*`;

const alwaysSet: Predicate = { kind: "constant", value: true };
const neverSet: Predicate = { kind: "constant", value: false };

/** A linked list of tests, latest first: the variable is set if any holds. A line may have thousands of arguments. */
interface TestList {
  readonly test: Predicate;
  readonly earlier: TestList | undefined;
}

/** The condition under which a variable is set: any of the tests, or the condition before them. */
interface VariableCondition {
  readonly tests: TestList | undefined;
  readonly base: Predicate;
  /** Number of conditional unsets: the nesting depth of `base`. */
  readonly depth: number;
}

/** Limit of the nesting: a deeper condition becomes an opaque fact. */
const MAX_CONDITION_DEPTH = 500;

/**
 * Environment variables with dependency tracking. A variable that no directive has set or unset is as in the request.
 * For others, the condition under which they are set is kept until it is queried.
 */
export class TrackedEnvironment extends Map<string, string | UnknownValue> {
  private readonly predicates = new Map<string, VariableCondition>();
  /** The variables before an internal redirect, which are now called `REDIRECT_…`. */
  private renamed: TrackedEnvironment | undefined;

  /**
   * @param before the initial variables, with their conditions
   * @param tracker has the variables that no request has initially, and is told when an unknown value is read
   */
  constructor(
    before: ReadonlyEnvironment,
    private readonly tracker: Pick<DependencyTracker, "ownVariables" | "markUnknown">,
  ) {
    super();
    for (const [name, value] of before) super.set(name, value);
    if (!(before instanceof TrackedEnvironment)) return;
    for (const [name, chain] of before.predicates) this.predicates.set(name, chain);
    this.renamed = before.renamed;
  }

  /**
   * Takes over the variables before an internal redirect, with the conditions under which they were set, as `REDIRECT_…`
   * (modules/http/http_request.c `rename_original_env`).
   */
  takeRenamed(before: TrackedEnvironment): void {
    this.renamed = before;
    for (const [name, value] of before) super.set(`${RENAMED}${name}`, value);
  }

  /** Returns a copy that can be changed independently. */
  copy(): TrackedEnvironment {
    return new TrackedEnvironment(this, this.tracker);
  }

  /** Returns the value of a variable. A decision that reads an unknown one is not proved. */
  override get(name: string): string | UnknownValue | undefined {
    const value = super.get(name);
    if (isUnknown(value)) this.tracker.markUnknown(unknownFact("value-of-variable", name));
    return value;
  }

  override set(name: string, value: string | UnknownValue): this {
    this.predicates.set(name, { tests: undefined, base: alwaysSet, depth: 0 });
    return super.set(name, value);
  }

  override delete(name: string): boolean {
    this.predicates.set(name, { tests: undefined, base: neverSet, depth: 0 });
    return super.delete(name);
  }

  /**
   * Records a change that depends on a test.
   *
   * @param value undefined if the variable is unset
   */
  changeIf(test: Predicate, holds: boolean, name: string, value: string | UnknownValue | undefined): void {
    const before = this.predicates.get(name) ?? { tests: undefined, base: this.initialCondition(name), depth: 0 };
    this.predicates.set(
      name,
      value === undefined ? this.conditionAfterUnset(name, test, before) : withTest(before, test),
    );
    if (!holds) return;
    if (value === undefined) super.delete(name);
    else super.set(name, value);
  }

  /** Returns the condition under which a variable is set. */
  predicateOf(name: string): Predicate {
    const chain = this.predicates.get(name);
    if (chain === undefined) return this.initialCondition(name);
    if (chain.tests === undefined) return chain.base;
    const of: Predicate[] = [];
    for (let each: TestList | undefined = chain.tests; each; each = each.earlier) of.push(each.test);
    return { kind: "any", of: [...of, chain.base] };
  }

  private initialCondition(name: string): Predicate {
    const { ownVariables } = this.tracker;
    const isRenamed = name.startsWith(RENAMED);
    // No module sets a variable whose name contains `%{`.
    const isOwn = ownVariables.has(name) || name.includes("%{") || (isRenamed && ownVariables.has(ALL_RENAMED));
    const sent: Predicate = isOwn ? neverSet : { kind: "env", name };
    if (this.renamed === undefined || !isRenamed) return sent;
    return { kind: "any", of: [this.renamed.predicateOf(name.slice(RENAMED.length)), sent] };
  }

  private conditionAfterUnset(name: string, test: Predicate, { depth }: VariableCondition): VariableCondition {
    const isSet: Predicate =
      depth < MAX_CONDITION_DEPTH
        ? this.predicateOf(name)
        : { kind: "fact", fact: unknownFact("set-at-that-point", name) };
    const base: Predicate = { kind: "not", of: { kind: "any", of: [test, { kind: "not", of: isSet }] } };
    return { tests: undefined, base, depth: depth < MAX_CONDITION_DEPTH ? depth + 1 : 0 };
  }
}

function withTest(chain: VariableCondition, test: Predicate): VariableCondition {
  return chain.tests?.test === test ? chain : { ...chain, tests: { test, earlier: chain.tests } };
}

/** Returns the predicate that a variable is set. @param name in lower case */
export function predicateOfVariable(env: ReadonlyEnvironment, name: string): Predicate {
  return env instanceof TrackedEnvironment ? env.predicateOf(name) : { kind: "constant", value: env.has(name) };
}
