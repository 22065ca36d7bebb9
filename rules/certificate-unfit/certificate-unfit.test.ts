import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { certificateUnfit } from "./certificate-unfit.js";

/** The certificates are valid from 2026-11-24; those for www.example.org and *.shop.example for a year. */
const fixtures = join(import.meta.dirname, "../../test/fixtures/certificates");
const pem = (name: string) => readFileSync(join(fixtures, `${name}.pem`), "latin1");
const validTime = new Date("2027-01-01");

interface Case {
  readonly file?: string;
  readonly name?: string;
  readonly now?: Date;
}

function check({ file = pem("leaf"), name = "www.example.org", now = validTime }: Case) {
  const text = `ServerRoot /etc/httpd\nServerName ${name}\nSSLEngine on\nSSLCertificateFile ssl/a.pem\n`;
  return findingsOf([certificateUnfit], text, { files: { "/etc/httpd/ssl/a.pem": file }, now });
}

test("reports an expired certificate", () => {
  expect(check({ now: new Date("2028-01-01") })).toEqual([
    {
      rule: "certificate-unfit",
      severity: "warning",
      at: "4:1-4:29",
      text: "SSLCertificateFile ssl/a.pem",
      message: "the certificate expired on 2027-11-24",
      notes: ["httpd starts silently, and clients reject the connection"],
      help: ["renew the certificate"],
      related: [],
    },
  ]);
});

test.each<[string, Case, string]>([
  [
    "a certificate that is not valid yet",
    { now: new Date("2026-01-01") },
    "the certificate is not valid before 2026-11-24",
  ],
  ["a certificate for another name", { name: "mail.example.org" }, "the certificate is not for `mail.example.org`"],
  ["a name below the wildcard", { name: "a.b.shop.example" }, "the certificate is not for `a.b.shop.example`"],
  [
    "the certificate of an authority",
    { file: pem("ca") + pem("leaf") },
    "the certificate is that of a certificate authority",
  ],
  ["a short key", { file: pem("rsa1024") }, "the key of the certificate has only 1024 bits"],
  [
    "an issuer of another certificate",
    { file: pem("leaf") + pem("other-ca") },
    "the second certificate of the file is not the issuer of the first",
  ],
])("reports %s", (_, given, message) => {
  expect(check(given).map((finding) => finding.message)).toEqual([message]);
});

