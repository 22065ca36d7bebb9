import {
  type AccessAnswer,
  argumentsOfLine,
  convertToRequire,
  describeProbe,
  describeRequireTree,
  dropCompatRules,
  dropRequireRules,
  findWitness,
  formatLineTitle,
  type Inspector,
  isHostBased,
  isInherited,
  ownRulesOf,
  type ProbeContext,
  requireLinesOf,
  sourceLayersOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule, type Report, replaceAllLines } from "../../src/lint/api/rule.js";

const describeOverride = (own: Directive, inherited: Directive) =>
  `${formatLineTitle(own)} cannot override the inherited ${formatLineTitle(inherited)}`;

/** @param form the Require directives with the meaning of the section's own lines, if there are any */
const helpFor = (form: string | undefined) =>
  form === undefined ? help : [`use ${form} instead of the mod_access_compat directives of this section`];

const help = [
  "use `Require` in both sections",
  "to keep mod_access_compat, use `Order`, `Allow` and `Deny` in both sections",
];

const messages = {
  requireOverridden: (own: Directive, inherited: Directive, answer: AccessAnswer) => ({
    message: describeOverride(own, inherited),
    notes: ["mod_access_compat directives are checked before `Require`", describeProbe(answer)],
    help,
  }),
  allowOverridden: (own: Directive, inherited: Directive, answer: AccessAnswer, form: string | undefined) => ({
    message: describeOverride(own, inherited),
    notes: ["`Require` is checked even if mod_access_compat allows the client", describeProbe(answer)],
    help: helpFor(form),
  }),
};

const fixTitles = { replace: (form: string) => `Replace with ${form}` };

const labels = { inherited: "inherited from here" };

export const compatPrecedence = defineRule({
  id: "compat-precedence",
  title: "Own access rules overridden by inherited ones",
  group: "access",
  severity: "warning",
  description:
    "A Require that inherited mod_access_compat directives override, or an Allow that cannot override an inherited Require.",
  help: "mod_access_compat directives and Require are merged separately. A section that has only one kind inherits the other. A request must pass both, mod_access_compat first. For example, `Require local` for server-status allows nobody if the section inherits `Deny from all`, contrary to the upgrade guide. Use one kind in both sections.",
  securitySeverity: 4,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  messages,
  check: () => ({
    probe: {
      applies: (scope, scopes) => scopes.mayInheritOther(scope),
      check: (situation, inspector) => overriddenRequire(situation, inspector) ?? overriddenAllow(situation, inspector),
    },
  }),
});

/** Reports a client that the section's own Require allows and inherited mod_access_compat rules deny. */
function overriddenRequire(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, state } = situation;
  const own = ownRulesOf(situation);
  if (!compat || !require || own.require === undefined || !isInherited(situation, compat.layer)) return undefined;
  if (!isHostBased(require, state)) return undefined;
  const lines = requireLinesOf(own.require);
  const [first] = lines;
  const answer = findWitness(
    inspector,
    situation,
    [...compat.rules.directives, ...lines],
    (each) =>
      each.class === "403" &&
      `${each.log}` === "AH01797" &&
      inspector.probe(situation, each.request, dropCompatRules)?.class === "allowed",
  );
  if (!answer || !first) return undefined;
  const [decider = first] = answer.decidedBy;
  const allowing =
    inspector.probe(situation, answer.request, dropCompatRules)?.decidedBy.find((line) => lines.includes(line)) ??
    first;
  return {
    message: messages.requireOverridden(allowing, decider, answer),
    span: allowing.span,
    related: [{ message: labels.inherited, span: decider.span }],
    witness: inspector.witness(answer),
  };
}

/** Reports a client that the section's own Allow allows and an inherited Require denies. */
function overriddenAllow(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, state, layer } = situation;
  const own = ownRulesOf(situation);
  if (!compat || !require || compat.layer !== layer || own.require !== undefined || !isHostBased(require, state))
    return undefined;
  if (!sourceLayersOf(require).every((each) => isInherited(situation, each))) return undefined;
  let allow: Directive | undefined;
  const lines = [...compat.rules.directives, ...requireLinesOf(require)];
  const answer = findWitness(inspector, situation, lines, (each) => {
    if (!each.log.includes("AH01630")) return false;
    const without = inspector.probe(situation, each.request, dropRequireRules);
    allow = without?.class === "allowed" ? without.decidedBy.find(({ key }) => key === "allow") : undefined;
    return allow !== undefined;
  });
  const [decider] = answer?.decidedBy ?? [];
  // `None` is intended to allow no client: `never-matching-name` reports it.
  if (!answer || !decider || !allow || /^from\s+none$/i.test(allow.argumentText)) return undefined;
  const conversion = convertToRequire(compat.rules, []);
  const converted = "form" in conversion ? conversion : undefined;
  const form = converted && describeRequireTree(converted);
  const line =
    converted?.limits.length === 0 && converted.form.kind === "line" ? argumentsOfLine(converted.form) : undefined;
  const spans = compat.rules.directives.map(({ span }) => span);
  const edits = line === undefined ? undefined : replaceAllLines(spans, `Require ${line}`);
  return {
    message: messages.allowOverridden(allow, decider, answer, form),
    span: allow.span,
    related: [{ message: labels.inherited, span: decider.span }],
    ...(edits && form ? { fix: { title: fixTitles.replace(form), safety: "unsafe", edits } } : {}),
    witness: inspector.witness(answer),
  };
}
