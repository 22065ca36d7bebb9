import { isAuthority, type Request } from "../../../server/model/request.js";
import { isHostHeader, parseUrl } from "../../../server/request/request-parser.js";
import { parseAddress } from "../../../text/addresses.js";
import type { Result } from "../../../text/result.js";
import { fromReadable, toReadable } from "../../../text/source.js";
import { quoteText, shortenText } from "../../../text/words.js";
import type { LogLine } from "./log-lines.js";

/** A request that a server has already answered. */
export interface LoggedRequest {
  readonly request: Request;
  readonly status: number;
}

/** A line of a log, or the reason as a clause why it does not contain a request. */
export type LoggedLine = Result<LoggedRequest, string>;

/** The logged fields that make up a request. */
interface LogFields {
  readonly client: string;
  readonly user: string | undefined;
  /** `GET /x HTTP/1.1`. */
  readonly requestLine: string;
  readonly status: string;
  /** The virtual host's name, with its port if logged. */
  readonly host: string | undefined;
  readonly referer: string | undefined;
  readonly userAgent: string | undefined;
}

/** Properties of requests that a log does not record. */
export type LogDefaults = Pick<
  Request,
  "scheme" | "host" | "port" | "serverIp" | "groups" | "dbmGroups" | "grants" | "env" | "headers"
>;

const quotedField = String.raw`"((?:[^"\\]|\\.)*)"`;
/** `%h %l %u %t "%r" %>s %b`, and the additional fields of the combined format (mod_log_config). */
const commonLogFormat = new RegExp(
  String.raw`^(\S+) (\S+) (.{0,300}?) \[[^\]"]{1,64}\] ${quotedField} (\d{3}|-) (?:\d+|-)(?: ${quotedField} ${quotedField})?(?: .*)?$`,
  "s",
);

/** Parses a line of the common, the combined or a JSON format. @param line a binary string */
export function parseLogLine(line: string, defaults: LogDefaults): LoggedLine {
  const fields = line.trimStart().startsWith("{") ? parseJsonFields(toReadable(line)) : parseCommonFields(line);
  return fields.ok ? buildLoggedRequest(fields.value, defaults) : fields;
}

/** Yields the requests in the lines of a log, with line numbers; empty lines are skipped. */
export function* readLoggedRequests(
  lines: Iterable<LogLine>,
  defaults: LogDefaults,
): Generator<LoggedLine & { readonly line: number }> {
  for (const { number: line, text } of lines) {
    if (text === "") continue;
    const read: LoggedLine =
      text === undefined ? { ok: false, error: "the line is too long" } : parseLogLine(text, defaults);
    yield { line, ...read };
  }
}

function parseCommonFields(line: string): Result<LogFields, string> {
  const match = commonLogFormat.exec(line);
  if (match === null) return { ok: false, error: "the line is not in the common, combined or JSON format" };
  const [, first = "", second = "", third = "", requestLine = "", status = "", referer, userAgent] = match;
  const shared = {
    ...{ requestLine: unescapeLogField(requestLine), status },
    ...{ referer: resolveLogField(referer), userAgent: resolveLogField(userAgent) },
  };
  // The virtual host's name and port may come first.
  if (parseAddress(first) === undefined && parseAddress(second) !== undefined)
    return {
      ok: true,
      value: { ...shared, client: second, user: resolveLogField(third.replace(/^\S+ /, "")), host: first },
    };
  return { ok: true, value: { ...shared, client: first, user: resolveLogField(third), host: undefined } };
}

/** Returns a field with escapes resolved; undefined for the dash that means no value. */
function resolveLogField(field: string | undefined): string | undefined {
  return field === undefined || field === "-" || field === "" || field === '""' ? undefined : unescapeLogField(field);
}

const escapes: Readonly<Record<string, string>> = { b: "\b", n: "\n", r: "\r", t: "\t", v: "\v" };

