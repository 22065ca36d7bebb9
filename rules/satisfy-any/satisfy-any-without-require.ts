import {
  type AccessAnswer,
  allowsEveryClient,
  describeRequest,
  dropCompatRules,
  findCompatRulesWithout,
  findWitness,
  formatLineTitle,
  type Inspector,
  isInherited,
  isSatisfyAny,
  ownRulesOf,
  type ProbeContext,
  type RulesTransform,
  requireLinesOf,
  sourceLayersOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineVariant, type MessageText, type Report } from "../../src/lint/api/rule.js";

const describeBypass = ({ answer, passed }: SatisfyWitness) =>
  `${describeRequest(answer.request)} is allowed and bypasses ${formatLineTitle(passed)}`;

const EITHER = "under Satisfy Any, either Order, Allow and Deny or Require is sufficient";

const requireHelp = (line: Directive) => [
  `delete ${formatLineTitle(line)}, or add Require lines for the clients that need access`,
];

const messages = {
  noRequire: (line: Directive, bypass: SatisfyWitness) => ({
    message: `${formatLineTitle(line)} allows every client: no \`Require\` applies here`,
    notes: ["2.4 treats a missing Require as satisfied", describeBypass(bypass)],
    help: requireHelp(line),
  }),
  grantedToAll: (line: Directive, grant: Grant, bypass: SatisfyWitness) => ({
    message: `${formatLineTitle(line)} allows every client: ${grant.isOwn ? "" : "inherited "}${formatLineTitle(grant.line)} is sufficient`,
    notes: [EITHER, describeBypass(bypass)],
    help: requireHelp(line),
  }),
  noDeny: (line: Directive, bypass: SatisfyWitness) => ({
    message: `${formatLineTitle(line)} allows every client: no \`Order\` or \`Deny\` directive restricts access`,
    notes: [EITHER, describeBypass(bypass)],
    help: [`delete ${formatLineTitle(line)}, or set with Order, Allow and Deny which clients need no Require`],
  }),
};

const labels = {
  passed: (line: Directive) => `${formatLineTitle(line)} is bypassed`,
};

export const satisfyAnyWithoutRequire = defineVariant({
  id: "satisfy-any-without-require",
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  messages,
  check: () => ({
    probe: {
      applies: ({ directives }) => directives.some(isSatisfyAny),
      check(situation, inspector) {
        const { compat, layer, require } = situation;
        const line = ownRulesOf(situation).compat?.satisfies.findLast(({ satisfy }) => satisfy === "any")?.directive;
        if (!compat || !line || compat.layer !== layer) return undefined;
        // compat-reset reports what it discards.
        const outer = compat.rules.directives.every(isSatisfyAny)
          ? findCompatRulesWithout(situation, layer)
          : undefined;
        if (outer && !allowsEveryClient(outer.rules)) return undefined;
        if (
          require === undefined ||
          sourceLayersOf(require).every((each) => isInherited(situation, each) || each === layer)
        )
          return bypassCompat(line, situation, inspector) ?? bypassRequire(line, situation, inspector);
        return undefined;
      },
    },
  }),
});

/**
 * Reports a client that mod_access_compat rules deny but Satisfy Any allows, because Require allows every client.
 */
function bypassCompat(line: Directive, situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require } = situation;
  const grant = require === undefined ? undefined : findGrantToAll(situation, inspector);
  if (!compat || (require && !grant)) return undefined;
  const shown = findBypass(situation, inspector, compat.rules.directives, ["403"]);
  if (!shown) return undefined;
  return reportOf(
    line,
    grant ? messages.grantedToAll(line, grant, shown) : messages.noRequire(line, shown),
    shown,
    inspector,
  );
}

/** Reports a client that bypasses the section's own Require, because no mod_access_compat rule denies it. */
function bypassRequire(line: Directive, situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, layer } = situation;
  // With an inherited Require, it is the way to make an exception.
  if (
    !compat ||
    !require ||
    !sourceLayersOf(require).every((each) => each === layer) ||
    !allowsEveryClient(compat.rules)
  )
    return undefined;
  const shown = findBypass(situation, inspector, requireLinesOf(require), ["401", "403"]);
  return shown && reportOf(line, messages.noDeny(line, shown), shown, inspector);
}

/** Returns the line by which Require allows every client; undefined if it does not. */
function findGrantToAll(situation: ProbeContext, inspector: Inspector): Grant | undefined {
  const { compat, require, layer } = situation;
  const lines = [...(compat?.rules.directives ?? []), ...(require ? requireLinesOf(require) : [])];
  const all = inspector
    .sampleRequests(situation, lines)
    .map((each) => inspector.probe(situation, each, dropCompatRules));
  const grants = all[0]?.decidedBy.find(isGrantedToAll);
  if (!grants || !all.every((each) => each?.class === "allowed")) return undefined;
  return { line: grants, isOwn: layer.directives.includes(grants) };
}

/** A line that allows every client. */
interface Grant {
  readonly line: Directive;
  readonly isOwn: boolean;
}

interface SatisfyWitness {
  readonly answer: AccessAnswer;
  readonly passed: Directive;
}

/** Returns an allowed client, and the line that would deny it without the Satisfy. */
function findBypass(
  situation: ProbeContext,
  inspector: Inspector,
  lines: readonly Directive[],
  refusals: readonly AccessAnswer["class"][],
): SatisfyWitness | undefined {
  let passed: Directive | undefined;
  const read = withoutSatisfy(situation);
  const answer = findWitness(inspector, situation, lines, (each) => {
    if (each.class !== "allowed") return false;
    const without = inspector.probe(situation, each.request, read);
    passed = without && refusals.includes(without.class) ? without.decidedBy[0] : undefined;
    return passed !== undefined;
  });
  return answer && passed && { answer, passed };
}

function reportOf(
  line: Directive,
  message: MessageText,
  { answer, passed }: SatisfyWitness,
  inspector: Inspector,
): Report {
  return {
    message,
    span: line.span,
    related: [{ message: labels.passed(passed), span: passed.span }],
    witness: inspector.witness(answer),
  };
}

/** Without other mod_access_compat directives in the section, the inherited ones apply again. */
function withoutSatisfy(situation: ProbeContext): RulesTransform {
  const isOnlySatisfy = ownRulesOf(situation).compat?.directives.every(({ key }) => key === "satisfy");
  const outer = isOnlySatisfy ? findCompatRulesWithout(situation, situation.layer) : undefined;
  return ({ compat, require }) => ({
    compat: isOnlySatisfy ? outer : compat && { ...compat, rules: { ...compat.rules, satisfies: [] } },
    require,
  });
}

function isGrantedToAll({ key, argumentText }: Directive): boolean {
  return key === "require" && /^"?all"?\s+"?granted"?\s*$/i.test(argumentText);
}
