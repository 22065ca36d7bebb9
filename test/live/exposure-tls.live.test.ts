import { readFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { beforeAll, describe, expect, test } from "vitest";
import { reflectedOrigin } from "../../rules/reflected-origin/reflected-origin.js";
import { unverifiedClientCertificate } from "../../rules/unverified-client-certificate/unverified-client-certificate.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf } from "../support/rules.js";

/** The lines of a host, and its answer to a client that sends a header or its own certificate. */
interface TlsCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  readonly origin?: string;
  /** The status, and Access-Control-Allow-Origin, with the bad and with the good lines. */
  readonly answers: readonly [bad: string, good: string];
}

const byName = (lines: string) => `SSLVerifyClient optional_no_ca\n<Location />\n${lines}\n</Location>`;
const name = "Require expr \"%{SSL_CLIENT_S_DN_CN} == 'bob'\"";
const copy =
  'Header set Access-Control-Allow-Origin "%{ORIGIN_OK}e" env=ORIGIN_OK\nHeader set Access-Control-Allow-Credentials true';

const cases: readonly TlsCase[] = [
  {
    rule: unverifiedClientCertificate,
    bad: byName(name),
    good: byName(`<RequireAll>\n${name}\nRequire ssl-verify-client\n</RequireAll>`),
    answers: ["200", "403"],
  },
  {
    rule: unverifiedClientCertificate,
    bad: byName('SSLRequire %{SSL_CLIENT_S_DN_CN} eq "bob"'),
    good: byName('SSLRequire %{SSL_CLIENT_VERIFY} eq "SUCCESS" and %{SSL_CLIENT_S_DN_CN} eq "bob"'),
    answers: ["200", "403"],
  },
  {
    rule: reflectedOrigin,
    bad: `SetEnvIf Origin "^(https://.*)$" ORIGIN_OK=$1\n${copy}`,
    good: `SetEnvIf Origin "^(https://www\\.example\\.com)$" ORIGIN_OK=$1\n${copy}`,
    origin: "https://evil.example",
    answers: ["200 https://evil.example", "200"],
  },
  {
    rule: reflectedOrigin,
    bad: `SetEnvIf Origin "(.*example\\.com)$" ORIGIN_OK=$1\n${copy}`,
    good: `SetEnvIf Origin "^(https://([\\w-]+\\.)?example\\.com)$" ORIGIN_OK=$1\n${copy}`,
    origin: "https://evil-example.com",
    answers: ["200 https://evil-example.com", "200"],
  },
  {
    rule: reflectedOrigin,
    bad: `SetEnvIf Origin "^https://example\\.com" ORIGIN_OK\n${copy.replace("%{ORIGIN_OK}e", "expr=%{req:Origin}")}`,
    good: `SetEnvIf Origin "^https://example\\.com$" ORIGIN_OK\n${copy.replace("%{ORIGIN_OK}e", "expr=%{req:Origin}")}`,
    origin: "https://example.com.evil.example",
    answers: ["200 https://example.com.evil.example", "200"],
  },
];

const texts = cases.flatMap((each) => [
  { ...each, lines: each.bad },
  { ...each, lines: each.good },
]);
const modules = loadModules([
  "mpm_event",
  "authn_core",
  "authz_core",
  "authz_host",
  "dir",
  "headers",
  "mime",
  "setenvif",
  "socache_shmcb",
  "ssl",
]);

describe.skipIf(!httpd)(liveTitle("exposure by TLS and headers, on the live server"), () => {
  const folder = sharedFolder();
  let answers: readonly string[] = [];

  beforeAll(async () => {
    if (!makeCertificate(folder.at("key.pem"), folder.at("cert.pem"), "bob")) throw new Error("no openssl");
    const ports = await Promise.all(texts.map(() => freePort()));
    const root = folder.at("www");
    folder.write({ "www/x.txt": "x" });
    const hosts = texts.map(
      ({ lines }, index) =>
        `Listen 127.0.0.1:${ports[index]}\n<VirtualHost 127.0.0.1:${ports[index]}>\nSSLEngine on\nSSLCertificateFile cert.pem\nSSLCertificateKeyFile key.pem\n${lines}\n</VirtualHost>\n`,
    );
    folder.write({
      "httpd.conf": `${modules}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig /dev/null\nSSLSessionCache shmcb:cache\nDocumentRoot "${root}"\n<Directory "${root}">\nRequire all granted\n</Directory>\n${hosts.join("")}`,
    });
    const identity = { cert: readFileSync(folder.at("cert.pem")), key: readFileSync(folder.at("key.pem")) };
    const run = () =>
      Promise.all(texts.map(({ origin }, index) => fetchAnswer({ port: ports[index] ?? 0, origin, identity })));
    const served = await whileServing(folder.path, { address: "127.0.0.1", port: ports[0] ?? 0 }, run);
    if ("refused" in served) throw new Error(served.refused);
    answers = served;
  });

  test.each(cases.map((each, index) => [each.rule.id, each.answers[0], each, index] as const))(
    "%s: %s",
    (_, _answer, { rule, answers: expected }, index) => {
      expect([answers[2 * index], answers[2 * index + 1]]).toEqual(expected);
      expect([2 * index, 2 * index + 1].map((at) => countFindings(rule, texts[at]?.lines ?? ""))).toEqual([1, 0]);
    },
  );
});

/** Counts the findings for a server on all addresses, because the rules ignore servers on the loopback address. */
function countFindings(rule: RuleDefinition, lines: string): number {
  const server = "ServerName x.test\nListen 443\nDocumentRoot /srv\nSSLEngine on\nSSLCertificateFile cert.pem\n";
  return findingsOf([rule], `${modules}${server}${lines}\n`).length;
}

interface TlsRequest {
  readonly port: number;
  readonly origin: string | undefined;
  /** The self-signed certificate of the client, and its key. */
  readonly identity: { readonly cert: Buffer; readonly key: Buffer };
}

function fetchAnswer({ port, origin, identity }: TlsRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = origin === undefined ? {} : { Origin: origin };
    const options = { ...identity, port, path: "/x.txt", headers, rejectUnauthorized: false, agent: false };
    const request = httpsRequest(options, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers["access-control-allow-origin"] ?? []].flat().join(" "));
    });
    request.on("error", reject).end();
  });
}
