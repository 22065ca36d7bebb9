import { compatDirectiveNames, isCompatDirective, lacksAccessCompat } from "../../src/rule-api/access.js";
import type { Directive, Guard } from "../../src/rule-api/configuration.js";
import { defineRule, describeConsequence } from "../../src/rule-api/rule.js";

const describeOthers = (others: number) =>
  others === 0 ? "" : `, here and in ${others} more section${others === 1 ? "" : "s"}`;

const messages = {
  notLoaded: (name: string, consequence: string, others: number) =>
    `\`${name}\` belongs to mod_access_compat, which is not loaded, so ${consequence}; write Require in its place, or load the module${describeOthers(others)} (httpd: "Invalid command '${name}'")`,
  wrongGuard: (name: string, { argument }: Guard, consequence: string, others: number) =>
    `\`${name}\` belongs to mod_access_compat, which is not loaded, so ${consequence}; \`${argument}\` no longer has it, so guard it with \`<IfModule mod_access_compat.c>\` and give 2.4 its Require in \`<IfModule !mod_access_compat.c>\`${describeOthers(others)} (httpd: "Invalid command '${name}'")`,
};

const labels = {
  wrongGuard: "this guard holds on 2.4, too",
  compatToo: "this section has old access control, too",
};

export const accessCompatNotLoaded = defineRule({
  id: "access-compat-not-loaded",
  title: "Old access control without its module",
  severity: "error",
  description: "Order, Allow, Deny or Satisfy where mod_access_compat is not loaded.",
  help: "In 2.4 the four belong to mod_access_compat; without it the server stops with `Invalid command 'Order'`, and a `.htaccess` file answers 500. Mind the guard: `<IfModule mod_authz_host.c>` holds on 2.4 too, though that module no longer has them.",
  tags: ["upgrade", "access-control", "correctness"],
  upgrade: "start",
  supersedes: ["unknown-directive", "old-access-control", "mixed-access-control", "shadowed-rule"],
  messages,
  check: ({ project, report }) => {
    if (!lacksAccessCompat(project)) return {};
    return {
      scope: {
        holding: compatDirectiveNames,
        visit(scope) {
          const first = scope.directives.find(isCompatDirective);
          if (first === undefined || scope.place === "server" || scope.place === "virtualhost") return;
          const consequence = describeConsequence(scope.inHtaccess);
          const wrong = wrongGuard(first);
          const name = nameOf(first);
          const message = (others: number) =>
            wrong
              ? messages.wrongGuard(name, wrong, consequence, others)
              : messages.notLoaded(name, consequence, others);
          // A wrong conditional section is a separate cause.
          const key = `${scope.inHtaccess} ${wrong && `${wrong.span.file.realPath}:${wrong.span.start}`}`;
          report({
            message: message(0),
            span: first.span,
            related: wrong ? [{ message: labels.wrongGuard, span: wrong.span }] : [],
            cause: { key, module: "access_compat_module", message, also: labels.compatToo },
          });
        },
      },
    };
  },
});

function nameOf(directive: Directive): string {
  return directive.reading.tree.source.text.slice(directive.line.nameStart, directive.line.nameEnd);
}

/** Returns a conditional section that tests for the module of the directives in 2.2. */
function wrongGuard(directive: Directive): Guard | undefined {
  for (let guard = directive.guard; guard; guard = guard.parent) {
    if (guard.kind !== "<ifmodule" || guard.negated) continue;
    if (guard.argument === "mod_authz_host.c" || guard.argument === "authz_host_module") return guard;
  }
  return undefined;
}
