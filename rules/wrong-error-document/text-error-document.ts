import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, findHostName, quoteLike, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  sentAsText: (value: string) => ({
    message: `clients receive the text ${quoteText(value)}, not the file`,
    notes: ["`ErrorDocument` reads a value that is neither a URL nor begins with `/` as text"],
    help: [`use the URL path of the file, such as ${quoteText(`/${value}`)}`],
  }),
  hostAsText: (value: string) => ({
    message: `clients receive the text ${quoteText(value)}: the scheme is missing`,
    notes: ["`ErrorDocument` reads a value that is neither a URL nor begins with `/` as text"],
    help: [
      `use ${quoteText(`https://${value}`)}, which redirects clients with status 302`,
      "to keep the status of the error, use the path of a page on this server",
    ],
  }),
};

const fixTitles = { addSlash: (value: string) => `Replace with ${quoteText(`/${value}`)}` };

export const textErrorDocument = defineVariant({
  id: "text-error-document",
  messages,
  check: ({ report }) => ({
    directives: {
      errordocument(directive: Directive) {
        const [, word] = directive.arguments;
        if (word === undefined) return;
        const span = directive.spanOf(word);
        if (/^(?:www\.\S+|\S+[/:]\S*)$/i.test(word.value) && findHostName(word.value) !== undefined) {
          report({ message: messages.hostAsText(word.value), span });
          return;
        }
        if (!fileName.test(word.value)) return;
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
