import { StepAllowance, type StepBudget } from "../../logic/budget.js";

/** How much may be looked at; the outcome hangs on nothing but this, and is the same on every machine. */
export interface SurveyBudget {
  /** The most states of the automata for one pair of servers. */
  readonly states: number;
  /** The most nodes of the diagrams for one set of paths. */
  readonly nodes: number;
  /** The most situations asked about for one set of paths. */
  readonly runs: number;
  /** The most steps in all, over all servers. */
  readonly steps: number;
}

/** The most steps that a survey takes of all servers together; docs/hardening.md tells what that comes to. */
export const MAX_STEPS = 300_000_000;

export const defaultBudget: SurveyBudget = { states: 200_000, nodes: 1_000_000, runs: 20_000, steps: MAX_STEPS };

/** For parts of servers: a run may check thousands of them. */
export const partBudget: SurveyBudget = { states: 5_000, nodes: 50_000, runs: 500, steps: MAX_STEPS / 1000 };

/** Steps that surveys take beside those of their own budgets. */
export type SharedSteps = StepBudget;

const SURVEYS_OF_RUN = 4;
export const MAX_RUN_STEPS = SURVEYS_OF_RUN * MAX_STEPS;

/** The steps of a run that makes many surveys, as one for each change that it tries: it ends, too. */
export function createRunSteps({ steps }: SurveyBudget = defaultBudget): SharedSteps {
  return new StepAllowance(SURVEYS_OF_RUN * steps);
}
