import type { BudgetExceeded } from "../budget.js";
import { FALSE, IteCache, NONE, NodeTable, TRUE } from "./node-table.js";

/** A boolean function. Two diagrams of the same set of diagrams are the same object where they are the same function. */
class Diagram {
  constructor(
    readonly of: Diagrams,
    readonly node: number,
  ) {}
}

export type { Diagram };

/** What an operation gives, and takes. */
export type BddResult = Diagram | BudgetExceeded;

/** A diagram as it is: a constant, or what it is without and with the variable that it tests first. */
export type BddNode =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "test"; readonly level: number; readonly low: Diagram; readonly high: Diagram };

/** The nodes of diagrams by their numbers, for whoever goes over many of them. */
export type NodeReader = Pick<NodeTable, "level" | "low" | "high" | "isConstant" | "isTrue">;

/** Some variables, by their level, with their values. */
export type Assignment = ReadonlyMap<number, boolean>;

/** An operation may look at this many pairs of nodes for each node of the budget, since a small outcome may be far to go. */
const STEPS_PER_NODE = 20;

/** Operations go down one variable after the other, and so deep the stack is. */
const MOST_VARIABLES = 2_000;

/**
 * Reduced ordered binary decision diagrams over one set of variables. A variable is a level: a number from 0, and the
 * lower ones are tested first.
 *
 * What needs more nodes than the budget has is "too large", and so is what has such an operand. That hangs on nothing but
 * the operations asked for and their order: it is the same on every machine.
 */
export class Diagrams {
  private readonly table: NodeTable;
  private readonly cache = new IteCache();
  private readonly known = new Map<number, Diagram>();
  private readonly variables = new Set<number>();
  private readonly mostSteps: number;
  /** Of the operation that goes on. */
  private steps = 0;
  private stepsBefore = 0;
  readonly true: Diagram;
  readonly false: Diagram;

  /** @param budget the most nodes */
  constructor(budget: number) {
    this.table = new NodeTable(budget);
    this.mostSteps = budget * STEPS_PER_NODE;
    this.true = this.diagram(TRUE);
    this.false = this.diagram(FALSE);
  }

  get nodes(): NodeReader {
    return this.table;
  }

  /** How many nodes there are. */
  get size(): number {
    return this.table.count;
  }

  /** How many steps all operations have taken. */
  get stepsTaken(): number {
    return this.stepsBefore + this.steps;
  }

  private begin(): void {
    this.stepsBefore += this.steps;
    this.steps = 0;
  }

  constant(value: boolean): Diagram {
    return value ? this.true : this.false;
  }

  /** The function that is true where the variable is. */
  variable(level: number): BddResult {
    if (!this.variables.has(level) && this.variables.size >= MOST_VARIABLES) return "too large";
    this.variables.add(level);
    return this.asResult(this.table.node(level, FALSE, TRUE));
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

  /** True where the one is and the other is not. */
  without(of: BddResult, other: BddResult): BddResult {
    return this.ite(other, this.false, of);
  }

  /** True where the two differ. */
  xor(a: BddResult, b: BddResult): BddResult {
    return this.ite(a, this.not(b), b);
  }

  /** One function where the test is true, the other elsewhere. */
  ite(test: BddResult, then: BddResult, otherwise: BddResult): BddResult {
    if (test === "too large" || then === "too large" || otherwise === "too large") return "too large";
    this.begin();
    return this.asResult(this.choose(this.nodeOf(test), this.nodeOf(then), this.nodeOf(otherwise)));
  }

  /** What is left of a function where some variables are known. */
  restrict(of: BddResult, known: Assignment): BddResult {
    return this.rebuild(of, (level, low, high) => {
      const value = known.get(level);
      return value === undefined ? this.table.node(level, low, high) : value ? high : low;
    });
  }

  /** Whether there are values for some variables that make it true, as a function of the others. */
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

  /** Put together from the last variable up, a long list leaves fewer nodes behind that nobody asked for. */
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

  private choose(test: number, then: number, otherwise: number): number {
    if (test === TRUE || then === otherwise) return then;
    if (test === FALSE) return otherwise;
    const ifSo = then === test ? TRUE : then;
    const ifNot = otherwise === test ? FALSE : otherwise;
    if (ifSo === ifNot) return ifSo;
    if (ifSo === TRUE && ifNot === FALSE) return test;
    // "and" and "or" know no order: one of the two is remembered.
    if (ifNot === FALSE && ifSo < test) return this.split(ifSo, test, FALSE);
    if (ifSo === TRUE && ifNot < test) return this.split(ifNot, TRUE, test);
    return this.split(test, ifSo, ifNot);
  }

  /** The choice between operands none of which settles it: without the first variable, and with it. */
  private split(test: number, then: number, otherwise: number): number {
    const before = this.cache.find(test, then, otherwise);
    if (before !== NONE) return before;
    if (++this.steps > this.mostSteps) return NONE;
    const { table } = this;
    const level = Math.min(table.level(test), table.level(then), table.level(otherwise));
    const low = this.choose(table.lowAt(level, test), table.lowAt(level, then), table.lowAt(level, otherwise));
    if (low === NONE) return NONE;
    const high = this.choose(table.highAt(level, test), table.highAt(level, then), table.highAt(level, otherwise));
    const outcome = high === NONE ? NONE : table.node(level, low, high);
    if (outcome === NONE) return NONE;
    this.cache.fit(table.count);
    this.cache.store(test, then, otherwise, outcome);
    return outcome;
  }

  /** Goes through a diagram from below and makes each of its tests anew. */
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
