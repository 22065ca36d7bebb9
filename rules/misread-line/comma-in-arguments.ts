import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  partOfName: (value: string, directive: Directive) => ({
    message: `the comma of ${quoteText(value)} is part of the argument`,
    notes: [`\`${directive.name}\` separates its arguments with spaces`],
    help: ["use spaces instead of commas"],
  }),
};

const fixTitles = { replace: "Replace commas with spaces" };

export const commaInArguments = defineVariant({
  id: "comma-in-arguments",
  messages,
  check: ({ report }) => {
    const visit = (directive: Directive) => {
      if (!directive.argumentText.includes(",")) return;
      const { arguments: words, key } = directive;
      const hasComma = namesWithoutCommas.has(key) ? /,/ : /,$|^\.\w+,\.?\w/;
      const first = words.find(({ value, quote }) => quote === "none" && hasComma.test(value));
      const last = words.at(-1);
      if (first === undefined || last === undefined) return;
      const span = directive.spanOf({ start: first.start, end: last.end });
      const text = span.file.text.slice(span.start, span.end);
      const edit = replaceSpan(span, text.replace(/[\t ]*,[\t ]*/g, " ").trim());
      report({
        message: messages.partOfName(first.value, directive),
        span: directive.spanOf(first),
        ...createFix(fixTitles.replace, "unsafe", edit),
      });
    };
    return { byWords: ({ key }) => (namesWithoutCommas.has(key) || lists.has(key) ? visit : undefined) };
  },
});

/** Directives with names that cannot contain commas, or are not expected to. */
const namesWithoutCommas: ReadonlySet<string> = new Set(["directoryindex", "serveralias", "addoutputfilterbytype"]);

/** Directives whose arguments may contain commas, but not at their end or between extensions. */
const lists: ReadonlySet<string> = new Set([
  ...["addcharset", "addencoding", "addhandler", "addinputfilter", "addlanguage", "addoutputfilter", "addtype"],
  ...["browsermatch", "languagepriority", "passenv", "setenvif", "setenvifnocase", "unsetenv"],
]);
