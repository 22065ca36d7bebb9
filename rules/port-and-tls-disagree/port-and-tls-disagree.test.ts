import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { portAndTlsDisagree } from "./port-and-tls-disagree.js";

const check = (text: string, given?: Given) => findingsOf([portAndTlsDisagree], text, given);
const messages = (text: string, given?: Given) => check(text, given).map(({ message }) => message);
const whole = (...lines: readonly string[]) => wholeServer("LoadModule ssl_module mod_ssl.so", "Listen 443", ...lines);
const off = "TLS is off at the https port: `*:443`";
const on = "TLS is on at the http port: `*:80`";

test("reports a host on port 443 without TLS", () => {
  expect(check(whole("SSLEngine off", section("VirtualHost *:443", "ServerName a.test")))).toEqual([
    {
      rule: "port-and-tls-disagree",
      severity: "warning",
      at: "7:1-7:20",
      text: "<VirtualHost *:443>",
      message: off,
      notes: ["clients of `https://` URLs cannot connect"],
      help: ["add `SSLEngine On` and a certificate"],
      related: ["httpd.conf:6:1: decides whether TLS is on"],
    },
  ]);
});

test.each([
  ["port 443 without SSLEngine", section("VirtualHost *:443", "ServerName a.test"), off],
  [
    "port 443 with a certificate, but TLS off",
    section("VirtualHost *:443", "SSLEngine off", "SSLCertificateFile a.pem"),
    off,
  ],
  ["TLS on the http port", section("VirtualHost *:80", "SSLEngine on"), on],
  ["inherited TLS on the http port", `SSLEngine on\n${section("VirtualHost *:80", "ServerName a.test")}`, on],
  ["TLS on both ports", section("VirtualHost *:80 *:443", "SSLEngine on"), on],
])("reports %s", (_, text, header) => {
  expect(messages(whole(text))).toEqual([header]);
});

test.each([
  ["TLS on port 443", section("VirtualHost *:443", "SSLEngine on")],
  ["the SSLEngine of the main server", `SSLEngine on\n${section("VirtualHost *:443", "ServerName a.test")}`],
  ["port 80 without TLS", section("VirtualHost *:80", "ServerName a.test")],
  ["other ports", section("VirtualHost *:8443", "ServerName a.test") + section("VirtualHost *:8080", "SSLEngine on")],
  ["a certificate, which turns TLS on", section("VirtualHost *:443", "ServerName a.test", "SSLCertificateFile a.pem")],
  [
    "a certificate and the Protocol https",
    section("VirtualHost 192.0.2.1:443", "Protocol https", "SSLCertificateFile a.pem"),
  ],
  [
    "an address that depends on the machine",
    section("VirtualHost 0.0.0.0:443", "ServerName a.test", "SSLCertificateFile a.pem"),
  ],
  ["optional TLS on port 80", section("VirtualHost *:80", "SSLEngine optional")],
  ["a proxy that removes TLS", `Listen 443 http\n${section("VirtualHost *:443", "ServerName a.test")}`],
  ["mod_gnutls", section("VirtualHost *:443", "GnuTLSEnable on")],
  ["mod_tls", `TLSEngine 443\n${section("VirtualHost *:443", "ServerName a.test")}`],
  [
    "a line in another conditional section",
    section("VirtualHost *:443", "<IfDefine TLS>", "SSLEngine on", "</IfDefine>"),
  ],
  ["a missing file", `Include missing.conf\n${section("VirtualHost *:443", "ServerName a.test")}`],
])("does not report %s", (_, text) => {
  expect(messages(whole(text))).toEqual([]);
});

