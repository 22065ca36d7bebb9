import type { Directive } from "../../src/rule-api/configuration.js";
import { createFix, defineRule, quoteText, replaceSpan } from "../../src/rule-api/rule.js";

const messages = {
  partOfName: (word: string, [name, value]: readonly [string, string]) => ({
    message: `\`SetEnv\` sets a variable named ${quoteText(word)}`,
    notes: ["the name and the value are separate arguments (AH10032)"],
    help: [`use ${quoteText(`SetEnv ${name} ${value}`)}`],
  }),
};

const fixTitles = { separate: "Replace `=` with a space" };

export const setenvEqualsSign = defineRule({
  id: "setenv-equals-sign",
  title: "Equals sign in a variable name",
  group: "correctness",
  severity: "warning",
  description: "A SetEnv with `NAME=VALUE` as its only argument, which sets a variable of that name to nothing.",
  help: "SetEnv takes the name and the value as two arguments. With `NAME=VALUE`, the variable `NAME` stays unset. SetEnvIf and BrowserMatch do use `=`. Replace it with a space.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
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
