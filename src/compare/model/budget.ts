import { StepAllowance, type StepBudget } from "../../logic/budget.js";

/** The limits of an exploration. The result depends only on them, and is the same on every machine. */
export interface ExplorationBudget {
  /** Maximum number of automaton states for one pair of servers. */
  readonly states: number;
  /** Maximum number of BDD nodes for one set of paths. */
  readonly nodes: number;
  /** Maximum number of models probed for one set of paths. */
  readonly runs: number;
  /** Maximum number of steps over all servers. */
  readonly steps: number;
}

/** Maximum number of steps in an exploration of all servers; docs/hardening.md explains the resulting time. */
export const MAX_STEPS = 300_000_000;

export const defaultBudget: ExplorationBudget = { states: 200_000, nodes: 1_000_000, runs: 20_000, steps: MAX_STEPS };

/** For parts of servers: a run may check thousands of them. */
export const partBudget: ExplorationBudget = { states: 5_000, nodes: 50_000, runs: 500, steps: MAX_STEPS / 1000 };

/** Steps shared by explorations, besides those of their own budgets. */
export type SharedSteps = StepBudget;

const EXPLORATIONS_OF_RUN = 4;
export const MAX_RUN_STEPS = EXPLORATIONS_OF_RUN * MAX_STEPS;

/**
 * Returns the steps of a run with many explorations, for example one for each attempted change, so that it terminates.
 */
export function createRunSteps({ steps }: ExplorationBudget = defaultBudget): SharedSteps {
  return new StepAllowance(EXPLORATIONS_OF_RUN * steps);
}