test.each(["192.0.2.1:443", "*:443"])("reports a certificate that does not turn on TLS at %s", (address) => {
  const names = address.startsWith("*") ? [] : ["ServerName a.test"];
  expect(check(whole(section(`VirtualHost ${address}`, ...names, "SSLCertificateFile a.pem")))).toMatchObject([
    {
      message: `TLS is off at the https port: \`${address}\``,
      notes: [
        "clients of `https://` URLs cannot connect",
        "without `SSLEngine`, a certificate turns on TLS only at the address of an https `Listen` line",
      ],
      help: ["add `SSLEngine On`"],
    },
  ]);
});

describe("a certificate in a part of a server", () => {
  const host = (...lines: readonly string[]) =>
    section("VirtualHost 192.0.2.1:443", "ServerName a.test", "SSLCertificateFile a.pem", ...lines);
  const fragment = (text: string) => findingsOf([portAndTlsDisagree], text, { kind: "fragment" });

  test("without SSLEngine is reported with what is assumed", () => {
    for (const text of [host(), section("IfModule mod_ssl.c", host().trimEnd()), section("VirtualHost *:80") + host()])
      expect(fragment(text)).toMatchObject([
        {
          message: "TLS is off at the https port: `192.0.2.1:443`",
          notes: expect.arrayContaining(["assuming that no other file turns TLS on for this virtual host"]),
          help: ["add `SSLEngine On`"],
        },
      ]);
  });

  test.each([
    ["SSLEngine on", host("SSLEngine on")],
    ["SSLEngine optional", host("SSLEngine optional")],
    ["SSLEngine off on purpose", host("SSLEngine off")],
    ["SSLEngine of the main server", `SSLEngine on\n${host()}`],
    ["SSLEngine of an included file", host("Include /etc/letsencrypt/options-ssl-apache.conf")],
    ["SSLEngine in a condition", host("<IfDefine TLS>", "SSLEngine on", "</IfDefine>")],
    ["another module", host("TLSEngine 443")],
    ["the protocol", host("Protocol https")],
    ["another port", host().replace(":443", ":8443")],
    ["no certificate", host().replace(/SSLCert.*\n/, "")],
    ["an address of `Listen 443`", host().replace("192.0.2.1", "*")],
    ["another address of `Listen 443`", host().replace("192.0.2.1", "_default_")],
    ["an earlier virtual host with TLS", host("SSLEngine on") + host()],
  ])("is not reported with %s", (_, text) => {
    expect(fragment(text).filter(({ message }) => message.startsWith("TLS is off at"))).toEqual([]);
  });
});

test("names the line that turns TLS off beside a certificate", () => {
  const helpFor = (...lines: readonly string[]) =>
    check(whole(section("VirtualHost *:443", "ServerName a.test", ...lines))).flatMap(({ help }) => help);
  expect(helpFor("SSLEngine off", "SSLCertificateFile a.pem")).toEqual(["use `SSLEngine On`"]);
  expect(helpFor("SSLEngine off")).toEqual(["add `SSLEngine On` and a certificate"]);
});

test("checks only the first virtual host of each address", () => {
  const host = (address: string, ...lines: readonly string[]) => section(`VirtualHost ${address}`, ...lines);
  expect(messages(whole(host("*:443", "SSLEngine on"), host("_default_:443", "SSLEngine on")))).toEqual([]);
  expect(messages(whole(host("*:443"), host("0.0.0.0:443", "SSLEngine on"), host("[::]:443")))).toEqual([off]);
  expect(messages(whole(host("*:443"), host("*:443", "SSLEngine on"), host("*:443")))).toEqual([off]);
  expect(messages(whole(host("*:80"), host("*:80", "SSLEngine on")))).toEqual([]);
  expect(messages(whole(host("*:443", "SSLEngine on"), host("192.0.2.1:443")))).toEqual([
    "TLS is off at the https port: `192.0.2.1:443`",
  ]);
});

test("does not report port 443 without mod_ssl, or in a part of a server", () => {
  const host = section("VirtualHost *:443", "ServerName a.test");
  expect(messages(wholeServer("Listen 443", host))).toEqual([]);
  expect(messages(host)).toEqual([]);
  expect(messages(whole(host), { kind: "fragment" })).toEqual([]);
  expect(messages(whole(host), { release: "2.2" })).toEqual([]);
});

