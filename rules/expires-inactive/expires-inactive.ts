import {
  type Directive,
  keywordArgumentOf,
  RulePlaces,
  type Scope,
  SettingPlaces,
  suggestDirectiveName,
} from "../../src/lint/api/configuration.js";
import { createFix, defineRule, indentOf, insertLinesBefore } from "../../src/lint/api/rule.js";

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
    let isMisspelled = false;
    const active = new SettingPlaces(new RulePlaces(project));
    const pending: { readonly scope: Scope; readonly line: Directive }[] = [];
    return {
      directives: ({ key, facts }) => {
        // `unknown-directive` reports the misspelled line.
        isMisspelled ||= facts.length === 0 && suggestDirectiveName(release, key) === "ExpiresActive";
        return undefined;
      },
      scope: {
        holding: ["expiresactive", "expiresbytype", "expiresdefault"],
        visit(scope: Scope) {
          const { directives, place } = scope;
          if (directives.some((each) => each.key === "expiresactive" && keywordArgumentOf(each) === "on"))
            active.add(scope);
          const line = directives.find(({ key }) => key === "expiresbytype" || key === "expiresdefault");
          if (line && place !== "unknown") pending.push({ scope, line });
        },
      },
      end() {
        if (isMisspelled) return;
        active.addInactive("expiresactive", project);
        for (const { scope, line } of pending) {
          if (active.mayMeet(scope)) continue;
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
