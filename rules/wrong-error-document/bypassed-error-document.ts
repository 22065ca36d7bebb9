import { type DefiniteAnswer, type ExposedLine, type OutsideClient, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, keywordArgumentOf, mayHaveMoreLines } from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  /** @param isPart whether another file may set ProxyErrorOverride */
  never: (path: string, isPart: boolean) => ({
    message: "the error document of 404 is never used: a backend answers",
    notes: [
      `requests such as ${quoteText(path)} go to the backend`,
      "httpd sends the page of the backend, also for errors",
      ...(isPart ? ["this holds unless another file sets `ProxyErrorOverride`"] : []),
    ],
    help: [overrideHelp, "or delete this line"],
  }),
  programs: (path: string) => ({
    message: `the error document is not used for missing files such as ${quoteText(path)}`,
    notes: ["the handler passes the request to the program although the file is missing, and httpd sends its page"],
    help: [overrideHelp, 'or put the handler in `<If "-f %{REQUEST_FILENAME}">`'],
  }),
};

const overrideHelp = "add `ProxyErrorOverride On`";

/** Finds documents for a status that only a backend returns (mod_proxy_http.c, mod_proxy_fcgi.c: `error_override`; live case). */
export const bypassedErrorDocument = defineVariant({
  id: "bypassed-error-document",
  severity: "info",
  messages,
  check: ({ project }) =>
    // A file that is not here may answer some paths, or set ProxyErrorOverride.
    mayHaveMoreLines(project)
      ? {}
      : { exposure: { fromAnywhere: true, onFragments: true, holding: ["errordocument"], check: findBypassed } },
});

/** Paths that no site is expected to have. */
const unknownPath = "/no-such-page";
/** One that servers often leave out. */
const otherPath = "/.well-known/acme-challenge/no-such-page";
const unknownProgram = "/no-such-page.php";

function* findBypassed({ line, scope, server, context }: ExposedLine, client: OutsideClient) {
  const isPart = context.project.kind !== "server";
  const isOfServer = scope.place === "server" || scope.place === "virtualhost";
  const [code, document] = line.arguments;
  if (!isOfServer || code?.value !== "404" || document === undefined || /^default$/i.test(document.value)) return;
  const page = client.ask(server, { path: unknownPath }, "disk");
  if (page === undefined) return;
  if (isOfBackend(page, line)) {
    // A front controller answers for missing files itself.
    if (page.servedPath !== unknownPath) return;
    // Other lines may answer some paths: their missing files get the document.
    const other = client.ask(server, { path: otherPath }, "disk");
    if (
      !scope.directives.some((each) => answersPaths(each) && !isForDocument(each, document.value)) &&
      other &&
      isOfBackend(other, line)
    )
      yield {
        severity: "warning" as const,
        message: messages.never(unknownPath, isPart),
        span: line.span,
        witness: witnessOf(page),
      };
    return;
  }
  if (isPart) return;
  const program = client.ask(server, { path: unknownProgram }, "disk");
  if (program && program.servedPath === unknownProgram && isOfBackend(program, line))
    yield {
      message: messages.programs(unknownProgram),
      span: line.span,
      witness: witnessOf(program),
    };
}

/** Reports whether a backend answers, whose errors httpd does not replace by the document of a line. */
function isOfBackend(answer: DefiniteAnswer, line: Directive): boolean {
  if (answer.answeredBy !== "backend") return false;
  const lines = [...answer.layers, ...(answer.pass?.server.layers ?? [])].flatMap(({ directives }) => directives);
  const override = lines.findLast(({ key }) => key === "proxyerroroverride");
  const isLast =
    lines.findLast(({ key, arguments: [code] }) => key === "errordocument" && code?.value === "404") === line;
  return isLast && (override === undefined || keywordArgumentOf(override) === "off");
}

/** Reports whether a line leaves only paths to the server that are near a document: it is there for the document. */
function isForDocument({ key, arguments: [path], children = [] }: Directive, document: string): boolean {
  const prefix = path?.value.replace(/\/*$/, "/") ?? "";
  const isExclusion = key === "alias" || key === "proxypass" || (key === "<location" && children.some(isException));
  return isExclusion && prefix.length > 1 && (document.startsWith(prefix) || `${document}/` === prefix);
}

function isException({ key, arguments: [target] }: Directive): boolean {
  return key === "proxypass" && target?.value === "!";
}

/** Reports whether a line leaves some paths to the server, or answers them. */
function answersPaths({ key, arguments: words }: Directive): boolean {
  if (/^(?:scriptalias|alias|redirect|rewriterule|<location|<if|<macro)/.test(key)) return true;
  return /^proxypass(?:match)?$/.test(key) && words.some(({ value }) => value === "!");
}
