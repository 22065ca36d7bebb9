import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import type { Reading } from "../../simulate/model/decision.js";
import { isWithoutOldDirectives, type MergeContext, sortByNesting } from "../model/contexts.js";
import {
  allowAll,
  denyAll,
  factorCommon,
  findCommonRule,
  type MergeOperator,
  neutralRule,
  type Requirement,
  type RequirementPart,
  ruleOfRequirement,
} from "../model/requirement.js";
import { grantAll, type RuleNode, ruleKey } from "../model/rule-nodes.js";
import {
  computeAccessPolicy,
  type Inexpressible,
  type MigrationMethods,
  methodsOfSections,
} from "../policy/access-policy.js";
import {
  addMarkerCase,
  isSplitFromBelow,
  type MarkerCase,
  MarkerVariables,
  type SplitStrategy,
} from "./marker-variables.js";
import {
  groupByMarkers,
  groupNumberOf,
  hasExplicitGrant,
  hasSameLayers,
  hasSameRequirements,
  inheritObligation,
  isMetWithoutRules,
  isNeutralRequirement,
  layerOfObligation,
  type Obligation,
  overridesOtherGroups,
} from "./obligations.js";
import {
  countRuleLines,
  deniesEverybody,
  isUnchangedPlan,
  ownRulesByMethod,
  planStandalone,
  type SectionPlan,
  type WrittenRules,
} from "./section-plan.js";

