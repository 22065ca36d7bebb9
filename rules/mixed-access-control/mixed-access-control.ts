import { isHostBased } from "../../src/access/decide/upgrade-guide.js";
import {
  type CompatRules,
  compatDirectiveNames,
  isCompatDirective,
  parseCompatRules,
} from "../../src/access/rules/compat-rules.js";
import { type RulesTransform, requireLinesOf, sourceLayersOf } from "../../src/access/rules/merge.js";
import { isNewProvider, lacksRequire } from "../../src/access/rules/providers.js";
import { convertToRequire, formatRequireTree } from "../../src/access/rules/require-conversion.js";
import { isRequireContainer, parseRequireLine, requireRulesOf } from "../../src/access/rules/require-rules.js";
import type { Report } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/model/directive.js";
import { sectionNameOf } from "../../src/project/model/guards.js";
import type { Related } from "../../src/project/model/problems.js";
import type { Scope } from "../../src/project/model/scope.js";
import { toReadable } from "../../src/text/source.js";
import { SectionValidator } from "../../src/validate/validate.js";
import type { Inspector, ProbeContext } from "../../src/witness/inspector.js";
import {
  createProbeVisitor,
  describeAnswer,
  describeRequest,
  findWitness,
  formatDirectiveNames,
  formatLineTitle,
} from "../../src/witness/probe-visitor.js";
import { allowsEveryClient, dropCompatRules, dropRequireRules } from "../../src/witness/rules-in-context.js";

export const mixedAccessControl = defineRule({
  id: "mixed-access-control",
  title: "Old and new access control in one section",
  severity: "warning",
  description:
    "Order, Allow, Deny or Satisfy in force together with what only 2.4 has: Require all, ip, host, not, containers and the like.",
  help: "The two do not add up as they read: the old rules are asked first, and whom they refuse no Require lets in; with Satisfy any either lets in. Guards are understood: the IfModule pair for both releases is fine, a guard around one side only is not. `Require user`, `group` and `valid-user` exist in both releases and are no mixing.",
  securitySeverity: 5,
  tags: ["upgrade", "access-control", "security"],
  upgrade: "recommended",
  supersedes: ["old-access-control"],
  check: (context) => {
    const { project, release, report } = context;
    if (lacksRequire(project)) return {};
    const refusals = new SectionValidator(project);
    const passing: (Pick<Report, "span" | "related"> & { readonly rules: CompatRules })[] = [];
    const found: Scope[] = [];
    // The inherited configuration of a fragment is unknown.
    const mayLift = () => project.kind !== "server" || found.some((scope) => !isOpen(scope));
    const across = createProbeVisitor(context, {
      applies(scope, scopes) {
        const kinds = scopes.kindsIn(scope);
        return kinds.size === 1 && scopes.mayInherit(scope, kinds.has("old") ? "require" : "old");
      },
      check: checkAcross,
    });
    return {
      directives: refusals.directives,
      project() {
        const isInDoubt = passing.length > 0 && mayLift();
        for (const { rules, ...place } of passing)
          report({ ...place, severity: "info", message: passingText(rules, isInDoubt) });
        across.project?.();
      },
      scope: {
        holding: across.scope?.holding ?? compatDirectiveNames,
        visit(scope) {
          across.scope?.visit(scope);
          if (release !== "2.4" || scope.place === "server" || scope.place === "virtualhost") return;
          const old = scope.directives.find(isCompatDirective);
          if (old === undefined) return;
          found.push(scope);
          const modern = scope.directives.find(isNew);
          if (modern === undefined) return;
          const isRefused = refusals.holdsRefused(scope);
          const related = relatedOf(old, modern);
          const rules = isRefused ? undefined : parseCompatRules(scope.directives);
          if (rules && allowsAll(rules)) passing.push({ rules, span: old.span, related });
          else report({ message: messageOf(scope, modern, isRefused), span: old.span, related });
        },
      },
    };
  },
});

/** Returns whether mod_access_compat rules allow every client with every method, and leave the decision to Require. */
function allowsAll(rules: CompatRules): boolean {
  const lines = [...rules.orders, ...rules.satisfies];
  return (
    allowsEveryClient(rules) &&
    rules.unreadable.length === 0 &&
    lines.every(({ limits }) => limits.length === 0) &&
    rules.satisfies.every(({ satisfy }) => satisfy === "all")
  );
}

function isOpen({ directives }: Scope): boolean {
  const rules = parseCompatRules(directives);
  return rules !== undefined && allowsAll(rules);
}

