import type { Directive } from "../../config/model/directive.js";
import { encodePathOfUrl } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import type { AccessState } from "../access/access-state.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import { isMapped } from "../mapping/url-mapping.js";
import type { Destination, ResponseSource } from "../model/answer.js";
import { argumentValuesOf, findSetting, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import { mainPassesOf, type Pass } from "../model/pass.js";
import { stripAliasPrefix } from "../model/patterns.js";
import { targetOfRequest } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import { backendOf } from "../phases/handler.js";
import { handlerOf, isHandlerOfHttpd } from "../phases/handler-lookup.js";
import { quoteWritten } from "./step.js";
import { quoteWord } from "./written-lines.js";

/** Returns where a request leads: the URL that its client is sent to, or the backend or file that answers. */
export function destinationOf({ status, location, pass, served, answeredBy }: RequestOutcome): Destination {
  if (location !== undefined && status >= 300 && status < 400) return { location };
  const last = served ?? (pass && mainPassesOf(pass)[0]);
  if (last === undefined || (status >= 300 && status < 400)) return {};
  // A rule or a redirect with a status of its own leads nowhere.
  if (last.rewriting.sections?.to?.kind === "answered" || (last.redirect && last.redirect.status === status)) return {};
  const backend = backendOf(last);
  const query = queryOf(last);
  if (backend) {
    const target = targetOf(backend, last);
    return { target, ...(query !== undefined && getsQueryApart(target) ? { query } : {}) };
  }
  const { mapping, walked, state } = last;
  if (mapping.kind !== "file" || (mapping.by !== undefined && !isMapped(mapping))) return {};
  // The walk ends at the first missing component.
  const file = walked === undefined || walked.kind === "missing" ? mapping.filename : walked.filename;
  const pathInfo = walked?.kind === "file" ? mapping.filename.slice(walked.filename.length) : "";
  const handler = answeredBy === "program" && state && walked ? handlerOf(state, mapping, walked) : undefined;
  const url = backendNamedBy(handler);
  return {
    ...(url === undefined ? {} : { target: withQuery(encodePathOfUrl(url + (walked?.filename ?? file)), query) }),
    file,
    ...(status === 404 && walked?.kind === "directory" ? { isUnansweredDirectory: true } : {}),
    ...(pathInfo === "" ? {} : { pathInfo }),
    ...(query === undefined ? {} : { query }),
    ...(handler === undefined ? {} : { handler }),
    ...(handler !== undefined && state && isHandlerAssumed(handler, state) ? { isHandlerAssumed: true } : {}),
  };
}

/** Reports whether nothing that is known provides a handler. Without a provider, the default handler sends the file. */
function isHandlerAssumed(handler: string, { project: { modulesAreKnown }, layers }: AccessState): boolean {
  if (modulesAreKnown || isHandlerOfHttpd(handler)) return false;
  return !layers.some((layer) => layer.pick(actions).some((line) => firstArgumentOf(line)?.toLowerCase() === handler));
}

const actions: ReadonlySet<string> = new Set(["action"]);

/** Returns the query once all rules have run. */
function queryOf({ rewriting, request }: Pass): string | undefined {
  return (rewriting.sections ?? request).query;
}

/** Schemes of backends that get the query apart from the URL. */
const schemesWithoutQuery = /^(?:fcgi|scgi|uwsgi):/i;

/** Returns the URL that a backend gets, with the query (the `canon` functions of mod_proxy's modules). */
function targetOf(backend: ProxyMapping, pass: Pass): string {
  const url = sentUrlOf(backend, pass);
  const query = queryOf(pass);
  return backend.isRaw ? url : withQuery(url, query);
}

function withQuery(url: string, query: string | undefined): string {
  return query === undefined || getsQueryApart(url) ? url : `${url}?${query}`;
}

function getsQueryApart(url: string): boolean {
  return schemesWithoutQuery.test(url.replace(/^unix:[^|]*\|/, ""));
}

/**
 * Returns what responds instead of a file. With a handler such as `proxy:fcgi://127.0.0.1:9000`, mod_proxy passes the
 * request on, with the name of the file after the URL (mod_proxy.c `proxy_handler`).
 */
export function responderOf({ answeredBy, pass, served = pass }: RequestOutcome): ResponseSource | undefined {
  if (answeredBy !== "program" || !served?.state || !served.walked) return answeredBy;
  const handler = handlerOf(served.state, served.mapping, served.walked);
  return backendNamedBy(handler) === undefined ? answeredBy : "backend";
}

/** Returns the URL of the backend that a handler names, with its socket; undefined for another handler. */
function backendNamedBy(handler: string | undefined): string | undefined {
  return handler?.startsWith("proxy:") === true ? handler.slice("proxy:".length) : undefined;
}

/**
 * Returns the URL that a backend gets, without the query of the request. With `nocanon`, the rest of the URL is as the
 * client sent it (modules/proxy/mod_proxy.c `proxy_trans`).
 */
export function sentUrlOf({ target, isRaw, by }: ProxyMapping, { request, path }: Pass): string {
  const url = target.replace(/^proxy:/, "");
  if (!isRaw) return encodePathOfUrl(url);
  const [from, to] = by.key === "proxypass" ? by.arguments : [];
  if (from === undefined || to === undefined) return url;
  const rest = stripAliasPrefix(from.value, path);
  if (rest === undefined || !url.startsWith(to.value)) return url;
  return to.value + targetOfRequest(request.sent ?? request).slice(path.length - rest.length);
}

/** Schemes of backends that get a Host header. */
const schemesWithHost = /^(?:https?|h2c?|wss?):\/\/(?:[^/?#]*@)?([^/?#]+)/i;

/**
 * Describes the Host header that a backend gets if it is not that of the request (mod_proxy's `ap_proxy_create_hdrbrgd`): the name in
 * the URL of the backend, unless ProxyPreserveHost is on. Empty for a balancer, whose members have names of their own.
 */
export function describeSentHost(mapping: ProxyMapping, { state, server, request }: Pass): readonly string[] {
  const { host } = request.sent ?? request;
  const layers = state?.layers ?? server.layers;
  const url = mapping.target.replace(/^proxy:/, "").replace(/^unix:[^|]*\|/, "");
  const [, authority] = schemesWithHost.exec(url) ?? [];
  const isChanged = layers.some((layer) => layer.directives.some(setsHost));
  if (host === undefined || authority === undefined || isChanged) return [];
  const line = findSetting(layers, "proxypreservehost");
  const isKept = keywordArgumentOf(line) === "on";
  const own = authority.toLowerCase().replace(/^(.*):(?:80|443)$/, "$1");
  if (isKept || own === host.toLowerCase()) return [];
  return [
    `the backend gets \`Host: ${toReadable(authority)}\`; with \`ProxyPreserveHost On\`, \`Host: ${toReadable(host)}\``,
  ];
}

/**
 * Describes redirects of a backend to its own URL, which clients cannot reach, if no ProxyPassReverse line changes them (mod_proxy's
 * `ap_proxy_location_reverse_map`). Empty for a backend that gets the host of the request: it redirects to that one.
 */
export function describeOwnRedirects(mapping: ProxyMapping, pass: Pass): readonly string[] {
  const { by } = mapping;
  const { state, server } = pass;
  const words = argumentValuesOf(by);
  const [from, to = ""] = by.parent?.key === "<location" ? [undefined, words[0]] : words;
  const url = to.replace(/^unix:[^|]*\|/, "");
  const [origin] = /^https?:\/\/[\w.-]+(?::\d+)?(?=\/|$)/i.exec(url) ?? [];
  if (by.key !== "proxypass" || origin === undefined || describeSentHost(mapping, pass).length === 0) return [];
  const layers = state?.layers ?? server.layers;
  if (layers.some((layer) => layer.directives.some((line) => changesRedirects(line, origin)))) return [];
  const written = ["ProxyPassReverse", ...(from === undefined ? [] : [quoteWord(from)]), quoteWord(url)].join(" ");
  return [
    `a redirect of the backend to \`${toReadable(origin)}\` reaches the client unchanged; with ${quoteWritten(toReadable(written))} after this line, it leads to this server`,
  ];
}

/** Reports whether a line changes redirects of a backend, or may do so. */
function changesRedirects(line: Directive, origin: string): boolean {
  const words = argumentValuesOf(line).map((word) => word.toLowerCase());
  if (line.key === "header") return words.includes("location");
  const url = line.key === "proxypassreverse" ? words.at(-1) : undefined;
  return url !== undefined && (url.startsWith("/") || url.startsWith(origin.toLowerCase()) || /[$%]/.test(url));
}

/** Reports whether a line changes the Host header of a request. */
function setsHost({ key, arguments: words }: Directive): boolean {
  return key === "requestheader" && words.some(({ value }) => value.toLowerCase() === "host");
}
