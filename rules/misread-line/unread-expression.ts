import {
  type Directive,
  expressionDirectives,
  expressionOf,
  findUnreadEnd,
  isSince,
  spanInExpression,
} from "../../src/lint/api/configuration.js";
import { defineVariant, shortenText, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  unclosedPattern: (before: string, pattern: string) => ({
    message: `unclosed pattern ${quoteTrimmed(pattern)}`,
    notes: ["httpd silently ignores it", `only ${quoteTrimmed(before)} decides`],
    help: ["close the pattern and put it after an operator such as `=~`, or delete it"],
  }),
};

export const unreadExpression = defineVariant({
  id: "unread-expression",
  messages,
  check: ({ release, report }) => {
    const readForms = new Set<string>();
    const checkEnd = (directive: Directive) => {
      const expression = expressionOf(directive);
      const unread = expression && findUnreadEnd(expression, readForms);
      if (expression === undefined || unread === undefined) return;
      const [before, after] = [expression.text.slice(0, unread.start), expression.text.slice(unread.start)];
      report({
        message: messages.unclosedPattern(before, after),
        span: spanInExpression(expression, unread),
      });
    };
    // 2.2 does not have such expressions.
    if (!isSince(release, "2.4")) return {};
    return {
      byWords: ({ key }) => (expressionDirectives.has(key) ? checkEnd : undefined),
    };
  },
});

function quoteTrimmed(text: string): string {
  return `\`${shortenText(toReadable(text).trim(), 60)}\``;
}
