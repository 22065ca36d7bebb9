import type { Observation, RequestModel } from "../../server/model/atoms.js";
import type {
  AddressTest,
  DependencyTracker,
  HeaderTest,
  PeekedTest,
  Predicate,
} from "../../server/model/dependency-tracker.js";

/** Records the predicates that a decision reads, with their values in a model. */
export abstract class ModelTracker implements DependencyTracker {
  readonly observations: Observation[] = [];

  constructor(
    readonly model: RequestModel,
    readonly ownVariables: ReadonlySet<string>,
  ) {}

  recordPredicate(predicate: Predicate, value: boolean): void {
    this.observations.push({ predicate, value });
  }

  recordTest(text: string, actual: boolean, of?: HeaderTest | AddressTest): boolean {
    const { predicate, holds } = this.peekTest(text, actual, of);
    this.recordPredicate(predicate, holds);
    return holds;
  }

  peekTest(text: string, _actual: boolean, _of?: HeaderTest | AddressTest): PeekedTest {
    return { predicate: { kind: "term", text }, holds: this.model.terms.has(text) };
  }

  /** Returns the value of an opaque condition, and records it. */
  term(text: string): boolean {
    const value = this.model.terms.has(text);
    this.recordPredicate({ kind: "term", text }, value);
    return value;
  }

  abstract markUnknown(reason: string): void;
  abstract recordMethod(names?: readonly string[]): void;
  abstract recordFileExistence(): void;
}
