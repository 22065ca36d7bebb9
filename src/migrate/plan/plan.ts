import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import type { Reading } from "../../simulate/model/decision.js";
import { getOrCreate } from "../../text/get-or-create.js";
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
  addMarkedCase,
  isSplitFromBelow,
  type MarkedCase,
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
  demands: readonly Obligation[],
  only?: RequirementPart,
) {
  const own: MarkedCase[] = [];
  const below = new Map<Obligation, Requirement | undefined>();
  for (const { marks, obligations } of groupByMarkers(demands)) {
    const wants = obligations.map((each) => each.requirements[method]);
    const division = factorCommon(wants, operator, only);
    if (division === undefined) return undefined;
    own.push({ marks, rule: division.own });
    for (const [index, demand] of obligations.entries()) {
      const want = division.below[index];
      // A line of this section must not move to an earlier one: what it refers to may be unknown there.
      if (want && repeatsLineOf(ruleOfRequirement(want), layer)) return undefined;
      below.set(demand, want);
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
  manner: SplitStrategy,
  isTaken: (name: string) => boolean,
): MigrationPlan {
  return new MigrationPlanner(contexts, reading, manner, new MarkerVariables(isTaken)).plan();
}

class MigrationPlanner {
  private readonly methods: MigrationMethods;
  private readonly said = new Map<ConfigLayer, SectionPlan>();
  private readonly refused: Inexpressible[] = [];
  private readonly demands = new Map<ConfigLayer, Obligation[]>();

  constructor(
    private readonly contexts: readonly MergeContext[],
    private readonly reading: Reading,
    private readonly manner: SplitStrategy,
    private readonly marks: MarkerVariables,
  ) {
    this.methods = methodsOfSections(new Set(contexts.flatMap(({ layers }) => layers)));
  }

  plan(): MigrationPlan {
    for (const context of this.contexts) {
      const wants = computeAccessPolicy(context.state, this.methods, this.reading);
      const depth = context.layers.length;
      if ("reason" in wants) this.refused.push(wants);
      else
        this.oblige({
          context,
          depth,
          marks: new Set(),
          requirements: wants,
          under: undefined,
          isUnchanged: isWithoutOldDirectives(context),
        });
    }
    for (const layer of sortByNesting(this.contexts).toReversed()) {
      const said = this.planSection(layer, this.demands.get(layer) ?? []);
      if (said) this.said.set(layer, said);
      else this.refuse(layer);
    }
    const { methods, said, marks, refused } = this;
    return { methods, sections: said, markers: marks.all, refused };
  }

  private refuse(layer: ConfigLayer | undefined): void {
    const reason =
      "it lies over sections of which no Require can keep what each of them lets in; say there in plain words who is to get in";
    this.refused.push({ reason, directive: layer?.section ?? layer?.content[0] });
  }

  private oblige(demand: Obligation): void {
    const layer = layerOfObligation(demand);
    if (layer === undefined) {
      if (!demand.isUnchanged && !isMetWithoutRules(demand)) this.refuse(demand.context.layers[0]);
      return;
    }
    getOrCreate(this.demands, layer, () => []).push(demand);
  }

  private planSection(layer: ConfigLayer, demands: readonly Obligation[]): SectionPlan | undefined {
    if (demands.length === 0) return planStandalone(layer, this.methods);
    if (demands.every((each) => each.isUnchanged)) {
      for (const each of demands) this.oblige(inheritObligation(each, this.methods));
      return { kind: "kept" };
    }
    const own = ownRulesByMethod(layer, this.methods);
    if (own === undefined && !hasExplicitGrant(layer, demands) && demands.every((each) => this.isMetBelow(each))) {
      for (const each of demands) this.oblige({ ...each, depth: each.depth - 1 });
      return { kind: "nothing" };
    }
    if (demands.every(({ requirements }) => requirements.every((want) => want === undefined))) return { kind: "wiped" };
    const joined = deniesEverybody(layer, this.methods) ? undefined : this.joinParent(layer, demands);
    if (joined) return joined;
    const alone = this.standalone(demands, ({ marks }) => marks);
    if (alone) return isUnchangedPlan(layer, alone.rules, own) ? { kind: "kept" } : alone;
    const isFirst = deniesEverybody(layer, this.methods) || isSplitFromBelow(layer, this.manner);
    return (
      (isFirst ? this.splitBySection(demands) : undefined) ??
      this.mergeOver(layer, demands) ??
      this.splitBySection(demands)
    );
  }

  /** Reports whether the underlying sections result in the same without this one. */
  private isMetBelow(demand: Obligation): boolean {
    const below = { ...demand, depth: demand.depth - 1 };
    const layer = layerOfObligation(below);
    if (layer === undefined) return isMetWithoutRules(below);
    return this.isMetBy(layer, below);
  }

  /**
   * Reports whether other obligations on a section ask for exactly this result. Without other obligations, the section
   * keeps its standalone meaning: an Alias added later may lead to it only.
   */
  private isMetBy(layer: ConfigLayer, demand: Obligation): boolean {
    if (
      deniesEverybody(layer, this.methods) &&
      !demand.requirements.every((want) => want && isNeutralRequirement(want, "or"))
    )
      return false;
    const others = (this.demands.get(layer) ?? []).filter((other) => hasSameLayers(other, demand));
    return others.length > 0
      ? others.every((other) => hasSameRequirements(other, demand))
      : this.isMetStandalone(layer, demand);
  }

  private isMetStandalone(layer: ConfigLayer, { requirements }: Obligation): boolean {
    const said = planStandalone(layer, this.methods);
    if (said.kind !== "written") return true;
    return requirements.every(
      (want, method) => want && ruleKey(ruleOfRequirement(want)) === ruleKey(said.rules[method] ?? grantAll()),
    );
  }

  /**
   * Returns a plan that meets all obligations by merging with what the underlying sections provide anyway; undefined if
   * it is not shorter than to state everything.
   */
  private joinParent(layer: ConfigLayer, demands: readonly Obligation[]): SectionPlan | undefined {
    const [group, ...others] = groupByMarkers(demands);
    if (group === undefined || others.length > 0) return undefined;
    for (const operator of ["and", "or"] as const)
      for (const part of ["require", "old"] as const) {
        const said = this.joinParentBy(operator, part, layer, demands);
        if (said) return said;
      }
    return undefined;
  }

  private joinParentBy(
    operator: MergeOperator,
    part: RequirementPart,
    layer: ConfigLayer,
    demands: readonly Obligation[],
  ): SectionPlan | undefined {
    if (demands.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
    const parts = this.methods.map((_, method) => factorObligations(method, operator, layer, demands, part));
    if (!parts.every((each) => each !== undefined)) return undefined;
    const rules = parts.map(({ own }) => own[0]?.rule ?? grantAll());
    const left = demands.map((demand): Obligation => {
      const wants = parts.map(({ below }) => below.get(demand));
      const under = { operator, group: groupNumberOf(demand) };
      return { ...demand, depth: demand.depth - 1, requirements: wants, under, isUnchanged: false };
    });
    if (left.every(({ depth }) => depth === 0) || !left.every((each) => this.isAlreadyMet(each))) return undefined;
    const own = ownRulesByMethod(layer, this.methods);
    const isKept = own?.every((rule, method) => rule && ruleKey(rule) === ruleKey(rules[method] ?? rule)) === true;
    const whole = this.methods.map((_, method) =>
      findCommonRule(demands.map(({ requirements }) => requirements[method])),
    );
    const length = 1 + (isKept ? 0 : countRuleLines(rules));
    if (
      whole.every((rule) => rule !== undefined) &&
      (countRuleLines(whole) <= length || isUnchangedPlan(layer, whole, own))
    )
      return undefined;
    for (const each of left) this.oblige(each);
    return isKept ? { kind: "kept", operator } : { kind: "written", operator, rules };
  }

  /** Reports whether other obligations ask the underlying sections for exactly this, with nothing in between. */
  private isAlreadyMet(demand: Obligation): boolean {
    const layer = layerOfObligation(demand);
    if (layer === undefined) return isMetWithoutRules(demand);
    if (demand.requirements.includes(undefined)) return false;
    if (groupNumberOf(demand) === demand.under?.group && overridesOtherGroups(demand)) return false;
    return this.isMetBy(layer, demand);
  }

  /**
   * Returns rules that meet all obligations independently of the underlying sections, split by markers; undefined if
   * the markers do not suffice.
   */
  private standalone(
    demands: readonly Obligation[],
    marksOf: (demand: Obligation) => ReadonlySet<ConfigLayer>,
  ): WrittenRules | undefined {
    const rules: RuleNode[] = [];
    for (const method of this.methods.keys()) {
      const cases: MarkedCase[] = [];
      for (const demand of demands) {
        const want = demand.requirements[method];
        if (want === undefined || !addMarkedCase(cases, { marks: marksOf(demand), rule: ruleOfRequirement(want) }))
          return undefined;
      }
      rules.push(this.marks.selectRule(cases));
    }
    for (const each of demands) this.neutralizeBelow(each);
    return { kind: "written", operator: undefined, rules };
  }

  /** Returns rules that meet all obligations, split by the underlying sections. */
  private splitBySection(demands: readonly Obligation[]): SectionPlan | undefined {
    return this.standalone(
      demands,
      ({ marks, context, depth }) => new Set([...marks, ...context.layers.slice(0, depth - 1)]),
    );
  }

  /**
   * Neutralizes the groups below. In its group, a section after one that replaces the rules is still merged over the
   * underlying groups.
   */
  private neutralizeBelow(demand: Obligation): void {
    const { depth, marks, under } = demand;
    const group = groupNumberOf(demand);
    const layer = layerOfObligation(demand);
    if (layer === undefined || under === undefined || under.group !== group) return;
    const wants = this.methods.map(() => (under.operator === "and" ? allowAll : denyAll));
    let below = depth - 1;
    while (below > 0 && groupNumberOf({ ...demand, depth: below }) === group) below--;
    if (below === 0) return;
    // The sections below have to know that this one applies.
    this.marks.nameOf(layer);
    this.oblige({
      ...demand,
      depth: below,
      marks: new Set([...marks, layer]),
      requirements: wants,
      isUnchanged: false,
    });
  }

  private mergeOver(layer: ConfigLayer, demands: readonly Obligation[]): SectionPlan | undefined {
    return this.mergeOverBy("and", layer, demands) ?? this.mergeOverBy("or", layer, demands);
  }

  /**
   * Returns a plan that meets all obligations by merging over the underlying sections, which get the remaining
   * obligations.
   */
  private mergeOverBy(
    operator: MergeOperator,
    layer: ConfigLayer,
    demands: readonly Obligation[],
  ): SectionPlan | undefined {
    if (demands.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
    const parts = this.methods.map((_, method) => factorObligations(method, operator, layer, demands));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const rules = parts.map(({ own }) => this.marks.selectRule(own));
    // If the section adds nothing to the merge, it is enough that the underlying ones know it applies.
    const isSilent = rules.every((rule) => ruleKey(rule) === ruleKey(neutralRule(operator)));
    const left = demands.map((demand): Obligation => {
      const { depth, marks, under } = demand;
      return {
        ...{ context: demand.context, depth: depth - 1, marks: new Set([...marks, layer]), isUnchanged: false },
        requirements: parts.map(({ below }) => below.get(demand)),
        under: isSilent ? under : { operator, group: groupNumberOf(demand) },
      };
    });
    if (!isSilent && left.some(({ requirements }) => requirements.includes(undefined))) return undefined;
    if (!left.every((each) => each.depth > 0 || isMetWithoutRules(each))) return undefined;
    this.marks.nameOf(layer);
    for (const each of left) this.oblige(each);
    return isSilent ? { kind: "nothing" } : { kind: "written", operator, rules };
  }
}
