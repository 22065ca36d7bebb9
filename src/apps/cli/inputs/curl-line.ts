import type { Result } from "../../../text/result.js";

/** What the options of a curl command line say about its request. */
interface CurlRequest {
  url: string | undefined;
  method: string | undefined;
  user: string | undefined;
  isAsIs: boolean;
  /** Whether `--data` is sent in the query. */
  isInQuery: boolean;
  /** The texts of `--data`; undefined for the content of a file. */
  readonly data: (string | undefined)[];
  /** By lower-case name; undefined for a header that curl would send, and that is removed. */
  readonly headers: Map<string, string | undefined>;
  /** The arguments of `--resolve` and `--connect-to`. */
  readonly routes: { readonly words: readonly string[]; readonly isResolve: boolean }[];
}

/** Changes a request by an option. It returns an error for an invalid value. */
type Option = (request: CurlRequest, value: string) => string | undefined;

const ignore: Option = () => undefined;
const header = (name: string, value: string) => (request: CurlRequest) => {
  request.headers.set(name.toLowerCase(), `${name}: ${value}`);
  return undefined;
};
const sendData =
  (type: string): Option =>
  (request, value) => {
    request.data.push(value.startsWith("@") ? undefined : value);
    if (!request.headers.has("content-type")) header("Content-Type", type)(request);
    return undefined;
  };
const FORM = "application/x-www-form-urlencoded";

/** Options with a value, by name (manual page of curl). */
const valued: Readonly<Record<string, Option>> = {
  "--url": (request, value) => {
    request.url = value;
    return undefined;
  },
  "--request": (request, value) => {
    request.method = value;
    return undefined;
  },
  "--header": addHeader,
  "--user-agent": (request, value) => header("User-Agent", value)(request),
  "--referer": (request, value) => header("Referer", value.replace(/;auto$/, ""))(request),
  "--cookie": (request, value) => {
    if (!value.includes("=")) return `the cookies of the file \`${value}\` are not known; write NAME=VALUE`;
    const before = request.headers.get("cookie");
    request.headers.set("cookie", before === undefined ? `Cookie: ${value}` : `${before}; ${value}`);
    return undefined;
  },
  "--range": (request, value) => header("Range", `bytes=${value}`)(request),
  "--user": (request, value) => {
    request.user = value;
    return undefined;
  },
  "--data": sendData(FORM),
  "--data-ascii": sendData(FORM),
  "--data-binary": sendData(FORM),
  "--data-urlencode": sendData(FORM),
  "--data-raw": sendData(FORM),
  "--json": (request, value) => {
    header("Accept", "application/json")(request);
    return sendData("application/json")(request, value);
  },
  "--form": (request) => sendData("multipart/form-data")(request, "@"),
  "--upload-file": (request) => {
    request.method ??= "PUT";
    return undefined;
  },
  "--resolve": (request, value) => addRoute(request, value, true),
  "--connect-to": (request, value) => addRoute(request, value, false),
  ...Object.fromEntries(
    [
      ...["--output", "--write-out", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "--max-redirs"],
      ...["--dump-header", "--cookie-jar", "--cacert", "--capath", "--tls-max", "--ciphers", "--stderr", "--trace"],
      ...["--limit-rate", "--speed-time", "--speed-limit", "--keepalive-time", "--trace-ascii"],
    ].map((name) => [name, ignore]),
  ),
};

/** Options without a value. */
const switches: Readonly<Record<string, Option>> = {
  "--head": (request) => {
    request.method ??= "HEAD";
    return undefined;
  },
  "--get": (request) => {
    request.isInQuery = true;
    return undefined;
  },
  "--path-as-is": (request) => {
    request.isAsIs = true;
    return undefined;
  },
  "--compressed": header("Accept-Encoding", "deflate, gzip"),
  ...Object.fromEntries(
    [
      ...["--insecure", "--location", "--silent", "--show-error", "--verbose", "--include", "--fail", "--globoff"],
      ...["--ipv4", "--ipv6", "--http1.1", "--http2", "--basic", "--anyauth", "--no-buffer", "--no-progress-meter"],
      ...["--progress-bar", "--tlsv1.2", "--tlsv1.3", "--tlsv1", "--remote-name", "--fail-with-body", "--disable"],
      ...["--location-trusted", "--no-keepalive", "--remote-header-name", "--digest"],
    ].map((name) => [name, ignore]),
  ),
};