test.each<[string, Case]>([
  ["a suitable certificate", {}],
  ["a certificate with its issuer after it", { file: pem("leaf") + pem("ca") }],
  ["a wildcard", { name: "a.shop.example" }],
  ["a name with scheme and port", { name: "https://www.example.org:443" }],
  ["a name without a dot", { name: "localhost" }],
  ["an address", { name: "192.0.2.1" }],
  ["a file that is not a certificate", { file: "x" }],
  ["a damaged certificate", { file: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" }],
])("does not report %s", (_, given) => {
  expect(check(given)).toEqual([]);
});

test("reports an inherited certificate once for each server name", () => {
  const host = (name: string) => section("VirtualHost *:443", `ServerName ${name}`, "SSLEngine on");
  const text = `SSLCertificateFile /a.pem\n${host("a.test")}${host("b.test")}${host("www.example.org")}${host("a.test")}`;
  const findings = findingsOf([certificateUnfit], text, { files: { "/a.pem": pem("leaf") }, now: validTime });
  expect(findings.map(({ message, related }) => [message, ...related])).toEqual([
    ["the certificate is not for `a.test`", "httpd.conf:3:1: is the name of the server"],
    ["the certificate is not for `b.test`", "httpd.conf:7:1: is the name of the server"],
  ]);
});

test("does not report a missing file, or a server without TLS", () => {
  const text = "ServerName x.test\nSSLEngine on\nSSLCertificateFile /a.pem\n";
  expect(findingsOf([certificateUnfit], text, { now: validTime })).toEqual([]);
  const files = { "/a.pem": pem("leaf") };
  expect(findingsOf([certificateUnfit], text.replace("on", "off"), { files, now: validTime })).toEqual([]);
});

test.each([
  ["SSLVerifyClient require", true],
  ["SSLVerifyClient require\nSSLVerifyDepth 1\nSSLCADNRequestFile ssl/a.pem", true],
  ["SSLVerifyClient optional", false],
  ["SSLVerifyClient optional_no_ca", false],
  ["SSLVerifyClient none", false],
  ["SSLEngine off\nSSLVerifyClient require", false],
  ["SSLVerifyClient require\nSSLCACertificateFile ssl/ca.pem", false],
  ["SSLVerifyClient require\nSSLCACertificatePath ssl", false],
])("no authority for client certificates: %j", (lines, isReported) => {
  const host = section("VirtualHost *:443", "SSLEngine on", "SSLCertificateFile ssl/a.pem", lines);
  const text = wholeServer("LoadModule ssl_module mod_ssl.so", "ServerName www.example.org", "Listen 443", host);
  const files = { "/etc/httpd/ssl/a.pem": pem("leaf"), "/etc/httpd/ssl/ca.pem": pem("ca") };
  const found = findingsOf([certificateUnfit], `ServerRoot /etc/httpd\n${text}`, { files, now: validTime });
  expect(found.map(({ message }) => message)).toEqual(
    isReported ? ["no client can connect: `SSLVerifyClient require` without a certificate of an authority"] : [],
  );
});

describe("a virtual host on its own with client certificates", () => {
  const found = (...lines: readonly string[]) => {
    const files = { "/etc/httpd/ssl/a.pem": pem("leaf") };
    const names = ["ServerName www.example.org", "SSLEngine on", "SSLCertificateFile /etc/httpd/ssl/a.pem"];
    const text = section("VirtualHost *:443", ...names, ...lines);
    return findingsOf([certificateUnfit], text, { kind: "fragment", files, now: validTime }).map(({ notes }) =>
      notes?.at(-1),
    );
  };

  test("needs an authority", () => {
    const assumed = "assuming that no other file names an authority for this virtual host";
    expect(found("SSLVerifyClient require")).toEqual([assumed]);
  });

  test.each([
    ["SSLVerifyClient require", "SSLCACertificateFile ca.pem"],
    ["SSLVerifyClient optional"],
    ["SSLVerifyClient require", "Include conf/tls.conf"],
    ["SSLVerifyDepth 1"],
  ])("or not: %s %s", (...lines) => {
    expect(found(...lines)).toEqual([]);
  });
});

test("the note about the log needs SSLEngine", () => {
  const host = (...lines: readonly string[]) =>
    section("VirtualHost *:443", "ServerName mail.example.org", "SSLCertificateFile ssl/a.pem", ...lines);
  const notesOf = (lines: string, file: string) =>
    findingsOf([certificateUnfit], `ServerRoot /etc/httpd\n${lines}`, {
      ...{ kind: "fragment", files: { "/etc/httpd/ssl/a.pem": file }, now: validTime },
    }).flatMap(({ notes = [] }) => notes);
  for (const file of [pem("leaf"), pem("ca")]) {
    expect(notesOf(host("SSLEngine on"), file).join()).toMatch(/AH0190[69]/);
    expect(notesOf(host(), file).join()).toMatch(/reject the connection$/);
  }
});

test("an authority of the main server is also that of its virtual hosts", () => {
  const host = section("VirtualHost *:443", "SSLEngine on", "SSLCertificateFile ssl/a.pem", "SSLVerifyClient require");
  const main = ["ServerName www.example.org", "SSLCACertificateFile ssl/ca.pem", "Listen 443"];
  const text = wholeServer("LoadModule ssl_module mod_ssl.so", ...main, host);
  const files = { "/etc/httpd/ssl/a.pem": pem("leaf"), "/etc/httpd/ssl/ca.pem": pem("ca") };
  expect(findingsOf([certificateUnfit], `ServerRoot /etc/httpd\n${text}`, { files, now: validTime })).toEqual([]);
});
