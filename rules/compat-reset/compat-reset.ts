import { oldInForce, type ReadRules, replacesOld } from "../../src/access/merged.js";
import { isOldDirective, type OldRules, oldRules } from "../../src/access/old-rules.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Scope } from "../../src/project/scope.js";
import { ownRulesOf, type Situation } from "../../src/witness/inspector.js";
import { answerText, firstThat, judging, lineTitle, requestText } from "../../src/witness/judging.js";

export const compatReset = defineRule({
  id: "compat-reset",
  title: "A single old line that wipes those above",
  severity: "error",
  description:
    "A section with a part of Order, Allow, Deny and Satisfy, which drops all that the section around it has of them.",
  help: "mod_access_compat keeps the four as one: a section with any of them inherits none. A lone `Satisfy All`, `Allow from` or `Order` starts from the default, which is `Order deny,allow` with empty lists: everybody comes in. Repeat in the section all that is to hold there, or take the line out.",
  securitySeverity: 7,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["old-access-control"],
  check: (context) =>
    judging(context, {
      concerns: (scope, scopes) => isPartial(scope) && scopes.mayInherit(scope, "old"),
      judge(situation, inspector) {
        const { old, layer } = situation;
        const own = ownRulesOf(situation).old;
        const outer = outerRules(situation);
        const [line] = own?.directives ?? [];
        const [wiped] = outer?.directives ?? [];
        const together = outer && own && oldRules([...outer.directives, ...own.directives]);
        if (!old || !line || !wiped || !together || old.layer !== layer) return undefined;
        const asRefined: ReadRules = (rules) => ({ ...rules, old: { ...old, rules: together } });
        const lines = [
          ...together.directives,
          ...situation.state.layers.flatMap(({ directives }) => directives.filter(({ key }) => key === "require")),
        ];
        const isOpened = (isLetIn: boolean) =>
          firstThat(inspector, situation, lines, (each) => {
            const refined = inspector.see(situation, each.request, asRefined);
            return refined !== undefined && refined.class !== each.class && (each.class === "allowed") === isLetIn;
          });
        const opened = isOpened(true);
        const seen = opened ?? isOpened(false);
        return (
          seen && {
            severity: opened ? ("error" as const) : ("warning" as const),
            message: `${lineTitle(line)} drops all that is inherited of Order, Allow, Deny and Satisfy, ${lineTitle(wiped)} first of all: the four are not merged, so ${requestText(seen.request)} ${answerText(seen)}; repeat here what is to hold, or take the line out`,
            span: line.span,
            related: outer ? outer.directives.map((each) => ({ message: "this is dropped", span: each.span })) : [],
            witness: inspector.witness(seen),
          }
        );
      },
    }),
});

/** Whether a scope leaves out what makes old rules whole: an Order and somebody for it. */
function isPartial({ directives }: Scope): boolean {
  const keys = new Set(directives.filter(isOldDirective).map(({ key }) => key));
  if (keys.size === 0) return false;
  return !(keys.has("order") && (keys.has("allow") || keys.has("deny")));
}

/** The old rules that would be in force without the section's own. */
function outerRules({ state, layer }: Situation): OldRules | undefined {
  const outside = state.layers.filter((each) => each !== layer);
  return oldInForce(outside, replacesOld("2.4"))?.rules;
}
