import type { BudgetExceeded } from "../../regex/budget.js";
import { FALSE, IteCache, NONE, NodeTable, TRUE } from "./node-table.js";

/** A boolean function. Equal functions in the same `Diagrams` are the same object. */
class Diagram {
  constructor(
    readonly of: Diagrams,
    readonly node: number,
  ) {}
}

export type { Diagram };

/** The operand and result type of operations. */
export type BddResult = Diagram | BudgetExceeded;

/** The top of a diagram: a constant, or its first variable with the two cofactors. */
export type BddNode =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "test"; readonly level: number; readonly low: Diagram; readonly high: Diagram };

/** Diagram nodes by number, for traversals of many nodes. */
export type NodeReader = Pick<NodeTable, "level" | "low" | "high" | "isConstant" | "isTrue">;

/** Values of some variables, by level. */
export type Assignment = ReadonlyMap<number, boolean>;

/**
 * The number of node pairs that an operation may visit, per node of the budget; even a small result may take many
 * steps.
 */
const STEPS_PER_NODE = 20;

/** Operations recurse over the variables, which limits the stack depth. */
const MAX_VARIABLES = 2_000;

/**
 * Reduced ordered binary decision diagrams (BDDs) over one set of variables. A variable is a level: a number from 0,
 * and lower ones are tested first.
 *
 * A result that exceeds the node budget is "too large", and so is any result with such an operand. This depends only on
 * the operations and their order: it is the same on every machine.
 */
export class Diagrams {
  private readonly table: NodeTable;
  private readonly cache = new IteCache();
  private readonly known = new Map<number, Diagram>();
  private readonly variables = new Set<number>();
  private readonly maxSteps: number;
  /** Steps of the current operation. */
  private steps = 0;
  private stepsBefore = 0;
  readonly true: Diagram;
  readonly false: Diagram;

  /** @param budget the maximum number of nodes */
  constructor(budget: number) {
    this.table = new NodeTable(budget);
    this.maxSteps = budget * STEPS_PER_NODE;
    this.true = this.diagram(TRUE);
    this.false = this.diagram(FALSE);
  }

  get nodes(): NodeReader {
    return this.table;
  }

  /** Number of nodes. */
  get size(): number {
    return this.table.count;
  }

  /** Number of steps taken by all operations. */
  get stepsTaken(): number {
    return this.stepsBefore + this.steps;
  }

  /** Counts work on the nodes that is done elsewhere. */
  countSteps(steps: number): void {
    this.stepsBefore += steps;
  }

  private begin(): void {
    this.stepsBefore += this.steps;
    this.steps = 0;
  }

  constant(value: boolean): Diagram {
    return value ? this.true : this.false;
  }

  /** Returns the function that is true if the variable is. */
  variable(level: number): BddResult {
    if (!this.variables.has(level) && this.variables.size >= MAX_VARIABLES) return "too large";
    this.variables.add(level);
    return this.asResult(this.table.node(level, FALSE, TRUE));
  }

  /** The function that is true where variables have these values. @param values the last level first */
  assignment(values: readonly (readonly [level: number, value: boolean])[]): BddResult {
    this.begin();
    let node = TRUE;
    for (const [level, value] of values) {
      if (!this.variables.has(level) && this.variable(level) === "too large") return "too large";
      node = value ? this.table.node(level, FALSE, node) : this.table.node(level, node, FALSE);
      if (node === NONE || ++this.steps > this.maxSteps) return "too large";
    }
    return this.asResult(node);
  }

  not(of: BddResult): BddResult {
    return this.ite(of, this.false, this.true);
  }

  and(...all: readonly BddResult[]): BddResult {
    return this.fromBelow(all).reduce((sum, each) => this.ite(sum, each, this.false), this.true);
  }

  or(...any: readonly BddResult[]): BddResult {
    return this.fromBelow(any).reduce((sum, each) => this.ite(sum, this.true, each), this.false);
  }

  /** Returns a function that is true if the first is true and the second is not. */
  without(of: BddResult, other: BddResult): BddResult {
    return this.ite(other, this.false, of);
  }

  /** Returns a function that is true if the two differ. */
  xor(a: BddResult, b: BddResult): BddResult {
    return this.ite(a, this.not(b), b);
  }

  /** Returns the first function if the test is true, else the second. */
  ite(test: BddResult, whenTrue: BddResult, whenFalse: BddResult): BddResult {
    if (test === "too large" || whenTrue === "too large" || whenFalse === "too large") return "too large";
    this.begin();
    return this.asResult(this.choose(this.nodeOf(test), this.nodeOf(whenTrue), this.nodeOf(whenFalse)));
  }

  /** Returns the cofactor of a function for known variables. */
  restrict(of: BddResult, known: Assignment): BddResult {
    return this.rebuild(of, (level, low, high) => {
      const value = known.get(level);
      return value === undefined ? this.table.node(level, low, high) : value ? high : low;
    });
  }

