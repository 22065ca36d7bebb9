import { parseAddress } from "../../text/addresses.js";
import type { Result } from "../../text/result.js";
import { fromReadable } from "../../text/source.js";
import { isAuthority, type Request } from "../model/request.js";

/** A parsed URL or path, as a client would send it. */
export interface ParsedUrl {
  readonly scheme?: "http" | "https";
  /** The value of the Host header, with the port if one is given. */
  readonly host?: string;
  readonly port?: number;
  /** Starts with a slash; escapes as written. */
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
}

/**
 * Parses `https://host:8443/path?query` or `/path?query`, or returns the reason why it is invalid. The text after a `#`
 * is never sent.
 */
export function parseUrl(text: string): Result<ParsedUrl, string> {
  if (/[\p{Cc} ]/u.test(text))
    return { ok: false, error: "contains a space or a control character; escape it, such as `%20`" };
  const [before = ""] = text.split("#");
  if (before.startsWith("/")) return { ok: true, value: parsePath(before) };
  const [, scheme, authority, rest] = /^([a-z][\w+.-]*):\/\/([^/?]*)(.*)$/i.exec(before) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined)
    return { ok: false, error: "is neither a URL nor a path that starts with `/`" };
  const name = scheme.toLowerCase();
  if (name !== "http" && name !== "https")
    return { ok: false, error: `has the scheme \`${scheme}\`, which httpd does not serve` };
  if (authority.includes("@")) return { ok: false, error: "contains a user name; use --user instead" };
  const port = portIn(authority);
  if (!isHostHeader(authority) || port === "wrong")
    return { ok: false, error: `contains \`${authority}\`, which is not a valid host` };
  return {
    ok: true,
    value: {
      ...{ scheme: name, host: authority },
      ...(port === undefined ? {} : { port }),
      ...parsePath(rest.startsWith("/") ? rest : `/${rest}`),
    },
  };
}

function parsePath(text: string): ParsedUrl {
  const mark = text.indexOf("?");
  if (mark < 0) return { path: escapeNonAscii(text) };
  return { path: escapeNonAscii(text.slice(0, mark)), query: escapeNonAscii(text.slice(mark + 1)) };
}

