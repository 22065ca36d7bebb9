import type { Argument, Directive } from "../../src/rule-api/configuration.js";
import { defineRule } from "../../src/rule-api/rule.js";

/** Arguments whose quotes are clearly closed: this matches most lines without parsing them. */
const plain = /^(?:(?:"[^"\\]*"|'[^'\\]*'|[^\t-\r "'][^\t-\r ]*)(?:[\t-\r ]+|>?$))*$/;

const messages = {
  unclosed: (quote: string) =>
    `the quote \`${quote}\` is never closed, so the rest of the line is taken as one argument; close it`,
};

export const unclosedQuote = defineRule({
  id: "unclosed-quote",
  title: "A quote that is never closed",
  severity: "warning",
  description: "An argument that opens with a quote and has no closing one on its line.",
  help: "httpd takes everything to the end of the line as that one argument and says nothing, so the words behind it are lost as arguments of their own. Close the quote, or escape it with a backslash where it is meant as a character.",
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
