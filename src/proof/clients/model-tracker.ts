import type { Observation, RequestModel } from "../../server/model/atoms.js";
import type {
  ClientTest,
  DependencyTracker,
  MethodTest,
  PeekedTest,
  Predicate,
  UserSource,
} from "../../server/model/dependency-tracker.js";
import type { UnknownFact } from "../../server/model/unknown-facts.js";

/** Records the predicates that a decision reads, with their values in a model. */
export abstract class ModelTracker implements DependencyTracker {
  readonly observations: Observation[] = [];

  constructor(
    readonly model: RequestModel,
    readonly ownVariables: ReadonlySet<string>,
    readonly readsPlainPaths = false,
  ) {}

  recordPredicate(predicate: Predicate, value: boolean): void {
    this.observations.push({ predicate, value });
  }

  peekTest(fact: UnknownFact, _actual: boolean, _of?: ClientTest): PeekedTest {
    return { predicate: { kind: "fact", fact }, holds: this.model.facts.has(fact) };
  }

  /** Returns whether a fact holds, and records it. */
  ask(fact: UnknownFact): boolean {
    const value = this.model.facts.has(fact);
    this.recordPredicate({ kind: "fact", fact }, value);
    return value;
  }

  abstract markUnknown(fact: UnknownFact): void;
  abstract recordMethod(read?: readonly string[] | MethodTest): void;
  abstract recordFileExistence(): void;
  abstract recordUserSource(source: UserSource): void;
}
