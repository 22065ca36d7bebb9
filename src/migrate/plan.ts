import type { Layer } from "../scope/layer.js";
import type { Reading } from "../simulate/decision.js";
import { type Context, inOrder, isNatural } from "./contexts.js";
import {
  type Demand,
  groupedByMarks,
  groupOf,
  isMetByNothing,
  isNeutral,
  isOfSame,
  layerOfDemand,
  liesOverGroups,
  naturalBelow,
  saysEverybody,
  wantsAlike,
} from "./demand.js";
import { dividedFor } from "./division.js";
import { isFromBelow, type Manner } from "./manners.js";
import { addCase, type Case, Marks } from "./marks.js";
import { type Inexpressible, type Methods, methodsIn, policyOf } from "./policy.js";
import { granted, keyOf, type Rule } from "./rule.js";
import { isAsNow, keepsAllOut, ownRules, type Said, saidAlone, sizeOf, type Written } from "./said.js";
import { everybody, neutral, nobody, type Operator, type Part, ruleOfWant, sameWant } from "./want.js";

export interface Plan {
  readonly methods: Methods;
  readonly said: ReadonlyMap<Layer, Said>;
  /** Sections that set a variable for others to go by, with its name. */
  readonly marks: ReadonlyMap<Layer, string>;
  readonly refused: readonly Inexpressible[];
}

/**
 * Plans what each section is to say so that every request is answered as before with Require alone. A section that others lie
 * over is asked for what is wanted below them, so the innermost ones are planned first.
 *
 * @param isTaken whether the configuration uses a name of a variable, which is in lower case
 */
export function planOf(
  contexts: readonly Context[],
  reading: Reading,
  manner: Manner,
  isTaken: (name: string) => boolean,
): Plan {
  return new Planner(contexts, reading, manner, new Marks(isTaken)).plan();
}

class Planner {
  private readonly methods: Methods;
  private readonly said = new Map<Layer, Said>();
  private readonly refused: Inexpressible[] = [];
  private readonly demands = new Map<Layer, Demand[]>();

  constructor(
    private readonly contexts: readonly Context[],
    private readonly reading: Reading,
    private readonly manner: Manner,
    private readonly marks: Marks,
  ) {
    this.methods = methodsIn(new Set(contexts.flatMap(({ layers }) => layers)));
  }

  plan(): Plan {
    for (const context of this.contexts) {
      const wants = policyOf(context.state, this.methods, this.reading);
      const depth = context.layers.length;
      if ("reason" in wants) this.refused.push(wants);
      else this.demand({ context, depth, marks: new Set(), wants, under: undefined, isNatural: isNatural(context) });
    }
    for (const layer of inOrder(this.contexts).toReversed()) {
      const said = this.formOf(layer, this.demands.get(layer) ?? []);
      if (said) this.said.set(layer, said);
      else this.refuse(layer);
    }
    const { methods, said, marks, refused } = this;
    return { methods, said, marks: marks.all, refused };
  }

  private refuse(layer: Layer | undefined): void {
    const reason =
      "it lies over sections of which no Require can keep what each of them lets in; say there in plain words who is to get in";
    this.refused.push({ reason, directive: layer?.section ?? layer?.content[0] });
  }

  private demand(demand: Demand): void {
    const layer = layerOfDemand(demand);
    if (layer === undefined) {
      if (!demand.isNatural && !isMetByNothing(demand)) this.refuse(demand.context.layers[0]);
      return;
    }
    const known = this.demands.get(layer) ?? [];
    this.demands.set(layer, known);
    known.push(demand);
  }

  private formOf(layer: Layer, demands: readonly Demand[]): Said | undefined {
    if (demands.length === 0) return saidAlone(layer, this.methods);
    if (demands.every((each) => each.isNatural)) {
      for (const each of demands) this.demand(naturalBelow(each, this.methods));
      return { kind: "kept" };
    }
    const own = ownRules(layer, this.methods);
    if (own === undefined && !saysEverybody(layer, demands) && demands.every((each) => this.isMetBelow(each))) {
      for (const each of demands) this.demand({ ...each, depth: each.depth - 1 });
      return { kind: "nothing" };
    }
    if (demands.every(({ wants }) => wants.every((want) => want === undefined))) return { kind: "wiped" };
    const joined = keepsAllOut(layer, this.methods) ? undefined : this.joined(layer, demands);
    if (joined) return joined;
    const alone = this.alone(demands, ({ marks }) => marks);
    if (alone) return isAsNow(layer, alone.rules, own) ? { kind: "kept" } : alone;
    const isFirst = keepsAllOut(layer, this.methods) || isFromBelow(layer, this.manner);
    return (isFirst ? this.toldApart(demands) : undefined) ?? this.laidOver(layer, demands) ?? this.toldApart(demands);
  }

  /** Whether what is below is to say the same anyway. */
  private isMetBelow(demand: Demand): boolean {
    const below = { ...demand, depth: demand.depth - 1 };
    const layer = layerOfDemand(below);
    if (layer === undefined) return isMetByNothing(below);
    return this.isMetBy(layer, below);
  }

  /**
   * Whether a section is to say for others just what is demanded. Where it is for no others, it stays what it is by itself: what
   * an Alias leads to tomorrow may lie in it alone.
   */
  private isMetBy(layer: Layer, demand: Demand): boolean {
    if (keepsAllOut(layer, this.methods) && !demand.wants.every((want) => want && isNeutral(want, "or"))) return false;
    const others = (this.demands.get(layer) ?? []).filter((other) => isOfSame(other, demand));
    return others.length > 0 ? others.every((other) => wantsAlike(other, demand)) : this.saysAlone(layer, demand);
  }