  /**
   * Quantifies existentially: returns whether some values of the free variables make it true, as a function of the
   * others.
   */
  exists(of: BddResult, isFree: (level: number) => boolean): BddResult {
    return this.rebuild(of, (level, low, high) =>
      isFree(level) ? this.choose(low, TRUE, high) : this.table.node(level, low, high),
    );
  }

  isTrue(diagram: Diagram): boolean {
    return this.nodeOf(diagram) === TRUE;
  }

  isFalse(diagram: Diagram): boolean {
    return this.nodeOf(diagram) === FALSE;
  }

  equal(a: Diagram, b: Diagram): boolean {
    return this.nodeOf(a) === this.nodeOf(b);
  }

  evaluate(diagram: Diagram, valueAt: (level: number) => boolean): boolean {
    let node = this.nodeOf(diagram);
    while (node !== TRUE && node !== FALSE)
      node = valueAt(this.table.level(node)) ? this.table.high(node) : this.table.low(node);
    return node === TRUE;
  }

  open(diagram: Diagram): BddNode {
    const node = this.nodeOf(diagram);
    if (node === TRUE || node === FALSE) return { kind: "constant", value: node === TRUE };
    const { table } = this;
    return {
      kind: "test",
      level: table.level(node),
      low: this.diagram(table.low(node)),
      high: this.diagram(table.high(node)),
    };
  }

  /** Sorts the operands of a long list: combining from the last variable up leaves fewer unused nodes. */
  private fromBelow(outcomes: readonly BddResult[]): readonly BddResult[] {
    const level = (outcome: BddResult) => (outcome === "too large" ? 0 : this.table.level(this.nodeOf(outcome)));
    return outcomes.length < 3 ? outcomes : outcomes.toSorted((a, b) => level(b) - level(a));
  }

  private nodeOf(diagram: Diagram): number {
    if (diagram.of !== this) throw new Error("a diagram of another set: its nodes mean nothing here");
    return diagram.node;
  }

  private asResult(node: number): BddResult {
    return node === NONE ? "too large" : this.diagram(node);
  }

  private diagram(node: number): Diagram {
    const before = this.known.get(node);
    if (before) return before;
    const diagram = new Diagram(this, node);
    this.known.set(node, diagram);
    return diagram;
  }

  private choose(test: number, whenTrue: number, whenFalse: number): number {
    if (test === TRUE || whenTrue === whenFalse) return whenTrue;
    if (test === FALSE) return whenFalse;
    const trueBranch = whenTrue === test ? TRUE : whenTrue;
    const falseBranch = whenFalse === test ? FALSE : whenFalse;
    if (trueBranch === falseBranch) return trueBranch;
    if (trueBranch === TRUE && falseBranch === FALSE) return test;
    // "and" and "or" are commutative: only one order is cached.
    if (falseBranch === FALSE && trueBranch < test) return this.split(trueBranch, test, FALSE);
    if (trueBranch === TRUE && falseBranch < test) return this.split(falseBranch, TRUE, test);
    return this.split(test, trueBranch, falseBranch);
  }

  /** Decides between non-trivial operands by splitting on the first variable. */
  private split(test: number, whenTrue: number, whenFalse: number): number {
    const before = this.cache.find(test, whenTrue, whenFalse);
    if (before !== NONE) return before;
    if (++this.steps > this.maxSteps) return NONE;
    const { table } = this;
    const level = Math.min(table.level(test), table.level(whenTrue), table.level(whenFalse));
    const low = this.choose(table.lowAt(level, test), table.lowAt(level, whenTrue), table.lowAt(level, whenFalse));
    if (low === NONE) return NONE;
    const high = this.choose(table.highAt(level, test), table.highAt(level, whenTrue), table.highAt(level, whenFalse));
    const outcome = high === NONE ? NONE : table.node(level, low, high);
    if (outcome === NONE) return NONE;
    this.cache.fit(table.count);
    this.cache.store(test, whenTrue, whenFalse, outcome);
    return outcome;
  }

  /** Rebuilds a diagram bottom-up, creating each of its tests again. */
  private rebuild(of: BddResult, make: (level: number, low: number, high: number) => number): BddResult {
    if (of === "too large") return "too large";
    this.begin();
    const { table } = this;
    const done = new Map<number, number>([
      [FALSE, FALSE],
      [TRUE, TRUE],
    ]);
    const visit = (node: number): number => {
      const before = done.get(node);
      if (before !== undefined) return before;
      const low = visit(table.low(node));
      const high = low === NONE ? NONE : visit(table.high(node));
      const outcome = low === NONE || high === NONE ? NONE : make(table.level(node), low, high);
      done.set(node, outcome);
      return outcome;
    };
    return this.asResult(visit(this.nodeOf(of)));
  }
}
