import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { scratchFolder } from "../support/programs/scratch-folder.js";
import { portOfRunning } from "./raw-request.js";

const made = scratchFolder();
const paths = (name: string) => [join(made.path, `${name}.key`), join(made.path, `${name}.pem`)] as const;
const isCertified = ["one", "two"].every((name) => makeCertificate(...paths(name), name));
afterAll(made.dispose);

/** Returns a virtual host with a certificate and more lines. */
function host(name: string, certificate: string, lines: readonly string[]): readonly string[] {
  const [key, file] = paths(certificate);
  return [
    ...["<VirtualHost *>", `ServerName ${name}.test`, "SSLEngine on"],
    ...[`SSLCertificateFile ${file}`, `SSLCertificateKeyFile ${key}`, ...lines, "</VirtualHost>"],
  ];
}

const [, authority] = paths("two");

/** The lines of the main server, those of the second host, and its certificate. */
const settings: readonly (readonly [main: readonly string[], own: readonly string[], certificate?: string])[] = [
  [[], []],
  [[], [], "two"],
  [[], ["SSLVerifyClient optional", `SSLCACertificateFile ${authority}`]],
  [[], ["SSLVerifyClient none", "SSLVerifyDepth 1", "SSLProtocol all"]],
  [[], ["SSLVerifyDepth 3"]],
  [[], ["SSLProtocol TLSv1.2"]],
  [[], ["SSLCipherSuite HIGH"]],
  [[], ["SSLCipherSuite TLSv1.3 TLS_AES_256_GCM_SHA384"]],
  [[], ["SSLHonorCipherOrder on", "SSLSessionTickets off"]],
  [["SSLVHostSNIPolicy strict"], []],
  [["SSLVHostSNIPolicy authonly"], [], "two"],
  [["SSLVHostSNIPolicy authonly"], ["SSLVerifyDepth 3"]],
  [["SSLVHostSNIPolicy authonly"], [`SSLCADNRequestFile ${authority}`]],
  [["SSLVHostSNIPolicy insecure"], [], "two"],
  [["SSLStrictSNIVHostCheck on"], []],
  [[], ["SSLStrictSNIVHostCheck on"]],
];

const names = ["", "one.test", "two.test", "other.test"];

describe.skipIf(!httpd || !isCertified)(liveTitle("the name in a TLS handshake"), () => {
  test("selects a host that must fit that of the Host header", async () => {
    const seen = new Set<number>();
    for (const [main, own, certificate = "one"] of settings) {
      await withRunningHttpd(
        ["authz_core", "ssl", "dir"],
        [...main, ...host("one", "one", []), ...host("two", certificate, own)],
        async (running) => {
          const port = portOfRunning(running);
          const server = simulatedServerOn(running);
          for (const serverName of names)
            for (const name of names.slice(1)) {
              const to = { host: "127.0.0.1", port, path: "/", servername: serverName, rejectUnauthorized: false };
              const live = await statusOf({ ...to, headers: { Host: name }, agent: false }, httpsRequest);
              const sent = { method: "GET", path: "/", host: name, clientIp: "127.0.0.1", port } as const;
              const { status } = server.answer({ ...sent, scheme: "https", tls: { serverName } });
              expect([main, own, certificate, serverName, name, status]).toEqual([
                main,
                own,
                certificate,
                serverName,
                name,
                live,
              ]);
              seen.add(live);
            }
        },
        { "index.html": "x\n" },
      );
    }
    expect([...seen].sort()).toEqual([200, 403, 421]);
  }, 300_000);
});
