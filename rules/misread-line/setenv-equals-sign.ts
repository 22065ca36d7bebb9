import type { Argument, Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  partOfName: (word: string, [name, value]: readonly [string, string]) => ({
    message: `\`SetEnv\` sets a variable named ${quoteText(word)}`,
    notes: ["the name and the value are separate arguments (AH10032)"],
    help: [`use ${quoteText(`SetEnv ${name} ${value}`)}`],
  }),
  separate(directive: string, joined: string) {
    const name = quoteText(joined.slice(0, joined.indexOf("=")));
    return {
      message: `a space separates ${name} from its value`,
      notes: [`\`${directive}\` treats each word as a variable, so ${name} is set to \`1\``],
      help: [`use ${quoteText(joined)}`],
    };
  },
};

const fixTitles = { separate: "Replace `=` with a space", join: "Delete the spaces around `=`" };

/** Directives with `NAME=VALUE` words, and the number of arguments before them. */
const assigning: ReadonlyMap<string, number> = new Map([
  ["setenvif", 2],
  ["setenvifnocase", 2],
  ["browsermatch", 1],
  ["browsermatchnocase", 1],
]);

export const setenvEqualsSign = defineVariant({
  id: "setenv-equals-sign",
  messages,
  check: ({ report }) => ({
    byWords: ({ key }) => {
      const before = assigning.get(key);
      if (before === undefined) return undefined;
      return (directive: Directive) => {
        const found = findSeparated(directive.arguments.slice(before));
        if (!found) return;
        const span = directive.spanOf(found);
        report({
          message: messages.separate(directive.name, found.joined),
          span,
          ...createFix(fixTitles.join, "unsafe", replaceSpan(span, found.joined)),
        });
      };
    },
    directives: {
      setenv(directive: Directive) {
        const [word, value] = directive.arguments;
        const parts = word && /^([^=]+)=(.*)$/s.exec(word.value);
        if (word === undefined || !parts || value !== undefined) return;
        const [, name = "", text = ""] = parts;
        const span = directive.spanOf(word);
        const isPlain = /^[\w./:@%+-]+$/.test(text);
        const edit = replaceSpan(span, `${name} ${isPlain ? text : `"${text.replace(/["\\]/g, "\\$&")}"`}`);
        report({
          message: messages.partOfName(word.value, [name, isPlain ? text : `"${text}"`]),
          span,
          ...createFix(fixTitles.separate, "unsafe", edit),
        });
      },
    },
  }),
});

interface SeparatedWords {
  readonly start: number;
  readonly end: number;
  readonly joined: string;
}

/** Finds a name and its value with a space before or after the `=` (modules/metadata/mod_setenvif.c `add_setenvif_core`). */
function findSeparated(words: readonly Argument[]): SeparatedWords | undefined {
  for (const [index, word] of words.entries()) {
    const [next, afterNext] = words.slice(index + 1);
    if (next === undefined || !/^\w+=?$/.test(word.value)) continue;
    const isOpen = word.value.endsWith("=");
    const last = !isOpen && next.value === "=" ? afterNext : next;
    if (last === undefined || !/^=?[\w./:@%+-]+$/.test(last.value)) continue;
    if (!isOpen && last === next && !next.value.startsWith("=")) continue;
    if (isOpen && last.value.startsWith("=")) continue;
    const value = last.value.replace(/^=/, "");
    return { start: word.start, end: last.end, joined: `${word.value.replace("=", "")}=${value}` };
  }
  return undefined;
}
