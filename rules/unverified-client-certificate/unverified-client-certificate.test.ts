import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { unverifiedClientCertificate } from "./unverified-client-certificate.js";

const tls = "Listen 443\nSSLEngine on\nSSLCertificateFile a.pem\n";
const anyIssuer = "SSLVerifyClient optional_no_ca\n";
const bob = "Require expr \"%{SSL_CLIENT_S_DN_CN} == 'bob'\"";
const staff = (...lines: readonly string[]) => section("Location /staff", ...lines);
const check = (...texts: readonly string[]) => findingsOf([unverifiedClientCertificate], onServer(...texts));

test("reports names in any certificate", () => {
  expect(check(tls, anyIssuer, staff(bob))).toEqual([
    {
      rule: "unverified-client-certificate",
      severity: "error",
      at: "7:1-7:46",
      text: bob,
      message: `a self-signed certificate is enough for \`${bob}\``,
      notes: [
        "with `SSLVerifyClient optional_no_ca`, the issuer is not verified",
        "with such a certificate, GET `/staff` over TLS from 203.0.113.9 returns 200",
      ],
      help: [
        "use `SSLVerifyClient require` with `SSLCACertificateFile`",
        "or add `Require ssl-verify-client` in a `<RequireAll>` section",
      ],
      related: ["httpd.conf:5:1: does not verify the issuer"],
    },
  ]);
});

test.each([
  ["the issuer", "Require expr \"%{SSL_CLIENT_I_DN_CN} == 'ours'\""],
  ["SSLRequire", 'SSLRequire %{SSL_CLIENT_S_DN_O} eq "ours"'],
])("reports %s", (_, line) => {
  expect(check(tls, anyIssuer, staff(line))).toHaveLength(1);
});

test.each([
  ["a verified certificate", [tls, "SSLVerifyClient require\n", staff(bob)]],
  ["an optional, but verified certificate", [tls, "SSLVerifyClient optional\n", staff(bob)]],
  ["a section that verifies", [tls, anyIssuer, staff("SSLVerifyClient require", bob)]],
  ["a check of the result", [tls, anyIssuer, staff("<RequireAll>", bob, "Require ssl-verify-client", "</RequireAll>")]],
  ["the result in the condition", [tls, anyIssuer, staff(`${bob.slice(0, -1)} && %{SSL_CLIENT_VERIFY} == 'SUCCESS'"`)]],
  [
    "an additional required user",
    [
      tls,
      anyIssuer,
      staff(
        "AuthType Basic",
        "AuthName a",
        "AuthUserFile /u",
        "<RequireAll>",
        bob,
        "Require valid-user",
        "</RequireAll>",
      ),
    ],
  ],
  ["access for every client", [tls, anyIssuer, staff(bob, "Require all granted")]],
  ["a server without TLS", ["Listen 80\n", anyIssuer, staff(bob)]],
  ["a server on the loopback address", [tls.replace("443", "127.0.0.1:443"), anyIssuer, staff(bob)]],
])("does not report %s", (_, texts) => {
  expect(check(...texts)).toEqual([]);
});
