import { isOldDirective, oldNames } from "../../src/access/old-rules.js";
import type { SharedCause } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import type { Project } from "../../src/project/project.js";
import type { Scope } from "../../src/project/scope.js";
import { SectionRefusals } from "../../src/refusals/section.js";
import { inspectorOf } from "../../src/witness/inspector.js";
import { messageOf } from "./message.js";

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
    // What a piece of a configuration inherits is not known, nor what stands in files that are not looked at here.
    let mayInherit = project.kind !== "server" || project.view !== undefined;
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
          if (first) report({ message, span: first.span, cause: causeOf(message) });
        }
      },
    };
  },
});

/** Sections of which the same is to be said, such as all that are open to everybody, are told of at the first. */
function causeOf(message: string): SharedCause {
  return {
    key: message,
    message: (others) => `${message} (here and in ${others === 1 ? "1 more section" : `${others} more sections`})`,
    also: "the same holds for this section",
  };
}

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
