import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { request as requestOverTls } from "node:https";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { etagInode } from "../../rules/etag-inode/etag-inode.js";
import { hostByDns } from "../../rules/host-by-dns/host-by-dns.js";
import { listenAnywhere } from "../../rules/listen-anywhere/listen-anywhere.js";
import { missingHsts } from "../../rules/missing-hsts/missing-hsts.js";
import { missingResponseHeader } from "../../rules/missing-response-header/missing-response-header.js";
import { requestLimits } from "../../rules/request-limits/request-limits.js";
import { rootDirectoryOpen } from "../../rules/root-directory-open/root-directory-open.js";
import { tlsSessionCache } from "../../rules/tls-session-cache/tls-session-cache.js";
import { traceEnabled } from "../../rules/trace-enabled/trace-enabled.js";
import { verboseServer } from "../../rules/verbose-server/verbose-server.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { readLog, statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf } from "../support/rules.js";

/** Lines of a server with and without a finding, a request, and its responses. */
interface HardeningCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  readonly method?: string;
  readonly path?: string;
  /** The response header that is shown after the status, if any. */
  readonly header?: string;
  readonly badResponse: RegExp;
  readonly goodResponse: RegExp;
  readonly isOverTls?: true;
}

const denied = '<Location "/">\nRequire all denied\n</Location>\n';
const hsts = "Strict-Transport-Security";

const cases: readonly HardeningCase[] = [
  {
    rule: traceEnabled,
    bad: `TraceEnable On\n${denied}`,
    good: `TraceEnable Off\n${denied}`,
    method: "TRACE",
    badResponse: /^200/,
    goodResponse: /^405/,
  },
  {
    rule: traceEnabled,
    bad: denied,
    good: `TraceEnable Off\n${denied}`,
    method: "TRACE",
    badResponse: /^200/,
    goodResponse: /^405/,
  },
  {
    rule: verboseServer,
    bad: "ServerTokens Full",
    good: "ServerTokens Prod",
    header: "server",
    badResponse: /^200 Apache\/2\.4\.\d+ \(/,
    goodResponse: /^200 Apache$/,
  },
  {
    rule: verboseServer,
    bad: "ServerTokens Prod\nServerSignature On",
    good: "ServerTokens Prod\nServerSignature Off",
    path: "/none",
    badResponse: /^404 .*<address>Apache Server at /s,
    goodResponse: /^404 (?!.*<address>)/s,
  },
  {
    rule: etagInode,
    bad: "FileETag All",
    good: "FileETag MTime Size",
    header: "etag",
    badResponse: /^200 (?:W\/)?"\w+-\w+-\w+"$/,
    goodResponse: /^200 (?:W\/)?"\w+-\w+"$/,
  },
  {
    rule: hostByDns,
    bad: '<Location "/">\nRequire host localhost\n</Location>',
    good: '<Location "/">\nRequire ip 192.0.2.1\n</Location>',
    badResponse: /^200/,
    goodResponse: /^403/,
  },
  {
    rule: rootDirectoryOpen,
    bad: 'Alias "/d" "/etc"\n',
    good: 'Alias "/d" "/etc"\n<Directory "/">\nOptions None\nAllowOverride None\nRequire all denied\n</Directory>',
    path: "/d/hostname",
    badResponse: /^200/,
    goodResponse: /^403/,
  },
  {
    rule: missingResponseHeader,
    bad: "",
    good: 'Header set X-Frame-Options DENY\nHeader set Referrer-Policy no-referrer\nHeader set Permissions-Policy "camera=()"',
    header: "x-frame-options",
    badResponse: /^200 $/,
    goodResponse: /^200 DENY$/,
  },
  {
    rule: requestLimits,
    bad: "LimitRequestFieldSize 8190\nTimeout 10\nLimitRequestBody 102400",
    good: "LimitRequestFieldSize 1024\nTimeout 10\nLimitRequestBody 102400",
    badResponse: /^200/,
    goodResponse: /^400/,
  },
  {
    rule: missingHsts,
    bad: `Header set ${hsts} max-age=63072000`,
    good: `Header always set ${hsts} max-age=63072000`,
    path: "/none",
    header: "strict-transport-security",
    badResponse: /^404 $/,
    goodResponse: /^404 max-age=63072000$/,
    isOverTls: true,
  },
];

const modules = "mpm_event authn_core authz_core authz_host alias headers reqtimeout socache_shmcb ssl".split(" ");

/** Sends the request of a case, with a header of 2 kB. */
function sendRequest(
  port: number,
  { method = "GET", path = "/x.txt", header, isOverTls }: HardeningCase,
): Promise<string> {
  const send = isOverTls ? requestOverTls : request;
  const headers = method === "TRACE" ? {} : { "x-long": "x".repeat(2_000) };
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false, rejectUnauthorized: false };
    send(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const shown = header === undefined ? Buffer.concat(parts).toString() : (response.headers[header] ?? "");
        resolve(`${response.statusCode} ${shown}`);
      });
    })
      .on("error", reject)
      .end();
  });
}

