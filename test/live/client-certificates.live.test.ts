import { readFileSync } from "node:fs";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { UNNAMED_SUBJECT } from "../../src/server/access/client-certificates.js";
import { answerUnder } from "../../src/server/definite-answer.js";
import { diskFiles } from "../../src/server/file-trees.js";
import { Oracle } from "../../src/server/model/oracle.js";
import type { Request, TlsClient } from "../../src/server/model/request.js";
import type { SimulationSetup } from "../../src/server/model/simulation-setup.js";
import { type UnknownFact, unknownFact } from "../../src/server/model/unknown-facts.js";
import { prepareSimulation } from "../../src/server/process-request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { asBob, bobAuthentication, type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { scratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

const made = scratchFolder();
const paths = (name: string) => [join(made.path, `${name}.key`), join(made.path, `${name}.pem`)] as const;
const isCertified = ["server", "alice"].every((name) => makeCertificate(...paths(name), name));
afterAll(made.dispose);

const fake = ["SSLOptions +FakeBasicAuth", ...bobAuthentication];
const named = ["SSLUserName SSL_CLIENT_S_DN_CN"];

/** The lines of a section; the password file has the subject of the client's certificate with the password `password`. */
const sections: readonly (readonly string[])[] = [
  ["SSLVerifyClient optional"],
  ["SSLVerifyClient require"],
  ["SSLVerifyClient optional_no_ca"],
  ["SSLVerifyClient none"],
  ["SSLVerifyClient require", "Satisfy any", "Require all granted", "SSLOptions +StrictRequire"],
  ["SSLVerifyClient require", "Satisfy any", "Require valid-user", ...bobAuthentication],
  ["SSLVerifyClient require", "Order deny,allow", "Deny from all"],
  ["SSLVerifyClient optional", "SSLRequire false"],
  ["SSLVerifyClient require", ...fake, "Require valid-user"],
  ["SSLVerifyClient optional", ...fake, "Require valid-user"],
  [...fake, "Require valid-user"],
  [...fake, "Require user /CN=alice"],
  [...fake, "Require user bob"],
  [...fake, "Require valid-user", "AuthUserFile none"],
  [...fake, "Require valid-user", "AuthUserFile others"],
  [...fake, "AuthType Digest", "Require valid-user"],
  ["SSLOptions +FakeBasicAuth", "Require valid-user"],
  [...fake, ...named, "Require valid-user"],
  ["SSLOptions -FakeBasicAuth", ...bobAuthentication, "Require valid-user"],
  [...named, "Require valid-user"],
  [...named, "Require user alice"],
  [...named, "Require user bob"],
  [...named, ...bobAuthentication, "Require valid-user"],
  [...named, ...bobAuthentication, "Require user bob"],
  [...named, "<RequireAll>", "Require all granted", "Require not user alice", "</RequireAll>"],
  [...named, ...bobAuthentication, "AuthGroupFile groups", "Require group staff"],
  ["SSLUserName SSL_CLIENT_S_DN_OU", ...bobAuthentication, "Require valid-user"],
  ["Require ssl-verify-client"],
  ["SSLVerifyClient require", "Require ssl-verify-client"],
  ["SSLVerifyClient optional", "Require ssl-verify-client"],
  ["<RequireAll>", "Require all granted", "Require not ssl-verify-client", "</RequireAll>"],
  ["Require expr \"%{SSL_PROTOCOL} == 'TLSv1.3'\""],
  ['SSLRequire %{SSL_PROTOCOL} eq "TLSv1.2"'],
];

/** Sections whose result is only known of a client that is described. */
const isOfDescribed = (lines: readonly string[]) => lines.some((line) => /ssl-verify-client|SSL_PROTOCOL/.test(line));

interface Client {
  readonly title: string;
  readonly version: "TLSv1.2" | "TLSv1.3";
  readonly hasCertificate: boolean;
  readonly isBob?: boolean;
}

