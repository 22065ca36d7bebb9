import { requireLinesOf } from "../../src/access/rules/merge.js";
import { defineRule } from "../../src/engine/rule.js";
import { createProbeVisitor, describeRequest, findWitness, formatLineTitle } from "../../src/witness/probe-visitor.js";
import { dropCompatRules, isInherited, ownRulesOf } from "../../src/witness/rules-in-context.js";

export const satisfyAnyInherited = defineRule({
  id: "satisfy-any-inherited",
  title: "Require that an inherited Satisfy Any goes round",
  severity: "error",
  description: "A Require that protects nothing, since old rules with Satisfy Any come in from outside and let in.",
  help: "Satisfy Any comes with the Order, Allow and Deny that it stands beside, and with it whoever passes those needs no Require. A section that has only Require lines inherits all of that. Give the section `Satisfy All`, or write the section around it with Require, too.",
  securitySeverity: 8,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  check: (context) =>
    createProbeVisitor(context, {
      applies: (scope, scopes) => !scopes.kindsIn(scope).has("old") && scopes.mayInherit(scope, "old"),
      check(situation, inspector) {
        const { old } = situation;
        const own = ownRulesOf(situation).require;
        const any = old?.rules.satisfies.findLast(({ satisfy }) => satisfy === "any")?.directive;
        const [first, ...others] = own ? requireLinesOf(own) : [];
        if (!old || !any || !first || !isInherited(situation, old.layer)) return undefined;
        const seen = findWitness(
          inspector,
          situation,
          [...old.rules.directives, first, ...others],
          ({ class: decided, request }) =>
            decided === "allowed" &&
            ["401", "403"].includes(inspector.probe(situation, request, dropCompatRules)?.class ?? ""),
        );
        return (
          seen && {
            message: `${formatLineTitle(first)} keeps nobody out whom the inherited old rules let in: with ${formatLineTitle(any)} those alone are enough, so ${describeRequest(seen.request)} is let in; write \`Satisfy All\` here, too, or the outer section with Require instead of Order, Allow and Deny`,
            span: first.span,
            related: [{ message: `${formatLineTitle(any)} comes in from here`, span: any.span }],
            witness: inspector.witness(seen),
          }
        );
      },
    }),
});
