import {
  type AccessAnswer,
  describeProbe,
  dropCompatRules,
  findWitness,
  formatLineTitle,
  isInherited,
  ownRulesOf,
  requireLinesOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineVariant } from "../../src/lint/api/rule.js";

const messages = {
  bypassed: (own: Directive, satisfy: Directive, answer: AccessAnswer) => ({
    message: `inherited ${formatLineTitle(satisfy)} bypasses ${formatLineTitle(own)}`,
    notes: [
      "a client that the inherited Order, Allow and Deny directives allow needs no Require",
      describeProbe(answer),
    ],
    help: ["add `Satisfy All` to this section, or use Require instead of Order, Allow and Deny in the outer section"],
  }),
};

const labels = {
  inherited: (line: Directive) => `${formatLineTitle(line)} is inherited from here`,
};

export const satisfyAnyInherited = defineVariant({
  id: "satisfy-any-inherited",
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  messages,
  check: () => ({
    probe: {
      applies: (scope, scopes) => !scopes.kindsIn(scope).has("compat") && scopes.mayInherit(scope, "compat"),
      check(situation, inspector) {
        const { compat } = situation;
        const own = ownRulesOf(situation).require;
        const any = compat?.rules.satisfies.findLast(({ satisfy }) => satisfy === "any")?.directive;
        const [first, ...others] = own ? requireLinesOf(own) : [];
        if (!compat || !any || !first || !isInherited(situation, compat.layer)) return undefined;
        const answer = findWitness(
          inspector,
          situation,
          [...compat.rules.directives, first, ...others],
          ({ class: decided, request }) =>
            decided === "allowed" &&
            ["401", "403"].includes(inspector.probe(situation, request, dropCompatRules)?.class ?? ""),
        );
        return (
          answer && {
            message: messages.bypassed(first, any, answer),
            span: first.span,
            related: [{ message: labels.inherited(any), span: any.span }],
            witness: inspector.witness(answer),
          }
        );
      },
    },
  }),
});