/** Long names of the options with one letter. */
const letters: Readonly<Record<string, string>> = {
  ...{ A: "--user-agent", b: "--cookie", c: "--cookie-jar", d: "--data", D: "--dump-header", e: "--referer" },
  ...{ f: "--fail", F: "--form", g: "--globoff", G: "--get", H: "--header", i: "--include", I: "--head" },
  ...{ J: "--remote-header-name", k: "--insecure", L: "--location", m: "--max-time", N: "--no-buffer" },
  ...{ o: "--output", O: "--remote-name", q: "--disable", r: "--range", s: "--silent", S: "--show-error" },
  ...{ T: "--upload-file", u: "--user", v: "--verbose", w: "--write-out", X: "--request" },
  ...{ "4": "--ipv4", "6": "--ipv6", "#": "--progress-bar", "1": "--tlsv1" },
};

/** The headers that curl sends on its own. */
const ownHeaders: readonly (readonly [name: string, line: string])[] = [
  ["user-agent", "User-Agent: curl/8.14.1"],
  ["accept", "Accept: */*"],
];

/**
 * Translates a curl command line to the arguments of `explain`, or returns why that is impossible.
 *
 * @param words the arguments after `curl`, as a shell splits them
 */
export function translateCurlLine(words: readonly string[]): Result<readonly string[], string> {
  const request: CurlRequest = {
    ...{ url: undefined, method: undefined, user: undefined },
    ...{ isAsIs: false, isInQuery: false, data: [], headers: new Map(), routes: [] },
  };
  const failed = readOptions(words, request);
  if (failed !== undefined) return { ok: false, error: `the curl command line: ${failed}` };
  if (request.url === undefined) return { ok: false, error: "the curl command line: the URL is missing" };
  return { ok: true, value: argumentsOf(request, request.url) };
}

function readOptions(words: readonly string[], request: CurlRequest): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("-") || word === "-") {
      if (request.url !== undefined) return `more than one URL: \`${request.url}\` and \`${word}\``;
      request.url = word;
      continue;
    }
    const isLong = word.startsWith("--");
    let failed: string | undefined;
    for (let letter = 1; failed === undefined && letter < (isLong ? 2 : word.length); letter++) {
      const name = isLong ? word : letters[word[letter] ?? ""];
      const [flag, option] = name === undefined ? [] : [switches[name], valued[name]];
      if (flag) failed = flag(request, "");
      else if (option === undefined) return `\`${isLong ? word : `-${word[letter]}`}\` is not supported`;
      else {
        const rest = isLong ? "" : word.slice(letter + 1);
        const value = rest === "" ? words[++at] : rest;
        if (value === undefined) return `\`${word}\` needs a value`;
        failed = option(request, value);
        break;
      }
    }
    if (failed !== undefined) return failed;
  }
  return undefined;
}

function addHeader(request: CurlRequest, value: string): string | undefined {
  const [, name, mark, rest = ""] = /^([^:;\s]+)([:;])\s*(.*)$/s.exec(value) ?? [];
  if (name === undefined) return `\`${value}\` is not a header: expected \`Name: value\``;
  // `Name:` removes a header, and `Name;` sends an empty one.
  const line = mark === ":" && rest === "" ? undefined : `${name}: ${rest}`;
  const credentials = /^basic\s+([\w+/=-]+)$/i.exec(rest)?.[1];
  if (name.toLowerCase() === "authorization" && credentials !== undefined) {
    request.user = Buffer.from(credentials, "base64").toString();
    return undefined;
  }
  request.headers.set(name.toLowerCase(), line);
  return undefined;
}

function addRoute(request: CurlRequest, value: string, isResolve: boolean): string | undefined {
  const words = splitRoute(value);
  if (words.length < (isResolve ? 3 : 4))
    return `\`${value}\` is not a valid value of \`${isResolve ? "--resolve" : "--connect-to"}\``;
  request.routes.push({ words, isResolve });
  return undefined;
}

