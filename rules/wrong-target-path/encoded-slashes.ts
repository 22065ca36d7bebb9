import { type DefiniteAnswer, describeAnswer, type OutsideServer, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, type Project } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  rejected: (answer: DefiniteAnswer) => ({
    message: "`nocanon` does not pass on `%2F`: such URLs return 404",
    notes: [
      describeAnswer(answer),
      "without `AllowEncodedSlashes`, httpd rejects an encoded slash before the proxy (AH00026)",
    ],
    help: ["add `AllowEncodedSlashes NoDecode` to the virtual host"],
  }),
  decoded: (path: string) => ({
    message: "`AllowEncodedSlashes On` passes `%2F` to the backend as a slash",
    notes: [`${quoteText(`${path}/page%2Fb`)} and ${quoteText(`${path}/page/b`)} lead to the same URL of the backend`],
    help: ["use `AllowEncodedSlashes NoDecode`, and `nocanon` in `ProxyPass`"],
  }),
};

const labels = { target: "passes the decoded path" };

const isCanonical = ({ arguments: words }: Directive) => words.every(({ value }) => !/^nocanon$/i.test(value));

/**
 * Finds encoded slashes that do not reach a backend as they are (server/util.c `unescape_url`, modules/proxy/mod_proxy_http.c
 * `proxy_http_canon`).
 */
export const encodedSlashes = defineVariant({
  id: "encoded-slashes",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      holding: ["proxypass", "allowencodedslashes"],
      *check({ line, scope, server, context: { project } }, client) {
        if (line.key === "proxypass") {
          const word = line.arguments.find(({ value }) => /^nocanon$/i.test(value));
          const path = pathOf(line, client.findPathInto(scope, server));
          // A line of the main server is not inherited, which another rule reports.
          if (word === undefined || path === undefined || mayAllow(project)) return;
          const answer = client.ask(server, { path: `${path}/page%2Fb` });
          const isRejected = answer?.status === 404 && answer.pass === undefined;
          if (!isRejected || client.ask(server, { path: `${path}/page` })?.backend?.by !== line) return;
          yield {
            severity: "info",
            message: messages.rejected(answer),
            span: line.spanOf(word),
            witness: witnessOf(answer),
          };
          return;
        }
        if (!/^"?on"?$/i.test(line.argumentText)) return;
        for (const target of proxyLinesOf(server, project)) {
          const path = pathOf(target, undefined);
          const answer = path === undefined ? undefined : client.ask(server, { path: `${path}/page%2Fb` });
          if (path === undefined || answer?.backend?.by !== target) continue;
          const related = [{ message: labels.target, span: target.span }];
          yield { message: messages.decoded(path), span: line.span, related, witness: witnessOf(answer) };
          return;
        }
      },
    },
  }),
});

function mayAllow(project: Project): boolean {
  const lines = indexDirectives(project).named("allowencodedslashes");
  return lines.some(({ argumentText }) => !/^"?off"?$/i.test(argumentText));
}

/** Returns the ProxyPass lines of a server that pass on the path that httpd has decoded. */
function proxyLinesOf({ section }: OutsideServer, { directives }: Project): readonly Directive[] {
  return (section?.children ?? directives).filter((line) => line.key === "proxypass" && isCanonical(line));
}

/** Returns the URL path of a ProxyPass line without a slash at its end. @param around that of its section */
function pathOf({ arguments: [first] }: Directive, around: string | undefined): string | undefined {
  const path = first?.value.startsWith("/") ? first.value : around;
  return path?.replace(/\/+$/, "");
}
