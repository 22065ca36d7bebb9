import { compatDirectiveNames, isCompatDirective, lacksAccessCompat } from "../../src/lint/api/access.js";
import type { Directive, Guard } from "../../src/lint/api/configuration.js";
import { defineRule, type RejectionEffect, rejectionEffectOf } from "../../src/lint/api/rule.js";

const describeLack = (name: string) => `\`${name}\` needs mod_access_compat, which is not loaded`;

const messages = {
  notLoaded: (name: string, effect: RejectionEffect) => ({
    message: describeLack(name),
    effect,
    notes: [`httpd reports: Invalid command '${name}'`],
    help: ["use `Require` instead", "to keep the directives, load mod_access_compat"],
  }),
  wrongGuard: (name: string, { argument }: Guard, effect: RejectionEffect) => ({
    message: describeLack(name),
    effect,
    notes: [
      `\`<IfModule ${argument}>\` also applies in 2.4, but \`${argument}\` no longer provides \`${name}\``,
      `httpd reports: Invalid command '${name}'`,
    ],
    help: [
      "use `<IfModule mod_access_compat.c>` around these lines",
      "add `Require` lines for 2.4 in `<IfModule !mod_access_compat.c>`",
    ],
  }),
  inSections: (header: string) => ({
    before: `${header} (here and in `,
    one: "1 more section)",
    several: " more sections)",
  }),
};

const labels = {
  wrongGuard: "this condition is also true in 2.4",
  compatToo: "also uses mod_access_compat directives",
};

export const accessCompatNotLoaded = defineRule({
  id: "access-compat-not-loaded",
  title: "mod_access_compat is not loaded",
  group: "upgrade",
  severity: "error",
  description: "Order, Allow, Deny or Satisfy are used, but mod_access_compat is not loaded.",
  help: "In 2.4, the four directives belong to mod_access_compat. Without it, httpd does not start (`Invalid command 'Order'`), and requests below a `.htaccess` file with them return 500. `<IfModule mod_authz_host.c>` also applies in 2.4, although that module no longer provides the directives. Use Require instead.",
  tags: ["upgrade", "access-control", "correctness"],
  upgrade: "start",
  supersedes: ["unknown-directive", "old-access-control", "mixed-access-control", "shadowed-rule"],
  isResolvedByMigrate: true,
  messages,
  check: ({ project, report }) => {
    if (!lacksAccessCompat(project)) return {};
    return {
      scope: {
        holding: compatDirectiveNames,
        visit(scope) {
          const first = scope.directives.find(isCompatDirective);
          if (first === undefined || scope.place === "server" || scope.place === "virtualhost") return;
          const effect = rejectionEffectOf(scope.inHtaccess);
          const wrong = wrongGuard(first);
          const name = nameOf(first);
          const message = wrong ? messages.wrongGuard(name, wrong, effect) : messages.notLoaded(name, effect);
          const header = messages.inSections(message.message);
          // A wrong conditional section is a separate cause.
          const key = `${scope.inHtaccess} ${wrong && `${wrong.span.file.realPath}:${wrong.span.start}`}`;
          report({
            message,
            span: first.span,
            related: wrong ? [{ message: labels.wrongGuard, span: wrong.span }] : [],
            cause: { key, module: "access_compat_module", header, also: labels.compatToo },
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
