import { layersOf, type ReadRules, requireLinesOf } from "../../src/access/merged.js";
import type { Report } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import type { Inspector, Seen, Situation } from "../../src/witness/inspector.js";
import { firstThat, judging, lineTitle, requestText } from "../../src/witness/judging.js";
import {
  isInherited,
  isSatisfyAny,
  oldWithout,
  ownRulesOf,
  passesAll,
  withoutOld,
} from "../../src/witness/readings.js";

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
    judging(context, {
      concerns: ({ directives }) => directives.some(isSatisfyAny),
      judge(situation, inspector) {
        const { old, layer, require } = situation;
        const line = ownRulesOf(situation).old?.satisfies.findLast(({ satisfy }) => satisfy === "any")?.directive;
        if (!old || !line || old.layer !== layer) return undefined;
        // Of what it drops compat-reset speaks.
        const outer = old.rules.directives.every(isSatisfyAny) ? oldWithout(situation, layer) : undefined;
        if (outer && !passesAll(outer.rules)) return undefined;
        if (require === undefined || layersOf(require).every((each) => isInherited(situation, each) || each === layer))
          return pastOld(line, situation, inspector) ?? pastRequire(line, situation, inspector);
        return undefined;
      },
    }),
});

/** Somebody whom the old rules keep out comes in, since the side of Require lets everybody in. */
function pastOld(line: Directive, situation: Situation, inspector: Inspector): Report | undefined {
  const { old, require } = situation;
  const why = require === undefined ? NO_REQUIRE : whyGranted(situation, inspector);
  if (!old || why === undefined) return undefined;
  const shown = seenPast(situation, inspector, old.rules.directives, ["403"]);
  return shown && reportOf(line, why, shown, "say with Require who may come in", inspector);
}

/** Somebody comes in past the section's own Require, since its old rules keep nobody out. */
function pastRequire(line: Directive, situation: Situation, inspector: Inspector): Report | undefined {
  const { old, require, layer } = situation;
  // Over an inherited Require it is the way to make an exception.
  if (!old || !require || !layersOf(require).every((each) => each === layer) || !passesAll(old.rules)) return undefined;
  const shown = seenPast(situation, inspector, requireLinesOf(require), ["401", "403"]);
  const advice = "say with Order, Allow and Deny who needs no Require";
  return shown && reportOf(line, NO_DENY, shown, advice, inspector);
}

const NO_REQUIRE = "no Require is in force here, which 2.4 takes for satisfied";
const NO_DENY = "either side may let in, and no Order or Deny here keeps anybody out";

/** By what a Require lets every client in; undefined where it does not. */
function whyGranted(situation: Situation, inspector: Inspector): string | undefined {
  const { old, require, layer } = situation;
  const lines = [...(old?.rules.directives ?? []), ...(require ? requireLinesOf(require) : [])];
  const all = inspector.requestsOf(situation, lines).map((each) => inspector.see(situation, each, withoutOld));
  const grants = all[0]?.by.find(isGrantedToAll);
  if (!grants || !all.every((each) => each?.class === "allowed")) return undefined;
  const isOwn = layer.directives.includes(grants);
  return `either side may let in, and ${isOwn ? "" : "the inherited "}${lineTitle(grants)} does so for all`;
}

interface Shown {
  readonly seen: Seen;
  readonly passed: Directive;
}

/** Somebody who is let in, and what would keep that one out without the Satisfy. */
function seenPast(
  situation: Situation,
  inspector: Inspector,
  lines: readonly Directive[],
  refusals: readonly Seen["class"][],
): Shown | undefined {
  let passed: Directive | undefined;
  const read = withoutSatisfy(situation);
  const seen = firstThat(inspector, situation, lines, (each) => {
    if (each.class !== "allowed") return false;
    const without = inspector.see(situation, each.request, read);
    passed = without && refusals.includes(without.class) ? without.by[0] : undefined;
    return passed !== undefined;
  });
  return seen && passed && { seen, passed };
}

function reportOf(line: Directive, why: string, { seen, passed }: Shown, advice: string, inspector: Inspector): Report {
  return {
    message: `${lineTitle(line)} lets everybody in: ${why}, so ${requestText(seen.request)} is let in past ${lineTitle(passed)}; take Satisfy out, or ${advice}`,
    span: line.span,
    related: [{ message: `${lineTitle(passed)} keeps nobody out`, span: passed.span }],
    witness: inspector.witness(seen),
  };
}

/** Where nothing else stands in the section, what comes in from outside counts again. */
function withoutSatisfy(situation: Situation): ReadRules {
  const isAlone = ownRulesOf(situation).old?.directives.every(({ key }) => key === "satisfy");
  const outer = isAlone ? oldWithout(situation, situation.layer) : undefined;
  return ({ old, require }) => ({
    old: isAlone ? outer : old && { ...old, rules: { ...old.rules, satisfies: [] } },
    require,
  });
}

function isGrantedToAll({ key, argumentText }: Directive): boolean {
  return key === "require" && /^"?all"?\s+"?granted"?\s*$/i.test(argumentText);
}
