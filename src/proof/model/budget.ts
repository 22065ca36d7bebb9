import type { Project } from "../../config/model/project.js";
import { StepAllowance } from "../../regex/budget.js";

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

/** Short configurations get fewer steps: only a crafted one needs minutes. */
export const BASE_STEPS = 25_000_000;
export const STEPS_PER_LINE = 20_000;

/** Limits the steps of a budget by the lines of the configurations. */
export function budgetFor(projects: readonly Project[], budget: ExplorationBudget = defaultBudget): ExplorationBudget {
  const lines = projects.reduce((sum, project) => sum + linesIn(project), 0);
  return { ...budget, steps: Math.min(budget.steps, BASE_STEPS + STEPS_PER_LINE * lines) };
}

function linesIn({ files, htaccess }: Project): number {
  const trees = new Set([...files.values(), ...htaccess.map(({ tree }) => tree)]);
  return [...trees].reduce((sum, { lines }) => sum + lines.length, 0);
}

/** For parts of servers: a run may check thousands of them. */
export const fragmentBudget: ExplorationBudget = { states: 5_000, nodes: 50_000, runs: 500, steps: MAX_STEPS / 1000 };

/** Steps shared by explorations, besides those of their own budgets. */
export type SharedSteps = StepAllowance;

/**
 * Maximum number of steps of a run to prove that fixes are safe: a few seconds. Beyond it, a fix counts as unsafe. A
 * finding must not wait for its fix.
 */
export const MAX_FIX_STEPS = 10_000_000;

const EXPLORATIONS_PER_RUN = 4;
/** With short configurations a run gets the steps of fewer explorations, so that `migrate` ends in seconds. */
export const EXPLORATIONS_PER_SHORT_RUN = 2;
export const MAX_RUN_STEPS = EXPLORATIONS_PER_RUN * MAX_STEPS;

/**
 * Returns the steps of a run with many explorations of the same configurations, for example one for each attempted
 * change, so that it terminates.
 */
export function createRunSteps(projects: readonly Project[], budget: ExplorationBudget = defaultBudget): SharedSteps {
  const { steps } = budgetFor(projects, budget);
  const explorations = steps < budget.steps ? EXPLORATIONS_PER_SHORT_RUN : EXPLORATIONS_PER_RUN;
  return new StepAllowance(explorations * steps);
}
