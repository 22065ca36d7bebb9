import { parseRewriteRules, parseRewriteWords, type RewriteRule } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  ignored: (target: string, { flags }: RewriteRule) => ({
    message: `the target ${quoteText(target)} is ignored`,
    notes: [`the rule ends with status ${flags.status}, which is not a redirect`],
    help: [`use \`-\` as the target, and \`ErrorDocument ${flags.status}\` for the page`],
  }),
  notRedirected: (target: string, { flags }: RewriteRule) => ({
    message: `the target ${quoteText(target)} is ignored`,
    notes: [`the rule ends with status ${flags.status}, which is not a redirect`],
    help: [
      "to redirect to the target, use only the flag `R`, with a status from 300 to 399",
      `to return status ${flags.status}, use \`-\` as the target, and \`ErrorDocument ${flags.status}\` for the page`,
    ],
  }),
};

const fixTitles = { replace: "Replace with `-`" };

export const ignoredRewriteTarget = defineVariant({
  id: "ignored-rewrite-target",
  severity: "info",
  messages,
  check: ({ report }) => ({
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const target = parseRewriteWords(rule.directive.argumentText)?.[1];
          if (!rule.flags.answers || target === undefined || placeholders.has(target.value)) continue;
          // Another rule reports a status of success: its target usually is the path itself.
          if (isSuccess(rule) && /^\$[01]$/.test(target.value)) continue;
          const span = rule.directive.spanOf(target);
          // The status may be the mistake, and the target what is intended.
          const isRedirect = rule.flags.names.has("redirect") || /^\w+:\/\//.test(target.value);
          report({
            ...(rule.flags.names.has("redirect") ? { severity: "warning" } : {}),
            message: (isRedirect ? messages.notRedirected : messages.ignored)(target.value, rule),
            span,
            ...(isRedirect ? {} : createFix(fixTitles.replace, "unsafe", replaceSpan(span, "-"))),
          });
        }
      },
    },
  }),
});

function isSuccess({ flags: { status = 0 } }: RewriteRule): boolean {
  return status >= 200 && status < 300;
}

/** Targets that stand for none; the stock files of Magento have the slash. */
const placeholders: ReadonlySet<string> = new Set(["-", "/", "."]);