  private saysAlone(layer: Layer, { wants }: Demand): boolean {
    const said = saidAlone(layer, this.methods);
    if (said.kind !== "written") return true;
    return wants.every((want, method) => want && keyOf(ruleOfWant(want)) === keyOf(said.rules[method] ?? granted()));
  }

  /** What meets all demands when it is laid over what is there anyway; undefined where it is not shorter than to say it all. */
  private joined(layer: Layer, demands: readonly Demand[]): Said | undefined {
    const [group, ...others] = groupedByMarks(demands);
    if (group === undefined || others.length > 0) return undefined;
    for (const operator of ["and", "or"] as const)
      for (const part of ["require", "old"] as const) {
        const said = this.joinedBy(operator, part, layer, demands);
        if (said) return said;
      }
    return undefined;
  }

  private joinedBy(operator: Operator, part: Part, layer: Layer, demands: readonly Demand[]): Said | undefined {
    if (demands.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
    const parts = this.methods.map((_, method) => dividedFor(method, operator, layer, demands, part));
    if (!parts.every((each) => each !== undefined)) return undefined;
    const rules = parts.map(({ own }) => own[0]?.rule ?? granted());
    const left = demands.map((demand): Demand => {
      const wants = parts.map(({ below }) => below.get(demand));
      const under = { operator, group: groupOf(demand) };
      return { ...demand, depth: demand.depth - 1, wants, under, isNatural: false };
    });
    if (left.every(({ depth }) => depth === 0) || !left.every((each) => this.isThereAnyway(each))) return undefined;
    const own = ownRules(layer, this.methods);
    const isKept = own?.every((rule, method) => rule && keyOf(rule) === keyOf(rules[method] ?? rule)) === true;
    const whole = this.methods.map((_, method) => sameWant(demands.map(({ wants }) => wants[method])));
    const length = 1 + (isKept ? 0 : sizeOf(rules));
    if (whole.every((rule) => rule !== undefined) && (sizeOf(whole) <= length || isAsNow(layer, whole, own)))
      return undefined;
    for (const each of left) this.demand(each);
    return isKept ? { kind: "kept", operator } : { kind: "written", operator, rules };
  }

  /** Whether what is below is to say just that for others, and nothing else comes between. */
  private isThereAnyway(demand: Demand): boolean {
    const layer = layerOfDemand(demand);
    if (layer === undefined) return isMetByNothing(demand);
    if (demand.wants.includes(undefined)) return false;
    if (groupOf(demand) === demand.under?.group && liesOverGroups(demand)) return false;
    return this.isMetBy(layer, demand);
  }

  /** The rules that meet all demands whatever is below, by what tells them apart; undefined where that is not enough. */
  private alone(demands: readonly Demand[], marksOf: (demand: Demand) => ReadonlySet<Layer>): Written | undefined {
    const rules: Rule[] = [];
    for (const method of this.methods.keys()) {
      const cases: Case[] = [];
      for (const demand of demands) {
        const want = demand.wants[method];
        if (want === undefined || !addCase(cases, { marks: marksOf(demand), rule: ruleOfWant(want) })) return undefined;
      }
      rules.push(this.marks.selected(cases));
    }
    for (const each of demands) this.silenceBelow(each);
    return { kind: "written", operator: undefined, rules };
  }

  /** The rules that meet all demands by the sections that are below. */
  private toldApart(demands: readonly Demand[]): Said | undefined {
    return this.alone(
      demands,
      ({ marks, context, depth }) => new Set([...marks, ...context.layers.slice(0, depth - 1)]),
    );
  }

  /** What stands in a group behind a section that is laid over nothing is still laid over the groups below. */
  private silenceBelow(demand: Demand): void {
    const { depth, marks, under } = demand;
    const group = groupOf(demand);
    const layer = layerOfDemand(demand);
    if (layer === undefined || under === undefined || under.group !== group) return;
    const wants = this.methods.map(() => (under.operator === "and" ? everybody : nobody));
    let below = depth - 1;
    while (below > 0 && groupOf({ ...demand, depth: below }) === group) below--;
    if (below === 0) return;
    // Those below have to know that it lies over them.
    this.marks.of(layer);
    this.demand({ ...demand, depth: below, marks: new Set([...marks, layer]), wants, isNatural: false });
  }

  private laidOver(layer: Layer, demands: readonly Demand[]): Said | undefined {
    return this.laidOverBy("and", layer, demands) ?? this.laidOverBy("or", layer, demands);
  }

  /** What meets all demands when it is laid over what is below; that is demanded then. */
  private laidOverBy(operator: Operator, layer: Layer, demands: readonly Demand[]): Said | undefined {
    if (demands.some(({ under }) => under !== undefined && under.operator !== operator)) return undefined;
    const parts = this.methods.map((_, method) => dividedFor(method, operator, layer, demands));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const rules = parts.map(({ own }) => this.marks.selected(own));
    // Where it lays nothing over what is below, it is enough that those there know of it.
    const isSilent = rules.every((rule) => keyOf(rule) === keyOf(neutral(operator)));
    const left = demands.map((demand): Demand => {
      const { depth, marks, under } = demand;
      return {
        ...{ context: demand.context, depth: depth - 1, marks: new Set([...marks, layer]), isNatural: false },
        wants: parts.map(({ below }) => below.get(demand)),
        under: isSilent ? under : { operator, group: groupOf(demand) },
      };
    });
    if (!isSilent && left.some(({ wants }) => wants.includes(undefined))) return undefined;
    if (!left.every((each) => each.depth > 0 || isMetByNothing(each))) return undefined;
    this.marks.of(layer);
    for (const each of left) this.demand(each);
    return isSilent ? { kind: "nothing" } : { kind: "written", operator, rules };
  }
}
