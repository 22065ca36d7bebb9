import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const lines = [
  ...["ServerName x.test:8080", 'DocumentRoot "/srv"', "ProxyRequests On"],
  ...['<Proxy "*">', "Require all denied", "</Proxy>"],
  // An IPv6 address in a URL is compared without its brackets.
  ...["<VirtualHost *>", "ServerName x.test:8080", "ServerAlias 2001:db8::1 xy.test", "</VirtualHost>"],
];
const modules = ["authz_core_module", "proxy_module", "proxy_http_module", "proxy_connect_module"];

/** Returns the status of a request: 403 by a forward proxy, 200 by the server itself. */
function statusOf(request: object, loaded: readonly string[] = modules): number | undefined {
  const used = loaded.includes("proxy_module") ? lines : lines.filter((line) => !/Proxy|all denied/.test(line));
  const project = load({ "/etc/httpd/httpd.conf": `${used.join("\n")}\n` }, { kind: "server", modules: [...loaded] });
  const simulatedServer = new SimulatedServer(project, createListedFiles(["/srv/a.txt"]));
  const fullRequest = { method: "GET", path: "/a.txt", host: "x.test", port: 8080, clientIp: "192.0.2.7", ...request };
  return simulatedServer.answer(fullRequest).status;
}

describe("a forward proxy handles", () => {
  test.each([
    ["http://x.test:8080", 200],
    ["HTTP://X.TEST:8080", 200],
    ["http://xy.test:8080", 200],
    ["http://[2001:db8::1]:8080", 200],
    ["http://x.test", 403],
    ["http://x.test:80", 403],
    ["http://x.test:808", 403],
    ["http://[2001:db8::2]:8080", 403],
    ["https://x.test:8080", 403],
    ["http://other.test", 403],
    ["ftp://x.test:8080", 403],
  ])("a URL of %s: %i", (origin, status) => {
    expect(statusOf({ origin })).toBe(status);
  });

  test("a URL without a port by the default port of its scheme", () => {
    expect(statusOf({ origin: "https://x.test", scheme: "https", port: 8080 })).toBe(403);
    expect(statusOf({ origin: "https://x.test:8080", scheme: "https", port: 8080 })).toBe(200);
  });

  test("CONNECT to an authority, but not a path", () => {
    expect(statusOf({ method: "CONNECT", path: "other.test:443" })).toBe(403);
    expect(statusOf({ method: "CONNECT", path: "/a.txt" })).toBe(400);
  });

  test("no path of the server itself", () => {
    expect(statusOf({})).toBe(200);
  });

  test("no request without mod_proxy", () => {
    expect(statusOf({ origin: "http://other.test" }, ["authz_core_module"])).toBe(200);
  });
});

// A live 2.4.71 returns 403 for the first URL, and 404 or 200 for the path.
test("a forward proxy compares the whole URL with Request_URI", () => {
  const text = [
    ...['DocumentRoot "/srv"', "ProxyRequests On", 'SetEnvIf Request_URI "social" bad'],
    ...["<Proxy *>", "Order allow,deny", "Allow from all", "Deny from env=bad", "</Proxy>"],
  ].join("\n");
  const loaded = [...modules, "access_compat_module", "setenvif_module"];
  const project = load({ "/etc/httpd/httpd.conf": `${text}\n` }, { kind: "server", modules: loaded });
  const server = new SimulatedServer(project, createListedFiles(["/srv/a.txt"]));
  const accessOf = (origin: string | undefined, path: string) =>
    server.answer({ method: "GET", path, host: "x.test", clientIp: "192.0.2.7", ...(origin ? { origin } : {}) }).class;
  expect(accessOf("http://www.social.test", "/")).toBe("403");
  expect(accessOf("http://www.other.test", "/")).not.toBe("403");
  expect(accessOf("http://www.other.test", "/social")).toBe("403");
});
