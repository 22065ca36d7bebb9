import { fromReadable, toReadable } from "../../text/source.js";
import { type DependencyTracker, TrackedEnvironment } from "./dependency-tracker.js";

/** A request as the server gets it, with what it knows of the client when access is checked. */
export interface Request {
  /** As sent: `GET`. */
  readonly method: string;
  /** The path as sent, escapes and all, without the query. */
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
  readonly scheme?: "http" | "https";
  /** The Host header; absent where none is sent. */
  readonly host?: string;
  /** The port of the server's socket. */
  readonly port?: number;
  /** The server's own address. */
  readonly serverIp?: string;
  /** The client as access control sees it, after mod_remoteip. */
  readonly clientIp: string;
  /** The client's name where its address leads to it and it leads back; absent where it has none. */
  readonly clientHost?: string;
  /** Who it is, where it sends valid credentials. */
  readonly user?: string;
  /** The user's groups in the text file, and in the dbm file. */
  readonly groups?: readonly string[];
  readonly dbmGroups?: readonly string[];
  /** Environment variables set before access is checked, with their values; `1` for bare names. */
  readonly env?: readonly string[];
  /** What Require asks of a directory, a database or a resolver and they grant: `ldap-group cn=staff`. Absent: unknown. */
  readonly grants?: readonly string[];
  /** Request headers beside Host and Authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The request that this one is made for, where the server asks itself for an index file. */
  readonly outer?: Request;
  /** The request as it came in, where rewriting has changed its URL. */
  readonly sent?: Request;
  /** Who wants to know what a decision looks at. */
  readonly looks?: DependencyTracker;
}

/** The method, where all of it matters. */
export function readMethod({ method, looks }: Request): string {
  looks?.recordMethod();
  return method;
}

/** Whether it is one of some methods. */
export function isMethod({ method, looks }: Request, ...names: readonly string[]): boolean {
  looks?.recordMethod(names);
  return names.includes(method);
}

/** How the server asks itself for an index file (`ap_set_sub_req_protocol`). */
export function createInnerRequest(outer: Request): Request {
  return { ...outer, method: "GET", outer };
}

/** A request whose URL the server has rewritten. @param query undefined where it has none any more */
export function withRewrittenUrl(request: Request, path: string, query: string | undefined): Request {
  const { query: _, ...rest } = request;
  return { ...rest, path, ...(query === undefined ? {} : { query }), sent: request.sent ?? request };
}

/** Requests without a Host are old ones; those that the server makes itself have a protocol of their own. */
export function protocolOf({ host, outer }: Request): string {
  return outer ? "INCLUDED" : host === undefined ? "HTTP/1.0" : "HTTP/1.1";
}

/** The first line of the request as it was sent, as a binary string. */
export function requestLineOf(request: Request): string {
  const first = request.outer ?? request.sent;
  if (first) return requestLineOf(first);
  const { path, query } = request;
  return `${readMethod(request)} ${fromReadable(path)}${query === undefined ? "" : `?${query}`} ${protocolOf(request)}`;
}

export const DEFAULT_SERVER_IP = "127.0.0.1";

/** The port that a request comes in at. */
export function portOf({ port, scheme }: Request): number {
  return port ?? defaultPortOf(scheme);
}

/** The port of URLs that say none. @param scheme `http` where it is absent */
export function defaultPortOf(scheme: "http" | "https" | undefined): number {
  return scheme === "https" ? 443 : 80;
}

/** The environment that a request brings along, `NAME` or `NAME=VALUE`; names count in any case and are kept in lower case. */
export function environmentOf({ env, looks }: Request): Map<string, string> {
  const brought = env === undefined ? new Map<string, string>() : variablesIn(env);
  return looks ? new TrackedEnvironment(brought, looks.ownVariables) : brought;
}

function variablesIn(env: readonly string[]): Map<string, string> {
  return new Map(
    env.map((entry) => {
      const equals = entry.indexOf("=");
      return equals < 0 ? [entry.toLowerCase(), "1"] : [entry.slice(0, equals).toLowerCase(), entry.slice(equals + 1)];
    }),
  );
}

/** A header by its name in any case; undefined where it was not sent. */
export function headerOf(request: Request, name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === "host") return request.host;
  if (request.headers === undefined) return undefined;
  for (const [key, value] of Object.entries(request.headers)) if (key.toLowerCase() === lower) return value;
  return undefined;
}

/** What must be so that no request tells, each in words: "`/srv/www/x` is a directory". */
export function formatAssumptions({
  files,
  terms,
}: {
  readonly files: ReadonlyMap<string, string>;
  readonly terms: ReadonlySet<string>;
}): readonly string[] {
  const there = [...files].map(([path, kind]) => `\`${path}\` is a ${kind}`);
  return [...there, ...[...terms].map((each) => each.replace(/^whether /, ""))];
}

/** A request in words: ``GET `http://a.test/x` from 10.0.0.1``. */
export function describeRequest({
  method,
  path,
  scheme,
  host,
  port,
  serverIp,
  clientIp,
  clientHost,
  user,
  groups,
  env,
  headers = {},
}: Request): string {
  const isUsual = port === undefined || port === (scheme === "https" ? 443 : 80);
  const authority = host ?? (serverIp?.includes(":") ? `[${serverIp}]` : serverIp);
  const url = authority === undefined ? path : `${scheme ?? "http"}://${authority}${isUsual ? "" : `:${port}`}${path}`;
  const who = user === undefined ? "" : ` as user \`${user}\`${groups ? ` of group \`${groups.join(" ")}\`` : ""}`;
  const name = clientHost === undefined || clientHost === "localhost" ? "" : ` (\`${clientHost}\`)`;
  const variables = env === undefined ? "" : ` with ${env.map((each) => `\`${each}\``).join(", ")} set`;
  const sent = Object.entries(headers).map(([key, value]) => ` with the header \`${key}: ${value}\``);
  return toReadable(`${method} \`${url}\` from ${clientIp}${name}${who}${variables}${sent.join("")}`);
}
