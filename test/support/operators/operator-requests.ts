import type { Random } from "../random/random.js";
import type { ReachedSite } from "./operator-server.js";

/** A client's credentials, and how it sends them. */
export interface Credentials {
  readonly user: string;
  readonly isRight: boolean;
}

/** A request as a client sends it. */
export interface OperatorRequest {
  readonly method: string;
  /** With the query. */
  readonly target: string;
  /** Scheme and authority of an absolute target; it overrides the Host header. */
  readonly authority?: string;
  /** Without it, the request is HTTP/1.0. */
  readonly host?: string;
  readonly credentials?: Credentials;
  /** Headers other than those for Host and credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clientAddress: string;
  readonly serverAddress: "127.0.0.1" | "127.0.0.2" | "::1";
  readonly portIndex: 0 | 1;
}

const serverAddresses = ["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "::1"] as const;

const methods = [
  ...(["GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "HEAD", "POST", "POST"] as const),
  ...["PUT", "DELETE", "OPTIONS", "PROPFIND", "MKCOL", "TRACE", "PATCH", "FOO"],
  ...["GET", "GET", "GET", "GET", "GET", "GET", "CONNECT", "COPY", "SEARCH", "get"],
] as const;

const oddHosts = [
  ...["unknown.example.test", "127.0.0.1", "[::1]", "SITE1.EXAMPLE.TEST", "site1.example.test.", "localhost:99999"],
  ...["", "a b", "site1.example.test:", "x..y", "main.example.test:8080", "_odd_.test", "[::1", "1.2.3", "a%41.test"],
] as const;

/** Equivalent forms of a path, and forms that lead elsewhere. */
const variants: readonly [(path: string) => string, ...((path: string) => string)[]] = [
  (path) => `/${path}`,
  (path) => path.replace(/\/(?=[^/]*$)/, "//"),
  (path) => `/docs/..${path}`,
  (path) => `/.${path}`,
  (path) => `/..${path}`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replace(/(?!^)\/(?=[^/]*$)/, "%2f"),
  (path) => `${path}/`,
  (path) => `${path}/info/x`,
  (path) => `${path}/.`,
  (path) => `${path}/..`,
  (path) => `${path}%20`,
  (path) => `${path}%00`,
  (path) => `${path}%zz`,
  (path) => `${path}.`,
  (path) => `${path}%3fq`,
  (path) => `${path}%c3%a9`,
  (path) => path.toUpperCase(),
  (path) => `${path}//`,
  (path) => path.replace(/\.[a-z]+$/, ""),
  (path) => `${path}%0a`,
  (path) => `${path};x=1`,
  (path) => `${path}\\x`,
  (path) => `/%2e%2e${path}`,
];

function drawPath(random: Random, { paths }: ReachedSite): string {
  if (random.chance(0.005)) return random.pick(["*", `/${"a/".repeat(60)}`, `/docs/${"x".repeat(300)}`]);
  const plain = paths[random.below(paths.length)] ?? "/";
  const [path = "/", query] = plain.split("?");
  const changed = random.chance(0.15) ? random.pick(variants)(path) : path;
  const parameters =
    query ?? (random.chance(0.15) ? random.pick(["debug=1", "", "a=b&c=%20", "q=/../x", "x?y"]) : undefined);
  return parameters === undefined ? changed : `${changed}?${parameters}`;
}

const optionalHeaders: readonly (readonly [
  name: string,
  values: readonly [string, ...string[]],
  probability: number,
])[] = [
  [
    "Accept",
    ["text/html", "image/png", "text/html;q=0.5, text/plain", "*/*", "application/json, */*;q=0.1", "text/*"],
    0.4,
  ],
  ["Accept-Language", ["de", "en, de;q=0.5", "fr-CA, fr", "ja", "*", "de-AT, en;q=0.2"], 0.3],
  ["Accept-Encoding", ["gzip", "identity", "*;q=0"], 0.05],
  ["User-Agent", ["curl/8", "Mozilla/5.0 (bot)", "Mozilla/5.0"], 0.4],
  ["X-Forwarded-For", ["203.0.113.9", "10.1.2.3", "192.0.2.7, 10.0.0.1", "127.0.0.2", "2001:db8::1", "junk"], 0.15],
  ["X-Token", ["s3cret", "x", ""], 0.15],
  ["Referer", ["http://www.example.test/", "junk"], 0.1],
  ["Negotiate", ["trans"], 0.02],
];

function drawHeaders(random: Random): Readonly<Record<string, string>> {
  const chosen = optionalHeaders.filter(([, , probability]) => random.chance(probability));
  return Object.fromEntries(chosen.map(([name, values]) => [name, random.pick(values)]));
}

function drawClient(random: Random, serverAddress: OperatorRequest["serverAddress"]): string {
  if (serverAddress === "::1") return "::1";
  return random.pick(["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.9", "127.1.2.3"]);
}

/** Draws a request to one of the sites. */
export function drawRequest(random: Random, sites: readonly ReachedSite[]): OperatorRequest {
  const site = sites[random.below(sites.length)] ?? { hosts: [], paths: ["/"] };
  const method = random.pick(methods);
  const serverAddress = random.pick(serverAddresses);
  const ownHost = site.hosts[random.below(site.hosts.length)] ?? "main.example.test";
  const host = random.chance(0.85) ? ownHost : random.pick(oddHosts);
  const isOld = random.chance(0.06);
  const isAbsolute = !isOld && random.chance(0.04);
  const user = random.chance(0.45)
    ? random.pick(["alice", "bob", "carol", "root", "dave", "erin", "frank"])
    : undefined;
  const length = /^(P|FOO|MKCOL)/.test(method) && random.chance(0.97) ? random.pick(["0", "5", "30"]) : undefined;
  return {
    method,
    target: drawPath(random, site),
    ...(isAbsolute ? { authority: `http://${ownHost}` } : {}),
    ...(isOld ? {} : { host }),
    ...(user === undefined ? {} : { credentials: { user, isRight: random.chance(0.9) } }),
    headers: { ...drawHeaders(random), ...(length === undefined ? {} : { "Content-Length": length }) },
    clientAddress: drawClient(random, serverAddress),
    serverAddress,
    portIndex: random.chance(0.75) ? 0 : 1,
  };
}

/** The password of all users. */
const password = "secret";

/** Returns the password that a client sends. */
export function passwordOf({ isRight }: Credentials): string {
  return isRight ? password : `not ${password}`;
}

/** Returns the session of a client that has filled in the login form (mod_auth_form.c `set_session_auth`). */
function sessionOf(credentials: Credentials): string {
  return `private-user=${credentials.user}&private-pw=${encodeURIComponent(passwordOf(credentials))}`;
}

/** Returns the headers other than Host and Authorization. */
export function headersOf({ headers, credentials }: OperatorRequest): Readonly<Record<string, string>> {
  return credentials ? { ...headers, Cookie: `session=${sessionOf(credentials)}` } : headers;
}

/** Returns the request as sent. @param more a mark for the logs, and the Authorization header */
export function requestText(
  request: OperatorRequest,
  more: { readonly mark?: string; readonly authorization?: string | undefined } = {},
): string {
  const { method, target, authority = "", host } = request;
  const headers = headersOf(request);
  const lines = [
    `${method} ${authority}${target} HTTP/${host === undefined ? "1.0" : "1.1"}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(more.authorization === undefined ? [] : [`Authorization: ${more.authorization}`]),
    ...(more.mark === undefined ? [] : [`Request-Id: ${more.mark}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  const length = Number(headers["Content-Length"] ?? 0);
  return `${lines.join("\r\n")}\r\n\r\n${"x".repeat(length)}`;
}
