import { type RulesTransform, requireLinesOf, sourceLayersOf } from "../../src/access/rules/merge.js";
import type { Report } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/model/directive.js";
import type { Inspector, ProbeAnswer, ProbeContext } from "../../src/witness/inspector.js";
import { createProbeVisitor, describeRequest, findWitness, formatLineTitle } from "../../src/witness/probe-visitor.js";
import {
  allowsEveryClient,
  dropCompatRules,
  findCompatRulesWithout,
  isInherited,
  isSatisfyAny,
  ownRulesOf,
} from "../../src/witness/rules-in-context.js";

export const satisfyAnyWithoutRequire = defineRule({
  id: "satisfy-any-without-require",
  title: "Satisfy Any with a side that lets everybody in",
  severity: "error",
  description:
    "Satisfy Any where no Require, `Require all granted` or no Deny is in force: everybody comes in whom the other side keeps out.",
  help: "With Satisfy Any either side may let in, Order, Allow and Deny or Require. Without any Require 2.4 takes that side to let everybody in, where 2.2 refused; an inherited `Require all granted` does the same, and so do old rules that keep nobody out. Take Satisfy out, or say on both sides who may come in.",
  securitySeverity: 8,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  check: (context) =>
    createProbeVisitor(context, {
      applies: ({ directives }) => directives.some(isSatisfyAny),
      check(situation, inspector) {
        const { old, layer, require } = situation;
        const line = ownRulesOf(situation).old?.satisfies.findLast(({ satisfy }) => satisfy === "any")?.directive;
        if (!old || !line || old.layer !== layer) return undefined;
        // compat-reset reports what it discards.
        const outer = old.rules.directives.every(isSatisfyAny) ? findCompatRulesWithout(situation, layer) : undefined;
        if (outer && !allowsEveryClient(outer.rules)) return undefined;
        if (
          require === undefined ||
          sourceLayersOf(require).every((each) => isInherited(situation, each) || each === layer)
        )
          return bypassCompat(line, situation, inspector) ?? bypassRequire(line, situation, inspector);
        return undefined;
      },
    }),
});

/**
 * Reports a client that mod_access_compat rules deny but Satisfy Any allows, because the Require side allows everybody.
 */
function bypassCompat(line: Directive, situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { old, require } = situation;
  const why = require === undefined ? NO_REQUIRE : whyGranted(situation, inspector);
  if (!old || why === undefined) return undefined;
  const shown = findBypass(situation, inspector, old.rules.directives, ["403"]);
  return shown && reportOf(line, why, shown, "say with Require who may come in", inspector);
}

/** Reports a client that bypasses the section's own Require, because its mod_access_compat rules deny nobody. */
function bypassRequire(line: Directive, situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { old, require, layer } = situation;
  // With an inherited Require, it is the way to make an exception.
  if (!old || !require || !sourceLayersOf(require).every((each) => each === layer) || !allowsEveryClient(old.rules))
    return undefined;
  const shown = findBypass(situation, inspector, requireLinesOf(require), ["401", "403"]);
  const advice = "say with Order, Allow and Deny who needs no Require";
  return shown && reportOf(line, NO_DENY, shown, advice, inspector);
}

const NO_REQUIRE = "no Require is in force here, which 2.4 takes for satisfied";
const NO_DENY = "either side may let in, and no Order or Deny here keeps anybody out";

/** Explains why Require allows every client; undefined if it does not. */
function whyGranted(situation: ProbeContext, inspector: Inspector): string | undefined {
  const { old, require, layer } = situation;
  const lines = [...(old?.rules.directives ?? []), ...(require ? requireLinesOf(require) : [])];
  const all = inspector
    .sampleRequests(situation, lines)
    .map((each) => inspector.probe(situation, each, dropCompatRules));
  const grants = all[0]?.by.find(isGrantedToAll);
  if (!grants || !all.every((each) => each?.class === "allowed")) return undefined;
  const isOwn = layer.directives.includes(grants);
  return `either side may let in, and ${isOwn ? "" : "the inherited "}${formatLineTitle(grants)} does so for all`;
}

interface SatisfyWitness {
  readonly seen: ProbeAnswer;
  readonly passed: Directive;
}

/** Returns an allowed client, and the line that would deny it without the Satisfy. */
function findBypass(
  situation: ProbeContext,
  inspector: Inspector,
  lines: readonly Directive[],
  refusals: readonly ProbeAnswer["class"][],
): SatisfyWitness | undefined {
  let passed: Directive | undefined;
  const read = withoutSatisfy(situation);
  const seen = findWitness(inspector, situation, lines, (each) => {
    if (each.class !== "allowed") return false;
    const without = inspector.probe(situation, each.request, read);
    passed = without && refusals.includes(without.class) ? without.by[0] : undefined;
    return passed !== undefined;
  });
  return seen && passed && { seen, passed };
}

function reportOf(
  line: Directive,
  why: string,
  { seen, passed }: SatisfyWitness,
  advice: string,
  inspector: Inspector,
): Report {
  return {
    message: `${formatLineTitle(line)} lets everybody in: ${why}, so ${describeRequest(seen.request)} is let in past ${formatLineTitle(passed)}; take Satisfy out, or ${advice}`,
    span: line.span,
    related: [{ message: `${formatLineTitle(passed)} keeps nobody out`, span: passed.span }],
    witness: inspector.witness(seen),
  };
}

/** Without other mod_access_compat directives in the section, the inherited ones apply again. */
function withoutSatisfy(situation: ProbeContext): RulesTransform {
  const isAlone = ownRulesOf(situation).old?.directives.every(({ key }) => key === "satisfy");
  const outer = isAlone ? findCompatRulesWithout(situation, situation.layer) : undefined;
  return ({ old, require }) => ({
    old: isAlone ? outer : old && { ...old, rules: { ...old.rules, satisfies: [] } },
    require,
  });
}

function isGrantedToAll({ key, argumentText }: Directive): boolean {
  return key === "require" && /^"?all"?\s+"?granted"?\s*$/i.test(argumentText);
}
