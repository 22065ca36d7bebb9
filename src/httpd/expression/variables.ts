import type { Directive } from "../../project/model/directive.js";
import { parseAddress } from "../../text/addresses.js";
import { firstArgumentOf } from "../model/config-layer.js";
import type { ReadonlyEnvironment } from "../model/environment.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import { headerOf, protocolOf, type Request, readMethod, requestLineOf } from "../model/request.js";
import type { ServerNames } from "../vhost/server-names.js";

/** The inputs of an expression. */
export interface ExpressionContext {
  readonly request: Request;
  /** As returned by `normalizePath`. */
  readonly path: string;
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

/** Returns a variable's value; undefined if it is not modeled. */
export function evaluateVariable(name: string, context: ExpressionContext): string | undefined {
  const { request, path, filename, user, names } = context;
  switch (name) {
    case "REMOTE_ADDR":
      return request.clientIp;
    case "CONN_REMOTE_ADDR":
      return request.hasProxy ? undefined : request.clientIp;
    case "REMOTE_HOST":
      return names.looksUpNames ? (request.clientHost ?? request.clientIp) : request.clientIp;
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
      return filename;
    case "QUERY_STRING":
      return request.query ?? "";
    case "HTTPS":
      return request.scheme === "https" ? "on" : "off";
    case "IPV6":
      // Like CONN_REMOTE_ADDR, this is about the connection (server/util_expr_eval.c `conn_var_fn`).
      return request.hasProxy ? undefined : ipv6Flag(request);
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
      return headerOf(request, name.slice("HTTP_".length).replaceAll("_", "-")) ?? "";
    default:
      // Proofs compare tests by their words, and these depend on more.
      return request.tracker ? undefined : evaluateTargetVariable(name, context.target);
  }
}

/** Returns whether the client has an IPv6 address, as `on` or `off`. */
export function ipv6Flag({ clientIp }: Request): string {
  return parseAddress(clientIp)?.family === 6 ? "on" : "off";
}

/** Returns the value of a variable about the target of a URL; undefined for any other. */
export function evaluateTargetVariable(name: string, target: UrlTarget): string | undefined {
  switch (name) {
    case "PATH_INFO":
      return target.pathInfo;
    case "DOCUMENT_ROOT":
      return target.documentRoot;
    case "CONTEXT_PREFIX":
      return target.alias?.prefix ?? "";
    case "CONTEXT_DOCUMENT_ROOT":
      return target.alias?.documentRoot ?? target.documentRoot;
    case "SERVER_ADMIN":
      return firstArgumentOf(target.serverAdmin) ?? "[no address given]";
    default:
      return undefined;
  }
}
