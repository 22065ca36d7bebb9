import { expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { weakTlsCipher } from "./weak-tls-cipher.js";

const host = (...lines: readonly string[]) => section("VirtualHost *:443", "SSLEngine on", ...lines);
const check = (text: string) => findingsOf([weakTlsCipher], text);
const summarize = (text: string) =>
  check(text).map(({ at, severity, message }) => `${at.split("-")[0]} ${severity} ${message}`);
const guideline =
  "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
const beyond = "info `SSLCipherSuite` allows more than the recommended cipher suites";

test("reports broken ciphers", () => {
  expect(check(host("SSLCipherSuite ALL:!ADH:RC4+RSA:+HIGH"))).toEqual([
    {
      rule: "weak-tls-cipher",
      severity: "warning",
      at: "3:1-3:38",
      text: "SSLCipherSuite ALL:!ADH:RC4+RSA:+HIGH",
      message: "`SSLCipherSuite` allows RC4 and 3DES",
      notes: [
        "cipher suites: ECDHE-ECDSA-RC4-SHA, ECDHE-RSA-RC4-SHA and 7 more",
        "many builds of OpenSSL 3 omit these suites",
      ],
      help: [`use \`SSLCipherSuite ${guideline}\``],
      related: [],
    },
  ]);
});

test("reports other ciphers beyond the guideline", () => {
  const [finding, ...others] = check(host("SSLCipherSuite HIGH:!aNULL"));
  expect(others).toEqual([]);
  expect(finding?.severity).toBe("info");
  expect(finding?.notes).toEqual([
    "Mozilla's guideline 6.0 (intermediate) recommends only ECDHE with AES-GCM or ChaCha20-Poly1305",
    "without forward secrecy: AES256-GCM-SHA384, AES256-CCM8 and 14 more",
    "others: DHE-DSS-AES256-GCM-SHA384, DHE-RSA-AES256-GCM-SHA384 and 47 more",
  ]);
});

test.each([
  ["one suite", host("SSLCipherSuite DES-CBC3-SHA"), ["3:1 warning `SSLCipherSuite` allows 3DES"]],
  ["the default list", host("SSLCipherSuite DEFAULT"), [`3:1 ${beyond}`]],
  ["the stock line of httpd", host("SSLCipherSuite HIGH:MEDIUM:!MD5:!RC4:!3DES"), [`3:1 ${beyond}`]],
  ["the main server's line", `SSLCipherSuite AES128-SHA\n${host()}${host()}`, [`1:1 ${beyond}`]],
  ["a protocol", host("SSLCipherSuite SSL AES128-SHA"), [`3:1 ${beyond}`]],
  [
    "the last line",
    host("SSLCipherSuite AES128-SHA", "SSLCipherSuite RC4-SHA"),
    ["4:1 warning `SSLCipherSuite` allows RC4"],
  ],
])("reports %s", (_, text, findings) => {
  expect(summarize(text)).toEqual(findings);
});

test.each([
  ["the guideline", host(`SSLCipherSuite ${guideline}`)],
  ["the guideline by keywords", host("SSLCipherSuite ECDHE+AESGCM:ECDHE+CHACHA20")],
  ["ciphers that are excluded", host("SSLCipherSuite RC4:3DES:ECDHE+AESGCM:!RC4:!3DES")],
  ["suites that mod_ssl excludes", host("SSLCipherSuite aNULL:eNULL:EXP:ECDHE+CHACHA20")],
  ["a policy of the system", host("SSLCipherSuite PROFILE=SYSTEM")],
  ["a variable", host("SSLCipherSuite ${CIPHERS}")],
  ["the suites of TLS 1.3", host("SSLCipherSuite TLSv1.3 TLS_AES_128_CCM_8_SHA256")],
  ["a server with TLS 1.3 only", host("SSLProtocol TLSv1.3", "SSLCipherSuite RC4")],
  ["security level 3", host("SSLCipherSuite HIGH:RC4:@SECLEVEL=3")],
  ["a line that the virtual host overrides", `SSLCipherSuite RC4\n${host("SSLCipherSuite ECDHE+AESGCM")}`],
  ["a host without TLS", section("VirtualHost *:80", "SSLCipherSuite RC4")],
  ["a command of OpenSSL", host("SSLCipherSuite RC4", "SSLOpenSSLConfCmd CipherString ECDHE+AESGCM")],
  ["the default without a line", host()],
])("does not report %s", (_, text) => {
  expect(summarize(text)).toEqual([]);
});
