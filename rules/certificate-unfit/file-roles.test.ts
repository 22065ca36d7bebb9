import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findingsOf, type Given, section } from "../../test/support/rules.js";
import { obsoleteTlsDirective } from "../obsolete-tls-directive/obsolete-tls-directive.js";
import { certificateUnfit } from "./certificate-unfit.js";

const fixtures = join(import.meta.dirname, "../../test/fixtures/certificates");
const pem = (name: string) => readFileSync(join(fixtures, `${name}.pem`), "latin1");
const privateKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

interface Files {
  readonly cert: string;
  readonly key?: string;
  readonly chain?: string;
  readonly ca?: string;
  readonly more?: readonly string[];
}

const linesOf = ({ cert, key, chain, ca, more = [] }: Files) => [
  "SSLEngine on",
  `SSLCertificateFile "${cert}"`,
  ...(key ? [`SSLCertificateKeyFile ${key}`] : []),
  ...(chain ? [`SSLCertificateChainFile ${chain}`] : []),
  ...(ca ? [`SSLCACertificateFile ${ca}`] : []),
  ...more,
];

/** Returns the findings of a virtual host, and checks that those of the main server are the same. */
function check(given: Files, files: Readonly<Record<string, string>> = {}) {
  const text = section("VirtualHost *:443", ...linesOf(given));
  const options = { files, now: new Date("2027-01-01") };
  const shown = (text: string) => findingsOf([certificateUnfit, obsoleteTlsDirective], text, options);
  const found = shown(text).filter(({ severity }) => severity !== "info");
  const messages = found.map(({ message, text }) => `${message} at ${text.replace(/\s.*/, "")}`);
  const ofMain = shown(`${linesOf(given).join("\n")}\n`).filter(({ severity }) => severity !== "info");
  expect(ofMain.map(({ message, text }) => `${message} at ${text.replace(/\s.*/, "")}`)).toEqual(messages);
  return messages;
}

const live = "/etc/letsencrypt/live/www.example.org";
const leaf = pem("leaf");
const ca = pem("ca");

describe("files that do not contain what their directive needs, by name", () => {
  test.each<[string, Files, string]>([
    [
      "the certificate in the chain",
      { cert: "ssl/www.example.org.cer", key: "ssl/www.example.org.key", chain: "ssl/fullchain.cer" },
      "`fullchain.cer` also contains the certificate of the server at SSLCertificateChainFile",
    ],
    [
      "the certificate in the chain of certbot",
      { cert: `${live}/cert.pem`, key: `${live}/privkey.pem`, chain: `${live}/fullchain.pem` },
      "`fullchain.pem` also contains the certificate of the server at SSLCertificateChainFile",
    ],
    [
      "no issuers",
      { cert: `${live}/cert.pem`, key: `${live}/privkey.pem` },
      "`cert.pem` does not contain the certificate of its issuer at SSLCertificateFile",
    ],
    [
      "exchanged files",
      { cert: `${live}/privkey.pem`, key: `${live}/fullchain.pem` },
      "`privkey.pem` is not a certificate, and `fullchain.pem` is not a key at SSLCertificateFile",
    ],
    [
      "exchanged files with other names",
      { cert: "/etc/ssl/server.key", key: "/etc/ssl/server.crt" },
      "`server.key` is not a certificate, and `server.crt` is not a key at SSLCertificateFile",
    ],
    [
      "a request",
      { cert: "/etc/ssl/server.csr", key: "/etc/ssl/server.key" },
      "`server.csr` is not a certificate at SSLCertificateFile",
    ],
    [
      "a certificate as the key",
      { cert: "/etc/ssl/a.pem", key: "/etc/ssl/a-fullchain.pem" },
      "`a-fullchain.pem` is not a private key at SSLCertificateKeyFile",
    ],
    [
      "the key of another certificate",
      { cert: `${live}/fullchain.pem`, key: "/etc/letsencrypt/live/example.org-0001/privkey.pem" },
      "the key is that of `example.org-0001`, not of `www.example.org` at SSLCertificateKeyFile",
    ],
    [
      "no root for client certificates",
      {
        ...{ cert: `${live}/fullchain.pem`, key: `${live}/privkey.pem`, ca: `${live}/fullchain.pem` },
        more: ["SSLVerifyClient require"],
      },
      "`fullchain.pem` does not contain a root certificate at SSLCACertificateFile",
    ],
  ])("%s", (_, given, message) => {
    expect(check(given)).toEqual([message]);
  });

  test.each<[string, Files]>([
    ["the usual files of certbot", { cert: `${live}/fullchain.pem`, key: `${live}/privkey.pem` }],
    ["a chain", { cert: `${live}/cert.pem`, key: `${live}/privkey.pem`, chain: `${live}/chain.pem` }],
    [
      "one file for both",
      { cert: `${live}/fullchain.pem`, key: `${live}/privkey.pem`, chain: `${live}/fullchain.pem` },
    ],
    [
      "the usual files of Debian",
      { cert: "/etc/ssl/certs/ssl-cert-snakeoil.pem", key: "/etc/ssl/private/ssl-cert-snakeoil.key" },
    ],
    [
      "the usual files of Fedora",
      { cert: "/etc/pki/tls/certs/localhost.crt", key: "/etc/pki/tls/private/localhost.key" },
    ],
    ["a certificate with its key", { cert: "/etc/ssl/server.crt", key: "/etc/ssl/server.crt" }],
    ["a certificate with its key in one line", { cert: "/etc/ssl/server.pem" }],
    ["a self-signed certificate", { cert: "/etc/ssl/cert.pem", key: "/etc/ssl/key.pem" }],
    ["another chain", { cert: "/etc/ssl/a.crt", key: "/etc/ssl/a.key", chain: "/etc/ssl/ca-bundle.crt" }],
    [
      "a variable",
      { cert: "/etc/letsencrypt/live/${NAME}/cert.pem", key: "/etc/letsencrypt/live/${NAME}/privkey.pem" },
    ],
    ["a token", { cert: "/etc/ssl/a.crt", key: '"pkcs11:token=a.crt"' }],
    ["the issuers as authorities", { cert: `${live}/cert.pem`, key: `${live}/privkey.pem`, ca: `${live}/chain.pem` }],
    [
      "authorities of clients",
      {
        cert: `${live}/fullchain.pem`,
        key: `${live}/privkey.pem`,
        ca: "/etc/ssl/ca.pem",
        more: ["SSLVerifyClient require"],
      },
    ],
    [
      "clients that need not be verified",
      {
        ...{ cert: `${live}/fullchain.pem`, key: `${live}/privkey.pem`, ca: `${live}/fullchain.pem` },
        more: ["SSLVerifyClient optional_no_ca"],
      },
    ],
  ])("not %s", (_, given) => {
    expect(check(given)).toEqual([]);
  });
});

