import type { Directive } from "../config/model/directive.js";
import { toReadable } from "../text/source.js";
import type { DefiniteAnswer } from "./definite-answer.js";
import { findLoopRemedy } from "./loop-remedies.js";
import type { RedirectLoop } from "./model/answer.js";
import type { Request } from "./model/request.js";

/** Answers a request as it usually is; undefined if that is not known, or if no server here answers it. */
export type RequestAnswerer = (request: Request) => DefiniteAnswer | undefined;

/**
 * Follows the redirects of an answer as a client does, until a URL repeats. Only GET and HEAD are followed, and no rule that sets a
 * cookie, since the client then sends another request.
 *
 * @param isOwnHost whether a virtual host of the configuration has the name of a request
 */
export function followRedirects(
  sent: Request,
  first: DefiniteAnswer,
  answer: RequestAnswerer,
  isOwnHost: (request: Request) => boolean,
): RedirectLoop | undefined {
  const request = withOwnName(sent, first);
  const urls = [urlOf(request)];
  const lines = new Set<Directive | undefined>();
  const otherHosts = new Set<string>();
  let current = request;
  let answered: DefiniteAnswer | undefined = first;
  while (answered !== undefined && urls.length <= MAX_REDIRECTS) {
    const next = requestAfter(current, answered);
    if (next === undefined) return undefined;
    const isSame = hostOf(next) === hostOf(request);
    if (!isSame && !isOwnHost(next)) {
      // A server that redirects between names with and without `www` usually has both; another name may be that of another server.
      if (withoutWww(next) !== withoutWww(request)) return undefined;
      otherHosts.add(next.host ?? "");
    }
    const url = urlOf(next);
    const line = answered.decidedBy[0] ?? first.decidedBy[0];
    if (urls.includes(url)) {
      const found = line && findLoopRemedy(answered, line, current, next);
      const loop = withRemedy(loopOf([...urls, url], line, [...otherHosts]), found);
      if (readsOwnScheme(request, loop.line)) return withSchemeCondition(loop, first);
      return endsBehindBalancer(request, answer) ? { ...loop, text: `${loop.text}; ${NO_LOOP}` } : loop;
    }
    urls.push(url);
    lines.add(line);
    if (urls.length > MAX_REDIRECTS && lines.size === 1) {
      const found = line && findLoopRemedy(answered, line, current, next);
      const shown = urls.slice(0, SHOWN_URLS).map((each) => `\`${toReadable(each)}\``);
      const text = `a client that follows it is redirected again each time: ${shown.join(" → ")} → …`;
      return withRemedy({ text, line, isConditional: false }, found);
    }
    current = next;
    answered = answer(next);
  }
  return undefined;
}

const SHOWN_URLS = 3;

/** Returns a request without a Host header with the name of its server, which redirects to it have. */
function withOwnName(request: Request, { pass }: DefiniteAnswer): Request {
  const { serverName } = pass?.walk.atServer.names ?? {};
  return request.host === undefined && serverName !== undefined ? { ...request, host: serverName } : request;
}

function withRemedy(loop: RedirectLoop, remedy: ReturnType<typeof findLoopRemedy>): RedirectLoop {
  if (remedy === undefined) return loop;
  const { text, line, help } = remedy;
  return { ...loop, text: text === undefined ? loop.text : `${loop.text}; ${text}`, line, help };
}

/** Reports whether the header of a balancer, and not only the missing TLS, ends the loop of a request that has none. */
function endsBehindBalancer(request: Request, answer: RequestAnswerer): boolean {
  if (request.scheme !== "https" || forwardedSchemeOf(request) !== undefined) return false;
  const { headers = {} } = request;
  const passed = passedOn(request);
  const [answered, withoutHeader] = [passed, { ...passed, headers }].map((each) => answer(each));
  if (answered === undefined || answered.destination.location !== undefined) return false;
  return withoutHeader?.destination.location !== undefined;
}

const NO_LOOP = "a balancer that ends TLS and sends `X-Forwarded-Proto: https` prevents the loop";

/** Reports whether a line with conditions redirects a client of `https` that a proxy has connected without TLS. */
function readsOwnScheme({ scheme, ...request }: Request, line: Directive | undefined): boolean {
  return scheme !== "https" && forwardedSchemeOf(request) === "https" && line?.key === "rewriterule";
}

const OWN_SCHEME =
  "without TLS between the proxy and httpd, `%{HTTPS}` is always `off` and `%{SERVER_PORT}` is not 443";

/** Adds the condition to write for a proxy that ends TLS, and the one that it replaces. */
function withSchemeCondition(loop: RedirectLoop, { pass }: DefiniteAnswer): RedirectLoop {
  const { line } = loop;
  const { url, sections } = pass?.rewriting ?? {};
  const step = [url, sections].flatMap((each) => each?.steps ?? []).find(({ rule }) => rule.directive === line);
  const condition = step?.rule.conditions.find(({ directive }) =>
    /%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME)\}/i.test(directive.argumentText),
  )?.directive;
  const written = "`RewriteCond %{HTTP:X-Forwarded-Proto} !=https`";
  const help = condition ? `use ${written}` : `add ${written} before the rule`;
  return { ...loop, text: `${loop.text}; ${OWN_SCHEME}`, ...(condition ? { line: condition } : {}), help: [help] };
}

