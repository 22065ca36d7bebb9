import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  inValue: (value: string, name: string) => ({
    message: `the typographic quotes of ${quoteText(value)} are part of the value`,
    notes: [`\`${name}\` reads them as ordinary characters; only \`"\` and \`'\` quote an argument`],
    help: ['use `"`'],
  }),
};

const fixTitles = { replace: "Replace typographic quotes" };

export const typographicQuote = defineVariant({
  id: "typographic-quote",
  messages,
  check: ({ report }) => {
    const visit = (directive: Directive) => {
      if (!anyQuote.test(directive.argumentText)) return;
      const word = directive.arguments.find(({ value, quote }) => quote === "none" && isQuoted.test(value));
      if (word === undefined) return;
      const [first, last] = [directive.arguments[0], directive.arguments.at(-1)];
      const whole = first && last && directive.spanOf({ start: first.start, end: last.end });
      const edit = whole && replaceSpan(whole, whole.file.text.slice(whole.start, whole.end).replace(quotes, '"'));
      report({
        message: messages.inValue(word.value, directive.name),
        span: directive.spanOf(word),
        ...createFix(fixTitles.replace, "unsafe", edit),
      });
    };
    return { byWords: () => visit };
  },
});

/** `“`, `”`, `„`, `‘`, `’`, `«` and `»`, as bytes of UTF-8. */
const quote = "\\xe2\\x80[\\x98\\x99\\x9c-\\x9e]|\\xc2[\\xab\\xbb]";

const quotes = new RegExp(quote, "g");

const anyQuote = new RegExp(quote);

const isQuoted = new RegExp(`^(?:${quote})|(?:${quote})$`);