describe.skipIf(!httpd)(liveTitle("hardening rules, on the live server"), () => {
  const folder = sharedFolder();
  let isCertified = false;

  beforeAll(() => {
    isCertified = makeCertificate(folder.at("key.pem"), folder.at("cert.pem"));
  });

  /** Writes a server into its own folder, and returns that folder and the text of its main file. */
  const writeServer = (name: string, port: number, lines: string, isOverTls = false) => {
    const root = folder.at(name);
    mkdirSync(join(root, "www"), { recursive: true });
    writeFileSync(join(root, "www/x.txt"), "x");
    const tls = `SSLEngine On\nSSLCertificateFile ${folder.at("cert.pem")}\nSSLCertificateKeyFile ${folder.at("key.pem")}\n`;
    const head = `ServerRoot "${root}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port}\n`;
    const text = `${loadModules(modules)}${head}DocumentRoot "${root}/www"\n${isOverTls ? tls : ""}${lines}\n`;
    writeFileSync(join(root, "httpd.conf"), text);
    // The files of the tests' rules are in memory, where the folder does not exist.
    return { root, text: text.replace(/^ServerRoot .*$/m, "") };
  };

  test.each(cases.map((each) => [each.rule.id, each.bad, each] as const))("%s: %j", async (id, _, each) => {
    const responses: Record<string, string> = {};
    for (const [name, lines] of [
      ["bad", each.bad],
      ["good", each.good],
    ] as const) {
      const port = await freePort();
      const { root, text } = writeServer(`${id}-${name}`, port, lines, each.isOverTls);
      expect(findingsOf([each.rule], text).length > 0).toBe(name === "bad");
      if (each.isOverTls && !isCertified) return;
      const served = await whileServing(root, { address: "127.0.0.1", port }, () => sendRequest(port, each));
      if (typeof served !== "string") throw new Error(served.refused);
      responses[name] = served;
    }
    expect(responses["bad"]).toMatch(each.badResponse);
    expect(responses["good"]).toMatch(each.goodResponse);
  });

  test("listen-anywhere", async () => {
    const [anywhere, mapped, named] = [await freePort(), await freePort(), await freePort()];
    const bad = `Listen ${anywhere}\nListen [::ffff:0.0.0.0]:${mapped}\n`;
    const good = `Listen 127.0.0.1:${named}\n`;
    const { root } = writeServer("listen", await freePort(), bad + good);
    expect(findingsOf([listenAnywhere], bad)).toHaveLength(2);
    expect(findingsOf([listenAnywhere], good)).toEqual([]);
    const served = await whileServing(root, { address: "127.0.0.1", port: named }, async () => {
      const statuses: (number | string)[] = [];
      // Another address of this machine.
      for (const port of [anywhere, mapped, named])
        statuses.push(await statusOf({ host: "127.0.0.2", port, path: "/x.txt" }).catch(({ code }) => code));
      return { statuses };
    });
    expect(served).toEqual({ statuses: [200, 200, "ECONNREFUSED"] });
  });

  test("tls-session-cache", async () => {
    if (!isCertified) return;
    for (const [name, lines] of [
      ["bad", ""],
      ["good", "SSLSessionCache shmcb:ssl_cache(512000)"],
    ] as const) {
      const port = await freePort();
      const { root, text } = writeServer(`cache-${name}`, port, lines, true);
      expect(findingsOf([tlsSessionCache], text)).toHaveLength(name === "bad" ? 1 : 0);
      const log = await whileServing(root, { address: "127.0.0.1", port }, async () => readLog(root, "error.log"));
      expect(String(log).includes("AH01873")).toBe(name === "bad");
    }
  });
});
