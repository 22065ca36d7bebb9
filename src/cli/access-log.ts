import type { Request } from "../scope/request.js";
import { isHost, readUrl } from "../scope/sent-url.js";
import { addressOf } from "../text/addresses.js";
import { toReadable } from "../text/source.js";
import { jsonFields } from "./json-log.js";
import type { LogLine } from "./log-lines.js";

/** A request that a server has answered before. */
export interface LoggedRequest {
  readonly request: Request;
  readonly status: number;
}

/** A line of a log, or why it tells of no request, as a clause. */
export type LoggedLine = LoggedRequest | { readonly failed: string };

/** The parts of a line that a request is made of, as logged. */
export interface LogFields {
  readonly client: string;
  readonly user: string | undefined;
  /** `GET /x HTTP/1.1`. */
  readonly requestLine: string;
  readonly status: string;
  /** The virtual host's name, with its port where that is logged. */
  readonly host: string | undefined;
  readonly referer: string | undefined;
  readonly userAgent: string | undefined;
}

/** What a log does not tell of its requests. */
export type LogDefaults = Pick<
  Request,
  "scheme" | "host" | "port" | "serverIp" | "groups" | "dbmGroups" | "grants" | "env" | "headers"
>;

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`;
/** `%h %l %u %t "%r" %>s %b`, and what the combined format has behind it (mod_log_config). */
const common = new RegExp(
  String.raw`^(\S+) (\S+) (.{0,300}?) \[[^\]"]{1,64}\] ${quoted} (\d{3}|-) (?:\d+|-)(?: ${quoted} ${quoted})?(?: .*)?$`,
  "s",
);

/** Reads a line of the common, the combined or a JSON format. @param line a binary string */
export function readLoggedLine(line: string, defaults: LogDefaults): LoggedLine {
  const fields = line.trimStart().startsWith("{") ? jsonFields(toReadable(line)) : commonFields(line);
  return "failed" in fields ? fields : requestOf(fields, defaults);
}

/** The requests that the lines of a log tell of, with the numbers of the lines; empty ones tell of none. */
export function* loggedRequests(
  lines: Iterable<LogLine>,
  defaults: LogDefaults,
): Generator<LoggedLine & { readonly line: number }> {
  for (const { number: line, text } of lines) {
    if (text === "") continue;
    const read = text === undefined ? { failed: "it is longer than any log's" } : readLoggedLine(text, defaults);
    yield { line, ...read };
  }
}

function commonFields(line: string): LogFields | { readonly failed: string } {
  const match = common.exec(line);
  if (match === null) return { failed: "it is no line of the common, combined or a JSON format" };
  const [, first = "", second = "", third = "", requestLine = "", status = "", referer, userAgent] = match;
  const shared = {
    ...{ requestLine: unescaped(requestLine), status },
    ...{ referer: known(referer), userAgent: known(userAgent) },
  };
  // The name and port of the virtual host may stand ahead of it all.
  if (addressOf(first) === undefined && addressOf(second) !== undefined)
    return { ...shared, client: second, user: known(third.replace(/^\S+ /, "")), host: first };
  return { ...shared, client: first, user: known(third), host: undefined };
}

/** A field with its escapes resolved; undefined for the dash that stands for nothing. */
function known(field: string | undefined): string | undefined {
  return field === undefined || field === "-" || field === "" || field === '""' ? undefined : unescaped(field);
}

const escapes: Readonly<Record<string, string>> = { b: "\b", n: "\n", r: "\r", t: "\t", v: "\v" };

/** What `ap_escape_logitem` has escaped. */
function unescaped(text: string): string {
  return text.replace(/\\(?:x([\da-f]{2})|(.))/gis, (_, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (escapes[letter ?? ""] ?? letter ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const withPort = /^(.*?)(?::(\d{1,5}))?$/;

function requestOf(fields: LogFields, defaults: LogDefaults): LoggedLine {
  const { client, status } = fields;
  if (addressOf(client) === undefined)
    return { failed: `its client \`${shortened(client)}\` is no address: log \`%a\`` };
  if (!/^[1-5]\d\d$/.test(status)) return { failed: "it has no status" };
  const asked = askedIn(fields.requestLine);
  if ("failed" in asked) return asked;
  const [, name, port] = fields.host !== undefined && isHost(fields.host) ? (withPort.exec(fields.host) ?? []) : [];
  const host = asked.host ?? name ?? defaults.host;
  const headers = headersOf(fields, defaults);
  const number = Number(status);
  // A name beside a 401 came with a password that may have been wrong.
  const user = number === 401 || fields.user === undefined ? undefined : toReadable(fields.user);
  const { groups, dbmGroups, ...others } = defaults;
  return {
    status: number,
    request: {
      ...others,
      ...{ method: asked.method, path: asked.path, clientIp: client },
      ...(asked.query === undefined ? {} : { query: asked.query }),
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port: Number(port) }),
      ...(user === undefined ? {} : { user, ...(groups ? { groups } : {}), ...(dbmGroups ? { dbmGroups } : {}) }),
      ...(headers === undefined ? {} : { headers }),
    },
  };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly host?: string;
}

function askedIn(line: string): Asked | { readonly failed: string } {
  const [, method, target] = /^([!#$%&'*+.^_`|~\w-]+) (\S+)(?: HTTP\/\d\.\d)?$/.exec(line) ?? [];
  if (method === undefined || target === undefined)
    return { failed: line === "-" || line === "" ? "no request came" : "its request line is none" };
  if (target === "*" || method === "CONNECT") return { failed: `\`${method} ${shortened(target)}\` asks for no path` };
  const url = readUrl(escapedBytes(target));
  if ("failed" in url) return { failed: `\`${shortened(target)}\` ${url.failed}` };
  const { path, query, host } = url;
  return {
    ...{ method, path },
    ...(query === undefined ? {} : { query }),
    ...(host === undefined ? {} : { host }),
  };
}

/** Bytes that a client should have escaped, escaped. */
function escapedBytes(target: string): string {
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

function shortened(text: string): string {
  const readable = toReadable(text);
  return readable.length > 60 ? `${readable.slice(0, 59)}…` : readable;
}
