/**
 * What an operation gives that would go beyond its budget. Operations take it as an operand too and pass it on, so that a
 * long computation is asked once, at its end, whether it came to one.
 */
export type BudgetExceeded = "too large";

/** What computations take their steps from: about as many as microseconds, but counted, so that each machine comes to the same. */
export interface StepBudget {
  take(steps: number): void;
  /** Whoever goes on and on is to look at it. */
  readonly isUsedUp: boolean;
}

/** So many steps, for all that take from them together. */
export class StepAllowance implements StepBudget {
  /** @param whole what these are a part of, for more than this */
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
}

/** The steps of whoever uses now what is kept from one to the next. */
export class CurrentStepBudget implements StepBudget {
  constructor(public of: StepBudget) {}

  take(steps: number): void {
    this.of.take(steps);
  }

  get isUsedUp(): boolean {
    return this.of.isUsedUp;
  }
}

/** What is kept in tables of automata takes little time and much memory: each entry counts as so many steps. */
export const STEPS_PER_ENTRY = 8;

/** For what is small by itself. */
export const unlimitedSteps: StepBudget = new StepAllowance(Number.POSITIVE_INFINITY);
