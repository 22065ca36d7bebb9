import { isLocalhost, parseAddress } from "../../text/addresses.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { type ClientTest, type DependencyTracker, type PeekedTest, TrackedEnvironment } from "./dependency-tracker.js";
import type { Environment } from "./environment.js";
import { clauseOfFact, type UnknownFact, unknownFact } from "./unknown-facts.js";
import type { UnknownValue } from "./unknown-value.js";

/** A request as received by the server, with its facts about the client at the access check. */
export interface Request {
  /** As sent: `GET`. */
  readonly method: string;
  /** The path as sent, including escapes, without the query; `www.example.org:443` for CONNECT. */
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
  readonly scheme?: "http" | "https";
  /** The Host header; absent if none is sent. */
  readonly host?: string;
  /**
   * The scheme and authority of a request line with the whole URL, as clients of a forward proxy send it:
   * `http://www.example.org:8080`. With the scheme of the connection, it overrides the Host header.
   */
  readonly origin?: string;
  /** The port of the server's socket. */
  readonly port?: number;
  /** The server's own address. */
  readonly serverIp?: string;
  /** The facts about names and addresses that hold where they select the virtual host, and no others; absent: unknown. */
  readonly nameFacts?: ReadonlySet<UnknownFact>;
  /** The client as access control sees it, after mod_remoteip. */
  readonly clientIp: string;
  /** The address that connects, if it is known: that of the client, or of a proxy. */
  readonly peerIp?: string;
  /** The client's host name if forward and reverse lookup agree; if absent, the hosts file of the server may have one. */
  readonly clientHost?: string;
  /** Whether the client has no host name. */
  readonly isUnnamed?: boolean;
  /** The user, if the client sends valid credentials. */
  readonly user?: string;
  /** The user's groups in the text file, and in the dbm file. */
  readonly groups?: readonly string[];
  readonly dbmGroups?: readonly string[];
  /** Environment variables set before access is checked, with their values; `1` for bare names. */
  readonly env?: readonly string[];
  /** Requirements that a directory service, a database or a resolver grants: `ldap-group cn=staff`. Absent: unknown. */
  readonly grants?: readonly string[];
  /** Request headers other than Host, and than the Authorization header of the user. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The client in the TLS handshake, as far as it is known. */
  readonly tls?: TlsClient;
  /** The Authorization header with which the user logs in; only `simulate` adds it. */
  readonly authorization?: UnknownValue;
  /** Whether a proxy may have sent it, as mod_remoteip determined: the address of the connection is then unknown. */
  readonly hasProxy?: boolean;
  /** The outer request, if this is a subrequest for an index file. */
  readonly outer?: Request;
  /** The original request, if rewriting has changed its URL. */
  readonly sent?: Request;
  /** The recorder of the predicates that a decision reads. */
  readonly tracker?: DependencyTracker;
  /** What lines have changed in the headers of a request with such a recorder, which are not known. */
  readonly headerChange?: HeaderChange;
  /** The headers of a request without such a recorder to which lines have given a value that is not known, by lower-case name. */
  readonly changedHeaders?: ReadonlyMap<string, ChangedHeader>;
}

/** The client of a TLS connection; undefined parts are unknown. */
export interface TlsClient {
  readonly version?: TlsVersion | undefined;
  /** Whether it has a certificate that the server accepts. It sends the certificate if the server asks for one. */
  readonly certificate?: "none" | "verified" | undefined;
  /** The name of the server that the client sends in the handshake (SNI); empty if it sends none. */
  readonly serverName?: string | undefined;
  /** The subject of the certificate: `/C=DE/CN=alice`. */
  readonly subject?: string | undefined;
}

export const tlsVersions = ["1.0", "1.1", "1.2", "1.3"] as const;
export type TlsVersion = (typeof tlsVersions)[number];

/** A header with a value that is not known. */
interface ChangedHeader {
  readonly value: UnknownValue;
  /** Marks the answer as unknown, for readers that need the value itself. */
  readonly markRead: () => void;
}