describe("files that do not contain what their directive needs, by content", () => {
  const files = { cert: "/a.pem", key: "/k.pem" };

  test.each<[string, Files, Readonly<Record<string, string>>, string]>([
    [
      "the certificate in the chain",
      { ...files, chain: "/b.pem" },
      { "/a.pem": leaf, "/k.pem": privateKey, "/b.pem": leaf + ca },
      "`b.pem` also contains the certificate of the server at SSLCertificateChainFile",
    ],
    [
      "exchanged files",
      files,
      { "/a.pem": privateKey, "/k.pem": leaf },
      "`a.pem` is not a certificate, and `k.pem` is not a key at SSLCertificateFile",
    ],
    [
      "a certificate as the key",
      files,
      { "/a.pem": leaf, "/k.pem": ca },
      "`k.pem` is not a private key at SSLCertificateKeyFile",
    ],
  ])("%s", (_, given, contents, message) => {
    expect(check(given, contents)).toEqual([message]);
  });

  test.each<[string, Files, Readonly<Record<string, string>>]>([
    [
      "a chain with an unusual name",
      { ...files, chain: "/fullchain.pem" },
      { "/a.pem": leaf, "/k.pem": privateKey, "/fullchain.pem": ca },
    ],
    ["files with unusual names", { cert: "/a.key", key: "/a.crt" }, { "/a.key": leaf, "/a.crt": privateKey }],
    [
      "a file with all",
      { cert: "/a.pem", key: "/b.pem" },
      { "/a.pem": leaf + ca + privateKey, "/b.pem": leaf + privateKey },
    ],
    ["cert.pem with its issuer", { cert: `${live}/cert.pem`, key: "/k.pem" }, { [`${live}/cert.pem`]: leaf + ca }],
    ["a root", { ...files, ca: `${live}/chain.pem`, more: ["SSLVerifyClient require"] }, { [`${live}/chain.pem`]: ca }],
    [
      "files that cannot be read",
      files,
      { "/a.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "/k.pem": "x" },
    ],
  ])("not %s", (_, given, contents) => {
    expect(check(given, contents)).toEqual([]);
  });
});

describe("the key of another certificate", () => {
  const other = (passphrase?: string) =>
    generateKeyPairSync("ec", {
      namedCurve: "prime256v1",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: passphrase
        ? { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }
        : { type: "pkcs8", format: "pem" },
    }).privateKey;
  const message = (key: string, certificate: string) =>
    `the key in \`${key}\` does not belong to the certificate in \`${certificate}\``;

  test("is an error", () => {
    expect(check({ cert: "/a.pem", key: "/k.pem" }, { "/a.pem": leaf, "/k.pem": other() })).toEqual([
      `${message("k.pem", "a.pem")} at SSLCertificateKeyFile`,
    ]);
    expect(check({ cert: "/a.pem" }, { "/a.pem": leaf + other() })).toEqual([
      "the private key in `a.pem` does not belong to the certificate before it at SSLCertificateFile",
    ]);
  });

  test("is found by content in the directories of certbot", () => {
    const given = { cert: `${live}/fullchain.pem`, key: "/etc/letsencrypt/live/example.org-0001/privkey.pem" };
    expect(check(given, { [given.cert]: leaf + ca, [given.key]: other() })).toEqual([
      `${message("privkey.pem", "fullchain.pem")} at SSLCertificateKeyFile`,
    ]);
  });

  test("is that of the certificate with the same number", () => {
    const more = ["SSLCertificateFile /b.pem", "SSLCertificateKeyFile /l.pem"];
    const files = { "/a.pem": "x", "/k.pem": other(), "/b.pem": leaf, "/l.pem": other() };
    expect(check({ cert: "/a.pem", key: "/k.pem", more }, files)).toEqual([
      `${message("l.pem", "b.pem")} at SSLCertificateKeyFile`,
    ]);
  });

  test.each<[string, string]>([
    ["with a passphrase", other("secret")],
    ["that cannot be read", privateKey],
  ])("is unknown for a key %s", (_, key) => {
    expect(check({ cert: "/a.pem", key: "/k.pem" }, { "/a.pem": leaf, "/k.pem": key })).toEqual([]);
  });
});

describe("files that do not exist", () => {
  const text = (line: string) => section("VirtualHost *:443", "SSLEngine off", line);
  const find = (line: string, files: Readonly<Record<string, string>> = {}, more: Given = {}) =>
    findingsOf([certificateUnfit], text(line), { files: { "/etc/ssl/a.pem": leaf, ...files }, ...more });

  test("stop the start, also without TLS", () => {
    expect(find("SSLCertificateFile /etc/ssl/b.pem")).toMatchObject([
      {
        severity: "error",
        text: "/etc/ssl/b.pem",
        message: "the file `/etc/ssl/b.pem` does not exist",
        notes: [
          "httpd will not start",
          "httpd reports: SSLCertificateFile: file '/etc/ssl/b.pem' does not exist or is empty",
        ],
        help: ["create the file, or correct the path"],
      },
    ]);
  });

  test.each([
    ["SSLCertificateKeyFile /etc/ssl/b.key", {}],
    ["SSLCACertificateFile /etc/ssl/ca.pem", {}],
    ["SSLCertificateFile b.pem", {}],
    ["SSLCertificateFile /etc/letsencrypt/live/b.test/fullchain.pem", { "/etc/letsencrypt/live/README": "x" }],
    ["SSLProxyCACertificateFile /etc/ssl/ca.pem", {}],
  ])("%s", (line, files) => {
    expect(find(line, files).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the file `.*` does not exist$/),
    ]);
  });

  test("and empty ones", () => {
    expect(find("SSLCertificateFile /etc/ssl/b.pem", { "/etc/ssl/b.pem": "" })).toMatchObject([
      { message: "the file `/etc/ssl/b.pem` is empty", help: ["use a file with the certificate or key"] },
    ]);
  });

  test.each<[string, Readonly<Record<string, string>>, Given]>([
    ["SSLCertificateFile /etc/ssl/a.pem", {}, {}],
    // The folder may be mounted later.
    ["SSLCertificateFile /etc/tls/b.pem", {}, {}],
    ["SSLCertificateFile /etc/letsencrypt/live/b.test/fullchain.pem", {}, {}],
    ["SSLCertificateFile /etc/ssl/${NAME}.pem", {}, {}],
    ["SSLCertificateFile /etc/ssl/@NAME@.pem", {}, {}],
    ["SSLCertificateFile pkcs11:token=a", {}, {}],
    ["SSLCertificateFile /etc/ssl/b.pem", {}, { kind: "fragment" }],
  ])("but not %s", (line, files, more) => {
    expect(find(line, files, more)).toEqual([]);
  });
});
