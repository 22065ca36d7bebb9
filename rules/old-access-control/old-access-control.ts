import { type NewRule, newRulesOf } from "../../src/access/new-rules.js";
import { isOldDirective, type OldRules, oldNames, oldRules } from "../../src/access/old-rules.js";
import { moduleOfProvider } from "../../src/access/providers.js";
import { type Form, formText, providersOf, refusedForm, requireForm } from "../../src/access/require-form.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { listed } from "../../src/project/problems.js";
import type { Project } from "../../src/project/project.js";
import type { Scope } from "../../src/project/scope.js";
import { SectionRefusals } from "../../src/refusals/section.js";
import { inspectorOf } from "../../src/witness/inspector.js";

export const oldAccessControl = defineRule({
  id: "old-access-control",
  title: "Access control in the manner of 2.2",
  severity: "info",
  description: "A section with Order, Allow, Deny or Satisfy, which 2.4 has for compatibility alone.",
  help: "The four live in mod_access_compat, which is deprecated, and they overrule Require in ways that are hard to foresee. The message names the Require form that says the same within the section. Migrate all sections at once or none: half of each decides otherwise than either.",
  tags: ["upgrade", "access-control"],
  upgrade: "recommended",
  check: ({ project, release, report }) => {
    const refusals = new SectionRefusals(project);
    const messages = new Map<string, string>();
    const found: Scope[] = [];
    // What a piece of a configuration inherits is not known.
    let mayInherit = project.kind !== "server";
    return {
      directives: {
        ...refusals.directives,
        require: () => {
          mayInherit = true;
        },
      },
      scope: {
        holding: oldNames,
        visit(scope) {
          if (release === "2.4" && scope.place !== "server" && scope.place !== "virtualhost") found.push(scope);
        },
      },
      project() {
        const skipped = found.some(({ inHtaccess }) => inHtaccess) ? skippedIn(project) : [];
        for (const scope of found) {
          const key = keyOf(scope);
          const first = scope.directives.find(isOldDirective);
          if (first && scope.inHtaccess && skipped.some((each) => each.has(first))) continue;
          const message = messages.get(key) ?? messageOf(scope, refusals, mayInherit, project);
          messages.set(key, message);
          if (first) report({ message, span: first.span });
        }
      },
    };
  },
});

/** What Nonfatal of AllowOverride has the server pass over is no access control. */
function skippedIn(project: Project): readonly ReadonlySet<Directive>[] {
  if (project.kind !== "server") return [];
  const inspector = inspectorOf(project);
  return inspector.htaccess.flatMap((file) => inspector.skippedIn(file)?.directives ?? []);
}

const ofInterest = new Set<string>([
  ...oldNames,
  "authtype",
  "require",
  "<requireall",
  "<requireany",
  "<requirenone",
  "<limit",
  "<limitexcept",
]);

/** Scopes with the same access control get the same message: it is worked out once. */
function keyOf({ directives, inHtaccess, place }: Scope): string {
  const parts = [inHtaccess, place === "unknown"].map(String);
  for (const directive of directives)
    if (ofInterest.has(directive.key)) parts.push(String(depthOf(directive)), directive.key, directive.argumentText);
  return parts.join("\n");
}

function depthOf(directive: Directive): number {
  let depth = 0;
  for (let outer = directive.parent; outer; outer = outer.parent) depth++;
  return depth;
}

function messageOf(scope: Scope, refusals: SectionRefusals, mayInherit: boolean, project: Project): string {
  const old = oldRules(scope.directives);
  if (old === undefined) return "";
  const own = newRulesOf(scope);
  const verdict = refusals.holdsRefused(scope) ? refusedForm : requireForm(old, own);
  const unless =
    own.length === 0 && mayInherit ? ", unless a Require comes in from outside, whose place it would take" : "";
  const advice =
    "none" in verdict
      ? `no Require form within the section says the same, since ${verdict.none}`
      : `${loading(verdict.form, project)}\`${formText(verdict)}\` ${sameness(scope, own, formText(verdict))}${unless}`;
  const names = namesOf(old);
  const [verb, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${listed(names.map((name) => `\`${name}\``))} ${verb} access control of 2.2, which 2.4 keeps only in the deprecated mod_access_compat; ${advice}; replace ${them} together with those of all other sections`;
}

const CORE = "authz_core_module";

/** What has to be loaded before the server takes a form. */
function loading(form: Form, { modules, modulesAreKnown }: Project): string {
  const needed = [CORE, ...providersOf(form).map(moduleOfProvider)];
  const missing = [...new Set(needed)].filter((module) => module !== undefined && !modules.has(module));
  if (!modulesAreKnown || missing.length === 0) return "";
  const without = missing[0] === CORE ? `, since without \`${CORE}\` 2.4 answers 500 to whoever is let in` : "";
  return `load ${listed(missing.map((module) => `\`${module}\``))} first${without}, and `;
}

/** 2.4 takes an AuthType without any Require for a mistake; with a Require that needs no user it is none. */
function sameness({ directives }: Scope, own: readonly NewRule[], form: string): string {
  const hasType = directives.some(({ key, argumentText }) => key === "authtype" && !/^"?none"?$/i.test(argumentText));
  return hasType && own.length === 0 && form !== "Require all denied"
    ? "lets in the same clients, whom 2.4 answers 500 as long as AuthType stands here without any Require (AH01627)"
    : "says the same within the section";
}

function namesOf(old: OldRules): string[] {
  const present = new Set(old.directives.map((directive) => directive.key));
  return ["Order", "Allow", "Deny", "Satisfy"].filter((name) => present.has(name.toLowerCase()));
}
