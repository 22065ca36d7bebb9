import {
  type AccessAnswer,
  describeProbe,
  findWitness,
  formatLineTitle,
  type Inspector,
  mergeRequireRulesWithout,
  ownRulesOf,
  type ProbeContext,
  type RulesTransform,
  requireLinesOf,
} from "../../src/lint/api/access.js";
import { type Directive, findLimitAround, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, type Report } from "../../src/lint/api/rule.js";

/**
 * Returns the remedies. With `AuthMerging And`, the methods of the Limit need both: nobody is allowed if the inherited
 * line denies everybody.
 */
const helpFor = ([limit, ...more]: readonly Directive[], outer: Directive) => {
  if (limit === undefined || more.length > 0) return ["add `Require` lines for the other methods to this section"];
  const methods = limit.arguments.map(({ value }) => value.replace(/>$/, "")).join(" ");
  const others = limit.key === "<limit" ? "LimitExcept" : "Limit";
  const isDenial = /^all\s+denied\s*$/i.test(outer.argumentText);
  return [
    `add \`<${others} ${methods}>\` with ${formatLineTitle(outer)} for the other methods`,
    ...(isDenial ? [] : ["to require the inherited lines for each method, set `AuthMerging And`"]),
  ];
};

const messages = {
  dropped: (limits: readonly Directive[], limit: Directive, outer: Directive, answer: AccessAnswer) => ({
    message: `${formatLineTitle(limit)} discards inherited ${formatLineTitle(outer)} for other methods`,
    notes: ["a section with its own `Require` lines does not inherit any", describeProbe(answer)],
    help: helpFor(limits, outer),
  }),
};

const labels = { dropped: "not inherited" };

export const limitDropsRequire = defineRule({
  id: "limit-drops-require",
  title: "Limit section discards inherited Require",
  group: "access",
  severity: "warning",
  description:
    "A section with `Require` lines only in `<Limit>` or `<LimitExcept>` does not inherit any, so other methods are open.",
  help: "A section with any `Require` of its own inherits none, whatever methods that `Require` applies to. The methods outside its Limit sections are then open to everyone, even if an outer section denies them. Add `Require` lines for those methods. `AuthMerging And` requires the inherited lines for each method, and denies everybody if they do.",
  securitySeverity: 7,
  references: { cwe: [863] },
  tags: ["access-control", "security"],
  supersedes: ["shadowed-rule"],
  messages,
  check: () => ({
    probe: {
      applies: ({ directives }) => directives.some((each) => each.key === "require" && findLimitAround(each)),
      check: findDropped,
    },
  }),
});

/**
 * Reports a client that is allowed by a method without a Require in the section, although the Require that the section
 * does not inherit would deny it.
 */
function findDropped(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { scope, layer } = situation;
  const limits = limitsIn(scope);
  const [limit] = limits;
  const outer = mergeRequireRulesWithout(situation, layer);
  if (limit === undefined || outer === undefined || ownRulesOf(situation).require === undefined) return undefined;
  const asOuter: RulesTransform = (rules) => ({ ...rules, require: outer });
  const lines = requireLinesOf(outer);
  let keeping: Directive | undefined;
  const answer = findWitness(
    inspector,
    situation,
    lines,
    (each) => {
      if (!each.isAuthorized || each.decidedBy.some((by) => limits.some((limited) => limited === findLimitAround(by))))
        return false;
      const kept = inspector.probe(situation, each.request, asOuter);
      keeping = kept?.decidedBy.find((by) => lines.includes(by));
      return kept !== undefined && !kept.isAuthorized && keeping !== undefined;
    },
    methodsToProbe(limits),
  );
  if (!answer || !keeping) return undefined;
  return {
    message: messages.dropped(limits, limit, keeping, answer),
    span: limit.span,
    related: [{ message: labels.dropped, span: keeping.span }],
    witness: inspector.witness(answer),
  };
}

/** Returns the Limit sections around the Require lines of a scope; none if one of the lines applies to every method. */
function limitsIn({ directives }: Scope): readonly Directive[] {
  const around = directives.filter(({ key }) => key === "require").map(findLimitAround);
  const limits = around.flatMap((limit) => limit ?? []);
  return limits.length === around.length ? [...new Set(limits)] : [];
}

/** Returns common methods, and those that some Limit sections name: some are not limited. */
function methodsToProbe(limits: readonly Directive[]): readonly string[] {
  const named = limits.flatMap(({ arguments: words }) => words.map(({ value }) => value));
  return [...new Set(["GET", "POST", "PUT", "DELETE", ...named])];
}
