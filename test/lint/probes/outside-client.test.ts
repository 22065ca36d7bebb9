import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { OutsideClient } from "../../../src/lint/probes/outside-client.js";
import { witnessOf } from "../../../src/lint/probes/witness-steps.js";
import { createFileTree } from "../../../src/server/file-trees.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { onServer, section } from "../../support/rules.js";

function clientOf(text: string, files: Readonly<Record<string, string>> = {}): OutsideClient {
  const access = memoryAccess({ ...files, "/etc/httpd.conf": text });
  const loaded = loadProject("/etc/httpd.conf", { access, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  return new OutsideClient(loaded.value, createFileTree({ by: "existing disk" }, loaded.value, access));
}

const places = (text: string) =>
  clientOf(text)
    .listServers(9)
    .map(({ at }) => at);
const host = (tag: string, ...lines: readonly string[]) => section(`VirtualHost ${tag}`, ...lines);

describe("an external client reaches", () => {
  test.each([
    ["a server without Listen", "", [{}]],
    ["a default port", "Listen 80\n", [{}]],
    ["another port", "Listen 8080\n", [{ port: 8080 }]],
    ["an address", "Listen 192.0.2.1:80\n", [{ serverIp: "192.0.2.1" }]],
    ["a name", "Listen 80\nServerName http://a.test:80\n", [{ host: "a.test" }]],
    ["TLS", "Listen 443\nSSLEngine on\n", [{ scheme: "https" }]],
    ["no loopback addresses", "Listen 127.0.0.1:80\nListen [::1]:80\nListen localhost:81\n", []],
    [
      "only the other address, with a loopback address",
      "Listen 127.0.0.1:80\nListen 192.0.2.1:81\n",
      [{ port: 81, serverIp: "192.0.2.1" }],
    ],
    [
      "a virtual host",
      `Listen 80\nListen 8080\n${host("*:8080", "ServerName a.test")}`,
      [{}, { host: "a.test", port: 8080 }],
    ],
    ["no virtual host on a port without Listen", `Listen 80\n${host("*:81", "ServerName a.test")}`, [{}]],
    ["no virtual host on a loopback address", `Listen 80\n${host("127.0.0.1:80", "ServerName a.test")}`, [{}]],
  ])("%s", (_, text, expected) => {
    expect(places(text)).toEqual(expected);
  });
});

test.each([
  ["/a/b.html", "/srv/a/b.html"],
  ["/", "/srv/"],
  ["/icons/b.png", "/usr/icons/b.png"],
  ["/icons/", "/usr/icons/"],
  ["/icons", "/usr/icons"],
  ["/none.html", "/usr/none/index.html"],
  ["/none.html2", "/srv/none.html2"],
])("maps %s to the file %s", (path, file) => {
  const client = clientOf(onServer("Alias /icons /usr/icons\nAlias /none.html /usr/none/index.html\n"));
  const [server] = client.listServers(1);
  expect(server && client.fileAt(server, path)).toBe(file);
});

describe("a result", () => {
  const statusOf = (text: string, path: string, by: "assumed" | "disk" = "assumed") => {
    const client = clientOf(text, { "/srv/a.html": "x" });
    const [server] = client.listServers(1);
    return server && client.ask(server, { path }, by)?.status;
  };

  test("is for assumed or existing files", () => {
    expect(statusOf(onServer(), "/b.html")).toBe(200);
    expect(statusOf(onServer(), "/b.html", "disk")).toBe(404);
    expect(statusOf(onServer(), "/a.html", "disk")).toBe(200);
  });

  test("is undefined if it depends on unknown facts", () => {
    expect(statusOf(onServer("SecRuleEngine On\n"), "/a.html")).toBeUndefined();
  });

  test("is undefined if another server handles the request", () => {
    expect(statusOf(onServer(`Listen 80\n${host("*:80", "ServerName a.test")}`), "/a.html")).toBeUndefined();
  });

  test("has the file, the backend and the steps", () => {
    const client = clientOf(onServer('ProxyPass "/app" "http://b.test"\n'), { "/srv/a.html": "x" });
    const [server] = client.listServers(1);
    if (server === undefined) throw new Error("no server");
    expect(client.ask(server, { path: "/a.html" })).toMatchObject({ file: "/srv/a.html", backend: undefined });
    const passed = client.ask(server, { path: "/app/x" });
    expect(passed).toMatchObject({ file: undefined, backend: { url: "http://b.test/x" }, answeredBy: "backend" });
    expect(passed && witnessOf(passed).request).toEqual(passed?.request);
  });
});
