import {
  type ContinuedRedirect,
  describeAnswer,
  formatLineTitle,
  lineTrialsOf,
  witnessOf,
} from "../../src/lint/api/access.js";
import { addRewriteFlag, parseRewriteRules, type RewriteRule } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteShort } from "../../src/lint/api/rule.js";

const messages = {
  continued: ({ answer, by, location }: ContinuedRedirect) => ({
    message: "the redirect does not end the rules, and a later one changes its target",
    notes: [
      `${describeAnswer(answer)}, ${location === undefined ? "without a URL to go to" : `with the URL ${quoteShort(location, 60)}`}`,
      `${formatLineTitle(by)} applies to the URL that \`R\` redirects to`,
    ],
    help: ["add the flag `L`"],
  }),
};

const labels = { later: "changes the target" };

const fixTitle = "Add `L`";

/** Finds redirects of rules that go on with the next rule (mod_rewrite.c `apply_rewrite_list`). */
export const continuedRedirect = defineVariant({
  id: "continued-redirect",
  messages,
  check: (context) => ({
    scope: {
      holding: ["rewriterule"],
      visit(scope) {
        const rules = parseRewriteRules(scope.directives);
        if (rules.some(({ flags }) => flags.skips > 0 || flags.names.has("next") || flags.names.has("chain"))) return;
        for (const [index, rule] of rules.entries()) {
          if (!isOpen(rule) || !rules.slice(index + 1).some(({ output }) => output !== undefined)) continue;
          const found = lineTrialsOf(context).findContinuedRedirect(rule, scope);
          if (found === undefined) continue;
          const { directive } = rule;
          const edit = addRewriteFlag(directive, "L");
          context.report({
            message: messages.continued(found),
            span: directive.span,
            related: [{ message: labels.later, span: found.by.span }],
            witness: witnessOf(found.answer),
            ...(edit ? createFix(fixTitle, "unsafe", edit) : {}),
          });
        }
      },
    },
  }),
});

/** Reports whether a rule redirects, and the rules go on. */
function isOpen({ flags, output }: RewriteRule): boolean {
  const ends = ["last", "end", "proxy", "passthrough"].some((name) => flags.names.has(name));
  return flags.names.has("redirect") && !flags.answers && !ends && output !== undefined;
}
