import {
  type Argument,
  addRewriteFlag,
  type Directive,
  parsePcre,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { createFix, defineRule, quoteText, type Report } from "../../src/lint/api/rule.js";

/** @param inserted a text that the request inserts into the target, which `NE` would not escape either */
const adviceOn = (inserted: string | undefined) =>
  inserted === undefined
    ? ["add the flag `NE`"]
    : [`add the flag \`NE\`, and let ${quoteText(inserted)} match only characters that need no escape`];

const messages = {
  fragment: (inserted: string | undefined) => ({
    message: "`#` in the target of a redirect is sent as `%23`",
    notes: ["without the flag `NE`, httpd escapes it, and clients request a path with `%23` in it"],
    help: adviceOn(inserted),
  }),
  twice: (code: string, inserted: string | undefined) => ({
    message: `${quoteText(code)} in the target of a redirect is sent as ${quoteText(code.replace("%", "%25"))}`,
    notes: ["without the flag `NE`, httpd escapes the `%` again"],
    help: adviceOn(inserted),
  }),
  reference: (code: string) => ({
    message: `${quoteText(code)} is not an escaped character: httpd reads ${quoteText(code.slice(0, 2))} as a group`,
    notes: [
      `no \`RewriteCond\` has that group, so only ${quoteText(code.slice(2))} remains`,
      "in a target, `%` with a digit is a group of a `RewriteCond`",
    ],
    help: [`use ${quoteText(`\\${code}`)} with the flag \`NE\` in a redirect, or the character itself`],
  }),
  inRedirectMatch: (code: string) => ({
    message: `${quoteText(code)} in the target of a redirect is sent as ${quoteText(code.replace("%", "%25"))}`,
    notes: ["`RedirectMatch` escapes its target"],
    help: ["use the character itself, in quotes if it is a space"],
  }),
};

const fixTitles = { addFlag: "Add the flag `NE`" };

export const escapedRedirect = defineRule({
  id: "escaped-redirect",
  title: "Escaped characters in a redirect target",
  group: "correctness",
  severity: "warning",
  description: "`#`, `\\%20` or `%20` in a target, which httpd escapes, escapes again, or reads as a group.",
  help: "RewriteRule escapes the target of a redirect unless it has the flag NE: `#` becomes `%23`, and `\\%20` becomes `%2520`. Without the backslash, `%2` is a group of a RewriteCond. RedirectMatch escapes its target, too. Add NE, or use the character itself.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
    directives: {
      redirectmatch(directive) {
        const problem = checkRedirectMatch(directive);
        if (problem) report(problem);
      },
    },
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const problem = /[%#]/.test(rule.output ?? "") ? checkRule(rule) : undefined;
          if (problem) report(problem);
        }
      },
    },
  }),
});

function checkRule(rule: RewriteRule): Report | undefined {
  const { directive, flags } = rule;
  const target = parseRewriteWords(directive.argumentText)?.[1];
  if (target === undefined) return undefined;
  const text = directive.argumentText.slice(target.start, target.end);
  const reference = findReference(text, rule);
  if (reference) return { message: messages.reference(reference[0]), span: spanAt(directive, target, reference) };
  if (!isRedirect(rule) || flags.names.has("noescape")) return undefined;
  const fragment = /(?<!\\)#/.exec(text);
  const escaped = /(?<=\\)%[\da-f]{2}/i.exec(text);
  const match = fragment ?? escaped;
  if (match === null) return undefined;
  // With NE, a space in an inserted text is sent as it is.
  const inserted = /\$\{[^}]*\}|%\{[^}]*\}|(?<!\\)[$%]\d/.exec(text)?.[0];
  const message = fragment ? messages.fragment(inserted) : messages.twice(match[0], inserted);
  return {
    message,
    span: spanAt(directive, target, match),
    ...(inserted === undefined ? createFix(fixTitles.addFlag, "unsafe", addRewriteFlag(directive, "NE")) : {}),
  };
}

/** Finds `%` with two hexadecimal digits of which the first is that of a group that no condition has. */
function findReference(text: string, { conditions }: RewriteRule): RegExpExecArray | undefined {
  const groups = conditions.map(({ test, isNegated }) => {
    if (test.kind === "expression") return 9;
    return test.kind === "pattern" && !isNegated ? parsePcre(test.pattern).groups.length : 0;
  });
  const most = Math.max(0, ...groups);
  for (const match of text.matchAll(/(?<!\\)%([1-9])[\da-f]/gi)) if (Number(match[1]) > most) return match;
  return undefined;
}

/** Returns whether httpd sends the target to the client. */
function isRedirect({ flags, output = "" }: RewriteRule): boolean {
  if (flags.names.has("proxy") || flags.names.has("passthrough")) return false;
  return flags.names.has("redirect") || /^https?:\/\//i.test(output);
}

/** Returns the place of a text in a target. */
function spanAt(directive: Directive, { start }: Argument, match: RegExpExecArray) {
  const from = start + match.index;
  return directive.spanOf({ start: from, end: from + match[0].length });
}

/** Checks the target of RedirectMatch (modules/mappers/mod_alias.c `try_alias_list`). */
function checkRedirectMatch(directive: Directive): Report | undefined {
  const { arguments: words } = directive;
  const target = words.at(-1);
  const match = words.length > 1 && target ? /%[\da-f]{2}/i.exec(target.value) : null;
  if (!match || !target || target.quote !== "none") return undefined;
  return { message: messages.inRedirectMatch(match[0]), span: spanAt(directive, target, match) };
}
