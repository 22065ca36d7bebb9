import { fromReadable } from "../text/source.js";
import type { LogFields } from "./access-log.js";

/** What the parts of a request are called in JSON logs, in small letters and without anything between words. */
const names = {
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

/** Objects within objects beyond these are no log's. */
const DEEPEST = 4;

/** The parts of a request in a line of JSON, by the names that such logs give them. */
export function jsonFields(line: string): LogFields | { readonly failed: string } {
  const values = valuesIn(line);
  if (values === undefined) return { failed: "it is no JSON object" };
  const of = (part: keyof typeof names): string | undefined => {
    const name = names[part].find((each) => values.has(each));
    const value = name === undefined ? undefined : values.get(name);
    return value === undefined || value === "-" || value === "" ? undefined : fromReadable(value);
  };
  const client = of("client");
  if (client === undefined) return { failed: "it names no client (`remoteIP`, `remote_addr`, `clientip`)" };
  const requestLine = requestLineOf(of("request"), of("method"), of("path"), of("query"));
  if (requestLine === undefined) return { failed: "it names no request (`request`, or `method` and `path`)" };
  return {
    ...{ client, requestLine, status: of("status") ?? "-", user: of("user"), host: of("host") },
    ...{ referer: of("referer"), userAgent: of("userAgent") },
  };
}

/** Some logs have the whole line as the request, some its path alone. */
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

function valuesIn(line: string): ReadonlyMap<string, string> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const values = new Map<string, string>();
  collect(parsed, "", 0, values);
  return values;
}

function collect(object: object, prefix: string, depth: number, values: Map<string, string>): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key.toLowerCase().replace(/[^a-z\d]/g, "");
    if (typeof value === "string" || typeof value === "number") values.set(name, String(value));
    else if (typeof value === "object" && value !== null && depth < DEEPEST) collect(value, name, depth + 1, values);
  }
}