const clients: readonly Client[] = [
  { title: "TLS 1.3", version: "TLSv1.3", hasCertificate: false },
  { title: "TLS 1.3 with a certificate", version: "TLSv1.3", hasCertificate: true },
  { title: "TLS 1.2", version: "TLSv1.2", hasCertificate: false },
  { title: "TLS 1.2 with a certificate", version: "TLSv1.2", hasCertificate: true },
  { title: "TLS 1.2 with a certificate, as bob", version: "TLSv1.2", hasCertificate: true, isBob: true },
  { title: "TLS 1.3 as bob", version: "TLSv1.3", hasCertificate: false, isBob: true },
];

/** The facts about a client, by the fact that the simulator asks for. Node.js does not allow post-handshake authentication. */
function factsOf({ version, hasCertificate }: Client, lines: readonly string[]): ReadonlyMap<UnknownFact, boolean> {
  const isOlder = version === "TLSv1.2";
  return new Map([
    [unknownFact("certificate-later", "uses TLS 1.2 or older, or allows post-handshake authentication"), isOlder],
    [unknownFact("certificate-later", "uses TLS 1.2 or older"), isOlder],
    [unknownFact("certificate-accepted"), hasCertificate],
    [unknownFact("certificate-presented"), hasCertificate],
    [unknownFact("certificate-variable", "SSL_CLIENT_S_DN_CN"), hasCertificate],
    [unknownFact("certificate-variable", "SSL_CLIENT_S_DN_OU"), false],
    [unknownFact("certificate-user", "alice"), hasCertificate],
    [unknownFact("certificate-user", "/CN=alice"), hasCertificate],
    [unknownFact("certificate-user", "bob"), false],
    [unknownFact("certificate-known"), !lines.includes("AuthUserFile others")],
    [unknownFact("in-group", UNNAMED_SUBJECT, "staff"), hasCertificate],
  ]);
}

/** The only fact that a description of the client leaves open here. */
const laterFacts = new Map([[unknownFact("certificate-later", "allows post-handshake authentication"), false]]);

/** Returns the simulator's status for some facts; fails if it asks anything else. */
function statusFor(setup: SimulationSetup, request: Request, facts: ReadonlyMap<UnknownFact, boolean>): number {
  const oracle = new Oracle(facts);
  const { status } = answerUnder(setup, request, oracle);
  expect([...oracle.answered.keys()].filter((fact) => !facts.has(fact))).toEqual([]);
  expect(oracle.undecidable).toBeUndefined();
  return status;
}

/** Prepares the simulation of a running server. */
function setupOf({ folder }: RunningHttpd): SimulationSetup {
  const access = diskAccess();
  const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  return prepareSimulation(loaded.value, diskFiles(access));
}

/** The server's status; 403 if it closes the connection because the certificate is missing. */
async function liveStatus(options: RequestOptions): Promise<number> {
  return statusOf(options, httpsRequest).catch(() => 403);
}

async function compare(running: RunningHttpd, port: number): Promise<void> {
  writeFiles(running.folder, {
    users: `${readFileSync(join(running.folder, "users"), "latin1")}/CN=alice:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n`,
    others: "zed:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n",
    groups: "staff: alice\n",
  });
  const [key, cert] = paths("alice").map((path) => readFileSync(path));
  const setup = setupOf(running);
  for (const [index, lines] of sections.entries())
    for (const client of clients) {
      const { title, version, hasCertificate, isBob } = client;
      const path = `/${index}/x.txt`;
      const status = await liveStatus({
        ...{ port, path, rejectUnauthorized: false, minVersion: version, maxVersion: version },
        ...{ headers: isBob ? asBob : {} },
        ...(hasCertificate ? { key, cert } : {}),
      });
      const request = { method: "GET", path, scheme: "https", port, clientIp: "127.0.0.1" } as const;
      const simulated = isOfDescribed(lines)
        ? status
        : statusFor(setup, isBob ? { ...request, user: "bob" } : request, factsOf(client, lines));
      expect([title, ...lines, simulated]).toEqual([title, ...lines, status]);
      // The same client as `explain --tls` describes it: only what is not about the handshake is left to be asked.
      const tls: TlsClient = {
        version: version === "TLSv1.2" ? "1.2" : "1.3",
        ...(hasCertificate ? { certificate: "verified", subject: "/CN=alice" } : { certificate: "none" }),
      };
      const described = statusFor(setup, { ...request, ...(isBob ? { user: "bob" } : {}), tls }, laterFacts);
      expect([title, ...lines, described]).toEqual([title, ...lines, status]);
    }
}

