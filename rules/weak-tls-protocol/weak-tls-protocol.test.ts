import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { weakTlsProtocol } from "./weak-tls-protocol.js";

const host = (...lines: readonly string[]) => section("VirtualHost *:443", "SSLEngine on", ...lines);
const check = (text: string) =>
  findingsOf([weakTlsProtocol], text).map(({ at, severity, message }) => `${at.split("-")[0]} ${severity} ${message}`);

test("reports protocols that a line adds by name", () => {
  expect(findingsOf([weakTlsProtocol], host("SSLProtocol -all +TLSv1 +TLSv1.1 +TLSv1.2"))).toEqual([
    {
      rule: "weak-tls-protocol",
      severity: "warning",
      at: "3:1-3:42",
      text: "SSLProtocol -all +TLSv1 +TLSv1.1 +TLSv1.2",
      message: "`SSLProtocol` allows TLS 1.0 and TLS 1.1",
      notes: [
        "Mozilla's guideline 6.0 (intermediate) recommends TLS 1.2 and TLS 1.3",
        "OpenSSL 3 rejects them unless `SSLCipherSuite` contains `@SECLEVEL=0`; OpenSSL 1 accepts them",
      ],
      help: ["use `SSLProtocol -all +TLSv1.2 +TLSv1.3`"],
      related: [],
    },
  ]);
});

test("reports that security level 0 allows the protocols", () => {
  const [finding] = findingsOf([weakTlsProtocol], host("SSLProtocol all -SSLv3", "SSLCipherSuite ALL:@SECLEVEL=0"));
  expect(finding?.severity).toBe("warning");
  expect(finding?.notes?.[1]).toBe("`@SECLEVEL=0` in `SSLCipherSuite` allows them in OpenSSL 3 as well");
  expect(finding?.related).toEqual(["httpd.conf:4:1: allows them in OpenSSL 3"]);
});

describe("reports", () => {
  test.each([
    ["the stock line", host("SSLProtocol all -SSLv3"), ["3:1 info `SSLProtocol` allows TLS 1.0 and TLS 1.1"]],
    ["one protocol", host("SSLProtocol all -TLSv1"), ["3:1 info `SSLProtocol` allows TLS 1.1"]],
    [
      "the line of the main server",
      `SSLProtocol TLSv1.1\n${host()}${host()}`,
      ["1:1 warning `SSLProtocol` allows TLS 1.1"],
    ],
    ["the last line", host("SSLProtocol TLSv1.2", "SSLProtocol +TLSv1"), ["4:1 warning `SSLProtocol` allows TLS 1.0"]],
    [
      "a host without a line",
      wholeServer("Listen 443", host()),
      ["6:1 info without `SSLProtocol`, TLS 1.0 and TLS 1.1 are allowed"],
    ],
    [
      "several hosts without a line, once",
      wholeServer("Listen 443", host() + host()),
      ["6:1 info without `SSLProtocol`, TLS 1.0 and TLS 1.1 are allowed"],
    ],
    [
      "a line of a host with the SSLEngine of the main server",
      `SSLEngine on\n${section("VirtualHost *:443", "SSLProtocol TLSv1")}SSLProtocol TLSv1.2`,
      ["3:1 warning `SSLProtocol` allows TLS 1.0"],
    ],
    [
      "a line of a host with only a certificate",
      section("VirtualHost *:443", "SSLCertificateFile a.pem", "SSLProtocol TLSv1"),
      ["3:1 warning `SSLProtocol` allows TLS 1.0"],
    ],
  ])("%s", (_, text, findings) => {
    expect(check(text)).toEqual(findings);
  });
});

test.each([
  ["the guideline", host("SSLProtocol -all +TLSv1.2 +TLSv1.3")],
  ["TLS 1.3 only", host("SSLProtocol TLSv1.3")],
  ["protocols that are removed again", host("SSLProtocol +TLSv1 +TLSv1.2 -TLSv1")],
  ["a line that the virtual host overrides", `SSLProtocol TLSv1\n${host("SSLProtocol TLSv1.3")}`],
  ["a host without TLS", section("VirtualHost *:443", "SSLProtocol TLSv1")],
  ["a host with TLS off", section("VirtualHost *:443", "SSLEngine off", "SSLProtocol TLSv1")],
  ["cipher suites of TLS 1.2 only", host("SSLProtocol all", "SSLCipherSuite ECDHE+AESGCM")],
  ["a command of OpenSSL", host("SSLProtocol TLSv1", "SSLOpenSSLConfCmd MinProtocol TLSv1.2")],
  ["an unknown protocol", host("SSLProtocol TLSv1 TLSv2")],
  ["a default that a missing file may change", host()],
  ["backends", host("SSLProtocol TLSv1.3", "SSLProxyProtocol TLSv1")],
])("does not report %s", (_, text) => {
  expect(check(text)).toEqual([]);
});

test("does not report protocols of 2.2", () => {
  expect(findingsOf([weakTlsProtocol], host("SSLProtocol TLSv1"), { release: "2.2" })).toEqual([]);
});