/** @param mayLift whether they may override outer mod_access_compat rules */
function passingText({ directives }: CompatRules, mayLift: boolean): string {
  const [lets, has, it, theyAre] =
    directives.length > 1 ? ["let", "have", "them", "they are"] : ["lets", "has", "it", "it is"];
  const unless = mayLift ? `, unless ${theyAre} there to lift old rules from outside` : "";
  return `${formatDirectiveNames(directives)} ${lets} every client pass and ${has} no effect, since Require alone decides then; take ${it} out${unless}`;
}

/** Returns whether a directive is access control that only 2.4 supports. */
function isNew(directive: Directive): boolean {
  if (directive.key === "authmerging" || isRequireContainer(directive)) return true;
  if (directive.key !== "require") return false;
  const { negated, provider } = parseRequireLine(directive);
  return negated || isNewProvider(provider);
}

/**
 * Reports mod_access_compat rules of one section that apply together with Require rules of another, if the inherited
 * ones affect a request. If Require checks only the client, compat-precedence reports which of the two is overridden.
 * If the mod_access_compat rules are inherited with Satisfy Any, satisfy-any-inherited reports it.
 */
function checkAcross(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { old, require, layer, state } = situation;
  if (!old || !require || isHostBased(require, state)) return undefined;
  const layers = sourceLayersOf(require);
  const modern = layers.flatMap(({ directives }) => directives).find(isNew);
  const [firstOld] = old.rules.directives;
  const any = old.rules.satisfies.at(-1)?.satisfy === "any";
  if (any && layer !== old.layer) return undefined;
  if (
    layers.includes(old.layer) ||
    !modern ||
    !firstOld ||
    layer !== state.layers.findLast((each) => each === old.layer || layers.includes(each))
  )
    return undefined;
  const lines = [...old.rules.directives, ...requireLinesOf(require)];
  const differs = (read: RulesTransform) =>
    findWitness(inspector, situation, lines, (seen) => {
      const without = inspector.probe(situation, seen.request, read);
      return without !== undefined && without.class !== seen.class;
    });
  const seen = differs(dropCompatRules);
  if (!seen || (layer === old.layer && !differs(dropRequireRules))) return undefined;
  const decider = seen.by.find(isCompatDirective) ?? firstOld;
  const [own, outer] = layer === old.layer ? [firstOld, modern] : [modern, decider];
  const together = togetherText(any);
  return {
    message: `old and new access control are in force here together, ${formatLineTitle(own)} and the inherited ${formatLineTitle(outer)}: ${together}, so ${describeRequest(seen.request)} ${describeAnswer(seen)}; write the access of both sections in one of the two manners`,
    span: own.span,
    related: [{ message: `${formatLineTitle(outer)} comes in from here`, span: outer.span }],
    witness: inspector.witness(seen),
  };
}

function togetherText(any: boolean): string {
  return any ? "either of the two lets in" : "the old rules are asked first and whom they refuse no Require lets in";
}

function messageOf(scope: Scope, modern: Directive, isRefused: boolean): string {
  const old = parseCompatRules(scope.directives);
  const any = old?.satisfies.at(-1)?.satisfy === "any";
  const together = togetherText(any);
  const verdict = old && !isRefused && convertToRequire(old, requireRulesOf(scope));
  const advice =
    verdict && "form" in verdict
      ? `keep one of the two: together they say \`${formatRequireTree(verdict)}\``
      : "keep one of the two";
  return `old access control is in force together with ${title(modern)}, so ${together}; ${advice}`;
}

function relatedOf(old: Directive, modern: Directive): Related[] {
  const related = [{ message: `${title(modern)} is in force, too`, span: modern.span }];
  const sides = [["the old rules", old, modern] as const, ["the new rules", modern, old] as const];
  for (const [side, directive, other] of sides) {
    const { guard } = directive;
    if (guard === undefined || guard === other.guard) continue;
    const condition = toReadable(`${sectionNameOf(guard.kind)} ${guard.negated ? "!" : ""}${guard.argument}>`);
    related.push({ message: `\`${condition}\` holds, and guards only ${side}`, span: guard.span });
  }
  return related;
}

function title(directive: Directive): string {
  if (directive.children) return `\`${directive.name}>\``;
  const text = `${directive.name} ${toReadable(directive.argumentText)}`;
  return `\`${text.length > 50 ? `${text.slice(0, 49)}…` : text}\``;
}
