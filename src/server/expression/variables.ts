import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { parseAddress } from "../../text/addresses.js";
import { firstArgumentOf } from "../model/config-layer.js";
import type { ReadonlyEnvironment } from "../model/environment.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import { protocolOf, type Request, readMethod, requestLineOf } from "../model/request.js";
import type { UnknownValue } from "../model/unknown-value.js";
import { readHeader } from "../request/credentials.js";
import type { ServerNames } from "../request/server-names.js";

/** The inputs of an expression. */
export interface ExpressionContext {
  readonly request: Request;
  /** As returned by `normalizePath`. */
  readonly path: string;
  /** Whether the path is as sent by the client instead. */
  readonly isPathSent?: boolean;
  readonly env: ReadonlyEnvironment;
  /** Undefined before authentication. */
  readonly user: string | undefined;
  /** `%{AUTH_TYPE}`; undefined if it is unknown. */
  readonly authType?: string | undefined;
  readonly filename: string | undefined;
  readonly names: ServerNames;
  readonly oracle: Oracle;
  readonly files: FileTree;
  readonly target: UrlTarget;
}

/** The target of the URL at the point where an expression is evaluated. */
export interface UrlTarget {
  readonly documentRoot: string;
  /** The URL path and directory of the Alias or UserDir that mapped it. */
  readonly alias: AliasContext | undefined;
  /** The rest of the path after the file. */
  readonly pathInfo: string;
  /** The ServerAdmin line of the server. */
  readonly serverAdmin: Directive | undefined;
}

/** A URL path, and the directory that it is mapped to (server/core.c `ap_set_context_info`). */
export interface AliasContext {
  readonly prefix: string;
  readonly documentRoot: string;
}

/** Returns the protocol of a TLS connection (modules/ssl/ssl_engine_vars.c); undefined if it is not known. */
function tlsProtocolOf({ scheme, tls }: Request): string | undefined {
  if (scheme !== "https" || tls?.version === undefined) return undefined;
  return tls.version === "1.0" ? "TLSv1" : `TLSv${tls.version}`;
}

/** Returns a variable's value; undefined if it is not modeled. */
export function evaluateVariable(name: string, context: ExpressionContext): string | UnknownValue | undefined {
  const { request, path, filename, user, names } = context;
  switch (name) {
    case "REMOTE_ADDR":
      return request.clientIp;
    case "CONN_REMOTE_ADDR":
      return request.peerIp ?? (request.hasProxy ? undefined : request.clientIp);
    case "REMOTE_HOST":
      return clientNameOf(request, names);
    case "REMOTE_USER":
      return user ?? "";
    case "AUTH_TYPE":
      return context.authType;
    case "REMOTE_IDENT":
      return "";
    case "REQUEST_METHOD":
      return readMethod(request);
    case "REQUEST_SCHEME":
      return names.scheme;
    case "REQUEST_URI":
    case "DOCUMENT_URI":
      return path;
    case "REQUEST_FILENAME":
    case "SCRIPT_FILENAME":
      return filename === undefined ? undefined : nativePath(filename);
    case "QUERY_STRING":
      return request.query ?? "";
    case "SSL_PROTOCOL":
      return tlsProtocolOf(request);
    case "HTTPS":
      return request.scheme === "https" ? "on" : "off";
    case "IPV6":
      // Like CONN_REMOTE_ADDR, this is about the connection (server/util_expr_eval.c `conn_var_fn`).
      return request.hasProxy && request.peerIp === undefined ? undefined : ipv6Flag(request);
    case "IS_SUBREQ":
      return request.outer ? "true" : "false";
    case "SERVER_PORT":
      return String(names.serverPort);
    case "SERVER_PROTOCOL":
      return protocolOf(request);
    case "SERVER_NAME":
      return names.serverName;
    case "THE_REQUEST":
      return requestLineOf(request);
    case "REQUEST_STATUS": {
      const isFirst = !request.tracker && !request.outer && !request.sent && !context.env.has("redirect_status");
      return isFirst ? "200" : undefined;
    }
    case "HTTP_HOST":
      return request.host ?? "";
    case "HTTP_ACCEPT":
    case "HTTP_COOKIE":
    case "HTTP_FORWARDED":
    case "HTTP_REFERER":
    case "HTTP_USER_AGENT":
    case "HTTP_PROXY_CONNECTION":
      return readHeader(request, name.slice("HTTP_".length).replaceAll("_", "-")) ?? "";
    default:
      // Proofs compare tests by their words, and these depend on more.
      return request.tracker ? undefined : evaluateTargetVariable(name, context.target);
  }
}

/** Returns the name of the client, or its address; undefined if a check before may have looked the name up. */
function clientNameOf({ clientHost, clientIp, tracker }: Request, names: ServerNames): string | undefined {
  if (names.looksUpNames) return clientHost ?? clientIp;
  return names.checksClientName && (tracker !== undefined || clientHost !== undefined) ? undefined : clientIp;
}

