import type { Directive } from "../../src/rule-api/configuration.js";
import { defineRule, replaceSpan } from "../../src/rule-api/rule.js";

const messages = {
  renamed: ({ name: old }: Directive, name: string) =>
    `2.4 calls \`${old}\` \`${name}\` and takes the old name for now; write the new one, which 2.2 does not know`,
};

const fixTitles = { rename: (name: string) => `Write ${name}` };

export const renamedDirective = defineRule({
  id: "renamed-directive",
  title: "A directive with a new name",
  severity: "info",
  description: "With `--from 2.2`: MaxClients and MaxRequestsPerChild, which 2.4 calls otherwise and still takes.",
  help: "The old names do the same, without a word in the log. The manual of 2.4 has the new ones alone, and so has whoever looks after the server next.",
  tags: ["upgrade", "maintainability"],
  upgradeOnly: true,
  upgrade: "recommended",
  messages,
  check: ({ release, report }) => ({
    forName({ key }) {
      const name = release === "2.4" ? newNames.get(key) : undefined;
      if (name === undefined) return undefined;
      return (directive: Directive) => {
        const edit = replaceSpan(directive.nameSpan, name);
        report({
          message: messages.renamed(directive, name),
          span: directive.nameSpan,
          ...(edit ? { fix: { title: fixTitles.rename(name), safety: "safe", edits: [edit] } } : {}),
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
