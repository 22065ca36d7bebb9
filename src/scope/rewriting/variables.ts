import { serverVariable } from "../expression-value.js";
import { DEFAULT_SERVER_IP, headerOf } from "../request.js";
import type { RewriteContext, Unknown } from "./context.js";

/** Those that mean the same in expressions. */
const shared = new Set([
  ...["IPV6", "HTTPS", "IS_SUBREQ", "HTTP_HOST", "REMOTE_ADDR", "HTTP_ACCEPT", "THE_REQUEST", "HTTP_COOKIE"],
  ...["SERVER_PORT", "REMOTE_HOST", "REQUEST_URI", "REMOTE_IDENT", "HTTP_REFERER", "HTTP_FORWARDED", "REQUEST_METHOD"],
  ...["REQUEST_SCHEME", "HTTP_USER_AGENT", "SERVER_PROTOCOL", "CONN_REMOTE_ADDR", "HTTP_PROXY_CONNECTION"],
  ...["SERVER_NAME"],
]);

/** Those that 2.2 does not know. */
const isNew = new Set(["IPV6", "CONN_REMOTE_ADDR", "REQUEST_SCHEME", "CONTEXT_PREFIX", "CONTEXT_DOCUMENT_ROOT"]);

/** Those that hang on the time, the machine or the build. */
const untold = new Set([
  ...["TIME", "TIME_DAY", "TIME_SEC", "TIME_MIN", "TIME_MON", "TIME_WDAY", "TIME_YEAR", "TIME_HOUR"],
  ...["REMOTE_PORT", "API_VERSION", "SERVER_SOFTWARE", "SCRIPT_USER", "SCRIPT_GROUP"],
]);

/** What a `%{NAME}` stands for; nothing for a name that there is not (mod_rewrite.c `lookup_variable`). */
export function rewriteVariable(written: string, context: RewriteContext): string | Unknown {
  const unknown: Unknown = { unknown: `\`%{${written}}\`` };
  if (/^ENV:./i.test(written)) return environmentVariable(written.slice(4), context);
  if (/^HTTP:./i.test(written)) return header(written.slice(5), context);
  if (/^(SSL|LA-[UF]):./i.test(written)) return unknown;
  const name = written.toUpperCase();
  if (untold.has(name)) return unknown;
  if (isNew.has(name) && context.project.release === "2.2") return "";
  if (shared.has(name)) return fromExpression(name, context) ?? unknown;
  switch (name) {
    case "REQUEST_FILENAME":
    case "SCRIPT_FILENAME":
      return context.filename;
    case "QUERY_STRING":
      return context.query ?? "";
    case "PATH_INFO":
      return context.pathInfo;
    case "REMOTE_USER":
      return context.user === "unknown" ? unknown : (context.user ?? "");
    case "AUTH_TYPE":
      return context.user === undefined ? "" : unknown;
    case "SERVER_ADDR":
      return context.request.serverIp ?? DEFAULT_SERVER_IP;
    case "SERVER_ADMIN":
      return context.serverAdmin?.arguments[0]?.value ?? "[no address given]";
    case "DOCUMENT_ROOT":
      return context.documentRoot;
    case "CONTEXT_PREFIX":
      return context.alias?.prefix ?? "";
    case "CONTEXT_DOCUMENT_ROOT":
      return context.alias?.documentRoot ?? context.documentRoot;
    default:
      return "";
  }
}

/** Where the configuration sets none, the server's own environment may. */
function environmentVariable(name: string, { env }: RewriteContext): string | Unknown {
  const value = env.get(name.toLowerCase());
  if (value !== undefined) return value;
  return /^(PATH|LANG|LC_.*|HOME|PWD|TZ|USER|SHELL|APACHE_.*)$/.test(name) ? { unknown: `\`%{ENV:${name}}\`` } : "";
}

function header(name: string, { request }: RewriteContext): string | Unknown {
  const isSecret = request.user !== undefined && name.toLowerCase() === "authorization";
  return isSecret ? { unknown: `\`%{HTTP:${name}}\`` } : (headerOf(request, name) ?? "");
}

function fromExpression(name: string, context: RewriteContext): string | undefined {
  const { request, path, env, names, questions, filename } = context;
  return serverVariable(name, { request, path, env, user: undefined, filename, names, questions });
}
