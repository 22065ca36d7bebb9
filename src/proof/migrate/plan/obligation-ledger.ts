import { grantAll, ruleKey } from "../../../server/access/require-nodes.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { getOrCreate } from "../../../text/collections.js";
import { Numbering } from "../../model/server-pairs.js";
import type { MigrationMethods } from "./access-policy.js";
import { type Inexpressible, stateReason } from "./inexpressible.js";
import {
  groupNumberOf,
  isMetWithoutRules,
  isNeutralRequirement,
  layerOfObligation,
  type Obligation,
  overridesOtherGroups,
  requirementsKey,
} from "./obligations.js";
import { ruleOfRequirement } from "./requirement.js";
import { deniesEverybody, planStandalone } from "./section-plan.js";

/** The obligations on each section, collected while the sections merged over it are planned. */
export class ObligationLedger {
  /** The obligations that no section can meet. */
  readonly refused: Inexpressible[] = [];
  private readonly known = new Map<ConfigLayer, Obligation[]>();
  /** The results that obligations on the same sections, with the same marker variables set, ask for. */
  private readonly results = new Map<string, Set<string>>();
  private readonly numbers = new Numbering<ConfigLayer>();

  constructor(readonly methods: MigrationMethods) {}

  obligationsOn(layer: ConfigLayer): readonly Obligation[] {
    return this.known.get(layer) ?? [];
  }

  /** Adds an obligation on the innermost of its sections. */
  oblige(obligation: Obligation): void {
    const layer = layerOfObligation(obligation);
    if (layer) {
      getOrCreate(this.known, layer, () => []).push(obligation);
      getOrCreate(this.results, this.layersKey(obligation), () => new Set()).add(requirementsKey(obligation));
    } else if (!obligation.isUnchanged && !isMetWithoutRules(obligation)) this.refuse(obligation.context.layers[0]);
  }

  refuse(layer: ConfigLayer | undefined): void {
    this.refused.push({
      ...stateReason("merged-with-several"),
      help: ["state in this section explicitly which clients are allowed"],
      directive: layer?.section ?? layer?.content[0],
    });
  }

  /** Reports whether the underlying sections result in the same without the innermost one. */
  isMetBelow(obligation: Obligation): boolean {
    const below = { ...obligation, depth: obligation.depth - 1 };
    const layer = layerOfObligation(below);
    return layer ? this.isMetBy(layer, below) : isMetWithoutRules(below);
  }

  /** Reports whether other obligations ask the underlying sections for exactly this, with nothing in between. */
  isAlreadyMet(obligation: Obligation): boolean {
    const layer = layerOfObligation(obligation);
    if (layer === undefined) return isMetWithoutRules(obligation);
    if (obligation.requirements.includes(undefined)) return false;
    if (groupNumberOf(obligation) === obligation.laterMerge?.group && overridesOtherGroups(obligation)) return false;
    return this.isMetBy(layer, obligation);
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
    const others = this.results.get(this.layersKey(obligation));
    if (others === undefined) return this.isMetStandalone(layer, obligation);
    return others.size === 1 && others.has(requirementsKey(obligation));
  }

  /** Returns a key that is equal for obligations on the same sections with the same marker variables set. */
  private layersKey({ context: { layers }, depth, markers }: Obligation): string {
    const numbersOf = (some: readonly ConfigLayer[]) => some.map((layer) => this.numbers.of(layer));
    const ofMarkers = numbersOf([...markers]).sort((a, b) => a - b);
    return `${numbersOf(layers.slice(0, depth))} ${ofMarkers}`;
  }

  private isMetStandalone(layer: ConfigLayer, { requirements }: Obligation): boolean {
    const plan = planStandalone(layer, this.methods);
    if (plan.kind !== "written") return true;
    return requirements.every(
      (requirement, method) =>
        requirement && ruleKey(ruleOfRequirement(requirement)) === ruleKey(plan.rules[method] ?? grantAll()),
    );
  }
}