/** Splits at colons outside of brackets. */
function splitRoute(value: string): readonly string[] {
  return value.replace(/^\+/, "").split(/:(?![^[]*\])/);
}

function argumentsOf(request: CurlRequest, url: string): readonly string[] {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const [, scheme = "", login, authority = "", rest = ""] =
    /^([a-z][a-z\d+.-]*:\/\/)(?:([^@/?#]*)@)?([^/?#]*)(.*)$/is.exec(whole) ?? [];
  const [sent = "", fragment = ""] = rest.split("#");
  const [path = "", query] = sent.split(/\?(.*)/s);
  const isFormQuery = request.isInQuery && request.data.length > 0;
  const data = request.data.map((text) => text ?? "").join("&");
  const queries = [...(query === undefined ? [] : [query]), ...(isFormQuery ? [data] : [])];
  const shown = `${scheme}${authority}${request.isAsIs ? path : removeDots(path)}${queries.length > 0 ? `?${queries.join("&")}` : ""}`;
  const hasBody = request.data.length > 0 && !isFormQuery;
  const method = request.method ?? (hasBody ? "POST" : "GET");
  const user = request.user ?? login;
  const length = request.data.every((text) => text !== undefined) ? [`Content-Length: ${Buffer.byteLength(data)}`] : [];
  const headers = [
    ...ownHeaders.flatMap(([name, line]) => (request.headers.has(name) ? [] : [line])),
    ...[...request.headers].flatMap(([name, line]) => {
      const isElsewhere = name === "host" || (name === "content-type" && !hasBody);
      return line === undefined || isElsewhere ? [] : [line];
    }),
    ...(hasBody && !request.headers.has("content-length") ? length : []),
  ];
  return [
    fragment === "" ? shown : `${shown}#${fragment}`,
    ...["--method", method],
    ...headers.flatMap((line) => [`--header=${line}`]),
    ...(user === undefined || user === "" ? [] : [`--user=${user}`]),
    ...routeArguments(request, scheme, authority),
    ...hostArguments(request, scheme, authority),
  ];
}

/** Returns where the request is sent, if that is not the host of the URL. */
function routeArguments({ routes }: CurlRequest, scheme: string, authority: string): readonly string[] {
  const [host = "", port = scheme.toLowerCase().startsWith("https") ? "443" : "80"] = splitRoute(authority);
  for (const { words, isResolve } of routes) {
    const [fromHost = "", fromPort = "", toHost = "", toPort = ""] = words;
    const isOwn = (isResolve ? fromHost === "*" : fromHost === "") || fromHost.toLowerCase() === host.toLowerCase();
    if (!isOwn || (fromPort !== port && fromPort !== "")) continue;
    const [address = ""] = isResolve ? words.slice(2).join(":").split(",") : [toHost];
    const bare = address.replace(/^\[|\]$/g, "");
    return [
      ...(/^[\d.]+$|:/.test(bare) ? [`--server-ip=${bare}`] : []),
      ...(isResolve || toPort === "" ? [] : [`--port=${toPort}`]),
    ];
  }
  return [];
}

/** Returns the host that `-H 'Host: …'` names instead of that of the URL, which the TLS handshake names unless it is an address. */
function hostArguments({ headers }: CurlRequest, scheme: string, authority: string): readonly string[] {
  const host = headers.get("host")?.replace(/^host:\s*/i, "");
  const [name = ""] = splitRoute(authority);
  const isAddress = /^[\d.]+$|^\[/.test(name);
  const isSecure = scheme.toLowerCase().startsWith("https");
  return [
    ...(host === undefined ? [] : [`--host=${host}`]),
    ...(isSecure ? [`--tls=name=${isAddress ? "none" : name.toLowerCase()}`] : []),
  ];
}

/** Removes the segments `.` and `..` of a path, as curl does without `--path-as-is` (RFC 3986, section 5.2.4). */
function removeDots(path: string): string {
  const out: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment === "..") out.pop();
    if (segment !== "." && segment !== "..") out.push(segment);
    else if (index === segments.length - 1) out.push("");
  }
  return path === "" ? "/" : `/${out.join("/")}`;
}
