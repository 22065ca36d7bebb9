import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, quoteLike, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  sentAsText: (value: string) => ({
    message: `clients receive the text ${quoteText(value)}, not the file`,
    notes: ["`ErrorDocument` reads a value that is neither a URL nor begins with `/` as text"],
    help: [`use the URL path of the file, such as ${quoteText(`/${value}`)}`],
  }),
};

const fixTitles = { addSlash: (value: string) => `Replace with ${quoteText(`/${value}`)}` };

export const textErrorDocument = defineRule({
  id: "text-error-document",
  title: "Error document is sent as text",
  group: "correctness",
  severity: "warning",
  description: "An ErrorDocument with the name of a file but no leading `/`: httpd sends the name itself as the page.",
  help: "A value that begins with `/` is a URL path on the server, and a value with a scheme is a redirect. Everything else is the text of the page. Use the URL path of the file.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
    directives: {
      errordocument(directive: Directive) {
        const [, word] = directive.arguments;
        if (word === undefined || !fileName.test(word.value)) return;
        const span = directive.spanOf(word);
        const edit = replaceSpan(span, quoteLike(word, `/${word.value}`));
        report({
          message: messages.sentAsText(word.value),
          span,
          ...createFix(fixTitles.addSlash(word.value), "unsafe", edit),
        });
      },
    },
  }),
});

/** A relative path with an extension of pages; a text of one word has none. */
const fileName = /^[\w.-]+(?:\/[\w.-]+)*\.(?:asp|cgi|html?|jsp|php\d?|pl|py|s?html|txt|xhtml)$/i;
