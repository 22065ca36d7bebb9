import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  formatLineTitle,
  type OutsideClient,
  type OutsideServer,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Argument,
  type Directive,
  hasProxyFlag,
  hasWildcard,
  indexDirectives,
  type Project,
  type Scope,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, stripTrailingSlash } from "../../src/lint/api/rule.js";

const messages = {
  bypassed: (line: Directive, answer: DefiniteAnswer, isFast: boolean, place: string | undefined) => ({
    message: `${formatLineTitle(line)} does not apply to proxied requests`,
    notes: [
      "sections by directory or file name apply only to files of this server",
      `${describeAnswer(answer)} from the backend`,
    ],
    help: [
      isFast
        ? 'replace the `ProxyPass` line with `SetHandler "proxy:fcgi://…"` in `<FilesMatch>`'
        : place === undefined
          ? "use `<Location>` with the path of the URL"
          : `move the access rules into ${quoteText(`<Location "${place}">`)}`,
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
      onParts: true,
      holding: ["require", "deny"],
      *check(exposed, client) {
        const { line, scope, server, context } = exposed;
        if (!isByFile(scope) || !namesBackend(context.project)) return;
        // The section may be for a directory above those of the server.
        const path = client.findPathInto(scope, server) ?? "/index.html";
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
          if (!isFast && appliesElsewhere(exposed, client)) return;
          const related = [{ message: labels.passed, span: by.span }];
          const witness = witnessOf(answer);
          const place = namesDirectory(scope) ? stripTrailingSlash(each.replace(/[^/]*$/, "")) || "/" : undefined;
          yield { message: messages.bypassed(line, answer, isFast, place), span: line.span, related, witness };
          return;
        }
      },
    },
  }),
});

const proxyLines: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch"]);

/** Reports whether a line passes requests to a backend before httpd looks for a file. */
function namesBackend(project: Project): boolean {
  const index = indexDirectives(project);
  return index.hasAny(proxyLines) || index.named("rewriterule").some((rule) => hasProxyFlag(rule.argumentText));
}

/** Reports whether a scope is a section for one directory. */
function namesDirectory({ section }: Scope): boolean {
  const [path, ...more] = section?.key === "<directory" ? section.arguments : [];
  return path !== undefined && more.length === 0 && !hasWildcard(path.value);
}

/** Number of servers in which a section of the main server may apply. */
const MAX_SERVERS = 20;

/** Reports whether a line decides another request: for a URL that is not proxied, or in another server. */
function appliesElsewhere({ line, scope, server, context: { project } }: ExposedLine, client: OutsideClient): boolean {
  const index = indexDirectives(project);
  const exempt = [...proxyLines].flatMap((key) => index.named(key)).filter(({ arguments: words }) => words.some(isNo));
  const mapped = ["alias", "scriptalias"].flatMap((key) => index.named(key));
  const urls = [...exempt, ...mapped].flatMap(({ arguments: words, parent }) =>
    [...words, ...(parent?.arguments ?? [])]
      .filter(({ value }) => value.startsWith("/"))
      .slice(0, 1)
      .map(({ value }) => `${stripTrailingSlash(value)}/index.html`),
  );
  const isDecided = (at: OutsideServer, path: string) => {
    const file = client.fileAt(at, path);
    if (file === undefined || client.ask(at, { path })?.backend !== undefined) return false;
    return client.askAsFile(at, { path }, file)?.decidedBy.includes(line) === true;
  };
  if (urls.some((path) => isDecided(server, path))) return true;
  if (virtualHostAround(line) !== undefined) return false;
  const others = client.listServers(MAX_SERVERS).filter((each) => each !== server);
  return others.some((each) => isDecided(each, client.findPathInto(scope, each) ?? "/index.html"));
}

function isNo({ value }: Argument): boolean {
  return value === "!";
}

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
