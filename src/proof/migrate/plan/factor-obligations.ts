import type { RequireNode } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { MarkerCase } from "./marker-variables.js";
import { groupByMarkers, type Obligation } from "./obligations.js";
import {
  factorCommon,
  type MergeOperator,
  type Requirement,
  type RequirementPart,
  ruleOfRequirement,
} from "./requirement.js";

/** The requirements for one method, split between a section and those below it. */
interface FactoredObligations {
  /** The section's own rules. */
  readonly own: readonly MarkerCase[];
  /** The requirements left to the underlying sections. */
  readonly below: ReadonlyMap<Obligation, Requirement | undefined>;
}

/** Factors the requirements for a method into the section's own part and the part left to underlying sections. */
export function factorObligations(
  method: number,
  operator: MergeOperator,
  layer: ConfigLayer,
  obligations: readonly Obligation[],
  only?: RequirementPart,
): FactoredObligations | undefined {
  const own: MarkerCase[] = [];
  const below = new Map<Obligation, Requirement | undefined>();
  for (const { markers, obligations: group } of groupByMarkers(obligations)) {
    const requirements = group.map((each) => each.requirements[method]);
    const division = factorCommon(requirements, operator, only);
    if (division === undefined) return undefined;
    own.push({ markers, rule: division.own });
    for (const [index, obligation] of group.entries()) {
      const requirement = division.below[index];
      // A line of this section must not move to an earlier one: what it refers to may be unknown there.
      if (requirement && repeatsLineOf(ruleOfRequirement(requirement), layer)) return undefined;
      below.set(obligation, requirement);
    }
  }
  return { own, below };
}

/** Reports whether a rule restates a Require line of a section. */
function repeatsLineOf(rule: RequireNode, layer: ConfigLayer): boolean {
  if (rule.kind !== "line") return rule.rules.some((each) => repeatsLineOf(each, layer));
  return rule.of !== undefined && rule.of.key === "require" && layer.directives.includes(rule.of);
}
