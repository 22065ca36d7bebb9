import { type NewRule, newRulesOf } from "../../src/access/new-rules.js";
import { type OldRules, oldRules } from "../../src/access/old-rules.js";
import { moduleOfProvider } from "../../src/access/providers.js";
import { type Form, formText, providersOf, refusedForm, requireForm } from "../../src/access/require-form.js";
import { listed } from "../../src/project/problems.js";
import type { Project } from "../../src/project/project.js";
import type { Scope } from "../../src/project/scope.js";
import type { SectionRefusals } from "../../src/refusals/section.js";

/**
 * What is said of the old access control of a section: the Require form that says the same, or why there is none.
 *
 * @param mayInherit whether a Require from outside may be in force in the section
 */
export function messageOf(scope: Scope, refusals: SectionRefusals, mayInherit: boolean, project: Project): string {
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
  return `${listed(names.map((name) => `\`${name}\``))} ${verb} access control of 2.2, which 2.4 keeps only in the deprecated mod_access_compat; ${advice}; move ${them} together with those of all other sections: \`httpd-lint migrate\``;
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
