import { expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { unverifiedBackend } from "./unverified-backend.js";

const check = (text: string, given?: Given) => findingsOf([unverifiedBackend], wholeServer("Listen 80", text), given);
const pass = "ProxyPass / https://app.internal/";
const server = (...lines: readonly string[]) => ["SSLProxyEngine on", ...lines, pass].join("\n");

test("reports a backend on another machine", () => {
  expect(check(server())).toEqual([
    {
      rule: "unverified-backend",
      severity: "warning",
      at: "6:1-6:34",
      text: pass,
      message: "the certificate of the backend `https://app.internal/` is not verified",
      notes: [
        "the default is `SSLProxyVerify none`",
        "httpd accepts a self-signed certificate with the name of the backend",
      ],
      help: ["add `SSLProxyVerify require`, and `SSLProxyCACertificateFile` with the authority of the backend"],
      related: [],
    },
  ]);
});

test.each([
  ["SSLProxyVerify none", "is not verified", ["httpd.conf:6:1: does not verify the certificate"]],
  ["SSLProxyVerify optional_no_ca", "is not verified", ["httpd.conf:6:1: does not verify the certificate"]],
  ["SSLProxyCheckPeerName off", "is not verified", []],
  [
    "SSLProxyVerify require\nSSLProxyCheckPeerName off",
    "may have any name",
    ["httpd.conf:7:1: does not compare the name"],
  ],
  [
    "SSLProxyVerify require\nSSLProxyCheckPeerCN off",
    "may have any name",
    ["httpd.conf:7:1: does not compare the name"],
  ],
])("reports %s", (lines, end, related) => {
  const [finding, ...others] = check(server(lines));
  expect(others).toEqual([]);
  expect(finding?.message).toBe(`the certificate of the backend \`https://app.internal/\` ${end}`);
  expect(finding?.related).toEqual(related);
});

test("reports that httpd accepts every certificate if it does not check the name", () => {
  expect(check(server("SSLProxyCheckPeerName off"))[0]?.notes?.[1]).toBe("httpd accepts every certificate");
});

test.each([
  ["a member of a balancer", section("Proxy balancer://a", "BalancerMember https://10.0.0.7:8443")],
  ["ProxyPassMatch", "ProxyPassMatch ^/(.*)$ https://[2001:db8::7]/$1"],
  ["ProxyPass in Location", section("Location /a", "ProxyPass wss://app.internal/")],
  ["a virtual host", section("VirtualHost *:80", "SSLProxyVerify none", pass)],
])("reports %s", (_, text) => {
  expect(check(`SSLProxyEngine on\n${text}`)).toHaveLength(1);
});

test.each([
  ["verified certificates", server("SSLProxyVerify require")],
  [
    "names that SSLProxyCheckPeerCN compares",
    server("SSLProxyVerify require", "SSLProxyCheckPeerName off", "SSLProxyCheckPeerCN on"),
  ],
  [
    "verification that the main server sets",
    `SSLProxyVerify require\n${section("VirtualHost *:80", "SSLProxyEngine on", pass)}`,
  ],
  ["a section that may decide", server(section("Proxy *", "SSLProxyVerify require"))],
  ["a proxy without TLS, which fails", pass],
  ["backends without TLS", "SSLProxyEngine on\nProxyPass / http://app.internal/"],
  ["the loopback address", "SSLProxyEngine on\nProxyPass / https://127.0.0.1:8443/\nProxyPass /a https://[::1]/"],
  ["localhost", "SSLProxyEngine on\nProxyPass / https://localhost:8443/"],
  ["a path that is not proxied", 'SSLProxyEngine on\nProxyPass "/a" "!"'],
])("does not report %s", (_, text) => {
  expect(check(text)).toEqual([]);
});

test("does not report 2.2, or a part of a server", () => {
  expect(findingsOf([unverifiedBackend], server())).toEqual([]);
  expect(check(server(), { release: "2.2" })).toEqual([]);
});
