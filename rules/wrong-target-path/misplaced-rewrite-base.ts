import { type DefiniteAnswer, describeAnswer, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, parseRewriteRules, type Scope } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  onDisk: (base: string) => ({
    message: `\`RewriteBase\` is the path of a directory, not of a URL: ${quoteText(base)}`,
    notes: ["httpd puts it before relative targets, and requests the result as a URL"],
    help: ["use the URL path of the directory, such as `/`"],
  }),
  nowhere: (base: string, answer: DefiniteAnswer) => ({
    message: `the URL path of \`RewriteBase\` does not exist: ${quoteText(base)}`,
    notes: [describeAnswer(answer), "httpd puts it before relative targets, which are then not found"],
    help: ["use the URL path of the directory of this file"],
  }),
};

export const misplacedRewriteBase = defineVariant({
  id: "misplaced-rewrite-base",
  messages,
  check: ({ report }) => ({
    exposure: {
      holding: ["rewritebase"],
      *check({ line, scope, server }, client) {
        const base = line.arguments[0]?.value;
        if (base === undefined || isDiskPath(base) || !hasRelativeTarget(scope)) return;
        const root = client.fileAt(server, "/");
        const path = base.endsWith("/") ? base : `${base}/`;
        const directory = client.fileAt(server, path);
        if (root === undefined || directory === undefined || client.findFileIn(root) === undefined) return;
        if (client.disk?.kindOf(directory.replace(/\/$/, "")) !== "missing") return;
        const answer = client.ask(server, { path }, "disk");
        if (answer?.status === 404)
          yield { message: messages.nowhere(base, answer), span: line.span, witness: witnessOf(answer) };
      },
    },
    directives: {
      rewritebase(line: Directive, scope: Scope) {
        const base = line.arguments[0]?.value;
        if (base !== undefined && isDiskPath(base) && hasRelativeTarget(scope))
          report({ message: messages.onDisk(base), span: line.span });
      },
    },
  }),
});

/** Returns whether a path begins like those of sites on the disk. */
function isDiskPath(path: string): boolean {
  return /^\/(?:var\/www|srv\/www|usr\/(?:local|share)|home\/[^/]+\/(?:public_html|www|htdocs|domains)|opt\/lampp)(?:\/|$)/.test(
    path,
  );
}

function hasRelativeTarget({ directives }: Scope): boolean {
  return parseRewriteRules(directives).some(
    ({ output }) => output !== undefined && /^[\w.]/.test(output) && !/^\w+:/.test(output),
  );
}
