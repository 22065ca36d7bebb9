import {
  type Directive,
  expressionDirectives,
  expressionOf,
  findUnreadEnd,
  spanInExpression,
} from "../../src/rule-api/configuration.js";
import { defineRule, toReadable } from "../../src/rule-api/rule.js";

const messages = {
  unclosedPattern: (before: string, pattern: string) =>
    `${quoteTrimmed(pattern)} opens a pattern and never closes it, so the server ignores all of that without a word and decides by ${quoteTrimmed(before)} alone; close the pattern, behind an operator such as \`=~\`, or take it out`,
};

export const unreadExpression = defineRule({
  id: "unread-expression",
  title: "The end of a condition that is not read",
  severity: "warning",
  description: "An expression with a pattern at its end that is opened by `/` or `m#` and never closed.",
  help: "The server starts, and decides by what stands in front of the pattern alone; it says nothing of the rest. A condition that was meant to be narrower lets more through than it reads.",
  tags: ["correctness", "security"],
  securitySeverity: 4,
  messages,
  check: ({ release, report }) => {
    const readForms = new Set<string>();
    const checkEnd = (directive: Directive) => {
      const held = expressionOf(directive);
      const unread = held && findUnreadEnd(held, readForms);
      if (held === undefined || unread === undefined) return;
      const [before, behind] = [held.text.slice(0, unread.start), held.text.slice(unread.start)];
      report({
        message: messages.unclosedPattern(before, behind),
        span: spanInExpression(held, unread),
      });
    };
    // 2.2 does not have such expressions.
    if (release !== "2.4") return {};
    return {
      byWords: ({ key }) => (expressionDirectives.has(key) ? checkEnd : undefined),
    };
  },
});

function quoteTrimmed(text: string): string {
  const readable = toReadable(text).trim();
  return `\`${readable.length > 60 ? `${readable.slice(0, 59)}…` : readable}\``;
}
