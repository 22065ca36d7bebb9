import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, type Scope, virtualHostAround } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  bypassed: (line: Directive, answer: DefiniteAnswer, isFast: boolean) => ({
    message: `${formatLineTitle(line)} does not apply to proxied requests`,
    notes: [
      "sections by directory or file name apply only to files of this server",
      `${describeAnswer(answer)} from the backend`,
    ],
    help: [
      isFast
        ? 'replace the `ProxyPass` line with `SetHandler "proxy:fcgi://…"` in `<FilesMatch>`'
        : "use `<Location>` with the path of the URL",
    ],
  }),
};

const labels = { passed: "passes the request to the backend" };

export const fileGuardOnProxy = defineRule({
  id: "file-guard-on-proxy",
  title: "File sections for proxied requests",
  group: "exposure",
  severity: "error",
  description: "A Directory or Files section denies a file, and a backend answers the requests for it.",
  help: "httpd does not map a proxied request to a file, so Directory and Files sections do not apply. Use Location. For PHP-FPM, use SetHandler instead of ProxyPass.",
  securitySeverity: 7.5,
  references: { cwe: [288] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["require", "deny"],
      *check({ line, scope, server, context: { project } }, client) {
        if (!isByFile(scope) || !indexDirectives(project).hasAny(proxyLines)) return;
        const path = client.findPathInto(scope, server);
        if (path === undefined) return;
        for (const each of new Set([path, path.replace(/index\.html$/, "index.php")])) {
          const answer = client.ask(server, { path: each });
          const file = client.fileAt(server, each);
          if (answer?.status !== 200 || answer.backend === undefined || file === undefined) continue;
          const { url, by } = answer.backend;
          const isFast = /^fcgi:/i.test(url);
          if (!isFast && (isGeneral(line, scope, each) || virtualHostAround(line) !== virtualHostAround(by))) continue;
          const local = client.askAsFile(server, { path: each }, file);
          const isDenied = local?.class === "401" || local?.class === "403";
          if (!isDenied || local.decidedBy.find((other) => scope.directives.includes(other)) !== line) continue;
          const related = [{ message: labels.passed, span: by.span }];
          const witness = witnessOf(answer);
          yield { message: messages.bypassed(line, answer, isFast), span: line.span, related, witness };
          return;
        }
      },
    },
  }),
});

const proxyLines: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch"]);

function isByFile({ place }: Scope): boolean {
  return place === "directory" || place === "files" || place === "htaccess";
}

/**
 * Returns whether a line protects any server: it denies a whole tree to everyone, hidden files, or files of a
 * `.htaccess` file. A backend on HTTP has other files.
 */
function isGeneral({ argumentText }: Directive, { inHtaccess }: Scope, path: string): boolean {
  if (inHtaccess || path.includes("/.")) return true;
  return /^\/[^/]*$/.test(path) && /^(?:all denied|from all)$/i.test(argumentText);
}