/** Browsers follow 20 redirects; loops of a configuration have few. */
const MAX_REDIRECTS = 6;

function loopOf(urls: readonly string[], line: Directive | undefined, otherHosts: readonly string[]): RedirectLoop {
  const shown = urls.map((url) => `\`${toReadable(url)}\``);
  const text =
    urls.length === 2
      ? `a client that follows it requests ${shown[0]} again, for ever`
      : `a client that follows it returns to the same URL, for ever: ${shown.join(" → ")}`;
  const [host] = otherHosts;
  const condition =
    host === undefined ? "" : `; this assumes that this server also answers for \`${toReadable(host)}\``;
  return { text: text + condition, line, isConditional: false };
}

/**
 * Returns the loop that `https` requests cause behind a balancer that decrypts them and passes them on as plain `http`: the
 * redirect of such a request to its own URL.
 */
export function findLoopBehindBalancer(request: Request, answer: RequestAnswerer): RedirectLoop | undefined {
  if (request.scheme !== "https" || forwardedSchemeOf(request) !== undefined) return undefined;
  const passed = passedOn(request);
  const answered = answer(passed);
  const next = answered && requestAfter(passed, answered);
  if (answered === undefined || next === undefined || urlOf(next) !== urlOf(passed)) return undefined;
  const text = `redirect loop if a balancer in front of httpd ends TLS and passes on plain \`http\`: httpd then returns ${answered.status} → \`${toReadable(urlOf(next))}\``;
  return { text, line: answered.decidedBy[0], isConditional: true };
}

/** Returns a request as a balancer passes it on that ends TLS. */
function passedOn({ port: _, ...request }: Request): Request {
  return { ...request, scheme: "http", headers: { ...request.headers, [FORWARDED]: "https" } };
}

const FORWARDED = "X-Forwarded-Proto";

/** Returns the scheme that a client used to reach a balancer, if the request has the usual header for it. */
function forwardedSchemeOf({ headers = {} }: Request): "http" | "https" | undefined {
  const [, value = ""] = Object.entries(headers).find(([name]) => isForwardedHeader(name)) ?? [];
  const scheme = value.trim().toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : undefined;
}

function isForwardedHeader(name: string): boolean {
  return name.toLowerCase() === FORWARDED.toLowerCase();
}

function hostOf({ host = "" }: Request): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

function withoutWww(request: Request): string {
  return hostOf(request).replace(/^www\./, "");
}

/** Returns the URL that the client of a request sees, in lower case up to its path, without a default port. */
function urlOf(request: Request): string {
  const forwarded = forwardedSchemeOf(request);
  const scheme = forwarded ?? request.scheme ?? "http";
  const { host = "", port, path, query } = request;
  const authority = /:\d+$/.test(host) || port === undefined || forwarded !== undefined ? host : `${host}:${port}`;
  const short = authority.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
  return `${scheme}://${short}${path}${query === undefined ? "" : `?${query}`}`;
}

/** Returns the request of a client that follows a redirect; undefined if there is none to follow. */
function requestAfter(request: Request, answered: DefiniteAnswer): Request | undefined {
  const { location } = answered.destination;
  if (location === undefined || (request.method !== "GET" && request.method !== "HEAD")) return undefined;
  if (answered.decidedBy.some(setsCookie)) return undefined;
  const [, scheme, authority, target = ""] = /^(?:(https?):\/\/([^/?#]+))?([^#]*)/i.exec(location) ?? [];
  const [path = "", query] = target.split(/\?(.*)/s);
  const { query: _, ...rest } = request;
  const moved: Request = { ...rest, path: path === "" ? "/" : path, ...(query === undefined ? {} : { query }) };
  if (scheme === undefined || authority === undefined) return path.startsWith("/") ? moved : undefined;
  const word = scheme.toLowerCase() === "https" ? "https" : "http";
  const { port: __, ...atHost } = moved;
  if (forwardedSchemeOf(request) === undefined) {
    const port = /:(\d+)$/.exec(authority)?.[1];
    return { ...atHost, scheme: word, host: authority, ...(port === undefined ? {} : { port: Number(port) }) };
  }
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name,
    isForwardedHeader(name) ? word : value,
  ]);
  return { ...moved, host: authority, headers: Object.fromEntries(headers) };
}

/** Reports whether a rule sets a cookie (the flag CO of mod_rewrite). */
function setsCookie({ key, arguments: words }: Directive): boolean {
  return key === "rewriterule" && /[[,](?:co|cookie)=/i.test(words[2]?.value ?? "");
}
