import type { Directive, NameFacts } from "../../src/rule-api/configuration.js";
import { defineRule, indentOf, insertLinesBefore, replaceSpan, toReadable } from "../../src/rule-api/rule.js";

const messages = {
  arguments: (name: string) => ({
    message: "a comment cannot follow a directive on the same line",
    notes: [`\`${name}\` reads \`#\` and the rest of the line as arguments`],
    help: ["put the comment on a line of its own"],
  }),
};

const fixTitles = { move: "Move the comment to a line of its own" };

export const commentInArguments = defineRule({
  id: "comment-in-arguments",
  title: "Comment after a directive",
  group: "syntax",
  severity: "warning",
  description: "A comment at the end of a line, whose words httpd reads as further arguments of the directive.",
  help: "Only a line that begins with `#` is a comment. Directives with a fixed number of arguments reject the line. Directives with a list accept the words of the comment as items of the list. Put the comment on a line of its own.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => {
    const visit = (directive: Directive) => {
      const { arguments: words, name, span } = directive;
      const at = words.findIndex(({ value, quote }, i) => i > 0 && quote === "none" && /^#(?:$|\w)/.test(value));
      const [word, before, last] = [words[at], words[at - 1], words.at(-1)];
      if (word === undefined || before === undefined || last === undefined) return;
      const comment = directive.argumentText.slice(word.start, last.end);
      const line = insertLinesBefore(span, [`${indentOf(span)}${comment.replace(/^#(?=\w)/, "# ")}`]);
      const removal = replaceSpan(directive.spanOf({ start: before.end, end: last.end }), "");
      report({
        message: messages.arguments(toReadable(name)),
        span: directive.spanOf({ start: word.start, end: last.end }),
        ...(line && removal ? { fix: { title: fixTitles.move, safety: "unsafe", edits: [line, removal] } } : {}),
      });
    };
    return { byWords: (known) => (takesList(known) ? visit : undefined) };
  },
});

/** Directives that accept any number of arguments. Others reject the words of a comment, which `refused-at-start` reports. */
function takesList({ key, facts }: NameFacts): boolean {
  return others.has(key) || (!exceptions.has(key) && facts.some(({ argumentKind }) => lists.has(argumentKind)));
}

const lists: ReadonlySet<string> = new Set(["ITERATE", "ITERATE2"]);

/** Directives that parse their arguments themselves, as a list. */
const others: ReadonlySet<string> = new Set([
  ...["browsermatch", "browsermatchnocase", "directoryindex", "serveralias", "setenvif", "setenvifnocase"],
]);

/** Names of icons and files may begin with `#`, and `refused-at-start` reports the word after Allow and Deny. */
const exceptions: ReadonlySet<string> = new Set([
  "addalt",
  "adddescription",
  "addicon",
  "allow",
  "deny",
  "indexignore",
]);
