import { type Directive, isSince } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  renamed: ({ name: old }: Directive, name: string) => ({
    message: `\`${old}\` was renamed to \`${name}\` in 2.4`,
    notes: ["2.4 still accepts the old name", "2.2 does not know the new name"],
    help: [`use \`${name}\``],
  }),
};

const fixTitles = { rename: (name: string) => `Rename to \`${name}\`` };

export const renamedDirective = defineRule({
  id: "renamed-directive",
  title: "Directive renamed in 2.4",
  group: "upgrade",
  severity: "info",
  description:
    "MaxClients and MaxRequestsPerChild, which have new names in 2.4 and are still accepted (with `--from 2.2`).",
  help: "The old names have the same effect, and httpd does not log anything about them. The manual of 2.4 lists only the new names.",
  tags: ["upgrade", "maintainability"],
  upgradeOnly: true,
  upgrade: "recommended",
  editorTag: "deprecated",
  messages,
  check: ({ release, report }) => ({
    directives({ key }) {
      const name = isSince(release, "2.4") ? newNames.get(key) : undefined;
      if (name === undefined) return undefined;
      return (directive: Directive) => {
        const edit = replaceSpan(directive.nameSpan, name);
        report({
          message: messages.renamed(directive, name),
          span: directive.nameSpan,
          ...createFix(fixTitles.rename(name), "safe", edit),
        });
      };
    },
  }),
});

/** New names by lower-case old names; the server's command tables have both, with the same function. */
const newNames: ReadonlyMap<string, string> = new Map([
  ["maxclients", "MaxRequestWorkers"],
  ["maxrequestsperchild", "MaxConnectionsPerChild"],
]);
