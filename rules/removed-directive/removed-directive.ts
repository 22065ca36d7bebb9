import { removedIn24 } from "../../src/directives/directives.js";
import { defineRule } from "../../src/engine/rule.js";
import { refusalConsequence } from "../../src/project/problems.js";
import { toReadable } from "../../src/text/source.js";
import { fixOf } from "./fixes.js";

export const removedDirective = defineRule({
  id: "removed-directive",
  title: "A directive that 2.4 no longer has",
  severity: "error",
  description: "A directive of 2.2 that 2.4 refuses, with what takes its place.",
  help: "The server stops with `Invalid command`; in a `.htaccess` file every request below answers 500. Lines that a guard such as `<IfVersion < 2.4>` keeps from 2.4 are not looked at.",
  tags: ["upgrade", "correctness"],
  upgrade: "start",
  supersedes: ["unknown-directive", "refused-at-start"],
  check: ({ project, release, report }) => ({
    forName(known) {
      if (release !== "2.4") return undefined;
      if (known.facts.some((facts) => project.modules.provides(facts))) return undefined;
      const removed = removedIn24(known.key);
      if (removed === undefined) return undefined;
      return (directive, scope) => {
        const consequence = refusalConsequence(scope.inHtaccess);
        const fix = fixOf({ directive, scope, project });
        report({
          message: `\`${removed.name}\` is gone from 2.4, so ${consequence}; ${removed.replacement} (httpd: "Invalid command '${toReadable(directive.name)}'")`,
          span: directive.nameSpan,
          ...(fix ? { fix } : {}),
        });
      };
    },
  }),
});
