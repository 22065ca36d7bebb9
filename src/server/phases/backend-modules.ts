import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { findBackendModules } from "../../facts/backend-modules.js";
import { isSince } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable } from "../../text/source.js";
import type { ProxyMapping } from "../mapping/proxies.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { Request } from "../model/request.js";
import { slashRulesOf } from "../request/url-normalization.js";
import { balancersOf } from "./balancer-members.js";

/** The reason why a request is not passed on to a backend. */
export interface BackendFault {
  readonly status: number;
  /** Error log messages. */
  readonly errorMessages?: readonly string[];
  /** The line that refuses the backend, if it is not the one that names it. */
  readonly by?: Directive;
  /** Whether the server logs another message. */
  readonly isLogUnknown?: boolean;
}

/** Returns why no module handles the backend (mod_proxy.c `proxy_handler`). @param path the path of the URL */
export function checkBackendModule(
  { target, by }: ProxyMapping,
  path: string,
  { tracker, method }: Request,
  project: Project,
): BackendFault | undefined {
  if (method === "CONNECT" && project.modules.has("proxy_connect_module")) return undefined;
  const [scheme, ...rest] = target.slice("proxy:".length).split(":");
  if (scheme === undefined || rest.length === 0) return { status: 400 };
  const name = scheme.toLowerCase();
  const { modules, modulesAreKnown, release } = project;
  const able = findBackendModules(name) ?? [];
  if (name === "balancer" && by.key.startsWith("proxypass") && !tracker && hasNoMember(rest.join(":"), project))
    return { status: 503, isLogUnknown: true };
  if (!modulesAreKnown || !isSince(release, "2.4")) return undefined;
  const isOwnTls = modules.unknown.length === 0 && !modules.hasAnyThirdParty();
  const lacksTls = isOwnTls && /^(?:https|wss)$/.test(name) && !modules.has("ssl_module");
  const isUndefined = name === "balancer" && !tracker && !isBalancer(rest.join(":"), project);
  if (able.some((each) => modules.has(each)) && !isUndefined && !lacksTls)
    return tracker || isTunnel(name, project) ? undefined : checkHostName(name, rest.join(":"), path, project);
  return handlerFault(scheme, path);
}

/** Returns the error if no module accepts the URL of a backend, such as that of a balancer which no line defines. */
function handlerFault(scheme: string, path: string): BackendFault {
  const advice =
    "If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.";
  const why = `No protocol handler was valid for the URL ${fromReadable(path)} (scheme '${scheme}').`;
  return { status: 500, errorMessages: [`AH01144: ${why} ${advice}`] };
}

/** Reports whether a balancer that ProxyPass defines has no member (mod_proxy_balancer.c `find_best_worker`). */
function hasNoMember(url: string, project: Project): boolean {
  const { names, isComplete } = balancersOf(project);
  const name = /^\/\/([^/]+)/.exec(url)?.[1]?.toLowerCase();
  const { modules, modulesAreKnown, isPart, problems } = project;
  if (name === undefined || /[$%]/.test(name) || !isComplete || isPart || problems.length > 0) return false;
  // ProxyPass defines a balancer of its URL, and a path may extend the name.
  return !names.has(name) && isBalancer(url, project) && (!modulesAreKnown || modules.has("proxy_balancer_module"));
}

/** Reports whether only mod_proxy_wstunnel connects, which leaves requests without an Upgrade header to others. */
function isTunnel(scheme: string, { modules }: Project): boolean {
  return (scheme === "ws" || scheme === "wss") && !modules.has("proxy_http_module");
}

/** The statuses for a host that is not found, if they are not 500. */
const lookupStatuses: Readonly<Record<string, number>> = { h2: 503, h2c: 503, ftp: 502 };

/**
 * Returns the error for a host with a colon: a path directly after the port of a backend becomes a part of the name
 * (`http://localhost:8080a.html`), and no server has such a name (mod_proxy's `ap_proxy_determine_connection`).
 */
