import { defineRule } from "../../src/engine/rule.js";
import { nearest } from "../../src/text/nearest.js";
import { toReadable } from "../../src/text/source.js";

export const ignoreComment = defineRule({
  id: "ignore-comment",
  title: "A comment that ignores nothing",
  severity: "warning",
  description: "`# httpd-lint-ignore-…` with a rule that does not exist, or where that rule has nothing to say.",
  help: "Such a comment hides nothing today and may hide something that matters tomorrow. Correct the rule's name, or take the comment out.",
  tags: ["maintainability"],
  check: ({ report, ruleIds, activeRuleIds }) => ({
    ignores({ comments, used }) {
      for (const comment of comments) {
        if (comment.rules.length === 0) {
          report({ message: "this comment names no rule, so it ignores nothing; put the rule's name behind it", span: comment.span });
        }
        for (const rule of comment.rules) {
          const name = toReadable(rule);
          if (!ruleIds.includes(rule)) {
            const near = nearest(rule, ruleIds);
            report({
              message: `there is no rule \`${name}\`, so this comment ignores nothing; ${near ? `did you mean \`${near}\`?` : "\`httpd-lint rules\` lists them"}`,
              span: comment.span,
            });
          } else if (activeRuleIds.includes(rule) && !used.get(comment)?.has(rule)) {
            report({
              message: `\`${name}\` has nothing to say here, so this comment is not needed; take it out`,
              span: comment.span,
            });
          }
        }
      }
    },
  }),
});
