import { type Directive, findDirectiveFacts, type Release } from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineVariant,
  indentOf,
  quoteText,
  replaceSpan,
  shortenText,
  toReadable,
} from "../../src/lint/api/rule.js";

const messages = {
  directive: ({ name }: Directive, rest: string) => ({
    message: `httpd ignores ${quoteText(rest)}: it is on the line of ${quoteText(name)}`,
    notes: [`${quoteText(name)} reads \`On\` or \`Off\`, and httpd ignores the rest of its line`],
    help: [`put ${quoteText(rest)} on a line of its own`],
  }),
  words: ({ name }: Directive, rest: string) => ({
    message: `httpd ignores ${quoteText(rest)}: ${quoteText(name)} has one argument`,
    help: ["delete the rest of the line"],
  }),
};

const fixTitles = { separate: "Put the directive on a line of its own", delete: "Delete the rest of the line" };

/** Words after the argument of a directive that is `On` or `Off` (server/config.c `invoke_cmd`, `FLAG`). */
export const surplusArguments = defineVariant({
  id: "surplus-arguments",
  messages,
  check: ({ release, report }) => {
    const visit = (directive: Directive) => {
      const [first, next] = directive.arguments;
      const last = directive.arguments.at(-1);
      // comment-in-arguments reports those.
      if (first === undefined || next === undefined || last === undefined || next.value.startsWith("#")) return;
      const span = directive.spanOf({ start: next.start, end: last.end });
      const text = span.file.text.slice(span.start, span.end);
      const rest = shortenText(toReadable(text), 50);
      const removed = directive.spanOf({ start: first.end, end: last.end });
      if (directive.arguments.length > 2 && isDirectiveName(next.value, release)) {
        const edit = replaceSpan(removed, `\n${indentOf(directive.span)}${text}`);
        report({
          message: messages.directive(directive, rest),
          span,
          ...createFix(fixTitles.separate, "unsafe", edit),
        });
      } else {
        const edit = replaceSpan(removed, "");
        report({ message: messages.words(directive, rest), span, ...createFix(fixTitles.delete, "safe", edit) });
      }
    };
    return { byWords: ({ facts }) => (facts.some(({ argumentKind }) => argumentKind === "FLAG") ? visit : undefined) };
  },
});

function isDirectiveName(word: string, release: Release): boolean {
  return (findDirectiveFacts(release, word.toLowerCase())?.length ?? 0) > 0;
}
