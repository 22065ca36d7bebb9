import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import { findSkippedListen } from "../config/queries/inactive-lines.js";
import { moduleBaseOf } from "../config/queries/skipped-lines.js";
import { findUnreadPart } from "../config/refusals/refusal.js";
import { behaves } from "../facts/behaviours.js";
import { isSince, nameRelease } from "../facts/release.js";
import { formatAddress, parseAddress } from "../text/addresses.js";
import { lineAt, toReadable } from "../text/source.js";
import { formatWordList } from "../text/words.js";
import { keepMergedRules, type RulesTransform } from "./access/merge.js";
import { mapToForwardProxy } from "./mapping/forward-proxy.js";
import type { AccessRecorder } from "./model/access-recorder.js";
import { asksBehaviour } from "./model/behaviour.js";
import { findSetting, firstArgumentOf, keywordArgumentOf } from "./model/config-layer.js";
import type { FileTree } from "./model/file-tree.js";
import type { Oracle } from "./model/oracle.js";
import {
  hostInTarget,
  isAuthority,
  isMethod,
  portOf,
  type Request,
  requestLineOf,
  targetOfRequest,
  withHostOfTarget,
} from "./model/request.js";
import type { RequestOutcome } from "./model/request-outcome.js";
import { isSameAddress, readListenLine } from "./model/server.js";
import type { SimulationSetup } from "./model/simulation-setup.js";
import type { Note } from "./model/trace-step.js";
import { unknownFact } from "./model/unknown-facts.js";
import { finalResponse, respondEarly } from "./phases/final-response.js";
import { runPasses } from "./phases/passes.js";
import { createFaultFinder } from "./phases/refused-lines.js";
import { applyRejection } from "./phases/rejection.js";
import { checkRequestLimits } from "./phases/request-limits.js";
import { withCredentials } from "./request/credentials.js";
import { applyEarlyHeaders } from "./request/early-headers.js";
import { collectRegisteredMethods } from "./request/method-registry.js";
import { findProtocolOption } from "./request/protocol-options.js";
import { applyRemoteIp } from "./request/remote-ip.js";
import { isMalformedHost, isMalformedUnsafeHost, isNameWithUnderscore } from "./request/request-parser.js";
import { configuredNameOf, normalizeHostName } from "./request/server-names.js";
import {
  listMessagesOfInvalidPath,
  type NormalizedPath,
  normalizePath,
  slashRulesOf,
} from "./request/url-normalization.js";
import { ServerLookup } from "./request/vhost-lookup.js";
import { markProgramsUndecidable, markUndefinedVariables } from "./sections/undecidable-lines.js";
import { checkHandshakeCertificate, checkHandshakeName } from "./tls/handshake-name.js";
import { DirectoryWalker } from "./walk/directory-walk.js";

