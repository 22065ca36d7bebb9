import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { obsoleteTlsDirective } from "./obsolete-tls-directive.js";

const check = (text: string) => findingsOf([obsoleteTlsDirective], text);
const summarize = (text: string) =>
  check(text).map(({ severity, text: marked, message }) => `${severity} ${marked}: ${message}`);

test("reports compression", () => {
  expect(check("SSLCompression On")).toEqual([
    {
      rule: "obsolete-tls-directive",
      severity: "error",
      at: "1:1-1:18",
      text: "SSLCompression On",
      message: "`SSLCompression On` reveals encrypted data (CRIME)",
      notes: ["if OpenSSL was built without compression, httpd does not start"],
      help: ["delete it"],
      related: [],
    },
  ]);
});

test.each([
  ["SSLProtocol all +SSLv3", ["error +SSLv3: `SSLProtocol` allows SSLv3, which is broken"]],
  ["SSLProxyProtocol sslv3", ["error sslv3: `SSLProxyProtocol` allows SSLv3, which is broken"]],
  ["SSLProtocol all -SSLv2 -SSLv3", ["info -SSLv2: `-SSLv2` has no effect in `SSLProtocol`"]],
  [
    "SSLInsecureRenegotiation on",
    ["warning SSLInsecureRenegotiation on: `SSLInsecureRenegotiation On` allows injected requests (CVE-2009-3555)"],
  ],
  [
    "SSLCertificateChainFile chain.pem",
    ["info SSLCertificateChainFile chain.pem: `SSLCertificateChainFile` is deprecated since 2.4.8"],
  ],
])("reports %s", (text, findings) => {
  expect(summarize(text)).toEqual(findings);
});

test.each([
  "SSLProtocol all -SSLv3",
  "SSLProtocol +SSLv3 +TLSv1.2 -SSLv3",
  "SSLProtocol SSLv3 TLSv1.2",
  "SSLCompression Off",
  "SSLInsecureRenegotiation off",
  "SSLCertificateFile chain.pem",
])("does not report %s", (text) => {
  expect(summarize(text)).toEqual([]);
});

test("does not report lines of 2.2", () => {
  expect(findingsOf([obsoleteTlsDirective], "SSLProtocol +SSLv3", { release: "2.2" })).toEqual([]);
});
