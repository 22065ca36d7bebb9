import {
  type Argument,
  balancerNameIn,
  balancersOf,
  type Directive,
  indexDirectives,
  isWholeServer,
  mayHaveMoreLines,
  type Project,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { findClosestWord, memoize } from "../../src/lint/api/rule.js";
import { backendKeys, findBackendUrl, readBackendPort } from "./backend-urls.js";

/** Why requests for a backend fail, although its module is loaded. */
export type ProxyFault =
  /** mod_proxy uses TLS only with SSLProxyEngine (mod_proxy_http.c, `ap_ssl_bind_outgoing`). */
  | { readonly kind: "no TLS"; readonly isPart: boolean }
  /** The line needs TLS, and another line uses the same port without it. */
  | { readonly kind: "plain port"; readonly plain: Directive; readonly corrected: string; readonly isPart: boolean }
  /** The balancer has no member (mod_proxy_balancer.c `proxy_balancer_pre_request`). */
  | { readonly kind: "no member"; readonly name: string; readonly similar: string | undefined }
  /** The balancer cannot keep a session on a member, because none has a name (mod_proxy_balancer.c `find_route_worker`). */
  | { readonly kind: "no route"; readonly name: string; readonly isPart: boolean }
  /** httpd puts the path of the script after that of the URL (mod_proxy_fcgi.c `fix_cgivars`). */
  | { readonly kind: "path twice"; readonly path: string; readonly corrected: string };

/** Finds a fault of a backend. @param url the word with the URL, without `proxy:` */
export function findProxyFault(directive: Directive, url: Argument, project: Project): ProxyFault | undefined {
  const { value } = url;
  if (directive.key === "sethandler") return findSecondPath(directive, value, project);
  if (/^(?:https|wss):\/\//i.test(value)) return findMissingTls(directive, value, project);
  const name = balancerNameIn(value);
  if (name === undefined) return undefined;
  return findEmptyBalancer(name, project) ?? findMissingRoutes(directive, name, project);
}

function findMissingTls(directive: Directive, url: string, project: Project): ProxyFault | undefined {
  const isPart = !isWholeServer(project);
  const host = virtualHostAround(directive);
  // The server of a `.htaccess` file, and of lines outside of virtual hosts, may be configured in another file.
  if (isPart && host === undefined) return undefined;
  if (mayHaveMoreLines(project)) return undefined;
  const isOn = engineLinesOf(project).some(({ parent, arguments: [word], key }) => {
    if (key === "sslproxyengine" && word?.value.toLowerCase() === "off") return false;
    const around = parent && (parent.key === "<virtualhost" ? parent : virtualHostAround(parent));
    return around === undefined || around === host;
  });
  if (isOn) return undefined;
  const plain = plainLinesOf(project).get(readBackendPort(url)?.port ?? "");
  const corrected = url.replace(/^(http|ws)s(?=:)/i, "$1");
  return plain ? { kind: "plain port", plain, corrected, isPart } : { kind: "no TLS", isPart };
}

/** The first line for each host and port that is used without TLS. */
const plainLinesOf = memoize((project: Project): ReadonlyMap<string, Directive> => {
  const lines = new Map<string, Directive>();
  for (const line of backendKeys.flatMap((key) => indexDirectives(project).named(key))) {
    const backend = readBackendPort(findBackendUrl(line)?.value ?? "");
    if (backend && !backend.usesTls && !lines.has(backend.port)) lines.set(backend.port, line);
  }
  return lines;
});

/** Lines that turn TLS to backends on. */
const engineLinesOf = memoize((project: Project): readonly Directive[] => {
  const index = indexDirectives(project);
  return [...index.named("sslproxyengine"), ...index.named("tlsproxyengine")];
});

function findEmptyBalancer(name: string, project: Project): ProxyFault | undefined {
  const { names, isComplete } = balancersOf(project);
  if (!isComplete || names.has(name)) return undefined;
  const similar = findClosestWord(name, names);
  // Another file may define it.
  const isPart = !isWholeServer(project) || mayHaveMoreLines(project);
  return similar === undefined && isPart ? undefined : { kind: "no member", name, similar };
}

/** Finds a line that sets `stickysession` for a balancer of which no member has a `route`. */
function findMissingRoutes({ arguments: words }: Directive, name: string, project: Project): ProxyFault | undefined {
  const index = indexDirectives(project);
  const isOfBalancer = (line: Directive) =>
    [line.arguments[0], line.parent?.arguments[0]].some((word) => balancerNameIn(word?.value ?? "") === name);
  const settings = index.named("proxyset").filter(isOfBalancer);
  const isSticky = [words, ...settings.map((line) => line.arguments)].some((each) =>
    each.some(({ value }) => /^stickysession=./i.test(value)),
  );
  const members = index.named("balancermember").filter(isOfBalancer);
  if (!isSticky || members.length < 2 || mayHaveMoreLines(project) || !balancersOf(project).isComplete)
    return undefined;
  const hasRoute = [...members, ...index.named("proxyset")].some(({ argumentText }) => /\broute=/i.test(argumentText));
  return hasRoute ? undefined : { kind: "no route", name, isPart: !isWholeServer(project) };
}

function findSecondPath({ parent }: Directive, url: string, project: Project): ProxyFault | undefined {
  const [, start = "", path = ""] = /^((?:unix:[^|]*\|)?fcgi:\/\/[^/]+)(\/[^?]*)$/i.exec(url) ?? [];
  if (!/\/[^/]/.test(path) || !parent?.key.startsWith("<files") || !/php/i.test(parent.argumentText)) return undefined;
  if (indexDirectives(project).named("proxyfcgisetenvif").length > 0) return undefined;
  return { kind: "path twice", path, corrected: start };
}