/** Escapes letters beyond ASCII as clients do: as their UTF-8 bytes. */
function escapeNonAscii(text: string): string {
  return text.replace(/\P{ASCII}+/gu, (letters) =>
    [...fromReadable(letters)].map((byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`).join(""),
  );
}

/** Reports whether a text is a name or address with an optional port, as in a Host header. */
export function isHostHeader(text: string): boolean {
  return /^(?:\.?[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text);
}

function portIn(authority: string): number | "wrong" | undefined {
  const digits = /:(\d+)$/.exec(authority.replace(/^\[.*\]/, ""))?.[1];
  if (digits === undefined) return undefined;
  const port = Number(digits);
  return port >= 1 && port <= 65535 ? port : "wrong";
}

/** The default client: an address that nobody has (RFC 5737). */
export const DEFAULT_CLIENT_IP = "192.0.2.1";

/** A request in the text form of flags and files. */
export interface RequestSpec {
  /** Whether the request line has the whole URL, as clients of a forward proxy send it. */
  readonly absolute?: boolean | undefined;
  /** A URL, or a path with or without a query. */
  readonly url: string;
  readonly method?: string | undefined;
  readonly scheme?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly serverIp?: string | undefined;
  readonly clientIp?: string | undefined;
  /** The address that connects, before mod_remoteip. */
  readonly peerIp?: string | undefined;
  readonly clientHost?: string | undefined;
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  /** If absent, the groups apply to every kind of group file. */
  readonly dbmGroups?: readonly string[] | undefined;
  readonly grants?: readonly string[] | undefined;
  /** `NAME` or `NAME=VALUE`. */
  readonly env?: readonly string[] | undefined;
  /** `Name: value`. */
  readonly headers?: readonly string[] | undefined;
  readonly query?: string | undefined;
}

/** The names of the parts of a request for messages: `--client-ip`, or `clientIp`. */
export type RequestPartNames = Readonly<Record<keyof RequestSpec, string>>;

export type RequestResult = Result<Request, string>;

type Draft = { -readonly [Part in keyof Request]: Request[Part] };

const checks = {
  method: [/^[!#$%&'*+.^_`|~\w-]+$/, "is not a valid method"],
  scheme: [/^https?$/, "is neither `http` nor `https`"],
  clientHost: [/^(?=.{1,255}$)[\w-]+(\.[\w-]+)*\.?$/, "is not a valid host name"],
  user: [/^[^:\p{Cc}]+$/u, "is not a valid user name: it is empty, or contains a colon or a control character"],
  query: [/^\??[^\p{Cc} #]*$/u, "is not a valid query: it contains a space, a control character or a `#`"],
  port: [/^0*([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/, "is not a valid port"],
} as const;

/** Parses a request; of parts that no client could send, or no server could have, the first is reported by name. */
export function parseRequest(written: RequestSpec, names: RequestPartNames): RequestResult {
  const faults = findFaults(written, names);
  const url = parseTarget(written);
  if (!url.ok) return { ok: false, error: `\`${written.url}\` of ${names.url} ${url.error}` };
  const headers = readHeaders(written.headers ?? [], names, written.user !== undefined);
  if (!headers.ok) return headers;
  if (written.query !== undefined && url.value.query !== undefined)
    faults.push(`${names.query} cannot be combined with a query in ${names.url}`);
  const [failed] = faults;
  if (failed !== undefined) return { ok: false, error: failed };
  const { user, groups } = written;
  const draft: Draft = {
    method: written.method ?? "GET",
    path: url.value.path,
    clientIp: written.clientIp ?? DEFAULT_CLIENT_IP,
  };
  const query = written.query === undefined ? url.value.query : escapeNonAscii(written.query.replace(/^\?/, ""));
  const isAbsolute = written.absolute === true;
  if (isAbsolute && (url.value.scheme === undefined || url.value.host === undefined))
    return { ok: false, error: `${names.absolute} requires a whole URL in ${names.url}` };
  if (isAbsolute) draft.origin = `${url.value.scheme}://${url.value.host}`;
  // Clients of a forward proxy connect to it, not to the server of the URL.
  const scheme = written.scheme ?? (isAbsolute ? undefined : url.value.scheme);
  const host = written.host ?? url.value.host ?? headers.value.host;
  const port = written.port === undefined && !isAbsolute ? url.value.port : numberIn(written.port);
  if (query !== undefined) draft.query = query;
  if (scheme !== undefined) draft.scheme = scheme === "https" ? "https" : "http";
  if (host !== undefined) draft.host = host;
  if (port !== undefined) draft.port = port;
  if (written.peerIp !== undefined) Object.assign(draft, { peerIp: written.peerIp, clientIp: written.peerIp });
  if (written.serverIp !== undefined) draft.serverIp = written.serverIp;
  if (written.clientHost !== undefined) draft.clientHost = written.clientHost;
  if (user !== undefined) draft.user = user;
  if (groups !== undefined) draft.groups = groups;
  const dbmGroups = written.dbmGroups ?? groups;
  if (dbmGroups !== undefined) draft.dbmGroups = dbmGroups;
  if (written.grants !== undefined)
    draft.grants = written.grants.map((line) => line.trim().replace(/^require\s+/i, ""));
  if (written.env !== undefined) draft.env = written.env;
  if (Object.keys(headers.value.others).length > 0) draft.headers = headers.value.others;
  return { ok: true, value: draft };
}

/** Parses the target of a request: for CONNECT, a host with a port. */
function parseTarget({ url, method, absolute }: RequestSpec): ReturnType<typeof parseUrl> {
  const isTunnel = method === "CONNECT" && absolute !== true && isAuthority(url) && isHostHeader(url);
  return isTunnel ? { ok: true, value: { path: url } } : parseUrl(url);
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function findFaults(written: RequestSpec, names: RequestPartNames): string[] {
  const faults: string[] = [];
  const reject = (part: keyof RequestSpec, text: string, wrong: string) =>
    faults.push(`\`${text}\` of ${names[part]} ${wrong}`);
  for (const part of ["method", "scheme", "clientHost", "user", "query", "port"] as const) {
    const [pattern, wrong] = checks[part];
    const text = written[part];
    if (text !== undefined && !pattern.test(text)) reject(part, text, wrong);
  }
  if (written.clientIp !== undefined && written.peerIp !== undefined)
    faults.push(`${names.peerIp} determines the client, and cannot be combined with ${names.clientIp}`);
  for (const part of ["clientIp", "peerIp", "serverIp"] as const) {
    const text = written[part];
    if (text !== undefined && parseAddress(text) === undefined) reject(part, text, "is not an IP address");
  }
  if (written.host !== undefined && !isHostHeader(written.host)) reject("host", written.host, "is not a valid host");
  for (const entry of written.env ?? [])
    if (!/^[^=\s]+(=|$)/.test(entry)) reject("env", entry, "is neither NAME nor NAME=VALUE");
  for (const part of ["groups", "dbmGroups"] as const) {
    const wrong = written[part]?.find((group) => group === "" || /\s/.test(group));
    if (wrong !== undefined) reject(part, wrong, "is not a valid group: it is empty, or contains a space");
    if (written[part] !== undefined && written.user === undefined) faults.push(`${names[part]} requires ${names.user}`);
  }
  return faults;
}

interface Headers {
  readonly host: string | undefined;
  readonly others: Readonly<Record<string, string>>;
}

function readHeaders(lines: readonly string[], names: RequestPartNames, hasUser: boolean): Result<Headers, string> {
  const others = new Map<string, string>();
  let host: string | undefined;
  for (const line of lines) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\P{Cc}*)$/u.exec(line) ?? [];
    if (name === "")
      return { ok: false, error: `\`${line}\` of ${names.headers} is not a valid header: expected \`Name: value\`` };
    const lower = name.toLowerCase();
    if (lower === "authorization" && (hasUser || /^basic\b/i.test(value)))
      return { ok: false, error: `${names.headers} cannot set \`Authorization\`: use ${names.user}` };
    if (lower === "host" && !isHostHeader(value))
      return { ok: false, error: `\`${value}\` of ${names.headers} is not a valid host` };
    if (lower === "host") host = value;
    // The server joins repeated headers.
    else others.set(name, others.has(name) ? `${others.get(name)}, ${value}` : value);
  }
  return { ok: true, value: { host, others: Object.fromEntries(others) } };
}

/**
 * Reports whether 2.4 rejects a Host header as malformed and returns 400 before any other check. Malformed are a
 * missing header, an invalid port, an empty label and an invalid character (server/vhost.c `fix_hostname`). The same
 * applies to digits that are neither a name nor an address.
 */
export function isMalformedHost(header: string | undefined): boolean {
  if (header === undefined || plainHostName.test(header)) return false;
  const [, host, port] = /^(\[.*\]|[^:]*)(?::(.*))?$/.exec(header) ?? [];
  if (host === undefined || (port !== undefined && !isPort(port))) return true;
  // An IPv4 address in IPv6 notation is also valid.
  if (host.startsWith("[")) return !host.includes(":") || parseAddress(host.slice(1, -1)) === undefined;
  return isMalformedName(host);
}

/**
 * Reports whether 2.4 rejects a Host header even with `HttpProtocolOptions Unsafe`, which accepts any character but
 * slashes (server/vhost.c `fix_hostname_non_v6`, APR's `apr_parse_addr_port`).
 */
export function isMalformedUnsafeHost(header: string): boolean {
  const [, host = header, port] = /^(.*):(\d+)$/s.exec(header) ?? [];
  if (port !== undefined && (host === "" || !isPort(port))) return true;
  return host.startsWith("[") ? isMalformedHost(host) : /\.\.|[/\\]/.test(host);
}

/** Reports whether a Host header has an underscore in a name, which some versions reject. */
export function isNameWithUnderscore(header: string): boolean {
  return header.includes("_") && !header.startsWith("[");
}

/** Labels that begin with a letter. */
const plainHostName = /^[a-z][\w-]*(?:\.[a-z][\w-]*)*$/i;

function isPort(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function isMalformedName(host: string): boolean {
  const name = host.replace(/\.$/, "");
  if (name === "" || /[^\w.-]|\.\./.test(host)) return true;
  if (/[^\d.]/.test(name)) return /\.[^a-z.][^.]*$/i.test(name);
  const octets = name.split(".");
  return octets.length !== 4 || octets.some((octet) => /^0\d/.test(octet));
}