interface HeaderChange {
  /** The names that may have changed, in lower case. */
  readonly names: ReadonlySet<string>;
  /** The lines that changed them: after equal lines, the results of tests are equal. */
  readonly lines: string;
}

/**
 * Records a test of data that a client may choose freely, or of a text that is not modeled: a header, the query, an
 * address by its digits.
 *
 * @param test the fact that it holds
 * @param actual the result for this request
 * @param of for a test of one header, of the address, or of the path as sent: the pattern or text it is compared to
 * @returns the result to continue with
 */
export function recordTest(request: Request, test: UnknownFact, actual: boolean, of?: ClientTest): boolean {
  const { tracker } = request;
  if (tracker === undefined) return actual;
  const { predicate, holds } = peekTest(request, tracker, test, actual, of);
  tracker.recordPredicate(predicate, holds);
  return holds;
}

/**
 * Returns such a test without recording it. After a change of the headers, it says nothing about the same test of the
 * headers as sent, so that it is another fact.
 */
export function peekTest(
  { headerChange }: Request,
  tracker: DependencyTracker,
  test: UnknownFact,
  actual: boolean,
  of?: ClientTest,
): PeekedTest {
  const isSame =
    headerChange === undefined || (of && !("header" in of && headerChange.names.has(of.header.toLowerCase())));
  return isSame
    ? tracker.peekTest(test, actual, of)
    : tracker.peekTest(unknownFact("after-header-change", headerChange.lines, test), actual);
}

/** Records that it matters whether the client sends valid credentials. */
export function recordLogin({ tracker, user, changedHeaders }: Request): void {
  tracker?.recordPredicate({ kind: "any-user" }, user !== undefined);
  changedHeaders?.get("authorization")?.markRead();
}

/** Returns the method, and records that any method matters. */
export function readMethod({ method, tracker }: Request): string {
  tracker?.recordMethod();
  return method;
}

/** Reports whether the method is one of some methods. */
export function isMethod({ method, tracker }: Request, ...names: readonly string[]): boolean {
  tracker?.recordMethod(names);
  return names.includes(method);
}

/** Returns the server's subrequest for an index file (`ap_set_sub_req_protocol`). */
export function createInnerRequest(outer: Request): Request {
  return { ...outer, method: "GET", outer };
}

/** Returns how many requests a request is nested in. */
export function depthOf({ outer }: Request): number {
  return outer ? 1 + depthOf(outer) : 0;
}

/** Returns a request with a rewritten URL. @param query undefined if it no longer has one */
export function withRewrittenUrl(request: Request, path: string, query: string | undefined): Request {
  const { query: _, ...rest } = request;
  return { ...rest, path, ...(query === undefined ? {} : { query }), sent: request.sent ?? request };
}

/** Returns the protocol: requests without a Host use an old one, and subrequests have a special one. */
export function protocolOf({ host, outer }: Request): string {
  return outer ? "INCLUDED" : host === undefined ? "HTTP/1.0" : "HTTP/1.1";
}

/** Returns the first line of the request as sent, as a binary string. */
export function requestLineOf(request: Request): string {
  const first = request.outer ?? request.sent;
  if (first) return requestLineOf(first);
  return `${readMethod(request)} ${fromReadable(targetOfRequest(request))} ${protocolOf(request)}`;
}

/** Returns the target in the request line. */
export function targetOfRequest({ origin = "", path, query }: Request): string {
  return `${origin}${path}${query === undefined ? "" : `?${query}`}`;
}

/** Returns the request with the host that its request line names, which overrides the Host header. */
export function withHostOfTarget(request: Request): Request {
  const host = hostInTarget(request);
  return host === undefined ? request : { ...request, host };
}

/**
 * Returns the host with its port in a request line: of CONNECT, and of a URL with the scheme of the connection
 * (server/protocol.c `ap_parse_uri`). The server accepts any number as its port, and none after the colon.
 */
export function hostInTarget({ origin, method, path, scheme = "http" }: Request): string | undefined {
  const [, named = "", authority] = /^([^:]*):\/\/(.*)$/.exec(origin ?? "") ?? [];
  if (authority !== undefined && named.toLowerCase() === scheme) return authority.replace(/:(?:[+-]\d+)?$/, "");
  return method === "CONNECT" && isAuthority(path) ? path : undefined;
}

