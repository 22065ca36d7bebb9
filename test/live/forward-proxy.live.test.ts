import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { deciderOn, errorsAfter, type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";

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

/** Sends a request line, and returns the status. */
async function send(port: string, target: string, method: string): Promise<number> {
  const socket = connect(Number(port), "127.0.0.1");
  let head = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    head += chunk;
  });
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: plain.test\r\nConnection: close\r\n\r\n`);
  await once(socket, "close");
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
}

async function compare(running: RunningHttpd): Promise<void> {
  const port = new URL(running.url("/")).port;
  const decider = deciderOn(running);
  for (const { method, path, origin } of requests) {
    const [bare = "", query] = path.split("?");
    const request = {
      ...{ method, path: bare, host: "plain.test", clientIp: "127.0.0.1", port: Number(port) },
      ...(query === undefined ? {} : { query }),
      ...(origin === undefined ? {} : { origin }),
    };
    const decided = decider.decide(request);
    // The other server does not exist.
    if (decided.answeredBy === "backend") continue;
    const before = running.errors().length;
    const status = await send(port, `${origin ?? ""}${path}`, method);
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
});
