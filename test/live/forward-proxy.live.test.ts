import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authn_core", "authz_core", "authz_host", "alias", "dir", "proxy", "proxy_http", "proxy_connect"];

/** Lines of a server, with sections for requests to other servers and for requests to itself. */
const lines = [
  ...['<Proxy "*">', "Require all denied", "</Proxy>"],
  ...['<Proxy "http://allowed.test/">', "Require all granted", "</Proxy>"],
  ...['<ProxyMatch "^[^/]*:8443$">', "Require ip 192.0.2.7", "</ProxyMatch>"],
  ...['<Location "/">', "Require all granted", "</Location>"],
  ...["<VirtualHost *>", "ServerName plain.test", "</VirtualHost>"],
  ...["<VirtualHost *>", "ServerName ported.test:8099", "ServerAlias *.wild.test 2001:db8::1", "</VirtualHost>"],
  ...["<VirtualHost *>", "ServerName off.test", "ProxyRequests Off", "Redirect 410 /gone", "</VirtualHost>"],
  ...["<VirtualHost *>", "ServerName moved.test", "Redirect 412 /", "</VirtualHost>"],
  ...[
    "<VirtualHost *>",
    "ServerName denied.test",
    "<Location />",
    "Require all denied",
    "</Location>",
    "</VirtualHost>",
  ],
];

const origins = [
  ...["http://other.test", "http://allowed.test", "http://plain.test", "http://plain.test:8099", "http://ported.test"],
  ...["http://ported.test:8099", "http://a.wild.test:8099", "http://off.test", "http://OTHER.test"],
  ...["https://other.test", "https://plain.test", "HTTP://off.test", "HTTPS://off.test"],
  ...["https://off.test", "ftp://other.test", "http://127.0.0.1:8099", "http://[2001:db8::1]:8099"],
  // The server accepts each number as a port.
  ...["http://other.test:70000", "http://plain.test:0", "http://off.test:-1", "http://off.test:", "http://off.test:8x"],
];

const paths = ["/x.txt", "/x.txt?q", "/%zz", "/a%2fb", "/../x", "/none", ""];

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly origin?: string;
}

const requests: readonly SentRequest[] = [
  ...origins.flatMap((origin) => paths.map((path) => ({ method: "GET", path, origin }))),
  ...[
    "x.test:443",
    "x.test:8443",
    "x.test",
    "/x.txt",
    "moved.test:443",
    "denied.test:443",
    "off.test:80",
    "x.test:70000",
  ].map((path) => ({ method: "CONNECT", path })),
  ...["TRACE", "OPTIONS", "PUT"].map((method) => ({ method, path: "/x.txt", origin: "http://other.test" })),
];

