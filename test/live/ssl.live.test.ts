import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { diskAccess } from "../../src/project/disk.js";
import { loadProject } from "../../src/project/load.js";
import { Decider } from "../../src/simulate/decide.js";
import { diskFiles } from "../../src/simulate/file-trees.js";
import { freePorts } from "../support/asked-httpd.js";
import { httpd, liveTitle } from "../support/httpd.js";
import { asBob, asksForBob, type RunningHttpd, withRunningHttpd } from "../support/running-httpd.js";

const others = ["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_host", "alias", "dir"];
const cases: readonly (readonly string[])[] = [
  ["SSLRequireSSL"],
  ["SSLRequireSSL", "Deny from all"],
  ["SSLRequireSSL", "Satisfy any"],
  ["SSLRequireSSL", "Satisfy any", "Deny from all"],
  ["SSLRequireSSL", "Satisfy any", "Require all granted"],
  ["SSLRequireSSL", "Satisfy any", "Require all granted", "SSLOptions StrictRequire"],
  ["SSLRequireSSL", "Satisfy any", "Require valid-user", ...asksForBob],
  ["SSLRequireSSL", "Satisfy any", "Require valid-user", ...asksForBob, "SSLOptions StrictRequire"],
  ["SSLRequireSSL", "Satisfy any", "Deny from all", "Require valid-user", ...asksForBob, "SSLOptions +StrictRequire"],
  [
    "SSLRequireSSL",
    "Satisfy any",
    "Order allow,deny",
    "Require valid-user",
    ...asksForBob,
    "SSLOptions +StrictRequire",
  ],
  ["SSLRequireSSL", "Require all denied"],
  ["SSLRequireSSL", "Require valid-user", ...asksForBob],
  ["SSLRequire true"],
  ["SSLRequire false"],
  ["SSLRequire %{REMOTE_ADDR} =~ m/^127/"],
  ['SSLRequire %{REMOTE_ADDR} eq "10.0.0.1"'],
  ['SSLRequire %{REMOTE_ADDR} ne "10.0.0.1" and %{REMOTE_ADDR} in {"127.0.0.1", "127.0.0.2"}'],
  ["SSLRequire true", "SSLRequire false"],
  ['SSLRequire %{HTTPS} eq "on"', "Satisfy any", "Require all granted"],
  ["SSLRequire false", "Satisfy any", "Require all granted"],
  ["Require ssl"],
  ["Require not ssl", "Require all granted"].map((line, index) =>
    index === 0 ? `<RequireAll>\n${line}` : `${line}\n</RequireAll>`,
  ),
];

function askTls(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    httpsRequest({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

const certified = certificate();

/** A key and a certificate for it, where there is something to make them with. */
function certificate(): { readonly folder: string; readonly isMade: boolean } {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  const { status } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=x.test"],
    ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
  ]);
  return { folder, isMade: status === 0 };
}

async function compare({ folder, ask, errors }: RunningHttpd, port: number): Promise<void> {
  const access = diskAccess();
  const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server" });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const decider = new Decider(loaded.project, diskFiles(access));
  for (const [index, lines] of cases.entries()) {
    for (const scheme of ["http", "https"] as const) {
      for (const isUser of [false, true]) {
        const path = `/${index}/x.txt`;
        const headers = isUser ? asBob : {};
        const before = errors().length;
        const status = scheme === "http" ? (await ask({ path, headers })).status : await askTls(port, path, headers);
        const live = {
          status,
          log:
            errors()
              .slice(before)
              .match(/AH\d{5}: .*/g) ?? [],
        };
        const asked = { method: "GET", path, scheme, host: "127.0.0.1", clientIp: "127.0.0.1" };
        const decision = decider.decide(isUser ? { ...asked, user: "bob" } : asked);
        const here = { status: decision.status, log: decision.errorLog };
        expect({ lines, scheme, isUser, ...here }).toEqual({ lines, scheme, isUser, ...live });
      }
    }
  }
}

afterAll(() => rmSync(certified.folder, { recursive: true, force: true }));

test.skipIf(!httpd || !certified.isMade).each([
  ["mod_access_compat ahead of it", ["access_compat", "ssl"]],
  ["it ahead of mod_access_compat", ["ssl", "access_compat"]],
])(liveTitle("the checks of mod_ssl, with %s"), async (_, first) => {
  const [port] = await freePorts();
  const lines = [
    ...[`Listen 127.0.0.1:${port}`, `<VirtualHost *:${port}>`, "SSLEngine on"],
    ...["cert", "key"].map(
      (name) => `SSLCertificate${name === "key" ? "Key" : ""}File ${certified.folder}/${name}.pem`,
    ),
    ...["</VirtualHost>", "LogLevel ssl:error"],
    ...cases.flatMap((own, index) => [...[`Alias /${index} DOCROOT`, `<Location /${index}>`, ...own, "</Location>"]]),
  ];
  await withRunningHttpd([...first, ...others], lines, (running) => compare(running, port), { "x.txt": "x\n" });
});
