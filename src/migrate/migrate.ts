import { isLegacyDirective } from "../access/rules/lines-of-24.js";
import { createRunSteps, defaultBudget } from "../compare/model/budget.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import { iterateDirectives } from "../project/queries/directive-tree.js";
import { relocateProject } from "../project/queries/install-root.js";
import { omitRefusedLines } from "../simulate/inputs/refused-lines.js";
import type { Reading } from "../simulate/model/decision.js";
import { acceptNothing } from "./acceptance.js";
import { AttemptProver } from "./attempt-prover.js";
import { listAttempts, listAttemptsWithVariables } from "./attempts.js";
import type { MigrateOptions, MigrateSource, Migration, ProvedMigration } from "./migration.js";
import { collectContexts } from "./model/contexts.js";
import { findObstacles } from "./obstacles.js";
import { computeAccessGoals } from "./policy/access-goals.js";
import { type Inexpressible, uniqueByDirective } from "./policy/access-policy.js";

/**
 * Migrates a configuration from Order, Allow, Deny and Satisfy to Require, in one step. Proves that a server without
 * mod_access_compat answers every request as before, except what 2.4 refuses regardless of the access rules, and what
 * the user accepts. A configuration cannot be migrated in parts.
 *
 * The result is readable, or there is none: an exact one without variables and with few more lines, or the one that an
 * operator would write, with the complete list of its differences.
 *
 * @param reading the semantics of mod_access_compat directives to preserve: as the server does, or as the upgrade guide
 *   describes
 */
export function migrate(source: MigrateSource, reading: Reading, options: MigrateOptions = {}): Migration {
  const { budget = defaultBudget, accept = acceptNothing, allowsVariables = false, onProgress } = options;
  const obstacles = findObstacles(source.before);
  if (obstacles.length > 0) return refuse(obstacles);
  const project = omitRefusedLines(relocateProject(source.before));
  if (![...iterateDirectives(project)].some(isLegacyDirective) && project.release === "2.4")
    return createUnchangedMigration(source.before);
  const steps = createRunSteps([project], budget);
  const contexts = collectContexts({ project, reading }, budget, steps, onProgress);
  if (!contexts.isComplete) return refuse([tooLargeReason, ...contexts.costlyLines.map(createCostlyReason)]);
  const goals = computeAccessGoals(contexts.all, reading);
  if (goals.refused.length > 0) return refuse(uniqueByDirective(goals.refused));
  const input = { project, contexts: contexts.all, goals };
  const prover = new AttemptProver(source, reading, goals, budget, steps, onProgress);
  return (
    prover.findProved(listAttempts(input)) ??
    prover.accept(accept) ??
    (allowsVariables ? prover.findProved(listAttemptsWithVariables(input)) : undefined) ??
    prover.refuse(accept, allowsVariables)
  );
}

/** Returns the result for a configuration with nothing to migrate. */
export function createUnchangedMigration(before: Project): ProvedMigration {
  const exceptions = { methods: [], byRelease: [], samePage: [], accepted: [] };
  return { verdict: "proved", files: [], after: before, exceptions, assumesStartFixes: false };
}

/**
 * Returns the remaining mod_access_compat directives, such as those in a `.htaccess` file that the server refuses
 * anyway.
 */
export function findLegacyDirectives(project: Project): readonly Directive[] {
  return [...iterateDirectives(project)].filter(isLegacyDirective);
}

function refuse(refused: readonly Inexpressible[]): Migration {
  return { verdict: "refused", refused, comparison: undefined };
}

function createCostlyReason(directive: Directive): Inexpressible {
  return {
    reason: "its pattern multiplies the number of requests to analyze",
    help: ["anchor it with `^`, or migrate a copy of the configuration without it first"],
    directive,
  };
}

const tooLargeReason: Inexpressible = {
  reason: "the configuration has too many different requests to analyze",
  help: ["convert it by hand in parts, and run `httpd-lint compare` after each"],
  directive: undefined,
};