function checkHostName(scheme: string, url: string, path: string, project: Project): BackendFault | undefined {
  const host = hostOf(url);
  if (host === undefined || !host.includes(":") || scheme === "balancer" || usesRemoteProxy(project)) return undefined;
  // In brackets, such a name cannot be parsed.
  if (/[?#]/.test(host)) return { status: 400, isLogUnknown: true };
  return lookupFault(scheme, host, path);
}

/** Returns the error if the host or the balancer of a backend is not found. */
export function lookupFault(scheme: string, host: string, path: string): BackendFault {
  if (scheme === "balancer") return handlerFault(scheme, path);
  const status = lookupStatuses[scheme] ?? 500;
  if (status !== 500 || !/^[!-[\]-~]+$/.test(host + path)) return { status, isLogUnknown: true };
  return { status, errorMessages: [`AH00898: DNS lookup failure for: ${host.toLowerCase()} returned by ${path}`] };
}

/** Returns the host in the part of a URL after the scheme, without a port; undefined for an address in brackets. */
export function hostOf(url: string): string | undefined {
  const [, authority = ""] = /^\/\/(?:[^/]*@)?([^/]*)/.exec(url) ?? [];
  if (authority.startsWith("[")) return undefined;
  return authority.replace(/:\d+$/, "");
}

/** Reports whether another proxy may look up the names of backends. */
export const usesRemoteProxy = memoize((project: Project) => indexDirectives(project).hasAny(remoteProxyNames));

const remoteProxyNames: ReadonlySet<string> = new Set(["proxyremote", "proxyremotematch"]);

/**
 * Returns the host that a path extends because neither the prefix of ProxyPass nor the URL has a slash between them:
 * `ProxyPass /a/ http://backend` passes `/a/b` to `http://backendb`. Undefined if the URL names the host itself.
 */
export function findExtendedHost({ target, by }: ProxyMapping): string | undefined {
  const written = by.arguments.find(({ value }) => /^[a-z][a-z0-9]*:\/\//i.test(value))?.value ?? "";
  const [, literal = "", rest = ""] = /^[^:]*:\/\/([^/$%]*)([\s\S]*)$/.exec(written) ?? [];
  const host = hostOf(target.replace(/^proxy:[^:]*:/, ""));
  if (literal === "" || rest.includes("/") || host === undefined || host === "") return undefined;
  return host === literal.replace(/:\d+$/, "") ? undefined : host;
}

/**
 * Returns whether a line may define the balancer of a URL, or the URL names none: a rule that names another one has no
 * handler (mod_proxy_balancer.c `proxy_balancer_pre_request`).
 */
function isBalancer(url: string, project: Project): boolean {
  const name = /^\/\/([^/]+)/.exec(url)?.[1]?.toLowerCase();
  return name === undefined || definedBalancersOf(project).some((known) => known === name || /[$%](?!\d)/.test(known));
}

/** Returns the names after `balancer://` in all lines that may define them, in lower case. */
const definedBalancersOf = memoize((project: Project): readonly string[] => {
  const found: string[] = [];
  for (const { key, argumentText } of iterateDirectives(project)) {
    if (key.startsWith("rewrite") || key === "sethandler") continue;
    for (const [, name = ""] of argumentText.toLowerCase().matchAll(/balancer:\/\/([^/\s"'>]*)/g)) found.push(name);
    // A pattern may match any name.
    if (key === "<proxymatch") found.push("$");
  }
  return found;
});

/**
 * Returns the error in the URL of a backend for mod_proxy_http, which parses it before the request is passed on
 * (`proxy_http_canon`). Rules of a section may have truncated it.
 *
 * @param ofServer the per-directory configurations of the server
 */
export function checkBackendUrl(
  { target, isRaw, by }: ProxyMapping,
  { modules, release }: Project,
  ofServer: readonly ConfigLayer[],
): BackendFault | undefined {
  const url = target.slice("proxy:".length);
  const [, scheme, rest = ""] = /^((?:https?|wss?):)([\s\S]*)$/i.exec(url) ?? [];
  if (scheme === undefined || !modules.has("proxy_http_module")) return undefined;
  const fault = (read: string, why: string): BackendFault =>
    isSince(release, "2.4")
      ? { status: 400, errorMessages: [`AH01083: error parsing URL ${read}: ${why}`] }
      : { status: 400 };
  if (!rest.startsWith("//")) return fault(url, "Malformed URL");
  const [authority = ""] = rest.slice(2).split("/", 1);
  const at = authority.lastIndexOf("@");
  const [user = "", ...password] = authority.slice(0, Math.max(0, at)).split(":");
  // Parsing cuts the URL, so the message shows only the first part.
  const read = `${scheme}//${at < 0 ? authority : user}`;
  if (hasBadEscape(password.join(":"))) return fault(read, "Bad %-escape in URL (password)");
  if (hasBadEscape(user)) return fault(read, "Bad %-escape in URL (username)");
  if (!isHostAndPort(authority.slice(at + 1))) return fault(read, "Invalid host/port");
  const path = rest.slice(2 + authority.length);
  if (
    isSince(release, "2.4") &&
    by.key === "rewriterule" &&
    isRaw &&
    /[\0-\x20\x7f]/.test(path.replace(/\?[\s\S]*/, ""))
  )
    return { status: 403, errorMessages: ["AH10415: To be forwarded path contains control characters or spaces"] };
  // If slashes stay escaped, a bare percent sign is parsed as the start of an escape.
  const isEscaped = isSince(release, "2.4") && !isRaw && slashRulesOf(ofServer).encoded === "kept";
  return isEscaped && hasBadEscape(path) ? { status: 400 } : undefined;
}

function hasBadEscape(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text);
}

/** Returns whether APR accepts the text as a host with a port (`apr_parse_addr_port`). */
function isHostAndPort(text: string): boolean {
  const [, host = text, port = "80"] = /^([\s\S]*):(\d+)$/.exec(text) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  if (/^\d*$/.test(host) && host === text) return false;
  return isPort && host !== "" && (!host.startsWith("[") || /^\[[\da-f:.]+\]$/i.test(host));
}
