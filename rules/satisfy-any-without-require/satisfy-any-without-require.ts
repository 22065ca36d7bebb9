import type { ReadRules } from "../../src/access/merged.js";
import { defineRule } from "../../src/engine/rule.js";
import { ownRulesOf } from "../../src/witness/inspector.js";
import { firstThat, judging, lineTitle, requestText } from "../../src/witness/judging.js";

export const satisfyAnyWithoutRequire = defineRule({
  id: "satisfy-any-without-require",
  title: "Satisfy Any with nothing to satisfy",
  severity: "error",
  description: "Satisfy Any where no Require is in force: 2.4 lets in everybody whom Order, Allow and Deny keep out.",
  help: "With Satisfy Any either side may let in. Without any Require 2.4 takes that side to let everybody in, where 2.2 refused. Take Satisfy out, or say with Require who may come in.",
  securitySeverity: 8,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["old-access-control"],
  check: (context) =>
    judging(context, {
      concerns: ({ directives }) => directives.some(isAny),
      judge(situation, inspector) {
        const { old, require, layer } = situation;
        const line = ownRulesOf(situation).old?.satisfies.findLast(({ satisfy }) => satisfy === "any")?.directive;
        if (!old || !line || old.layer !== layer || require !== undefined) return undefined;
        const seen = firstThat(
          inspector,
          situation,
          old.rules.directives,
          (each) => each.class === "allowed" && inspector.see(situation, each.request, withoutSatisfy)?.class === "403",
        );
        return (
          seen && {
            message: `${lineTitle(line)} lets everybody in on 2.4, since no Require is in force that anybody would have to satisfy: ${requestText(seen.request)} is let in, whom 2.2 refused; take the line out, or say with Require who may come in`,
            span: line.span,
            witness: inspector.witness(seen),
          }
        );
      },
    }),
});

const withoutSatisfy: ReadRules = ({ old, require }) => ({
  old: old && { ...old, rules: { ...old.rules, satisfies: [] } },
  require,
});

function isAny({ key, argumentText }: { readonly key: string; readonly argumentText: string }): boolean {
  return key === "satisfy" && /^"?any"?$/i.test(argumentText);
}
