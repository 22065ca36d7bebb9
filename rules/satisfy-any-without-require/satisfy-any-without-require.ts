import type { ReadRules } from "../../src/access/merged.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { firstThat, judging, lineTitle, requestText } from "../../src/witness/judging.js";
import { ownRulesOf } from "../../src/witness/readings.js";

export const satisfyAnyWithoutRequire = defineRule({
  id: "satisfy-any-without-require",
  title: "Satisfy Any without a Require",
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
        let passed: Directive | undefined;
        const seen = firstThat(inspector, situation, old.rules.directives, (each) => {
          if (each.class !== "allowed") return false;
          const without = inspector.see(situation, each.request, withoutSatisfy);
          passed = without?.class === "403" ? without.by[0] : undefined;
          return passed !== undefined;
        });
        return (
          seen &&
          passed && {
            message: `${lineTitle(line)} lets everybody in: no Require is in force here, which 2.4 takes for satisfied, so ${requestText(seen.request)} is let in past ${lineTitle(passed)}; take Satisfy out, or say with Require who may come in`,
            span: line.span,
            related: [{ message: `${lineTitle(passed)} keeps nobody out`, span: passed.span }],
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
