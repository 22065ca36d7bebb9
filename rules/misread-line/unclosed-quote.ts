import type { Argument, Directive } from "../../src/lint/api/configuration.js";
import {
  combineEdits,
  defineVariant,
  quoteText,
  type RejectionEffect,
  rejectionEffectOf,
} from "../../src/lint/api/rule.js";
import { findValueOverLines, type ValueOverLines } from "./value-over-lines.js";

/** Arguments whose quotes are clearly closed: this matches most lines without parsing them. */
const plain = /^(?:(?:"[^"\\]*"|'[^'\\]*'|[^\t-\r "'][^\t-\r ]*)(?:[\t-\r ]+|>?$))*$/;

const messages = {
  unclosed: (quote: string) => ({
    message: `unclosed quote \`${quote}\``,
    notes: ["httpd reads the rest of the line as one argument"],
    help: ["close the quote"],
  }),
  misplaced: (next: string, corrected: string) => ({
    message: `misplaced quote: an argument begins after it, and is ${quoteText(next)}`,
    notes: ["a quote ends its argument, and a quote at the end of a word is an ordinary character"],
    help: [`use ${quoteText(corrected)}`],
  }),
  overLines: ({ quote, count, firstName }: ValueOverLines, effect: RejectionEffect) => ({
    message: `the value that begins with ${quoteText(quote)} goes over ${count} lines`,
    effect,
    notes: [`httpd ends the value at the end of the line, and reads ${quoteText(firstName)} as a directive`],
    help: ["end each line of the value but the last with a backslash, or write the value on one line"],
  }),
};

const labels = { end: "the value ends here" };

const fixTitles = { continue: "Continue the lines of the value with backslashes" };

export const unclosedQuote = defineVariant({
  id: "unclosed-quote",
  messages,
  check: ({ report, release }) => ({
    byWords:
      () =>
      (directive, { inHtaccess }) => {
        if (directive.argumentShape !== "quoted" || plain.test(directive.argumentText)) return;
        const words = directive.arguments;
        if (isExpression(directive, words)) return;
        const misplaced = findMisplaced(directive);
        if (misplaced) {
          const { span, next, corrected } = misplaced;
          report({ message: messages.misplaced(next, corrected), span });
          return;
        }
        const unclosed = words.find((word) => word.unclosed);
        if (unclosed === undefined) return;
        const quote = unclosed.quote === "double" ? '"' : "'";
        const value = findValueOverLines(directive.span, quote, release);
        if (value) {
          const edits = combineEdits(value.continuations);
          report({
            severity: "error",
            message: messages.overLines(value, rejectionEffectOf(inHtaccess)),
            span: directive.spanOf(unclosed),
            related: [{ message: labels.end, span: value.end }],
            engulfs: value.whole,
            ...(edits && edits.length > 0 ? { fix: { title: fixTitles.continue, safety: "unsafe", edits } } : {}),
          });
          return;
        }
        report({ message: messages.unclosed(quote), span: directive.spanOf(unclosed) });
      },
  }),
});

/** Finds a quote after a space, with a word directly after it that ends in a quote: `"/a "/b"` instead of `"/a" "/b"`. */
function findMisplaced(directive: Directive) {
  const { arguments: words, argumentText } = directive;
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    const quote = argumentText.charAt(word.start);
    if (next === undefined || next.start !== word.end || word.quote === "none" || next.quote !== "none") continue;
    const isEnd = next.value.length > 1 && next.value.indexOf(quote) === next.value.length - 1;
    // Quotes within a quoted text are another mistake.
    const isNested = argumentText.slice(next.end).split(quote).length % 2 === 0;
    if (!isEnd || isNested || !/\S\s+$/.test(word.value)) continue;
    const corrected = `${quote}${word.value.trim()}${quote} ${quote}${next.value}`;
    return { span: directive.spanOf({ start: word.start, end: next.end }), next: next.value, corrected };
  }
  return undefined;
}

/**
 * Returns whether a line is `Require expr`: the server passes its text on unchanged, and quotes follow the expression
 * syntax.
 */
function isExpression({ key }: Directive, [first, second]: readonly Argument[]): boolean {
  return key === "require" && [first?.value, second?.value].includes("expr");
}
