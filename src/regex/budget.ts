/**
 * The result of an operation that would exceed its budget. Operations also accept it as an operand and propagate it, so
 * that a long computation is only checked at its end.
 */
export type BudgetExceeded = "too large";

/**
 * A step budget for computations. A step takes about a microsecond, but is counted, so that every machine has the same
 * result.
 */
export interface StepBudget {
  take(steps: number): void;
  /** Whether the budget is used up; long loops must check it. */
  readonly isUsedUp: boolean;
}

/** A number of steps, shared by all computations that take from it. */
export class StepAllowance implements StepBudget {
  /** @param whole an enclosing budget that this is part of */
  constructor(
    private left: number,
    private readonly whole?: StepBudget,
  ) {}

  take(steps: number): void {
    this.left -= steps;
    this.whole?.take(steps);
  }

  get isUsedUp(): boolean {
    return this.left < 0 || this.whole?.isUsedUp === true;
  }

  /** Returns an allowance of a part of what is left. @param share greater than 0, and at most 1 */
  part(share: number): StepAllowance {
    return new StepAllowance(Math.floor(this.left * share), this);
  }
}

/** The step budget of the current user of shared data. */
export class CurrentStepBudget implements StepBudget {
  constructor(public of: StepBudget) {}

  take(steps: number): void {
    this.of.take(steps);
  }

  get isUsedUp(): boolean {
    return this.of.isUsedUp;
  }
}

/** Steps per entry in automaton tables, which take little time but much memory. */
export const STEPS_PER_ENTRY = 8;

/** For computations that are inherently small. */
export const unlimitedSteps: StepBudget = new StepAllowance(Number.POSITIVE_INFINITY);
