import { ruleKey } from "../../../server/access/require-nodes.js";
import { rulesTransforms } from "../../../server/access/upgrade-guide.js";
import type { Semantics } from "../../../server/model/answer.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { type AccessPolicy, computeAccessPolicy, type MigrationMethods, methodsOfSections } from "./access-policy.js";
import type { MergeContext } from "./contexts.js";
import { impliesRule } from "./implication.js";
import type { Inexpressible } from "./inexpressible.js";
import { type Requirement, ruleOfRequirement } from "./requirement.js";
import { findVirtualPages, type VirtualPages } from "./virtual-pages.js";

/** The access that the merged sections of a context have to result in. */
export interface AccessGoal {
  readonly context: MergeContext;
  /** The requirement for each method. */
  readonly requirements: AccessPolicy;
}

/** The goals of a migration. */
export interface AccessGoals {
  readonly methods: MigrationMethods;
  readonly goals: readonly AccessGoal[];
  readonly pages: VirtualPages;
  /** The reasons why the access of some contexts has no goal. */
  readonly refused: readonly Inexpressible[];
}

/** Returns the goals that keep the access of all contexts. */
export function computeAccessGoals(contexts: readonly MergeContext[], semantics: Semantics): AccessGoals {
  const methods = methodsOfSections(new Set(contexts.flatMap(({ layers }) => layers)));
  const goals: AccessGoal[] = [];
  const refused: Inexpressible[] = [];
  for (const context of contexts) {
    const requirements = computeAccessPolicy(context.state, methods, rulesTransforms[semantics]);
    if (requirements.ok) goals.push({ context, requirements: requirements.value });
    else refused.push(requirements.error);
  }
  const pages = findVirtualPages(contexts);
  return { methods, goals: relaxGoals(goals, pages), pages, refused };
}

/**
 * Gives paths below a virtual page the access of the page, if theirs is stricter: a client that is allowed there sees
 * the same page, and a careful operator does not write rules for files that the handler never reads.
 */
function relaxGoals(goals: readonly AccessGoal[], pages: VirtualPages): readonly AccessGoal[] {
  const ofPages = new Map<ConfigLayer, AccessPolicy>();
  for (const [layer, path] of pages) {
    const [first, ...others] = goals.filter(({ context }) => context.layers.includes(layer) && context.paths.has(path));
    if (first && others.every(({ requirements }) => isSamePolicy(requirements, first.requirements)))
      ofPages.set(layer, first.requirements);
  }
  return goals.map((goal) => {
    const layer = goal.context.layers.at(-1);
    const ofPage = layer && ofPages.get(layer);
    return ofPage?.every((requirement, method) => isStricter(goal.requirements[method], requirement))
      ? { ...goal, requirements: ofPage }
      : goal;
  });
}

function isSamePolicy(a: AccessPolicy, b: AccessPolicy): boolean {
  return a.every((requirement, method) => keyOf(requirement) === keyOf(b[method]));
}

function keyOf(requirement: Requirement | undefined): string {
  return requirement === undefined ? "none" : ruleKey(ruleOfRequirement(requirement));
}

function isStricter(requirement: Requirement | undefined, than: Requirement | undefined): boolean {
  if (requirement === undefined || than === undefined) return false;
  return impliesRule(ruleOfRequirement(requirement), ruleOfRequirement(than));
}