/** Processes a request as the server does, from the Host header and the URL to the status. */
export function processRequest(
  setup: SimulationSetup,
  sent: Request,
  oracle: Oracle,
  recorder?: AccessRecorder,
): RequestOutcome {
  const { release } = setup.project;
  const request = withHostOfTarget(sent);
  const rejected = answerPlainOnTls(setup, request, oracle) ?? checkHandshakeCertificate(setup, request, oracle);
  if (rejected) return rejected;
  // The limits are not part of a proof, whose requests have no length.
  const limited = request.tracker
    ? undefined
    : checkRequestLimits(request, setup.servers.defaultServerOf(request, oracle));
  if (limited) return limited;
  const unregistered = findRegisteredMethodsLine(setup, request, oracle);
  const isMalformed =
    unregistered === undefined &&
    (isHostRejected(setup, request, oracle) || (isSince(release, "2.4") && isMalformedTarget(request)));
  const isByConnection = isMalformed || unregistered !== undefined;
  const { servers } = setup;
  const server = isByConnection ? servers.defaultServerOf(request, oracle) : servers.serverOf(request, oracle);
  const { layers } = server;
  const ofName = isByConnection || request.tracker ? undefined : checkHandshakeName(setup, request, server, oracle);
  const strict = ofName ?? (isByConnection ? undefined : checkHostStrictly(setup, request, oracle));
  const run = { setup, server, oracle, recorder };
  if (unregistered) return respondEarly(run, request, { status: 501, log: [], by: [unregistered], layers });
  if (strict) return respondEarly(run, request, strict);
  if (isMalformed) return respondEarly(run, request, { status: 400, log: [], by: [], layers });
  if (isSince(release, "2.4") && request.path === "*") return { status: 200, log: [], by: [], layers };
  const assumed = setup.accessCheck?.forwardedUrl;
  const forward = mapToForwardProxy(request, server, setup.servers, setup.project, assumed);
  if (isSince(release, "2.4") && !forward && !isServedScheme(request))
    return respondEarly(run, request, { status: 400, log: [], by: [], layers });
  const plain = normalizePath(parsedPathOf(request), release, slashRulesOf(layers), oracle);
  const url = forward ? forwardedUrl(request, plain, assumed) : plain;
  if ("status" in url) {
    const errorMessages =
      url.status === 400 ? listMessagesOfInvalidPath(targetOfRequest(request), requestLineOf(request), release) : [];
    return respondEarly(run, request, { status: url.status, log: [], by: [], layers, errorMessages }, true);
  }
  if (url.path.includes("\n") && behaves(release, "dot-matches-line-feed") !== true)
    oracle.markUndecidable(unknownFact("escaped-line-feed", nameRelease(release)));
  // A symbolic request already has its headers in the form that later steps see.
  const { project } = setup;
  const known = request.tracker ? request : applyRemoteIp(request, server, project, oracle);
  const received = request.tracker
    ? request
    : applyEarlyHeaders(withCredentials(known, project), layers, project, oracle);
  markProgramsUndecidable(layers, setup.project, oracle);
  markUndefinedVariables(layers, setup.project, oracle, true);
  const answered = finalResponse(run, received, runPasses(run, received, url, forward ? { forward } : {}));
  const outcome = setup.ignoresRejection ? answered : applyRejection(answered, received, setup.project, oracle);
  // 2.2 messages do not have numbers.
  return !isSince(release, "2.4") && outcome.log.length > 0 ? { ...outcome, log: [] } : outcome;
}

/**
 * Rejects a Host header that no virtual host at the address names, if the default one has StrictHostCheck On
 * (server/vhost.c `ap_update_vhost_from_headers_ex`).
 */
function checkHostStrictly(
  { servers, project }: SimulationSetup,
  request: Request,
  oracle: Oracle,
): RequestOutcome | undefined {
  const host = normalizeHostName(request.host);
  if (!isSince(project.release, "2.4") || host === undefined || request.tracker) return undefined;
  const { layers, section } = servers.defaultServerOf(request, oracle);
  const line = findSetting(layers, "stricthostcheck");
  if (keywordArgumentOf(line) !== "on" || line === undefined) return undefined;
  const selection = servers.hostSelectionFor(request, oracle);
  if (selection === "named") return undefined;
  if (selection === "none" || selection === "unnamed") {
    const name = configuredNameOf(servers.main)?.toLowerCase();
    if (name === undefined ? oracle.ask(unknownFact("own-name", host)) : name === host) return undefined;
  }
  const { file, start } = (section ?? line).span;
  const place = `the matching virtual host (default vhost for current connection is ${file.path}:${lineAt(file, start)})`;
  const where = section ? `AH10157: ${place}` : "AH10156: the global server configuration ";
  const [code = "", ...rest] = where.split(": ");
  const message = `${code}: Requested hostname '${host}' did not match any ServerName/ServerAlias in ${rest.join(": ")}`;
  return { status: 400, log: [code], by: [line], layers, errorMessages: [message], replacedBy: [line] };
}

/**
 * Reports whether the server rejects the host: HttpProtocolOptions of the connection's server applies. Only the port of
 * a Host header is checked.
 */
function isHostRejected({ servers, project }: SimulationSetup, request: Request, oracle: Oracle): boolean {
  const host = hostInTarget(request)?.replace(/:\d+$/, "") ?? request.host;
  if (host === undefined || !(isMalformedHost(host) || isNameWithUnderscore(host))) return false;
  if (isMalformedUnsafeHost(host) && isSince(project.release, "2.4")) return true;
  const { layers } = servers.defaultServerOf(request, oracle);
  if (findProtocolOption(layers, "unsafe", "strict") !== undefined) return false;
  if (!isMalformedHost(host)) return asksBehaviour(project.release, "underscores-rejected", oracle);
  return asksBehaviour(project.release, "strict-requests", oracle);
}

