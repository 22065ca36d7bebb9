import {
  defineProbeRule,
  describeProbe,
  dropCompatRules,
  findWitness,
  formatLineTitle,
  isInherited,
  ownRulesOf,
  type ProbeAnswer,
  requireLinesOf,
} from "../../src/rule-api/access.js";
import type { Directive } from "../../src/rule-api/configuration.js";

const messages = {
  bypassed: (own: Directive, satisfy: Directive, seen: ProbeAnswer) =>
    `${formatLineTitle(own)} keeps nobody out whom the inherited old rules let in: with ${formatLineTitle(satisfy)} those alone are enough, so ${describeProbe(seen)}; write \`Satisfy All\` here, too, or the outer section with Require instead of Order, Allow and Deny`,
};

const labels = {
  inherited: (line: Directive) => `${formatLineTitle(line)} comes in from here`,
};

export const satisfyAnyInherited = defineProbeRule({
  id: "satisfy-any-inherited",
  title: "Require that an inherited Satisfy Any goes round",
  severity: "error",
  description: "A Require that protects nothing, since old rules with Satisfy Any come in from outside and let in.",
  help: "Satisfy Any comes with the Order, Allow and Deny that it stands beside, and with it whoever passes those needs no Require. A section that has only Require lines inherits all of that. Give the section `Satisfy All`, or write the section around it with Require, too.",
  securitySeverity: 8,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  applies: (scope, scopes) => !scopes.kindsIn(scope).has("old") && scopes.mayInherit(scope, "old"),
  messages,
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
        message: messages.bypassed(first, any, seen),
        span: first.span,
        related: [{ message: labels.inherited(any), span: any.span }],
        witness: inspector.witness(seen),
      }
    );
  },
});
