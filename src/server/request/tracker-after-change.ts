import type {
  AddressTest,
  DependencyTracker,
  HeaderTest,
  PeekedTest,
  Predicate,
  UserSource,
} from "../model/dependency-tracker.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";

/**
 * Records the reads of a symbolic request whose headers lines have changed. The result of a test then says nothing about
 * the same test of the headers as sent, so that it is another fact.
 */
export class TrackerAfterChange implements DependencyTracker {
  /**
   * @param headers the names that may have changed, in lower case
   * @param lines the lines that changed them: after equal lines, the results are equal
   */
  constructor(
    private readonly tracker: DependencyTracker,
    private readonly headers: ReadonlySet<string>,
    private readonly lines: string,
  ) {}

  get ownVariables(): ReadonlySet<string> {
    return this.tracker.ownVariables;
  }

  recordPredicate(predicate: Predicate, seen: boolean): void {
    this.tracker.recordPredicate(predicate, seen);
  }

  recordTest(test: UnknownFact, actual: boolean, of?: HeaderTest | AddressTest): boolean {
    const isSame = this.isUnchanged(of);
    return this.tracker.recordTest(isSame ? test : this.changed(test), actual, isSame ? of : undefined);
  }

  peekTest(test: UnknownFact, actual: boolean, of?: HeaderTest | AddressTest): PeekedTest {
    const isSame = this.isUnchanged(of);
    return this.tracker.peekTest(isSame ? test : this.changed(test), actual, isSame ? of : undefined);
  }

  markUnknown(fact: UnknownFact): void {
    this.tracker.markUnknown(fact);
  }

  recordMethod(names?: readonly string[]): void {
    this.tracker.recordMethod(names);
  }

  recordFileExistence(): void {
    this.tracker.recordFileExistence();
  }

  recordUserSource(source: UserSource): void {
    this.tracker.recordUserSource(source);
  }

  private isUnchanged(of: HeaderTest | AddressTest | undefined): boolean {
    return of !== undefined && (!("header" in of) || !this.headers.has(of.header.toLowerCase()));
  }

  private changed(test: UnknownFact): UnknownFact {
    return unknownFact("after-header-change", this.lines, test);
  }
}
