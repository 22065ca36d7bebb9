import { isRequireContainer, newRulesOf, readRequire } from "../../src/access/new-rules.js";
import { isOldDirective, oldNames, oldRules } from "../../src/access/old-rules.js";
import { isNewProvider } from "../../src/access/providers.js";
import { formText, requireForm } from "../../src/access/require-form.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { sectionName } from "../../src/project/guards.js";
import type { Related } from "../../src/project/problems.js";
import type { Scope } from "../../src/project/scope.js";
import { SectionRefusals } from "../../src/refusals/section.js";
import { toReadable } from "../../src/text/source.js";

export const mixedAccessControl = defineRule({
  id: "mixed-access-control",
  title: "Old and new access control in one section",
  severity: "warning",
  description:
    "Order, Allow, Deny or Satisfy in force together with what only 2.4 has: Require all, ip, host, not, containers and the like.",
  help: "The two do not add up as they read: the old rules are asked first, and whom they refuse no Require lets in; with Satisfy any either lets in. Guards are understood: the IfModule pair for both releases is fine, a guard around one side only is not. `Require user`, `group` and `valid-user` exist in both releases and are no mixing.",
  securitySeverity: 5,
  tags: ["upgrade", "access-control", "security"],
  supersedes: ["old-access-control"],
  check: ({ project, release, report }) => {
    const refusals = new SectionRefusals(project);
    return {
      directives: refusals.directives,
      scope: {
        holding: oldNames,
        visit(scope) {
          if (release !== "2.4" || scope.place === "server" || scope.place === "virtualhost") return;
          const old = scope.directives.find(isOldDirective);
          const modern = old && scope.directives.find(isNew);
          if (old === undefined || modern === undefined) return;
          const message = messageOf(scope, modern, refusals.holdsRefused(scope));
          report({ message, span: old.span, related: relatedOf(old, modern) });
        },
      },
    };
  },
});

/** Whether only 2.4 knows this access control. */
function isNew(directive: Directive): boolean {
  if (directive.key === "authmerging" || isRequireContainer(directive)) return true;
  if (directive.key !== "require") return false;
  const { negated, provider } = readRequire(directive);
  return negated || isNewProvider(provider);
}

function messageOf(scope: Scope, modern: Directive, isRefused: boolean): string {
  const old = oldRules(scope.directives);
  const any = old?.satisfies.at(-1)?.satisfy === "any";
  const together = any
    ? "either of the two lets in"
    : "the old rules are asked first and whom they refuse no Require lets in";
  const verdict = old && !isRefused && requireForm(old, newRulesOf(scope));
  const advice =
    verdict && "form" in verdict
      ? `keep one of the two: together they say \`${formText(verdict)}\``
      : "keep one of the two";
  return `old access control is in force together with ${title(modern)}, so ${together}; ${advice}`;
}

function relatedOf(old: Directive, modern: Directive): Related[] {
  const related = [{ message: `${title(modern)} is in force, too`, span: modern.span }];
  const sides = [["the old rules", old, modern] as const, ["the new rules", modern, old] as const];
  for (const [side, directive, other] of sides) {
    const { guard } = directive;
    if (guard === undefined || guard === other.guard) continue;
    const condition = toReadable(`${sectionName(guard.kind)} ${guard.negated ? "!" : ""}${guard.argument}>`);
    related.push({ message: `\`${condition}\` holds, and guards only ${side}`, span: guard.span });
  }
  return related;
}

function title(directive: Directive): string {
  if (directive.children) return `\`${directive.name}>\``;
  const text = `${directive.name} ${toReadable(directive.argumentText)}`;
  return `\`${text.length > 50 ? `${text.slice(0, 49)}…` : text}\``;
}