/**
 * Returns the `HttpProtocolOptions RegisteredMethods` of the connection's server that rejects the method of a request
 * before everything else (server/protocol.c `ap_parse_request_line`).
 */
function findRegisteredMethodsLine(
  { servers, project }: SimulationSetup,
  request: Request,
  oracle: Oracle,
): Directive | undefined {
  const { layers } = servers.defaultServerOf(request, oracle);
  const line = findProtocolOption(layers, "registeredmethods", "lenientmethods");
  if (line === undefined) return undefined;
  const methods = collectRegisteredMethods(project).list();
  return isMethod(request, ...methods) ? undefined : line;
}

/**
 * Reports whether the target is not one for the method (server/protocol.c `ap_parse_uri`): an authority is for CONNECT
 * only, and `*` for OPTIONS, which the server answers before any access check (modules/http/http_core.c
 * `http_send_options`). Proofs are about paths.
 */
function isMalformedTarget(request: Request): boolean {
  const { path, origin, tracker } = request;
  if (tracker) return false;
  // After a host, `*` is a part of its name.
  if (path === "*") return origin !== undefined || !isMethod(request, "OPTIONS");
  return isMethod(request, "CONNECT")
    ? !isAuthority(path)
    : !(origin !== undefined && path === "") && !path.startsWith("/");
}

/** Returns the path that the server reads: `/` for a tunnel and for a URL without one (server/protocol.c `ap_parse_uri`). */
function parsedPathOf({ path, tracker }: Request): string {
  return !tracker && (path === "" || isAuthority(path)) ? "/" : path;
}

/** Reports whether the server itself handles URLs with the scheme in the request line. */
function isServedScheme({ origin }: Request): boolean {
  return origin === undefined || /^https?:/i.test(origin);
}

/**
 * Returns the URL that sections are compared with, as sent: a forward proxy only checks its path (modules/proxy/mod_proxy.c
 * `proxy_detect`).
 */
function forwardedUrl(request: Request, plain: NormalizedPath, assumed: string | undefined): NormalizedPath {
  if (request.origin !== undefined && "status" in plain && plain.status === 400) return plain;
  const path = assumed ?? targetOfRequest(request);
  return { path, escaped: path };
}

/** Prepares everything that does not depend on the request. @param transform the step between merging and deciding */
export function prepareSimulation(
  project: Project,
  files: FileTree,
  transform: RulesTransform = keepMergedRules,
): SimulationSetup {
  const walks = new DirectoryWalker(project, files, createFaultFinder(project));
  return {
    project,
    files,
    servers: new ServerLookup(project.directives, project.release, project.fillsInAddresses),
    walks,
    transform,
  };
}

/**
 * Returns the response to a request without TLS where SSLEngine is on: mod_ssl substitutes its own request
 * (modules/ssl/ssl_engine_io.c `HTTP_ON_HTTPS_PORT`). A request counts as plain only if its scheme is given as `http`.
 * Names are not compared yet: the first virtual host at the address decides.
 */
function answerPlainOnTls(setup: SimulationSetup, request: Request, oracle: Oracle): RequestOutcome | undefined {
  const { servers } = setup;
  const { modules, release } = setup.project;
  if (request.scheme !== "http" || !modules.has("ssl_module")) return undefined;
  const server = servers.defaultServerOf(request, oracle);
  const { state, line } = servers.tlsEngineOf(server);
  const isOn = state === "on" || (state === "unknown" && oracle.ask(unknownFact("listen-address")));
  if (!isOn || line === undefined) return undefined;
  const path = !isSince(release, "2.4") ? "/mod_ssl:error:HTTP-request" : "/";
  return { status: 400, log: [], by: [line], layers: server.layers, requestLine: `GET ${path} HTTP/1.0` };
}

