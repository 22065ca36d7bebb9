import { parseRewriteRules, parseRewriteWords } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, findHostName, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  missing: (target: string) => ({
    message: `redirect to ${quoteText(target)} does not leave this server: the scheme is missing`,
    notes: ["without a scheme, the target is a path of this server, and not a host"],
    help: [`use ${quoteText(`https://${target}`)}`],
  }),
};

const fixTitle = "Add `https://`";

/** Finds redirects to the name of a host without a scheme (modules/mappers/mod_rewrite.c `fully_qualify_uri`; live case). */
export const missingScheme = defineVariant({
  id: "missing-scheme",
  messages,
  supersedes: ["rewrite-loop"],
  check: ({ report }) => ({
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const { directive, output, flags } of parseRewriteRules(directives)) {
          if (output === undefined || !flags.names.has("redirect") || flags.names.has("proxy")) continue;
          const word = parseRewriteWords(directive.argumentText)?.[1];
          if (findHostName(output) === undefined || word === undefined) continue;
          const span = directive.spanOf(word);
          const start = span.start + (word.quote === "none" ? 0 : 1);
          const edit = directive.isDerived ? undefined : replaceSpan({ ...span, start, end: start }, "https://");
          report({ message: messages.missing(output), span, ...(edit ? createFix(fixTitle, "unsafe", edit) : {}) });
        }
      },
    },
  }),
});