describe.skipIf(!httpd || !isCertified)(liveTitle("client certificates"), () => {
  test.each(["none", "optional", "optional_no_ca"])("SSLVerifyClient %s of the server", async (verify) => {
    const port = await freePort();
    const lines = [
      ...[`Listen 127.0.0.1:${port}`, `<VirtualHost *:${port}>`, "SSLEngine on", `SSLVerifyClient ${verify}`],
      ...[`SSLCertificateFile ${paths("server")[1]}`, `SSLCertificateKeyFile ${paths("server")[0]}`],
      ...[`SSLCACertificateFile ${paths("alice")[1]}`, "</VirtualHost>", "LogLevel ssl:error"],
      ...sections.flatMap((own, index) => [
        ...[`Alias /${index}/ "DOCROOT/"`, `<Location /${index}/>`, ...own, "</Location>"],
      ]),
    ];
    const modules = [
      ...["authn_core", "authz_core", "authn_file", "auth_basic", "auth_digest", "authz_user", "authz_host", "alias"],
      ...["authz_groupfile", "access_compat", "ssl"],
    ];
    await withRunningHttpd(modules, lines, (running) => compare(running, port), { "x.txt": "x\n" });
  });

  test("SSLVerifyClient of the host that the handshake selects", async () => {
    const port = await freePort();
    const host = (name: string, verify: string) => [
      ...[`<VirtualHost *:${port}>`, `ServerName ${name}.test`, "SSLEngine on", `SSLVerifyClient ${verify}`],
      ...[`SSLCertificateFile ${paths("server")[1]}`, `SSLCertificateKeyFile ${paths("server")[0]}`],
      ...[`SSLCACertificateFile ${paths("alice")[1]}`, "</VirtualHost>"],
    ];
    const lines = [
      ...["SSLVHostSNIPolicy insecure", `Listen 127.0.0.1:${port}`, ...host("first", "Require")],
      ...[...host("free", "none"), ...host("asked", "optional"), ...host("closed", "require")],
    ];
    const [key, cert] = paths("alice").map((path) => readFileSync(path));
    await withRunningHttpd(
      ["authz_core", "ssl"],
      lines,
      async (running) => {
        const setup = setupOf(running);
        const statuses: Record<string, number> = {};
        for (const name of ["first", "free", "asked", "closed", "other"])
          for (const version of ["TLSv1.2", "TLSv1.3"] as const)
            for (const hasCertificate of [false, true]) {
              const host = `${name}.test`;
              const status = await liveStatus({
                ...{ port, path: "/x.txt", rejectUnauthorized: false, minVersion: version, maxVersion: version },
                ...{ servername: host, headers: { host } },
                ...(hasCertificate ? { key, cert } : {}),
              });
              const tls: TlsClient = {
                version: version === "TLSv1.2" ? "1.2" : "1.3",
                certificate: hasCertificate ? "verified" : "none",
              };
              const request = {
                method: "GET",
                path: "/x.txt",
                scheme: "https",
                port,
                clientIp: "127.0.0.1",
                host,
              } as const;
              for (const client of [tls, { ...tls, serverName: host }])
                expect([name, tls, statusFor(setup, { ...request, tls: client }, new Map())]).toEqual([
                  name,
                  tls,
                  status,
                ]);
              if (!hasCertificate) statuses[name] = status;
            }
        expect(statuses).toEqual({ first: 403, free: 200, asked: 200, closed: 403, other: 403 });
      },
      { "x.txt": "x\n" },
    );
  });
});
