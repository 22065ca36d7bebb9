import { parseRewriteRules, parseRewriteWords, type RewriteRule } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  always: ({ conditions, flags }: RewriteRule) => ({
    message: "`[OR]` on the last condition makes every condition irrelevant",
    notes: [
      "a condition with `[OR]` that does not hold leaves the decision to the next condition, and there is none",
      ...(conditions.some(({ orNext }) => !orNext) ? ["the conditions without `[OR]` still have to hold"] : []),
      ...(flags.answers ? [`every request that the pattern matches gets status ${flags.status}`] : []),
    ],
    help: ["remove `OR` from this line"],
  }),
};

const labels = { rule: "this rule" };

const fixTitles = { remove: "Remove `OR`" };

export const orOnLastCondition = defineVariant({
  id: "or-on-last-condition",
  severity: "error",
  messages,
  check: ({ report }) => ({
    scope: {
      holding: ["rewritecond"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const last = rule.conditions.at(-1);
          if (!last?.orNext) continue;
          const { directive } = last;
          const flags = parseRewriteWords(directive.argumentText)?.[2];
          const span = flags && directive.spanOf(flags);
          const others = flags?.value
            .slice(1, -1)
            .split(",")
            .filter((flag) => !/^\s*or(?:next)?\s*$/i.test(flag));
          const edit = span && others && replaceSpan(span, others.length === 0 ? "" : `[${others.join(",")}]`);
          report({
            message: messages.always(rule),
            span: span ?? directive.span,
            related: [{ message: labels.rule, span: rule.directive.span }],
            ...createFix(fixTitles.remove, "unsafe", edit),
          });
        }
      },
    },
  }),
});