const plain = (address: string) => section(`VirtualHost ${address}`, "ServerName a.test");
const secure = (address: string) =>
  section(`VirtualHost ${address}`, "ServerName b.test", "SSLEngine on", "SSLCertificateFile /b.pem");

test.each(["*", "*:*", "_default_", "*:8443", "192.0.2.1:8443", "[2001:db8::1]:8443"])(
  "reports TLS after a virtual host of %s without it, also in a part of a server",
  (address) => {
    const text = plain(address) + section("IfModule mod_ssl.c", secure(address).trimEnd());
    const header = `TLS is off for \`${address}\`: the first virtual host there has none`;
    expect(messages(text, { kind: "fragment" })).toEqual([header]);
    expect(messages(whole(text))).toEqual([header]);
  },
);

test.each([
  ["the virtual host with TLS first", secure("*") + plain("*")],
  ["different ports", plain("*:80") + secure("*:443")],
  ["different addresses", plain("192.0.2.1:8443") + secure("192.0.2.2:8443")],
  ["two virtual hosts with TLS", secure("*") + secure("*")],
  ["two without it", plain("*") + plain("*")],
  ["addresses that are names", plain("a.test:8443") + secure("a.test:8443")],
  ["TLS of the whole server", `SSLEngine on\nSSLCertificateFile /a.pem\n${plain("*")}${secure("*")}`],
  [
    "a certificate, with which another file may turn on TLS",
    plain("*").replace("a.test", "a.test\nSSLCertificateFile /a.pem") + secure("*"),
  ],
])("reports nothing for %s", (_, text) => {
  expect(messages(text, { kind: "fragment" })).toEqual([]);
});

describe("a virtual host without TLS after one with TLS", () => {
  const fixtures = join(import.meta.dirname, "../../test/fixtures/certificates");
  const files = { "/etc/httpd/a.pem": readFileSync(join(fixtures, "leaf.pem"), "latin1") };
  const first = (address: string) =>
    section(`VirtualHost ${address}`, "ServerName www.example.org", "SSLEngine on", "SSLCertificateFile a.pem");
  const later = (address: string, ...lines: readonly string[]) => section(`VirtualHost ${address}`, ...lines);

  test.each(["*:443", "_default_:443", "*:8443", "192.0.2.1:443"])("is reported at %s", (address) => {
    const text = whole("Listen 8443", first(address), later(address, "ServerName c.test:443"));
    expect(check(text)).toMatchObject([
      {
        text: `<VirtualHost ${address}>`,
        severity: "warning",
        message: "TLS is off for `c.test`, but the first virtual host of its address has it",
        notes: [
          "clients get the certificate of the first virtual host",
          "they reject it unless it is also for this name",
        ],
        help: ["add `SSLEngine On` and a certificate for this name, or use the port for plain HTTP"],
        related: [expect.stringContaining("has TLS")],
      },
    ]);
    expect(check(text, { files })[0]?.notes).toEqual([
      "clients get the certificate of the first virtual host, which is not for `c.test`",
    ]);
  });

  test.each([
    ["for which the certificate is", first("*:443") + later("*:443", "ServerName a.shop.example")],
    ["of another port", first("*:443") + later("*:80", "ServerName c.test")],
    ["of another address", first("192.0.2.1:443") + later("192.0.2.2:8443", "ServerName c.test")],
    ["that inherits TLS", `SSLEngine on\n${first("*:443")}${later("*:443", "ServerName c.test")}`],
    ["with TLS", first("*:443") + later("*:443", "ServerName c.test", "SSLEngine on", "SSLCertificateFile b.pem")],
    ["of mod_gnutls", first("*:443") + later("*:443", "ServerName c.test", "GnuTLSEnable on")],
    ["in a part of a server", undefined],
  ])("is not reported for one %s", (_, hosts) => {
    const text = hosts ?? first("*:443") + later("*:443", "ServerName c.test");
    expect(check(hosts === undefined ? text : whole("Listen 8443", text), { files })).toEqual([]);
  });

  test("is reported if it has no name", () => {
    expect(messages(whole(first("*:443"), later("*:443", "DocumentRoot /srv")))).toEqual([
      "TLS is off for this virtual host, but the first virtual host of its address has it",
    ]);
  });
});

