import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Returns the scheme and the port that a request without them gets. */
function endpointOn(text: string, kind: "server" | "fragment", more: Partial<Request> = {}) {
  const access = memoryAccess({ "/etc/site.conf": text });
  const loaded = loadProject("/etc/site.conf", { access, release: "2.4", kind });
  if (!loaded.ok) throw new Error(loaded.error);
  const server = new SimulatedServer(loaded.value, createListedFiles([]));
  const { scheme, port } = server.completeRequest({ method: "GET", path: "/", clientIp: "192.0.2.1", ...more });
  return [scheme, port];
}

const host = (address: string, ...lines: readonly string[]) =>
  `<VirtualHost ${address}>\n${lines.join("\n")}\n</VirtualHost>\n`;
const tls = ["SSLEngine on", "SSLCertificateFile /etc/a.pem"];

describe("a request without a scheme and a port", () => {
  test.each<[string, "server" | "fragment", readonly unknown[]]>([
    ["Listen 80\nListen 443\n", "server", [undefined, undefined]],
    ["Listen 8080\n", "server", [undefined, 8080]],
    [`Listen 443\n${host("*:443", ...tls)}`, "server", ["https", 443]],
    [`Listen 127.0.0.1:8443 https\n${host("*:8443", ...tls)}`, "server", ["https", 8443]],
    [host("*:80"), "fragment", [undefined, undefined]],
    [host("*:8080"), "fragment", [undefined, 8080]],
    // The SSLEngine line may be in a file that it includes.
    [host("*:443"), "fragment", ["https", 443]],
    [host("*:443") + host("*:80"), "fragment", [undefined, undefined]],
    ["Redirect / https://a.test/\n", "fragment", [undefined, undefined]],
  ])("%j (%s)", (text, kind, expected) => {
    expect(endpointOn(text, kind)).toEqual(expected);
  });

  test("keeps those that it names", () => {
    const text = host("*:443", ...tls);
    expect(endpointOn(text, "fragment", { scheme: "http" })).toEqual(["http", undefined]);
    expect(endpointOn(text, "fragment", { port: 81 })).toEqual([undefined, 81]);
    expect(endpointOn(text, "fragment", { host: "a.test:82" })).toEqual([undefined, undefined]);
  });
});
