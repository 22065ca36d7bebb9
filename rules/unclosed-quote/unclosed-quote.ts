import type { Argument, Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

/** Arguments whose quotes are clearly closed: this matches most lines without parsing them. */
const plain = /^(?:(?:"[^"\\]*"|'[^'\\]*'|[^\t-\r "'][^\t-\r ]*)(?:[\t-\r ]+|>?$))*$/;

const messages = {
  unclosed: (quote: string) => ({
    message: `unclosed quote \`${quote}\``,
    notes: ["httpd reads the rest of the line as one argument"],
    help: ["close the quote"],
  }),
};

export const unclosedQuote = defineRule({
  id: "unclosed-quote",
  title: "Unclosed quote",
  group: "syntax",
  severity: "warning",
  description: "An argument that starts with a quote and has no closing quote on its line.",
  help: "httpd silently reads everything to the end of the line as that argument, so later arguments are lost. Close the quote, or escape it with a backslash if it is part of the value.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
    byWords: () => (directive) => {
      if (directive.argumentShape !== "quoted" || plain.test(directive.argumentText)) return;
      const words = directive.arguments;
      const unclosed = words.find((word) => word.unclosed);
      if (unclosed === undefined || isExpression(directive, words)) return;
      const quote = unclosed.quote === "double" ? '"' : "'";
      report({ message: messages.unclosed(quote), span: directive.spanOf(unclosed) });
    },
  }),
});

/**
 * Returns whether a line is `Require expr`: the server passes its text on unchanged, and quotes follow the expression
 * syntax.
 */
function isExpression({ key }: Directive, [first, second]: readonly Argument[]): boolean {
  return key === "require" && [first?.value, second?.value].includes("expr");
}