/** Factors the requirements for a method into the section's own part and the part left to underlying sections. */
function factorObligations(
  method: number,
  operator: MergeOperator,
  layer: ConfigLayer,
  obligations: readonly Obligation[],
  only?: RequirementPart,
) {
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
function repeatsLineOf(rule: RuleNode, layer: ConfigLayer): boolean {
  if (rule.kind !== "line") return rule.rules.some((each) => repeatsLineOf(each, layer));
  return rule.of !== undefined && rule.of.key === "require" && layer.directives.includes(rule.of);
}

export interface MigrationPlan {
  readonly methods: MigrationMethods;
  readonly sections: ReadonlyMap<ConfigLayer, SectionPlan>;
  /** Sections that set a marker variable, with its name. */
  readonly markers: ReadonlyMap<ConfigLayer, string>;
  readonly refused: readonly Inexpressible[];
}

/**
 * Plans the content of each section so that every request is answered as before with Require only. A section that
 * others are merged over has to provide what they need from it, so the innermost sections are planned first.
 *
 * @param isTaken whether the configuration uses a variable name, given in lower case
 */
export function planMigration(
  contexts: readonly MergeContext[],
  reading: Reading,
  strategy: SplitStrategy,
  isTaken: (name: string) => boolean,
): MigrationPlan {
  return new MigrationPlanner(contexts, reading, strategy, new MarkerVariables(isTaken)).plan();
}

class MigrationPlanner {
  private readonly methods: MigrationMethods;
  private readonly sections = new Map<ConfigLayer, SectionPlan>();
  private readonly refused: Inexpressible[] = [];
  private readonly obligations = new Map<ConfigLayer, Obligation[]>();

  constructor(
    private readonly contexts: readonly MergeContext[],
    private readonly reading: Reading,
    private readonly strategy: SplitStrategy,
    private readonly markers: MarkerVariables,
  ) {
    this.methods = methodsOfSections(new Set(contexts.flatMap(({ layers }) => layers)));
  }

  plan(): MigrationPlan {
    for (const context of this.contexts) {
      const requirements = computeAccessPolicy(context.state, this.methods, this.reading);
      const depth = context.layers.length;
      if ("reason" in requirements) this.refused.push(requirements);
      else
        this.oblige({
          context,
          depth,
          markers: new Set(),
          requirements,
          under: undefined,
          isUnchanged: isWithoutOldDirectives(context),
        });
    }
    for (const layer of sortByNesting(this.contexts).toReversed()) {
      const plan = this.planSection(layer, this.obligations.get(layer) ?? []);
      if (plan) this.sections.set(layer, plan);
      else this.addInexpressible(layer);
    }
    const { methods, sections, markers, refused } = this;
    return { methods, sections, markers: markers.all, refused };
  }

  private addInexpressible(layer: ConfigLayer | undefined): void {
    this.refused.push({
      reason: "this section is merged with several others, and no Require lines preserve the access of each",
      help: ["state in this section explicitly which clients are allowed"],
      directive: layer?.section ?? layer?.content[0],
    });
  }

  private oblige(obligation: Obligation): void {
    const layer = layerOfObligation(obligation);
    if (layer === undefined) {
      if (!obligation.isUnchanged && !isMetWithoutRules(obligation))
        this.addInexpressible(obligation.context.layers[0]);
      return;
    }
    const known = this.obligations.get(layer) ?? [];
    this.obligations.set(layer, known);
    known.push(obligation);
  }

  private planSection(layer: ConfigLayer, obligations: readonly Obligation[]): SectionPlan | undefined {
    if (obligations.length === 0) return planStandalone(layer, this.methods);
    if (obligations.every((each) => each.isUnchanged)) {
      for (const each of obligations) this.oblige(inheritObligation(each, this.methods));
      return { kind: "kept" };
    }
    const own = ownRulesByMethod(layer, this.methods);
    if (
      own === undefined &&
      !hasExplicitGrant(layer, obligations) &&
      obligations.every((each) => this.isMetBelow(each))
    ) {
      for (const each of obligations) this.oblige({ ...each, depth: each.depth - 1 });
      return { kind: "nothing" };
    }
    if (obligations.every(({ requirements }) => requirements.every((requirement) => requirement === undefined)))
      return { kind: "wiped" };
    const joined = deniesEverybody(layer, this.methods) ? undefined : this.joinParent(layer, obligations);
    if (joined) return joined;
    const standalone = this.standalone(obligations, ({ markers }) => markers);
    if (standalone) return isUnchangedPlan(layer, standalone.rules, own) ? { kind: "kept" } : standalone;
    const isFirst = deniesEverybody(layer, this.methods) || isSplitFromBelow(layer, this.strategy);
    return (
      (isFirst ? this.splitBySection(obligations) : undefined) ??
      this.mergeOver(layer, obligations) ??
      this.splitBySection(obligations)
    );
  }

  /** Reports whether the underlying sections result in the same without this one. */
  private isMetBelow(obligation: Obligation): boolean {
    const below = { ...obligation, depth: obligation.depth - 1 };
    const layer = layerOfObligation(below);
    if (layer === undefined) return isMetWithoutRules(below);
    return this.isMetBy(layer, below);
  }

  /**
   * Reports whether other obligations on a section ask for exactly this result. Without other obligations, the section
   * keeps its standalone meaning: an Alias added later may lead to it only.
   */
  private isMetBy(layer: ConfigLayer, obligation: Obligation): boolean {
    if (
      deniesEverybody(layer, this.methods) &&
      !obligation.requirements.every((requirement) => requirement && isNeutralRequirement(requirement, "or"))
    )
      return false;
    const others = (this.obligations.get(layer) ?? []).filter((other) => hasSameLayers(other, obligation));
    return others.length > 0
      ? others.every((other) => hasSameRequirements(other, obligation))
      : this.isMetStandalone(layer, obligation);
  }

  private isMetStandalone(layer: ConfigLayer, { requirements }: Obligation): boolean {
    const plan = planStandalone(layer, this.methods);
    if (plan.kind !== "written") return true;
    return requirements.every(
      (requirement, method) =>
        requirement && ruleKey(ruleOfRequirement(requirement)) === ruleKey(plan.rules[method] ?? grantAll()),
    );
  }

  /**
   * Returns a plan that meets all obligations by merging with what the underlying sections provide anyway; undefined if
   * it is not shorter than to state everything.
   */
  private joinParent(layer: ConfigLayer, obligations: readonly Obligation[]): SectionPlan | undefined {
    const [group, ...others] = groupByMarkers(obligations);
    if (group === undefined || others.length > 0) return undefined;
    for (const operator of ["and", "or"] as const)
      for (const part of ["require", "compat"] as const) {
        const plan = this.joinParentBy(operator, part, layer, obligations);
        if (plan) return plan;
      }
    return undefined;
  }

  private joinParentBy(
    operator: MergeOperator,
    part: RequirementPart,
    layer: ConfigLayer,
    obligations: readonly Obligation[],
  ): SectionPlan | undefined {
    if (obligations.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
    const parts = this.methods.map((_, method) => factorObligations(method, operator, layer, obligations, part));
    if (!parts.every((each) => each !== undefined)) return undefined;
    const rules = parts.map(({ own }) => own[0]?.rule ?? grantAll());
    const left = obligations.map((obligation): Obligation => {
      const requirements = parts.map(({ below }) => below.get(obligation));
      const under = { operator, group: groupNumberOf(obligation) };
      return { ...obligation, depth: obligation.depth - 1, requirements, under, isUnchanged: false };
    });
    if (left.every(({ depth }) => depth === 0) || !left.every((each) => this.isAlreadyMet(each))) return undefined;
    const own = ownRulesByMethod(layer, this.methods);
    const isKept = own?.every((rule, method) => rule && ruleKey(rule) === ruleKey(rules[method] ?? rule)) === true;
    const complete = this.methods.map((_, method) =>
      findCommonRule(obligations.map(({ requirements }) => requirements[method])),
    );
    const length = 1 + (isKept ? 0 : countRuleLines(rules));
    if (
      complete.every((rule) => rule !== undefined) &&
      (countRuleLines(complete) <= length || isUnchangedPlan(layer, complete, own))
    )
      return undefined;
    for (const each of left) this.oblige(each);
    return isKept ? { kind: "kept", operator } : { kind: "written", operator, rules };
  }

  /** Reports whether other obligations ask the underlying sections for exactly this, with nothing in between. */
  private isAlreadyMet(obligation: Obligation): boolean {
    const layer = layerOfObligation(obligation);
    if (layer === undefined) return isMetWithoutRules(obligation);
    if (obligation.requirements.includes(undefined)) return false;
    if (groupNumberOf(obligation) === obligation.under?.group && overridesOtherGroups(obligation)) return false;
    return this.isMetBy(layer, obligation);
  }

  /**
   * Returns rules that meet all obligations independently of the underlying sections, split by markers; undefined if
   * the markers do not suffice.
   */
  private standalone(
    obligations: readonly Obligation[],
    markersOf: (obligation: Obligation) => ReadonlySet<ConfigLayer>,
  ): WrittenRules | undefined {
    const rules: RuleNode[] = [];
    for (const method of this.methods.keys()) {
      const cases: MarkerCase[] = [];
      for (const obligation of obligations) {
        const requirement = obligation.requirements[method];
        if (
          requirement === undefined ||
          !addMarkerCase(cases, { markers: markersOf(obligation), rule: ruleOfRequirement(requirement) })
        )
          return undefined;
      }
      rules.push(this.markers.selectRule(cases));
    }
    for (const each of obligations) this.neutralizeBelow(each);
    return { kind: "written", operator: undefined, rules };
  }

  /** Returns rules that meet all obligations, split by the underlying sections. */
  private splitBySection(obligations: readonly Obligation[]): SectionPlan | undefined {
    return this.standalone(
      obligations,
      ({ markers, context, depth }) => new Set([...markers, ...context.layers.slice(0, depth - 1)]),
    );
  }

  /**
   * Neutralizes the groups below. In its group, a section after one that replaces the rules is still merged over the
   * underlying groups.
   */
  private neutralizeBelow(obligation: Obligation): void {
    const { depth, markers, under } = obligation;
    const group = groupNumberOf(obligation);
    const layer = layerOfObligation(obligation);
    if (layer === undefined || under === undefined || under.group !== group) return;
    const requirements = this.methods.map(() => (under.operator === "and" ? allowAll : denyAll));
    let below = depth - 1;
    while (below > 0 && groupNumberOf({ ...obligation, depth: below }) === group) below--;
    if (below === 0) return;
    // The sections below have to know that this one applies.
    this.markers.nameOf(layer);
    this.oblige({
      ...obligation,
      depth: below,
      markers: new Set([...markers, layer]),
      requirements,
      isUnchanged: false,
    });
  }

  private mergeOver(layer: ConfigLayer, obligations: readonly Obligation[]): SectionPlan | undefined {
    return this.mergeOverBy("and", layer, obligations) ?? this.mergeOverBy("or", layer, obligations);
  }

  /**
   * Returns a plan that meets all obligations by merging over the underlying sections, which get the remaining
   * obligations.
   */
  private mergeOverBy(
    operator: MergeOperator,
    layer: ConfigLayer,
    obligations: readonly Obligation[],
  ): SectionPlan | undefined {
    if (obligations.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
    const parts = this.methods.map((_, method) => factorObligations(method, operator, layer, obligations));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const rules = parts.map(({ own }) => this.markers.selectRule(own));
    // If the section adds nothing to the merge, it is enough that the underlying ones know it applies.
    const isSilent = rules.every((rule) => ruleKey(rule) === ruleKey(neutralRule(operator)));
    const left = obligations.map((obligation): Obligation => {
      const { depth, markers, under } = obligation;
      return {
        ...{ context: obligation.context, depth: depth - 1, markers: new Set([...markers, layer]), isUnchanged: false },
        requirements: parts.map(({ below }) => below.get(obligation)),
        under: isSilent ? under : { operator, group: groupNumberOf(obligation) },
      };
    });
    if (!isSilent && left.some(({ requirements }) => requirements.includes(undefined))) return undefined;
    if (!left.every((each) => each.depth > 0 || isMetWithoutRules(each))) return undefined;
    this.markers.nameOf(layer);
    for (const each of left) this.oblige(each);
    return isSilent ? { kind: "nothing" } : { kind: "written", operator, rules };
  }
}