/** Reverses `ap_escape_logitem`. */
function unescapeLogField(text: string): string {
  return text.replace(/\\(?:x([\da-f]{2})|(.))/gis, (_, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (escapes[letter ?? ""] ?? letter ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const withPort = /^(.*?)(?::(\d{1,5}))?$/;

/** Returns the host and the port of a valid Host header, for requests that name none. */
export function hostDefaults(authority: string): Pick<LogDefaults, "host" | "port"> {
  const [, host, port] = withPort.exec(authority) ?? [];
  return { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port: Number(port) }) };
}

function buildLoggedRequest(fields: LogFields, defaults: LogDefaults): LoggedLine {
  const { client, status } = fields;
  if (parseAddress(client) === undefined)
    return { ok: false, error: `its client ${quoteText(client)} is not an IP address; log \`%a\`` };
  if (!/^[1-5]\d\d$/.test(status)) return { ok: false, error: "the status is missing" };
  const parsed = parseRequestLine(fields.requestLine);
  if (!parsed.ok) return parsed;
  const named = fields.host !== undefined && isHostHeader(fields.host) ? hostDefaults(fields.host) : {};
  const host = parsed.value.host ?? named.host ?? defaults.host;
  const headers = headersOf(fields, defaults);
  const number = Number(status);
  // A name in a 401 response came with a possibly wrong password.
  const user = number === 401 || fields.user === undefined ? undefined : toReadable(fields.user);
  const { groups, dbmGroups, ...others } = defaults;
  return {
    ok: true,
    value: {
      status: number,
      request: {
        ...others,
        ...{ method: parsed.value.method, path: parsed.value.path, clientIp: client },
        ...(parsed.value.query === undefined ? {} : { query: parsed.value.query }),
        ...(host === undefined ? {} : { host }),
        ...(parsed.value.origin === undefined ? {} : { origin: parsed.value.origin }),
        ...(named.port === undefined ? {} : { port: named.port }),
        ...(user === undefined ? {} : { user, ...(groups ? { groups } : {}), ...(dbmGroups ? { dbmGroups } : {}) }),
        ...(headers === undefined ? {} : { headers }),
      },
    },
  };
}

interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly host?: string;
  /** The scheme and authority of a whole URL. */
  readonly origin?: string;
}

function parseRequestLine(line: string): Result<RequestLine, string> {
  const [, method, target] = /^([!#$%&'*+.^_`|~\w-]+) (\S+)(?: HTTP\/\d\.\d)?$/.exec(line) ?? [];
  if (method === undefined || target === undefined)
    return {
      ok: false,
      error: line === "-" || line === "" ? "the client sent no request" : "its request line is invalid",
    };
  if (method === "CONNECT" && isAuthority(target) && isHostHeader(target))
    return { ok: true, value: { method, path: target } };
  if (target === "*" || method === "CONNECT")
    return { ok: false, error: `\`${method} ${shortenText(toReadable(target), 60)}\` does not request a path` };
  const url = parseUrl(escapeUnsafeBytes(target));
  if (!url.ok) return { ok: false, error: `${quoteText(target)} ${url.error}` };
  const { path, query, host, scheme } = url.value;
  return {
    ok: true,
    value: {
      ...{ method, path },
      ...(query === undefined ? {} : { query }),
      ...(host === undefined ? {} : { host, origin: `${scheme}://${host}` }),
    },
  };
}

/** Escapes bytes that the client should have escaped. */
function escapeUnsafeBytes(target: string): string {
  return target.replace(/[^!-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

function headersOf({ referer, userAgent }: LogFields, { headers }: LogDefaults): Request["headers"] {
  if (referer === undefined && userAgent === undefined) return headers;
  return {
    ...headers,
    ...(referer === undefined ? {} : { Referer: toReadable(referer) }),
    ...(userAgent === undefined ? {} : { "User-Agent": toReadable(userAgent) }),
  };
}

/** Field names of a request in JSON logs, in lower case and without word separators. */
const jsonFieldNames = {
  client: ["remoteip", "remoteaddr", "remoteaddress", "clientip", "clientaddr", "client", "ip", "sourceip"].concat([
    "sourceaddress",
    "clientaddress",
    "remotehost",
    "a",
    "h",
  ]),
  user: ["user", "remoteuser", "username", "authuser", "u"],
  request: ["request", "requestline", "req", "r"],
  method: ["method", "requestmethod", "httprequestmethod", "verb", "m"],
  path: ["path", "uri", "requesturi", "urlpath", "urloriginal", "url"],
  query: ["query", "querystring", "urlquery", "args", "q"],
  status: ["status", "statuscode", "httpresponsestatuscode", "responsestatus", "responsecode", "code", "s"],
  host: ["host", "vhost", "virtualhost", "servername", "httphost", "urldomain", "v"],
  referer: ["referer", "referrer", "httpreferer", "httprequestreferrer"],
  userAgent: ["useragent", "agent", "httpuseragent", "useragentoriginal"],
} as const;

/** Maximum object nesting; logs do not nest deeper. */
const MAX_JSON_DEPTH = 4;

/** Extracts the parts of a request from a line of JSON, by their usual field names. */
function parseJsonFields(line: string): Result<LogFields, string> {
  const values = parseJsonValues(line);
  if (values === undefined) return { ok: false, error: "the line is not a JSON object" };
  const of = (part: keyof typeof jsonFieldNames): string | undefined => {
    const name = jsonFieldNames[part].find((each) => values.has(each));
    const value = name === undefined ? undefined : values.get(name);
    return value === undefined || value === "-" || value === "" ? undefined : fromReadable(value);
  };
  const client = of("client");
  if (client === undefined)
    return { ok: false, error: "the client is missing: expected `remoteIP`, `remote_addr` or `clientip`" };
  const requestLine = requestLineOf(of("request"), of("method"), of("path"), of("query"));
  if (requestLine === undefined)
    return { ok: false, error: "the request is missing: expected `request`, or `method` and `path`" };
  return {
    ok: true,
    value: {
      ...{ client, requestLine, status: of("status") ?? "-", user: of("user"), host: of("host") },
      ...{ referer: of("referer"), userAgent: of("userAgent") },
    },
  };
}

/** Returns the request line of a log entry. Some logs have all of it in this field, others only the path. */
function requestLineOf(
  request: string | undefined,
  method: string | undefined,
  path: string | undefined,
  query: string | undefined,
): string | undefined {
  if (request?.includes(" ")) return request;
  const target = path ?? request;
  if (target === undefined) return undefined;
  const mark = query === undefined || query.startsWith("?") || target.includes("?") ? "" : "?";
  return `${method ?? "GET"} ${target}${target.includes("?") ? "" : mark + (query ?? "")} HTTP/1.1`;
}

function parseJsonValues(line: string): ReadonlyMap<string, string> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const values = new Map<string, string>();
  collectJsonValues(parsed, "", 0, values);
  return values;
}

function collectJsonValues(object: object, prefix: string, depth: number, values: Map<string, string>): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key.toLowerCase().replace(/[^a-z\d]/g, "");
    if (typeof value === "string" || typeof value === "number") values.set(name, String(value));
    else if (typeof value === "object" && value !== null && depth < MAX_JSON_DEPTH)
      collectJsonValues(value, name, depth + 1, values);
  }
}