const redirectMessage = (url: string) => `redirect to a port without TLS: \`${url}\``;
const redirecting = (...lines: readonly string[]) =>
  whole("Listen 80", section("VirtualHost *:80", "ServerName a.test", "ServerAlias www.a.test", ...lines));

test.each([
  ["a Redirect", "Redirect permanent / https://a.test/", "https://a.test"],
  ["a redirect to another name of the server", "RedirectPermanent / https://www.a.test/", "https://www.a.test"],
  ["a rule", "RewriteEngine On\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]", "https://%{HTTP_HOST}"],
])("reports %s to https if no virtual host has TLS", (_, lines, url) => {
  expect(messages(redirecting(lines))).toEqual([redirectMessage(url)]);
});

test.each([
  ["another site", redirecting("Redirect / https://b.test/")],
  ["another scheme", redirecting("Redirect /x http://a.test/y")],
  [
    "a proxy that terminates TLS",
    redirecting("SetEnvIf X-Forwarded-Proto https HTTPS=on", "Redirect / https://a.test/"),
  ],
  [
    "a server without port 443",
    wholeServer(
      "LoadModule ssl_module mod_ssl.so",
      "Listen 80",
      section("VirtualHost *:80", "ServerName a.test", "Redirect / https://a.test/"),
    ),
  ],
  [
    "a virtual host with TLS",
    redirecting("Redirect / https://a.test/") +
      section("VirtualHost *:443", "ServerName a.test", "SSLEngine on", "SSLCertificateFile a.pem"),
  ],
])("does not report a redirect with %s", (_, text) => {
  expect(messages(text)).toEqual([]);
});

describe("TLS on all ports", () => {
  const tls = ["SSLEngine on", "SSLCertificateFile a.pem"];
  const message = (address: string) => `TLS is on for \`${address}\`, which includes the http port 80`;

  test.each([
    ["*", section("VirtualHost *", "ServerName a.test", ...tls)],
    ["_default_", section("VirtualHost _default_", ...tls)],
    ["*:*", section("VirtualHost *:*", ...tls) + section("VirtualHost *", "ServerName b.test", ...tls)],
    ["*", `SSLEngine on\nSSLCertificateFile a.pem\n${section("VirtualHost *", "ServerName a.test")}`],
    ["*", section("VirtualHost *", ...tls) + section("VirtualHost *:443", ...tls)],
  ])("is reported for %s", (address, text) => {
    expect(messages(whole("Listen 80", text))).toEqual([message(address)]);
  });

  test.each([
    ["no Listen line for port 80", [section("VirtualHost *", ...tls)]],
    [
      "a host of port 80",
      ["Listen 80", section("VirtualHost *", ...tls), section("VirtualHost *:80", "ServerName b.test")],
    ],
    [
      "a host of an address and port 80",
      ["Listen 80", section("VirtualHost *", ...tls), section("VirtualHost 192.0.2.1:80")],
    ],
    ["port 443", ["Listen 80", section("VirtualHost *:443", ...tls)]],
    ["a Listen line with a protocol", ["Listen 80 https", section("VirtualHost *", ...tls)]],
    ["optional TLS", ["Listen 80", section("VirtualHost *", "SSLEngine optional")]],
  ])("is not reported with %s", (_, lines) => {
    expect(messages(whole(...lines)).filter((each) => each.includes("includes"))).toEqual([]);
  });
});
