import {
  type DefiniteAnswer,
  describeRequest,
  type ExposedLine,
  type OutsideClient,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Argument, type Directive, hasProxyFlag, virtualHostAround } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteShort, quoteText, type Report } from "../../src/lint/api/rule.js";

const messages = {
  whole: (target: string, { request }: DefiniteAnswer, url: string) => ({
    message: `httpd adds the whole path to ${quoteText(target)}`,
    notes: [
      `${describeRequest(request)} leads to ${quoteShort(url, 80)}`,
      "without a reference such as `$1`, `ProxyPassMatch` adds all of the path",
    ],
    help: ["put the part that the backend needs in a group, and `$1` at the end of the target"],
  }),
  filePath: ({ request }: DefiniteAnswer, url: string) => ({
    message: "requests of the backend have the path of a file in place of that of the URL",
    notes: [
      `${describeRequest(request)} leads to ${quoteShort(url, 80)}`,
      "with `SetHandler`, httpd adds the path of the file to the URL, as PHP-FPM needs it",
    ],
    help: ["use `ProxyPass` with this URL in place of `SetHandler`"],
  }),
  index: ({ request }: DefiniteAnswer, url: string) => ({
    message: `requests for ${quoteText(request.path)} ask the backend for the index file`,
    notes: [
      `${describeRequest(request)} leads to ${quoteShort(url, 80)}`,
      "httpd requests the names of `DirectoryIndex` first, and the rule proxies each of them, although no such file exists",
    ],
    help: ["add `DirectoryIndex disabled` to this directory"],
  }),
  fileNotExempt: (path: string, url: string) => ({
    message: `requests for ${quoteText(path)} go to the backend: the exception is only for paths below it`,
    notes: [`${quoteText(path)} leads to ${quoteShort(url, 80)}`],
    help: [`use ${quoteText(path)}, without the slash at its end`],
  }),
};

const partDirectives: ReadonlySet<string> = new Set(["proxypassmatch", "rewriterule"]);

const labels = { backend: "takes the request" };

/** Finds paths that a backend gets otherwise than written (modules/proxy/mod_proxy.c `ap_proxy_trans_match`). */
export const proxiedPath = defineVariant({
  id: "proxied-path",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      onParts: true,
      holding: ["proxypass", "proxypassmatch", "rewriterule", "sethandler"],
      *check(exposed, client) {
        const { line, server } = exposed;
        // Of a part of a server, only the lines of a virtual host or `.htaccess` file are enough.
        const { kind } = exposed.context.project;
        const isPart = kind !== "server";
        if (kind === "fragment" && virtualHostAround(line) === undefined) return;
        if (isPart && !partDirectives.has(line.key)) return;
        if (line.key === "sethandler") yield* findFilePath(exposed, client);
        if (line.key === "rewriterule") yield* findIndex(exposed, client);
        const file = exemptFileOf(line);
        if (file !== undefined) {
          const answer = client.ask(server, { path: file });
          const backend = answer?.backend;
          if (answer === undefined || backend === undefined || backend.by === line) return;
          yield {
            message: messages.fileNotExempt(file, backend.url),
            span: line.span,
            related: [{ message: labels.backend, span: backend.by.span }],
            witness: witnessOf(answer),
          };
        }
        const target = targetWithoutGroup(line);
        const sample = target && samplePattern(line.arguments[0]?.value ?? "");
        if (target === undefined || sample === undefined || !/^\/[\w./~-]*$/.test(sample)) return;
        const answer = client.ask(server, { path: sample });
        if (answer?.backend?.by !== line) return;
        const { url } = answer.backend;
        const own = target.value.replace(/^\w+:\/\/[^/]*/, "");
        const isRepeated = own.length > 1 && sample.startsWith(own);
        if (!isRepeated && isPart) return;
        if (!isRepeated && !/^\w+:\/\/.*\/\//.test(url)) return;
        yield {
          ...(isRepeated ? {} : { severity: "info" as const }),
          message: messages.whole(target.value, answer, url),
          span: line.spanOf(target),
          witness: witnessOf(answer),
        };
      },
    },
  }),
});

/**
 * Finds a backend of HTTP that gets paths of the disk (mod_proxy.c `proxy_handler`). A server answers `/a` of a section with
 * `SetHandler "proxy:http://127.0.0.1:8080"` from `http://127.0.0.1:8080/srv/www/a` (2.4.62).
 */
function* findFilePath({ line, scope, server }: ExposedLine, client: OutsideClient): Generator<Report> {
  const [word] = line.arguments;
  if (word === undefined || !/^proxy:(?:unix:[^|]*\|)?(?:https?|wss?|h2c?|ajp):\/\//i.test(word.value)) return;
  const path = client.findPathInto(scope, server);
  const root = client.fileAt(server, "/")?.replace(/\/+$/, "");
  const answer = path === undefined ? undefined : client.ask(server, { path });
  const url = answer?.answeredBy === "backend" ? answer.destination.target : undefined;
  if (!answer || url === undefined || root === undefined || root === "" || answer.handlerLine !== line) return;
  const sent = url.replace(/^(?:unix:[^|]*\|)?[a-z\d+]+:\/\/[^/]*\/*/i, "/");
  if (!sent.startsWith(`${root}/`)) return;
  yield { message: messages.filePath(answer, url), span: line.spanOf(word), witness: witnessOf(answer) };
}

/** Finds a rule of a directory whose backend is asked for an index file (mod_dir.c `fixup_dir`). */
function* findIndex({ line, scope, server }: ExposedLine, client: OutsideClient): Generator<Report> {
  if ((scope.place !== "htaccess" && scope.place !== "directory") || !hasProxyFlag(line.argumentText)) return;
  const path = client.findPathInto(scope, server)?.replace(/[^/]*$/, "");
  const answer = path === undefined ? undefined : client.ask(server, { path });
  if (!answer?.backend || answer.backend.by !== line || path?.endsWith("/") !== true) return;
  const name = answer.backend.url.replace(/[?#].*$/s, "").replace(/^.*\//s, "");
  const names = answer.pass?.index?.flatMap(({ arguments: words }) => words.map(({ value }) => value)) ?? [];
  const isIndex = name === "index.html" || names.includes(name);
  // The target may name the file itself.
  if (!isIndex || line.argumentText.includes(name)) return;
  yield { message: messages.index(answer, answer.backend.url), span: line.span, witness: witnessOf(answer) };
}

/** Returns the path of a file that is written with a slash at its end in an exception. */
function exemptFileOf({ key, arguments: [path, target] }: Directive): string | undefined {
  if (key !== "proxypass" || target?.value !== "!") return undefined;
  return /^(\/[\w./~-]*\.[a-z]\w{1,4})\/$/i.exec(path?.value ?? "")?.[1];
}

/** Returns the target of a ProxyPassMatch without a reference; those of FastCGI need the whole path. */
function targetWithoutGroup({ key, arguments: [, target] }: Directive): Argument | undefined {
  const isUrl = /^(?:https?|wss?|h2c?|ajp|balancer):\/\/[^$%]*$/i.test(target?.value ?? "");
  return key === "proxypassmatch" && isUrl ? target : undefined;
}