/** Returns whether the client has an IPv6 address, as `on` or `off`. */
export function ipv6Flag({ clientIp, peerIp = clientIp }: Request): string {
  return parseAddress(peerIp)?.family === 6 ? "on" : "off";
}

/** Returns the value of a variable about the target of a URL; undefined for any other. */
export function evaluateTargetVariable(name: string, target: UrlTarget): string | undefined {
  switch (name) {
    case "PATH_INFO":
      return target.pathInfo;
    case "DOCUMENT_ROOT":
      return nativePath(target.documentRoot);
    case "CONTEXT_PREFIX":
      return target.alias?.prefix ?? "";
    case "CONTEXT_DOCUMENT_ROOT":
      return nativePath(target.alias?.documentRoot ?? target.documentRoot);
    case "SERVER_ADMIN":
      return firstArgumentOf(target.serverAdmin) ?? "[no address given]";
    default:
      return undefined;
  }
}

/** The known values of a variable. */
export interface VariableValues {
  /** All values, as a pattern. */
  readonly texts: string;
  /** A fact about them, as a sentence without a full stop. */
  readonly note: string;
  /** Whether clients can send other values, as browsers do not. */
  readonly isUsual?: true;
}

const quoted = (name: string) => `\`%{${name}}\``;

const switches = (name: string): VariableValues => ({ texts: "on|off", note: `${quoted(name)} is \`on\` or \`off\`` });
const numbers = (name: string): VariableValues => ({ texts: "\\d+", note: `${quoted(name)} is a number` });
const addresses = (name: string): VariableValues => ({
  texts: "[0-9a-f.:]+",
  note: `${quoted(name)} is an address, in lower case`,
});
const files = (name: string): VariableValues => ({
  texts: "(?:/|[A-Za-z]:/|proxy:).*",
  note: `${quoted(name)} is an absolute path`,
});

/** The values of variables in expressions and in mod_rewrite, which are the same (mod_rewrite.c `lookup_variable`). */
const knownValues: ReadonlyMap<string, VariableValues> = new Map([
  ["HTTPS", switches("HTTPS")],
  ["IPV6", switches("IPV6")],
  ["IS_SUBREQ", { texts: "true|false", note: "`%{IS_SUBREQ}` is `true` or `false`" }],
  ["REQUEST_SCHEME", { texts: "https?", note: "`%{REQUEST_SCHEME}` is `http` or `https`" }],
  ["SERVER_PORT", numbers("SERVER_PORT")],
  ["REMOTE_PORT", numbers("REMOTE_PORT")],
  ["REMOTE_ADDR", addresses("REMOTE_ADDR")],
  ["SERVER_ADDR", addresses("SERVER_ADDR")],
  [
    "REQUEST_METHOD",
    { texts: "[A-Z-]+", note: "methods are case-sensitive, and clients send them in upper case", isUsual: true },
  ],
  [
    "HTTP_HOST",
    {
      texts: "[a-z0-9.:_\\[\\]-]*",
      note: "the `Host` header is only a name and a port, and browsers send it in lower case",
      isUsual: true,
    },
  ],
  [
    "SERVER_NAME",
    {
      texts: "[A-Za-z0-9.:_\\[\\]-]*",
      note: "`%{SERVER_NAME}` is one name, without wildcards",
      isUsual: true,
    },
  ],
  [
    "SERVER_PROTOCOL",
    {
      texts: "HTTP/\\d+\\.\\d+|INCLUDED",
      note: "`%{SERVER_PROTOCOL}` is a version of HTTP, such as `HTTP/1.1`, with and without TLS",
    },
  ],
  // The path of `/a%3Fb` contains a `?`, and the query of `/a??b` begins with one.
  [
    "REQUEST_URI",
    {
      texts: "[/*][^?]*",
      note: "`%{REQUEST_URI}` begins with `/`, and does not include the query",
      isUsual: true,
    },
  ],
  [
    "QUERY_STRING",
    { texts: "(?:[^?].*)?", note: "`%{QUERY_STRING}` does not include the `?` before it", isUsual: true },
  ],
  [
    "THE_REQUEST",
    {
      texts: "[^\\s/]+ .* HTTP/\\d\\.\\d",
      note: "`%{THE_REQUEST}` is the whole line, such as `GET /path HTTP/1.1`",
      isUsual: true,
    },
  ],
  ["REQUEST_FILENAME", files("REQUEST_FILENAME")],
  ["SCRIPT_FILENAME", files("SCRIPT_FILENAME")],
  ["DOCUMENT_ROOT", files("DOCUMENT_ROOT")],
]);

/**
 * Returns what is known about the values of a variable.
 *
 * @param name in upper case
 */
export function valuesOfVariable(name: string): VariableValues | undefined {
  return knownValues.get(name);
}
