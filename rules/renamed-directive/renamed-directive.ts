import type { Directive } from "../../src/rule-api/configuration.js";
import { defineRule, replaceSpan } from "../../src/rule-api/rule.js";

export const renamedDirective = defineRule({
  id: "renamed-directive",
  title: "A directive with a new name",
  severity: "info",
  description: "With `--from 2.2`: MaxClients and MaxRequestsPerChild, which 2.4 calls otherwise and still takes.",
  help: "The old names do the same, without a word in the log. The manual of 2.4 has the new ones alone, and so has whoever looks after the server next.",
  tags: ["upgrade", "maintainability"],
  upgradeOnly: true,
  upgrade: "recommended",
  check: ({ release, report }) => ({
    forName({ key }) {
      const name = release === "2.4" ? newNames.get(key) : undefined;
      if (name === undefined) return undefined;
      return (directive: Directive) => {
        const edit = replaceSpan(directive.nameSpan, name);
        report({
          message: `2.4 calls \`${directive.name}\` \`${name}\` and takes the old name for now; write the new one, which 2.2 does not know`,
          span: directive.nameSpan,
          ...(edit ? { fix: { title: `Write ${name}`, safety: "safe", edits: [edit] } } : {}),
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
