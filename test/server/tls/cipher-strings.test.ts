import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { cipherWeaknesses, listCipherSuites, weaknessOf } from "../../../src/facts/cipher-suites.js";
import { expandCipherString } from "../../../src/server/tls/cipher-strings.js";

const namesOf = (text: string) => [...(expandCipherString(text)?.suites ?? [])].map(({ name }) => name).sort();

test.each([
  ["RC4", ["ADH-RC4-MD5", "AECDH-RC4-SHA", "ECDHE-ECDSA-RC4-SHA", "ECDHE-RSA-RC4-SHA", "RC4-MD5", "RC4-SHA"]],
  ["RC4:!aNULL:-kRSA", ["ECDHE-ECDSA-RC4-SHA", "ECDHE-RSA-RC4-SHA"]],
  ["AES128-SHA:RC4:!RC4:RC4-SHA", ["AES128-SHA"]],
  ["AES128-SHA:-AES128-SHA", []],
  ["AES128-SHA:-AES128-SHA:AES128-SHA", ["AES128-SHA"]],
  ["AES128-SHA:+AES128-SHA", ["AES128-SHA"]],
  ["+AES128-SHA", []],
  ["ECDHE+aRSA+CHACHA20", ["ECDHE-RSA-CHACHA20-POLY1305"]],
  ["EDH-RSA-DES-CBC3-SHA", ["DHE-RSA-DES-CBC3-SHA"]],
  ["AES128-SHA AES256-SHA;EXPORT,LOW", ["AES128-SHA", "AES256-SHA"]],
])("%s selects %j", (text, names) => {
  expect(namesOf(text)).toEqual(names);
});

test.each([
  ["HIGH", undefined],
  ["HIGH:@SECLEVEL=0", 0],
  ["@SECLEVEL=1:HIGH:@STRENGTH:@SECLEVEL=2", 2],
])("the security level of %s is %j", (text, level) => {
  expect(expandCipherString(text)?.securityLevel).toBe(level);
});

test.each(["PROFILE=SYSTEM", "HIGH:!Null", "HIGH:ECDHE+FOO", "HIGH:DEFAULT", "high", "@SECLEVEL=9"])(
  "%s is unknown",
  (text) => {
    expect(expandCipherString(text)).toBeUndefined();
  },
);

test("each weakness has suites", () => {
  expect(new Set(listCipherSuites().map(weaknessOf))).toEqual(new Set([...cipherWeaknesses, undefined]));
});

/** Lists suites with the installed OpenSSL. */
function listInstalled(text: string): readonly string[] | undefined {
  const { status, stdout } = spawnSync("openssl", ["ciphers", "-v", `${text}:@SECLEVEL=0`], { encoding: "utf8" });
  if (status !== 0) return [];
  const lines = stdout.trim().split("\n");
  const ofTable = lines.filter((line) => !/TLSv1\.3|Kx=\S*(?:PSK|SRP)|Au=SRP/.test(line));
  return ofTable.map((line) => line.replace(/ .*/, "")).sort();
}

const hasOpenssl3 = spawnSync("openssl", ["version"], { encoding: "utf8" }).stdout?.startsWith("OpenSSL 3.") === true;

describe.skipIf(!hasOpenssl3)("the installed OpenSSL 3 selects the same suites", () => {
  const installed = new Set(hasOpenssl3 ? listInstalled("ALL:COMPLEMENTOFALL") : []);

  test.each([
    ...["ALL", "COMPLEMENTOFALL", "COMPLEMENTOFDEFAULT", "DEFAULT", "HIGH", "MEDIUM", "eNULL", "NULL", "aNULL"],
    ...[
      "kRSA",
      "RSA",
      "kDHE",
      "kEDH",
      "DH",
      "DHE",
      "EDH",
      "kECDHE",
      "kEECDH",
      "ECDH",
      "ECDHE",
      "EECDH",
      "ADH",
      "AECDH",
    ],
    ...["aRSA", "aDSS", "DSS", "aECDSA", "ECDSA", "AES", "AES128", "AES256", "AESGCM", "AESCCM", "AESCCM8", "CHACHA20"],
    ...["CAMELLIA", "CAMELLIA128", "CAMELLIA256", "ARIA", "ARIAGCM", "ARIA128", "ARIA256"],
    ...["MD5", "SHA", "SHA1", "SHA256", "SHA384", "SSLv3", "TLSv1", "TLSv1.0", "TLSv1.2"],
    ...["DEFAULT:!SHA1:AES128-SHA", "kRSA+AESGCM:ECDHE", "HIGH:!aNULL:-kRSA:AES256-SHA", "HIGH:MEDIUM:!MD5:!RC4:!3DES"],
    ...["ALL:!ADH:!EXPORT:!SSLv2:RC4+RSA:+HIGH:+MEDIUM:+LOW", "EECDH+AESGCM:EDH+AESGCM", "HIGH:!LOW:!PSK:!SRP:!DES"],
  ])("%s", (text) => {
    expect(namesOf(text).filter((name) => installed.has(name))).toEqual(listInstalled(text));
  });
});
