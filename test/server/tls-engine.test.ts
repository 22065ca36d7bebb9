import { describe, expect, test } from "vitest";
import type { Release } from "../../src/facts/release.js";
import { ServerLookup } from "../../src/server/request/vhost-lookup.js";
import { loadText } from "../support/projects.js";

const certificate = "SSLCertificateFile a.pem";
const named = `ServerName a.test\n${certificate}`;

/** Returns whether TLS is on for the only virtual host, and the name of the line that decides. */
function engineOf(listen: string, address: string, lines: string, release: Release = "2.4") {
  const { directives } = loadText(`${listen}\n<VirtualHost ${address}>\n${lines}\n</VirtualHost>\n`, { release });
  const servers = new ServerLookup(directives, release);
  const { state, line } = servers.tlsEngineOf(servers.hosts[0] ?? servers.main);
  return [state, line?.name];
}

describe("without SSLEngine, a certificate turns on TLS", () => {
  test.each([
    ["Listen 443", "*:443"],
    ["Listen 443", "_default_:443"],
    ["Listen 8443 HTTPS", "*:8443"],
    ["Listen [::]:443", "*:443"],
    ["Listen 0.0.0.0:443", "*:443"],
    ["Listen 192.0.2.1:443", "192.0.2.1:443"],
    ["Listen a.test:443", "a.test:443"],
    ["Listen 80\nListen 443", "*:81 *:443"],
    ["Listen 443\nListen 80", "*:443 *:80"],
  ])("for %s and <VirtualHost %s>", (listen, address) => {
    expect(engineOf(listen, address, named)).toEqual(["on", "Listen"]);
  });

  test("for the Protocol https, also of the main server", () => {
    expect(engineOf("Listen 80", "*:80", `Protocol HTTPS\n${certificate}`)).toEqual(["on", "Protocol"]);
    expect(engineOf("Protocol https\nListen 80", "*:80", certificate)).toEqual(["on", "Protocol"]);
  });
});

describe("TLS stays off", () => {
  test.each([
    ["Listen 80", "*:80", named],
    ["Listen 443 http", "*:443", named],
    ["Listen 443", "*:444", named],
    ["Listen 443", "*", named],
    ["Listen 443", "192.0.2.1:443", named],
    ["Listen 443", "a.test:443", named],
    ["Listen 192.0.2.1:443", "*:443", named],
    ["Listen 192.0.2.1:443", "192.0.2.2:443", named],
    ["Listen 80\nListen 443", "*:80 *:443", named],
    ["Listen 443", "*:443", "ServerName a.test"],
    ["Listen 443", "*:443", `DirectoryIndex a\n${certificate}`],
    ["Listen 443", "*:443", `Define A 1\n${certificate}`],
    ["Listen 443", "*:443", `Protocol ftp\n${certificate}`],
    ["Listen a.test:80", "192.0.2.1:80", named],
  ])("for %s, <VirtualHost %s> and %j", (listen, address, lines) => {
    expect(engineOf(listen, address, lines)).toEqual(["off", undefined]);
  });

  test("for the main server", () => {
    const servers = new ServerLookup(loadText(`Listen 443\n${named}\n`).directives, "2.4");
    expect(servers.tlsEngineOf(servers.main)).toEqual({ state: "off", line: undefined });
  });
});

test.each([
  ["Listen 443", "0.0.0.0:443"],
  ["Listen a.test:443", "192.0.2.1:443"],
  ["Listen 192.0.2.1:443", "a.test:443"],
  ["Listen a.test:443", "b.test:443"],
  ["Listen a.test:80\nListen 443", "192.0.2.1:80 *:443"],
])("depends on the machine for %s and <VirtualHost %s>", (listen, address) => {
  expect(engineOf(listen, address, named)).toEqual(["unknown", "Listen"]);
});

describe("SSLEngine", () => {
  test.each(["on", "off", "optional"])("%s decides in 2.4", (word) => {
    expect(engineOf("Listen 443", "*:443", `SSLEngine ${word}\n${named}`)).toEqual([word, "SSLEngine"]);
  });

  test("does not turn off TLS at the address of an https Listen line in 2.2, which needs no certificate", () => {
    expect(engineOf("Listen 443", "*:443", `SSLEngine off\n${named}`, "2.2")).toEqual(["on", "Listen"]);
    expect(engineOf("Listen 443", "*:443", "ServerName a.test", "2.2")).toEqual(["on", "Listen"]);
    expect(engineOf("Listen 80", "*:80", `SSLEngine off\n${named}`, "2.2")).toEqual(["off", "SSLEngine"]);
    expect(engineOf("Listen 80", "*:80", `SSLEngine on\n${named}`, "2.2")).toEqual(["on", "SSLEngine"]);
    expect(engineOf("Listen a.test:443", "192.0.2.1:443", `SSLEngine off\n${named}`, "2.2")).toEqual([
      "unknown",
      "Listen",
    ]);
    expect(engineOf("Listen a.test:443", "192.0.2.1:443", `SSLEngine on\n${named}`, "2.2")).toEqual([
      "on",
      "SSLEngine",
    ]);
  });
});
