import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Semantics } from "../../server/model/answer.js";
import { omitRefusedLines } from "../../startup/install-config.js";
import type { Result } from "../../text/result.js";
import { createRunSteps, defaultBudget, type ExplorationBudget, type SharedSteps } from "../model/budget.js";
import { adviceOnPattern, reasonFor, wordsOfReason } from "../model/unproved-reasons.js";
import { acceptNothing } from "./acceptance.js";
import { AttemptProver } from "./attempt-prover.js";
import { listAttempts, listAttemptsWithVariables } from "./attempts.js";
import type { MigrateOptions, MigrateSource, Migration } from "./migration.js";
import { type AccessGoals, computeAccessGoals } from "./plan/access-goals.js";
import { collectContexts, type MergeContext } from "./plan/contexts.js";
import { type Inexpressible, stateReason, uniqueByDirective } from "./plan/inexpressible.js";

/** A configuration whose requests are explored. */
export interface ExploredSource {
  readonly source: MigrateSource;
  /** As installed, without the lines that the server rejects. */
  readonly project: Project;
  readonly contexts: readonly MergeContext[];
  readonly goals: AccessGoals;
  readonly budget: ExplorationBudget;
  readonly steps: SharedSteps;
}

/** Explores a configuration, or returns why its access cannot be kept. */
export function exploreSource(
  source: MigrateSource,
  semantics: Semantics,
  { budget = defaultBudget, onProgress }: MigrateOptions,
): Result<ExploredSource, readonly Inexpressible[]> {
  const project = omitRefusedLines(source.before);
  const steps = createRunSteps([project], budget);
  const contexts = collectContexts({ project, semantics }, budget, steps, onProgress);
  if (!contexts.isComplete)
    return { ok: false, error: [tooLargeReason, ...contexts.costlyLines.map(createCostlyReason)] };
  const goals = computeAccessGoals(contexts.all, semantics);
  if (goals.refused.length > 0) return { ok: false, error: uniqueByDirective(goals.refused) };
  return { ok: true, value: { source, project, contexts: contexts.all, goals, budget, steps } };
}

/** Converts an explored configuration so that every request is answered as before, with proof. */
export function convert(
  { source, project, contexts, goals, budget, steps }: ExploredSource,
  semantics: Semantics,
  { accept = acceptNothing, allowsVariables = false, onProgress }: MigrateOptions,
): Migration {
  const input = { project, contexts, goals };
  const prover = new AttemptProver(source, semantics, goals, budget, steps, onProgress);
  return (
    prover.findProved(listAttempts(input)) ??
    prover.accept(accept) ??
    (allowsVariables ? prover.findProved(listAttemptsWithVariables(input)) : undefined) ??
    prover.refuse(accept, allowsVariables)
  );
}

function createCostlyReason(directive: Directive): Inexpressible {
  return {
    ...stateReason("costly-pattern"),
    help: [wordsOfReason(reasonFor(adviceOnPattern(directive)))],
    directive,
  };
}

const tooLargeReason: Inexpressible = {
  ...stateReason("too-many-requests"),
  help: ["convert it by hand in parts, and run `httpd-lint compare` after each"],
  directive: undefined,
};
