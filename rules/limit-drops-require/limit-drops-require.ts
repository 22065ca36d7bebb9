import type { ReadRules } from "../../src/access/merged.js";
import { requireLinesOf } from "../../src/access/merged.js";
import type { Report } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { limitAround, type Scope } from "../../src/project/scope.js";
import type { Inspector, Situation } from "../../src/witness/inspector.js";
import { answerText, firstThat, judging, lineTitle, requestText } from "../../src/witness/judging.js";
import { ownRulesOf, requireWithout } from "../../src/witness/readings.js";

export const limitDropsRequire = defineRule({
  id: "limit-drops-require",
  title: "A Limit section that drops the outer Require",
  severity: "warning",
  description:
    "Require lines in Limit or LimitExcept sections alone, by which the section inherits no Require: what they are not for is open.",
  help: "A section with any Require of its own inherits none, whatever methods that Require is for. The methods that its Limit sections leave out are then for everybody, though a section outside keeps them in. Repeat for those methods what is to hold, or say `AuthMerging And`.",
  securitySeverity: 7,
  tags: ["access-control", "security"],
  supersedes: ["shadowed-rule"],
  check: (context) =>
    judging(context, {
      concerns: ({ directives }) => directives.some((each) => each.key === "require" && limitAround(each)),
      judge: dropped,
    }),
});

/** By a method that no Require of the section is for somebody is let in, who would not be with what it does not inherit. */
function dropped(situation: Situation, inspector: Inspector): Report | undefined {
  const { scope, layer } = situation;
  const limits = limitsIn(scope);
  const [limit] = limits;
  const outer = requireWithout(situation, layer);
  if (limit === undefined || outer === undefined || ownRulesOf(situation).require === undefined) return undefined;
  const asOuter: ReadRules = (rules) => ({ ...rules, require: outer });
  const lines = requireLinesOf(outer);
  let keeping: Directive | undefined;
  const seen = firstThat(
    inspector,
    situation,
    lines,
    (each) => {
      if (!each.isLetIn || each.by.some((by) => limits.some((limited) => limited === limitAround(by)))) return false;
      const kept = inspector.see(situation, each.request, asOuter);
      keeping = kept?.by.find((by) => lines.includes(by));
      return kept !== undefined && !kept.isLetIn && keeping !== undefined;
    },
    methodsBeside(limits),
  );
  if (!seen || !keeping) return undefined;
  return {
    message: `with the Require in ${lineTitle(limit)} the section inherits none, and that one is not for every method: ${requestText(seen.request)} ${answerText(seen)} past ${lineTitle(keeping)}; repeat beside it what is to hold for the other methods, or say \`AuthMerging And\``,
    span: limit.span,
    related: [{ message: "this is dropped", span: keeping.span }],
    witness: inspector.witness(seen),
  };
}

/** The Limit sections around the Require lines of a scope; none where one of these is for every method. */
function limitsIn({ directives }: Scope): readonly Directive[] {
  const around = directives.filter(({ key }) => key === "require").map(limitAround);
  const limits = around.flatMap((limit) => limit ?? []);
  return limits.length === around.length ? [...new Set(limits)] : [];
}

/** Usual methods that some Limit sections name, or leave out: those that they are not for are among them. */
function methodsBeside(limits: readonly Directive[]): readonly string[] {
  const named = limits.flatMap(({ arguments: words }) => words.map(({ value }) => value));
  return [...new Set(["GET", "POST", "PUT", "DELETE", ...named])];
}
