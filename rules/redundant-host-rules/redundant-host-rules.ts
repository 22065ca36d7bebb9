import { isHostBased } from "../../src/access/decide/upgrade-guide.js";
import { type CompatRules, isCompatDirective } from "../../src/access/rules/compat-rules.js";
import type { RulesTransform } from "../../src/access/rules/merge.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Scope } from "../../src/project/model/scope.js";
import { type Edit, removeLines } from "../../src/text/edits.js";
import {
  createProbeVisitor,
  describeRequest,
  findWitness,
  formatDirectiveNames,
} from "../../src/witness/probe-visitor.js";
import {
  allowsEveryClient,
  findCompatRulesWithout,
  listRequireLines,
  mayLiftDenial,
  ownRulesOf,
} from "../../src/witness/rules-in-context.js";

export const redundantHostRules = defineRule({
  id: "redundant-host-rules",
  title: "Old lines that only switch host control off",
  severity: "info",
  description: "Order, Allow and Satisfy All that let every client through to a Require which asks for a user.",
  help: "Where a user is asked for, lines that let every address pass decide nothing, as long as no other old rules come in from outside. On 2.2 they were often written to be on the safe side. Take them out, and the section needs no mod_access_compat.",
  tags: ["upgrade", "access-control"],
  upgrade: "recommended",
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  check: (context) => {
    return createProbeVisitor(context, {
      applies: (scope, scopes) =>
        allowsAll(scope) && (scopes.kindsIn(scope).has("require") || scopes.mayInherit(scope, "require")),
      check(situation, inspector, scopes) {
        const { old, require, layer, state } = situation;
        const own = ownRulesOf(situation).old;
        if (!old || !own || !require || old.layer !== layer || isHostBased(require, state)) return undefined;
        const outer = findCompatRulesWithout(situation, layer);
        const asInherited: RulesTransform = (rules) => ({ ...rules, old: outer });
        const lines = [...own.directives, ...(outer?.rules.directives ?? []), ...listRequireLines(situation)];
        const isOtherwise = findWitness(inspector, situation, lines, (seen) => {
          const without = inspector.probe(situation, seen.request, asInherited);
          return without === undefined || without.class !== seen.class || `${without.log}` !== `${seen.log}`;
        });
        const asked = findWitness(inspector, situation, lines, ({ class: decided }) => decided === "401");
        const [first, ...others] = own.directives;
        if (isOtherwise || !asked || !first || (outer && !allowsEveryClient(outer.rules))) return undefined;
        if (mayLiftDenial(situation, scopes)) return undefined;
        const edits = removals(own);
        const safety = edits && context.proofs.isRedundant(new Set(own.directives)) ? "safe" : "unsafe";
        const [lets, decides, it] = others.length > 0 ? ["let", "decide", "them"] : ["lets", "decides", "it"];
        return {
          message: `${formatDirectiveNames(own.directives)} ${lets} every client pass and ${decides} nothing where Require asks for a user: with ${it} and without ${describeRequest(asked.request)} gets 401; take ${it} out`,
          span: first.span,
          related: others.map((each) => ({ message: "this decides nothing either", span: each.span })),
          ...(edits ? { fix: { title: "Take the lines out", safety, edits } } : {}),
          witness: inspector.witness(asked),
        };
      },
    });
  },
});

/** Returns whether the mod_access_compat directives of a scope allow every client with every method. */
function allowsAll({ directives }: Scope): boolean {
  const old = directives.filter(isCompatDirective);
  if (old.length === 0) return false;
  if (old.some(({ parent, key }) => key === "deny" || parent?.key.startsWith("<limit"))) return false;
  const order = old.findLast(({ key }) => key === "order")?.argumentText.toLowerCase() ?? "deny,allow";
  return (
    order === "deny,allow" || old.some(({ key, argumentText }) => key === "allow" && /^from all$/i.test(argumentText))
  );
}

/** Deletes each line with its line feed; undefined if one is not on a line of its own. */
function removals({ directives }: CompatRules): readonly Edit[] | undefined {
  const edits = directives.map(({ span }) => removeLines(span));
  return edits.every((edit) => edit !== undefined) ? edits : undefined;
}
