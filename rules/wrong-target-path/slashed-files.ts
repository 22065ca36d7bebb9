import { describeAnswer, lineTrialsOf, type SlashedFile, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, parseRewriteRules, type Scope } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  slashed: ({ answer, path }: SlashedFile, help: string) => ({
    message: `the redirect adds a slash to files that exist, such as ${quoteText(answer.request.path)}`,
    notes: [`${describeAnswer(answer)}, and ${quoteText(path)} returns 404`],
    help: [help],
  }),
};

/** Finds redirects that add a slash to each path, also to that of a file. */
export const slashedFiles = defineVariant({
  id: "slashed-files",
  messages,
  check: (context) => ({
    scope: {
      holding: ["rewriterule", "redirectmatch"],
      visit(scope) {
        for (const { line, help } of listSlashingLines(scope)) {
          const found = lineTrialsOf(context).findSlashedFiles(line, scope);
          if (found === undefined) continue;
          context.report({
            ...(found.isOnDisk ? {} : { severity: "info" }),
            message: messages.slashed(found, help),
            span: line.span,
            witness: witnessOf(found.answer),
          });
        }
      },
    },
  }),
});

/** Returns the redirects whose target ends with a slash after a part of the path, with what to write for files. */
function listSlashingLines({
  directives,
  place,
}: Scope): readonly { readonly line: Directive; readonly help: string }[] {
  const addsSlash = (target = "") => /[$%][\d{][^?]*\/$/.test(target);
  // Before the URL is mapped to a file, the variable has the path of the URL (mod_rewrite, "REQUEST_FILENAME").
  const isServer = place === "server" || place === "virtualhost";
  const file = isServer ? "%{DOCUMENT_ROOT}%{REQUEST_URI}" : "%{REQUEST_FILENAME}";
  const rules = parseRewriteRules(directives).filter(
    ({ flags, output }) => flags.names.has("redirect") && addsSlash(output),
  );
  return [
    ...rules.map(({ directive }) => ({ line: directive, help: `add \`RewriteCond ${file} !-f\` before the rule` })),
    ...directives
      .filter(({ key, arguments: words }) => key === "redirectmatch" && addsSlash(words.at(-1)?.value))
      .map((line) => ({
        line,
        help: "leave out paths with an extension: `^/(.*/)?([^/.]+)$` with the target `/$1$2/`",
      })),
  ];
}