/** Reports whether a target is a host with a port, as for CONNECT. */
export function isAuthority(target: string): boolean {
  return /^[^/?#]+:\d+$/.test(target);
}

export const DEFAULT_SERVER_IP = "127.0.0.1";

/** Returns the port that a request arrives at. */
export function portOf({ port, scheme }: Request): number {
  return port ?? defaultPortOf(scheme);
}

/** Returns the default port of URLs. @param scheme `http` if absent */
export function defaultPortOf(scheme: "http" | "https" | undefined): number {
  return scheme === "https" ? 443 : 80;
}

/**
 * Returns the initial environment of a request, `NAME` or `NAME=VALUE`; names are case-insensitive and kept in lower
 * case.
 */
export function environmentOf({ env, tracker }: Request): Environment {
  const initial = env === undefined ? new Map<string, string>() : variablesIn(env);
  return tracker ? new TrackedEnvironment(initial, tracker) : initial;
}

function variablesIn(env: readonly string[]): Map<string, string> {
  return new Map(
    env.map((entry) => {
      const equals = entry.indexOf("=");
      return equals < 0 ? [entry.toLowerCase(), "1"] : [entry.slice(0, equals).toLowerCase(), entry.slice(equals + 1)];
    }),
  );
}

/**
 * Returns a header by its case-insensitive name; undefined if it was not sent. One that lines have changed to an unknown value makes
 * the answer unknown.
 */
export function headerOf(request: Request, name: string): string | undefined {
  const lower = name.toLowerCase();
  request.changedHeaders?.get(lower)?.markRead();
  if (lower === "host") return request.host;
  if (request.headers === undefined) return undefined;
  for (const [key, value] of Object.entries(request.headers)) if (key.toLowerCase() === lower) return value;
  return undefined;
}

/** Renders the assumptions that are not part of a request: "`/srv/www/x` is a directory". */
export function formatAssumptions({
  files,
  facts,
}: {
  readonly files: ReadonlyMap<string, string>;
  readonly facts: ReadonlySet<UnknownFact>;
}): readonly string[] {
  const there = [...files].map(([path, kind]) => `\`${path}\` is a ${kind}`);
  return [...there, ...[...facts].map(clauseOfFact)];
}

function describeUrl(request: Request): string {
  const { path, scheme, host, port, serverIp, origin } = request;
  if (origin !== undefined || isAuthority(path)) return targetOfRequest(request);
  const isUsual = port === undefined || port === defaultPortOf(scheme);
  const authority = host ?? (serverIp?.includes(":") ? `[${serverIp}]` : serverIp);
  return authority === undefined ? path : `${scheme ?? "http"}://${authority}${isUsual ? "" : `:${port}`}${path}`;
}

/** Describes the name of a client, unless it is the usual one of the machine itself. */
function describeHostName({ clientIp, clientHost, isUnnamed }: Request): string {
  if (isUnnamed) return " (without a host name)";
  const address = parseAddress(clientIp);
  const isUsual = clientHost === "localhost" && address !== undefined && isLocalhost(address);
  return clientHost === undefined || isUsual ? "" : ` (\`${clientHost}\`)`;
}

/** Renders a request as text: ``GET `http://a.test/x` from 10.0.0.1``. */
export function describeRequest(request: Request): string {
  const { method, scheme, clientIp, user, groups, env, headers = {} } = request;
  const url = describeUrl(request);
  const tls = scheme === "https" && url.startsWith("/") ? " over TLS" : "";
  const who = user === undefined ? "" : ` as user \`${user}\`${groups ? ` of group \`${groups.join(" ")}\`` : ""}`;
  const name = describeHostName(request);
  const variables = env === undefined ? "" : ` with ${env.map((each) => `\`${each}\``).join(", ")} set`;
  const sent = Object.entries(headers).map(([key, value]) => ` with the header \`${key}: ${value}\``);
  return toReadable(`${method} \`${url}\`${tls} from ${clientIp}${name}${who}${variables}${sent.join("")}`);
}
