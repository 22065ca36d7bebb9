import type { Answer } from "../../server/model/answer.js";
import { isAuthority, type Request } from "../../server/model/request.js";
import { DEFAULT_CLIENT_IP } from "../../server/request/request-parser.js";
import { quoteShellWord } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { makeVisible } from "../text/visible-text.js";
import { redactText } from "./answer-json.js";
import { formatCase, formatTitle } from "./answer-words.js";
import { shownCaseOf } from "./shown-case.js";

/** A request to be sent, with what is expected of it. */
export interface ExpectedRequest {
  readonly request: Request;
  /** The expected result, such as `403`; undefined if it is unknown. */
  readonly expected: string | undefined;
}

/** Returns a request with its usual answer. */
export function expectAnswer(answer: Answer): ExpectedRequest {
  const shown = shownCaseOf(answer);
  const isUnknown = shown === undefined && answer.status === undefined;
  return { request: answer.request, expected: isUnknown ? undefined : shown ? formatCase(shown) : formatTitle(answer) };
}

/** Renders each request as a curl command, with the expected status in a comment. */
export function* renderCurlCommands(all: Iterable<ExpectedRequest>): Generator<string> {
  for (const each of all) yield `${formatCurlCommand(each)}\n`;
}

function formatCurlCommand({ request, expected }: ExpectedRequest): string {
  const remarks = [`expect ${expected ?? "any status: the answer is unknown"}`, ...remarksOn(request)];
  const comment = makeVisible(redactText(remarks.join("; ")));
  if (isAuthority(request.path)) return `# curl cannot send ${request.method} ${request.path}; ${comment}`;
  const words = ["curl", "-sko", "/dev/null", "-w", "%{http_code} %{redirect_url}\\n", ...optionsOf(request)];
  const line = [...words, urlOf(request)].map((word) => quoteShellWord(toReadable(word))).join(" ");
  return `${makeVisible(redactText(line))}  # ${comment}`;
}

/** Returns what curl cannot send. */
function remarksOn({ clientIp, user, env = [], grants = [] }: Request): readonly string[] {
  return [
    ...(clientIp === DEFAULT_CLIENT_IP ? [] : [`from ${clientIp}`]),
    ...(user === undefined ? [] : [`with the password of ${user}`]),
    ...env.map((name) => `with the variable ${name}`),
    ...grants.map((line) => `if ${line} is granted`),
  ];
}

/** Returns the options for a request. Headers that it does not have are removed from those that curl sends on its own. */
function optionsOf(request: Request): readonly string[] {
  const { method, path, host, headers = {}, user, origin, query } = request;
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const methodOptions = method === "HEAD" ? ["-I"] : ["-X", method];
  return [
    ...(method === "GET" ? [] : methodOptions),
    ...(names.has("user-agent") ? [] : ["-A", ""]),
    ...(names.has("accept") ? [] : ["-H", "Accept:"]),
    ...(host === undefined ? ["-0", "-H", "Host:"] : []),
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", value === "" ? `${name};` : `${name}: ${value}`]),
    ...(user === undefined ? [] : ["-u", user]),
    // curl reads braces and brackets as patterns.
    ...(/[{}[\]]/.test(path + (query ?? "")) ? ["-g"] : []),
    ...(/(?:^|\/)\.{1,2}(?:\/|$)/.test(path) ? ["--path-as-is"] : []),
    ...(origin === undefined ? [] : ["--request-target", `${origin}${path}${query === undefined ? "" : `?${query}`}`]),
    ...routeOf(request),
  ];
}

/** Returns the option for the socket of the server, if it is not that of the URL. */
function routeOf({ host, port, serverIp, scheme }: Request): readonly string[] {
  if (host === undefined) return [];
  const named = Number(/:(\d+)$/.exec(host)?.[1] ?? defaultPortOf(scheme));
  if (serverIp === undefined && (port === undefined || port === named)) return [];
  const address = serverIp?.includes(":") ? `[${serverIp}]` : (serverIp ?? "");
  return ["--connect-to", `::${address}:${port ?? named}`];
}

function defaultPortOf(scheme: Request["scheme"]): number {
  return scheme === "https" ? 443 : 80;
}

/** Returns the URL of a request: of its Host header, or of the address of the server. */
function urlOf({ scheme = "http", host, serverIp = "127.0.0.1", port, path, query }: Request): string {
  const shown = port === undefined || port === defaultPortOf(scheme) ? "" : `:${port}`;
  const address = serverIp.includes(":") ? `[${serverIp}]` : serverIp;
  return `${scheme}://${host ?? address + shown}${path}${query === undefined ? "" : `?${query}`}`;
}

/** Renders requests as a file for hurl, with an assertion on each. */
export function* renderHurl(all: Iterable<ExpectedRequest & { readonly name: string | undefined }>): Generator<string> {
  let isFirst = true;
  for (const { request, expected, name } of all) {
    const { method, headers = {}, user, host } = request;
    const [, route] = routeOf(request);
    const remarks = [...(name === undefined ? [] : [name]), ...remarksOn(request)];
    const lines = [
      ...remarks.map((remark) => `# ${remark}`),
      `${method} ${urlOf(request)}`,
      ...(host === undefined ? ["# the request has no Host header"] : []),
      ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`),
      ...(user === undefined ? [] : ["[BasicAuth]", `${user}: {{password}}`]),
      "[Options]",
      "insecure: true",
      "path-as-is: true",
      ...(route === undefined ? [] : [`connect-to: ${route}`]),
      ...assertionOf(expected),
    ];
    yield `${isFirst ? "" : "\n"}${lines.map((line) => makeVisible(redactText(toReadable(line)))).join("\n")}\n`;
    isFirst = false;
  }
}

/** Returns the assertion on the status: `allowed` and `refused` stand for several. */
function assertionOf(expected: string | undefined): readonly string[] {
  if (expected === "allowed")
    return ["HTTP *", "[Asserts]", "status != 400", "status != 401", "status != 403", "status < 500"];
  if (expected === "refused") return ["HTTP *", "[Asserts]", "status >= 401", "status <= 403", "status != 402"];
  return [`HTTP ${expected ?? "*"}`];
}