/** Returns a note if a request uses `https` and TLS is off: the server never receives it. */
export function findTlsNotes(setup: SimulationSetup, request: Request, oracle: Oracle): Note[] {
  const { modules, modulesAreKnown } = setup.project;
  if (request.scheme !== "https" || modules.unknown.length > 0) return [];
  const server = setup.servers.defaultServerOf(request, oracle);
  // A certificate shows that mod_ssl is to answer.
  if (!modulesAreKnown && findSetting(server.layers, "sslcertificatefile") === undefined) return [];
  const { state, line } = setup.servers.tlsEngineOf(server);
  const directive = line ?? server.section;
  if (directive === undefined || state !== "off") return [];
  const why = line ? "does not enable TLS" : "has no `SSLEngine on`";
  const text = `${why}, so a client of \`https\` gets no response; this result assumes that httpd accepts \`https\` here`;
  const written = line ? `use \`${line.name} on\`` : "add `SSLEngine on`";
  const hasCertificate = findSetting(server.layers, "sslcertificatefile") !== undefined;
  const more = hasCertificate ? "" : ", with `SSLCertificateFile` and `SSLCertificateKeyFile`";
  return [{ directive, text, lacks: "TLS", help: [`${written}${line ? "" : " to it"}${more}`] }];
}

/** Reports whether the socket of a Listen line may accept connections to an address of the server. */
function acceptsAt(line: Directive, serverIp: string): boolean {
  const { address } = readListenLine(line);
  // `0.0.0.0` is any address of IPv4; a socket of `::` takes those of IPv4 as well.
  const isAny = address === undefined || /^(?:0\.0\.0\.0|::)$/.test(formatAddress(address));
  return isAny || isSameAddress(address, parseAddress(serverIp));
}

/**
 * Returns a note if a request names a port on which no Listen line listens (server/listen.c): no client can connect to it. A
 * VirtualHost opens no port.
 */
export function findListenNotes({ project, servers }: SimulationSetup, request: Request, oracle: Oracle): Note[] {
  const isWritten = request.port !== undefined || request.serverIp !== undefined || /:\d+$/.test(request.host ?? "");
  // A container or a balancer often maps port 80 to another one.
  if (!isWritten && request.scheme !== "https") return [];
  const lines = project.directives.filter(({ key }) => key === "listen");
  const [first] = lines;
  const isUndecided = project.guards.some((guard) => guard.isUndecided);
  const isUnread = isUndecided || project.isPart || findUnreadPart(project.problems) !== undefined;
  if (isUnread || first === undefined || lines.some(({ arguments: [word] }) => !/\d$/.test(word?.value ?? "")))
    return [];
  const port = portOf(request);
  const { serverIp } = request;
  const [open, ...others] = lines.filter((line) => readListenLine(line).port === port);
  if (open !== undefined) {
    const listening = [open, ...others];
    if (serverIp === undefined || listening.some((line) => acceptsAt(line, serverIp))) return [];
    const addresses = formatWordList([...new Set(listening.map((line) => `\`${firstArgumentOf(line) ?? ""}\``))]);
    const text = `httpd listens only on ${addresses}, so a client of ${serverIp} cannot connect`;
    return [{ directive: open, text, lacks: "Listen", help: [`use \`Listen ${port}\` to listen on all addresses`] }];
  }
  const skipped = findSkippedListen(project, port);
  const ports = [...new Set(lines.map((line) => readListenLine(line).port))].map((each) => `\`${each}\``);
  const { section } = servers.defaultServerOf(request, oracle);
  const opens = section?.key === "<virtualhost" ? "a `<VirtualHost>` opens no port; " : "";
  const listed = formatWordList(ports);
  if (skipped) {
    const module = `${moduleBaseOf(skipped.argument)}_module`;
    const name = `\`<IfModule ${toReadable(skipped.argument)}>\``;
    const why = `httpd skips the \`Listen ${port}\` in ${name}, because \`${module}\` is not loaded, and listens only on ${listed}`;
    const help = [
      `add a \`LoadModule\` line for \`${module}\`; \`--modules=+${moduleBaseOf(skipped.argument)}\` shows the response with it`,
    ];
    return [{ directive: first, text: why, lacks: "module", help }];
  }
  const text = `${opens}httpd listens only on ${listed}, so a client of port ${port} cannot connect`;
  const help = [
    `add \`Listen ${port}\`; if a proxy or a container maps this port to another one, name that with \`--port\``,
  ];
  return [{ directive: first, text, lacks: "Listen", help }];
}
