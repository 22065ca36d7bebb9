import {
  type Directive,
  listInactiveDirectiveNames,
  type Scope,
  suggestDirectiveName,
} from "../../src/rule-api/configuration.js";
import { createFix, defineRule, indentOf, insertLinesBefore } from "../../src/rule-api/rule.js";

const messages = {
  missing: (line: Directive, isOnItsOwn: boolean) => ({
    message: `\`${line.name}\` has no effect without \`ExpiresActive On\``,
    notes: [
      "`ExpiresActive` is off by default",
      ...(isOnItsOwn ? ["a directory above may turn it on, but this file is checked on its own"] : []),
    ],
    help: ["add `ExpiresActive On`"],
  }),
};

const fixTitles = { activate: "Add `ExpiresActive On`" };

export const expiresInactive = defineRule({
  id: "expires-inactive",
  title: "Expiry times without ExpiresActive",
  group: "correctness",
  severity: "warning",
  description: "ExpiresByType or ExpiresDefault in a configuration without `ExpiresActive On`.",
  help: "mod_expires adds headers only where `ExpiresActive On` applies, and it is off by default. httpd does not warn. Add `ExpiresActive On`.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    let isActive = false;
    const pending: Directive[] = [];
    return {
      forName: ({ key, facts }) => {
        // `unknown-directive` reports the misspelled line.
        isActive ||= facts.length === 0 && suggestDirectiveName(release, key) === "ExpiresActive";
        return undefined;
      },
      scope: {
        holding: ["expiresactive", "expiresbytype", "expiresdefault"],
        visit({ directives, place }: Scope) {
          isActive ||= directives.some((line) => line.key === "expiresactive" && isOn(line));
          const first = directives.find(({ key }) => key === "expiresbytype" || key === "expiresdefault");
          if (first && place !== "unknown") pending.push(first);
        },
      },
      project() {
        // Sections inherit the setting; which of them apply together depends on the request, so any of them counts.
        if (isActive || listInactiveDirectiveNames(project).has("expiresactive")) return;
        for (const line of pending) {
          const edit = insertLinesBefore(line.span, [`${indentOf(line.span)}ExpiresActive On`]);
          report({
            message: messages.missing(line, project.kind === "htaccess"),
            span: line.span,
            ...(project.kind === "htaccess" ? { severity: "info" as const } : {}),
            ...createFix(fixTitles.activate, "unsafe", edit),
          });
        }
      },
    };
  },
});

function isOn({ arguments: [word] }: Directive): boolean {
  return word?.value.toLowerCase() === "on";
}