/** Sends a request line, and returns the response. */
async function send(port: string, target: string, method: string): Promise<string> {
  const socket = connect(Number(port), "127.0.0.1");
  let head = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    head += chunk;
  });
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: plain.test\r\nConnection: close\r\n\r\n`);
  await once(socket, "close");
  return head;
}

function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);
}

async function compare(running: RunningHttpd): Promise<void> {
  const port = new URL(running.url("/")).port;
  const simulatedServer = simulatedServerOn(running);
  for (const { method, path, origin } of requests) {
    const [bare = "", query] = path.split("?");
    const request = {
      ...{ method, path: bare, host: "plain.test", clientIp: "127.0.0.1", port: Number(port) },
      ...(query === undefined ? {} : { query }),
      ...(origin === undefined ? {} : { origin }),
    };
    const decided = simulatedServer.answer(request);
    // The other server does not exist.
    if (decided.answeredBy === "backend") continue;
    const before = running.errors().length;
    const status = statusOf(await send(port, `${origin ?? ""}${path}`, method));
    const log = errorsAfter(running, before);
    const sent = `${method} ${origin ?? ""}${path}`;
    expect({ sent, status: decided.status, log: decided.errorLog }).toEqual({ sent, status, log });
  }
}

describe.skipIf(!httpd)(liveTitle("requests to a forward proxy"), () => {
  test.each(["On", "Off"])("are decided as the server does with ProxyRequests %s", async (word) => {
    const configuration = [`ProxyRequests ${word}`, ...lines];
    await withRunningHttpd(modules, configuration, compare, { "x.txt": "x\n" });
  });

  const rules = (...more: readonly string[]) => ["RewriteEngine On", ...more];
  const anyUrl = (...more: readonly string[]) => rules("RewriteOptions AllowAnyURI", ...more);
  const host = (...inner: readonly string[]) => [
    "<VirtualHost *>",
    "ServerName plain.test",
    ...inner,
    "</VirtualHost>",
  ];

  test.each<[string, readonly string[], number | "another server" | "unknown"]>([
    ["a rule that denies every path", rules("RewriteRule .* - [F]"), "another server"],
    ["a rule that denies the proxy", rules("RewriteRule ^proxy: - [F]"), "another server"],
    [
      "a rule with a condition",
      rules("RewriteCond %{HTTP:Upgrade} websocket", "RewriteRule .* - [F]"),
      "another server",
    ],
    ["rules of a virtual host", host(...rules("RewriteRule ^ /gone [R=410]")), "another server"],
    ["a rule for any URL that does not match", anyUrl("RewriteRule ^/ - [F]"), "another server"],
    ["a rule for any URL that denies it", anyUrl("RewriteRule ^proxy:http: - [F]"), 403],
    ["a condition on the URL", anyUrl("RewriteCond %{REQUEST_URI} ^http:", "RewriteRule ^ - [R=410]"), 410],
    ["a condition on the name", anyUrl("RewriteCond %{REQUEST_FILENAME} ^proxy:", "RewriteRule ^ - [G]"), 410],
    ["a redirect of any URL", anyUrl("RewriteRule ^proxy: /other [R]"), 302],
    [
      "AllowAnyURI in a Location",
      ['<LocationMatch "^">', "RewriteOptions AllowAnyURI", "</LocationMatch>", ...rules("RewriteRule ^ - [G]")],
      410,
    ],
    [
      "AllowAnyURI that a section replaces",
      ['<LocationMatch "^">', "RewriteOptions MergeBase", "</LocationMatch>", ...anyUrl("RewriteRule ^ - [G]")],
      "another server",
    ],
    ["another target for any URL", anyUrl("RewriteRule ^proxy: /x.txt [PT]"), "unknown"],
    ["a Proxy section that denies it", ['<Proxy "*">', ...rules("RewriteRule ^ - [F]"), "</Proxy>"], 403],
    ["rules of a Location", ['<Location "/">', ...rules("RewriteRule ^ - [F]"), "</Location>"], "another server"],
    ["rules of a pattern", ['<LocationMatch "^">', ...rules("RewriteRule ^ - [F]"), "</LocationMatch>"], 403],
    ["rules of a directory", ['<Directory "/">', ...rules("RewriteRule ^ - [F]"), "</Directory>"], "another server"],
    ["a Redirect of all paths", ["Redirect 410 /", "RedirectMatch 410 ^"], "another server"],
    ["ProxyPass of all paths", ["ProxyPass / http://127.0.0.1:9/"], "another server"],
  ])("pass %s as on the server", async (_, more, expected) => {
    const other = createServer((_request, response) => response.end("another server")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port: otherPort } = other.address() as AddressInfo;
    const origin = `http://127.0.0.1:${otherPort}`;
    try {
      await withRunningHttpd([...modules, "rewrite"], ["ProxyRequests On", ...more], async (running) => {
        const port = new URL(running.url("/")).port;
        const response = await send(port, `${origin}/x`, "GET");
        const answer = response.endsWith("another server") ? "another server" : statusOf(response);
        const request = {
          method: "GET",
          path: "/x",
          origin,
          host: "plain.test",
          clientIp: "127.0.0.1",
          port: Number(port),
        };
        const { status, answeredBy } = simulatedServerOn(running).answer(request);
        const decided = answeredBy === "backend" ? "another server" : (status ?? "unknown");
        expect(decided).toBe(expected);
        expect([answer, "unknown"]).toContain(decided);
      });
    } finally {
      other.close();
    }
  });
});
