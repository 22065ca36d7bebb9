import {
  type CompatRules,
  compatDirectiveNames,
  convertToRequire,
  formatRequireTree,
  inspectorOf,
  isCompatDirective,
  listTreeProviders,
  moduleOfProvider,
  parseCompatRules,
  type RequireRule,
  type RequireTree,
  refusedConversion,
  requireRulesOf,
} from "../../src/rule-api/access.js";
import { type Directive, type Project, type Scope, SectionValidator } from "../../src/rule-api/configuration.js";
import { defineRule, formatWordList, type RootCause } from "../../src/rule-api/rule.js";

export const oldAccessControl = defineRule({
  id: "old-access-control",
  title: "Access control in the manner of 2.2",
  severity: "info",
  description: "A section with Order, Allow, Deny or Satisfy, which 2.4 has for compatibility alone.",
  help: "The four live in mod_access_compat, which is deprecated, and they overrule Require in ways that are hard to foresee. The message names the Require form that says the same within the section. Migrate all sections at once or none: half of each decides otherwise than either.",
  tags: ["upgrade", "access-control"],
  upgrade: "recommended",
  check: ({ project, release, report }) => {
    const refusals = new SectionValidator(project);
    const messages = new Map<string, string>();
    const found: Scope[] = [];
    // The inherited configuration of a fragment is unknown, and so are the contents of files outside the selection.
    let mayInherit = project.kind !== "server" || project.view !== undefined;
    return {
      directives: {
        ...refusals.directives,
        require: () => {
          mayInherit = true;
        },
      },
      scope: {
        holding: compatDirectiveNames,
        visit(scope) {
          if (release === "2.4" && scope.place !== "server" && scope.place !== "virtualhost") found.push(scope);
        },
      },
      project() {
        const skipped = found.some(({ inHtaccess }) => inHtaccess) ? skippedIn(project) : [];
        for (const scope of found) {
          const key = keyOf(scope);
          const first = scope.directives.find(isCompatDirective);
          if (first && scope.inHtaccess && skipped.some((each) => each.has(first))) continue;
          const message = messages.get(key) ?? createMessage(scope, refusals, mayInherit, project);
          messages.set(key, message);
          if (first) report({ message, span: first.span, cause: causeOf(message) });
        }
      },
    };
  },
});

/** Groups sections with the same message, such as all that are open to everybody, at the first one. */
function causeOf(message: string): RootCause {
  return {
    key: message,
    message: (others) => `${message} (here and in ${others === 1 ? "1 more section" : `${others} more sections`})`,
    also: "the same holds for this section",
  };
}

/** Returns the directives that Nonfatal of AllowOverride ignores: they are not effective access control. */
function skippedIn(project: Project): readonly ReadonlySet<Directive>[] {
  if (project.kind !== "server") return [];
  const inspector = inspectorOf(project);
  return inspector.htaccess.flatMap((file) => inspector.skippedLinesIn(file)?.directives ?? []);
}

const ofInterest = new Set<string>([
  ...compatDirectiveNames,
  "authtype",
  "require",
  "<requireall",
  "<requireany",
  "<requirenone",
  "<limit",
  "<limitexcept",
]);

/** Returns a key for scopes with the same access control: their message is computed once. */
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

/**
 * Returns the message about mod_access_compat directives in a section: the equivalent Require form, or why there is
 * none.
 *
 * @param mayInherit whether the section may inherit a Require
 */
function createMessage(scope: Scope, refusals: SectionValidator, mayInherit: boolean, project: Project): string {
  const old = parseCompatRules(scope.directives);
  if (old === undefined) return "";
  const own = requireRulesOf(scope);
  const verdict = refusals.holdsRefused(scope) ? refusedConversion : convertToRequire(old, own);
  const unless =
    own.length === 0 && mayInherit ? ", unless a Require comes in from outside, whose place it would take" : "";
  const advice =
    "none" in verdict
      ? `no Require form within the section says the same, since ${verdict.none}`
      : `${loading(verdict.form, project)}\`${formatRequireTree(verdict)}\` ${sameness(scope, own, formatRequireTree(verdict))}${unless}`;
  const names = namesOf(old);
  const [verb, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${formatWordList(names.map((name) => `\`${name}\``))} ${verb} access control of 2.2, which 2.4 keeps only in the deprecated mod_access_compat; ${advice}; move ${them} together with those of all other sections: \`httpd-lint migrate\``;
}

const CORE = "authz_core_module";

/** Describes the modules to load before the server accepts a form. */
function loading(form: RequireTree, { modules, modulesAreKnown }: Project): string {
  const needed = [CORE, ...listTreeProviders(form).map(moduleOfProvider)];
  const missing = [...new Set(needed)].filter((module) => module !== undefined && !modules.has(module));
  if (!modulesAreKnown || missing.length === 0) return "";
  const without = missing[0] === CORE ? `, since without \`${CORE}\` 2.4 answers 500 to whoever is let in` : "";
  return `load ${formatWordList(missing.map((module) => `\`${module}\``))} first${without}, and `;
}

/**
 * Describes the equivalence of a form. 2.4 returns 500 for an AuthType without any Require; a Require that needs no
 * user avoids that.
 */
function sameness({ directives }: Scope, own: readonly RequireRule[], form: string): string {
  const hasType = directives.some(({ key, argumentText }) => key === "authtype" && !/^"?none"?$/i.test(argumentText));
  return hasType && own.length === 0 && form !== "Require all denied"
    ? "lets in the same clients, whom 2.4 answers 500 as long as AuthType stands here without any Require (AH01627)"
    : "says the same within the section";
}

function namesOf(old: CompatRules): string[] {
  const present = new Set(old.directives.map((directive) => directive.key));
  return ["Order", "Allow", "Deny", "Satisfy"].filter((name) => present.has(name.toLowerCase()));
}
