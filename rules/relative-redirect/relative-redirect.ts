import { parseRewriteRules, parseRewriteWords, type RewriteRule } from "../../src/rule-api/configuration.js";
import { defineRule, quoteText } from "../../src/rule-api/rule.js";

const messages = {
  relative: (target: string) => ({
    message: `redirect to ${quoteText(target)} leads to the path of a directory`,
    notes: [
      "without `RewriteBase`, httpd puts the path of the directory on the disk before a relative target",
      "clients see it in the URL, such as `http://www.example.org/var/www/html/page`",
    ],
    help: ["begin the target with `/`, or add a `RewriteBase`"],
  }),
};

export const relativeRedirect = defineRule({
  id: "relative-redirect",
  title: "Relative target of a redirect",
  group: "correctness",
  severity: "warning",
  description: "A RewriteRule of a directory with the flag R and a relative target, without a RewriteBase.",
  help: "In a directory, httpd puts the path of the directory on the disk before a relative target. A redirect sends it to the client, and the new URL does not exist. Begin the target with `/`, or set RewriteBase.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => {
    const relativeRules: RewriteRule[] = [];
    let hasBase = false;
    return {
      directives: {
        // A directory above may set it, which directories below inherit.
        rewritebase() {
          hasBase = true;
        },
      },
      scope: {
        holding: ["rewriterule"],
        visit({ directives, place }) {
          if (place === "htaccess" || place === "directory")
            relativeRules.push(...parseRewriteRules(directives).filter(redirectsToRelative));
        },
      },
      project() {
        for (const { directive, output = "" } of hasBase ? [] : relativeRules) {
          const target = parseRewriteWords(directive.argumentText)?.[1];
          report({ message: messages.relative(output), span: target ? directive.spanOf(target) : directive.span });
        }
      },
    };
  },
});

/**
 * Returns whether a rule redirects to a relative path (modules/mappers/mod_rewrite.c `apply_rewrite_rule`). In a directory,
 * a group at the start of the pattern does not begin with `/`; other groups and variables may.
 */
function redirectsToRelative({ flags, output = "", pattern }: RewriteRule): boolean {
  if (!flags.names.has("redirect") || flags.names.has("proxy") || /:\/\/|^[a-z]+:/i.test(output)) return false;
  return /^\.?[\w-]/.test(output) || (output.startsWith("$1") && /^\^\((?!\?)/.test(pattern));
}
