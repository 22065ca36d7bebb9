import type { Layer } from "../scope/layer.js";
import { type Demand, groupedByMarks } from "./demand.js";
import type { Case } from "./marks.js";
import type { Rule } from "./rule.js";
import { divided, type Operator, type Part, ruleOfWant, type Want } from "./want.js";

/** The part of a section itself in what is wanted for a method, and what is left to those below. */
export function dividedFor(method: number, operator: Operator, layer: Layer, demands: readonly Demand[], only?: Part) {
  const own: Case[] = [];
  const below = new Map<Demand, Want | undefined>();
  for (const { marks, of } of groupedByMarks(demands)) {
    const wants = of.map((each) => each.wants[method]);
    const division = divided(wants, operator, only);
    if (division === undefined) return undefined;
    own.push({ marks, rule: division.own });
    for (const [index, demand] of of.entries()) {
      const want = division.below[index];
      // What stands here is not to be said ahead of here: it may be known from here on only.
      if (want && saysLineOf(ruleOfWant(want), layer)) return undefined;
      below.set(demand, want);
    }
  }
  return { own, below };
}

/** Whether a rule says again what a section holds. */
function saysLineOf(rule: Rule, layer: Layer): boolean {
  if (rule.kind !== "line") return rule.rules.some((each) => saysLineOf(each, layer));
  return rule.of !== undefined && rule.of.key === "require" && layer.directives.includes(rule.of);
}
