import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { loadText } from "../support/projects.js";

const withoutName = "SSLCertificateFile cert.pem\nSSLCertificateKeyFile key.pem";
const certificate = `ServerName x.test\n${withoutName}`;

/** Listen lines, a virtual host with PORT for its port, and the status of a request without TLS. */
const cases: readonly (readonly [listen: string, address: string, lines: string, status: number])[] = [
  ["Listen PORT https", "*:PORT", certificate, 400],
  ["Listen PORT HTTPS", "_default_:PORT", certificate, 400],
  ["Listen PORT https", "*:PORT", "", 200],
  ["Listen PORT", "*:PORT", certificate, 200],
  ["Listen PORT https", "*:PORT", `SSLEngine off\n${certificate}`, 200],
  ["Listen PORT https", "127.0.0.1:PORT", certificate, 200],
  ["Listen PORT https", "*", certificate, 200],
  ["Listen 127.0.0.1:PORT https", "127.0.0.1:PORT", certificate, 400],
  ["Listen 127.0.0.1:PORT https", "*:PORT", certificate, 200],
  ["Listen 0.0.0.0:PORT https", "*:PORT", certificate, 400],
  ["Listen PORT https", "*:1 *:PORT", certificate, 400],
  ["Listen PORT https", "*:PORT", withoutName, 200],
  ["Listen PORT https", "*:PORT", `DirectoryIndex cert.pem\n${withoutName}`, 200],
  ["Listen PORT https", "*:PORT", `<Location "/x">\n</Location>\n${withoutName}`, 400],
  [
    "Listen PORT",
    "*:PORT",
    `SSLEngine off\n</VirtualHost>\n<VirtualHost 0.0.0.0:PORT>\nSSLEngine on\n${certificate}`,
    200,
  ],
  ["Listen PORT", "*:PORT", `</VirtualHost>\n<VirtualHost *:PORT>\nSSLEngine on\n${certificate}`, 200],
  ["Listen PORT", "*:PORT", `SSLEngine on\n${certificate}\n</VirtualHost>\n<VirtualHost *:PORT>`, 400],
  ["Listen PORT", "[::]:PORT", `SSLEngine on\n${certificate}\n</VirtualHost>\n<VirtualHost *:PORT>`, 400],
  ["Listen PORT", "*:PORT", `Protocol https\n${certificate}`, 400],
  ["Listen PORT https", "*:PORT", `Protocol http\n${certificate}`, 200],
];

describe.skipIf(!httpd)(liveTitle("TLS without SSLEngine"), () => {
  const folder = sharedFolder();
  let answers: readonly number[] = [];
  let statuses: readonly (number | undefined)[] = [];

  beforeAll(async () => {
    makeCertificate(folder.at("key.pem"), folder.at("cert.pem"), "localhost");
    const ports = await Promise.all(cases.map(() => freePort()));
    const text = [
      loadModules(["mpm_event", "authz_core", "dir", "socache_shmcb", "ssl"]),
      `ServerRoot "${folder.path}"\nDocumentRoot "${folder.path}"\nDirectoryIndex cert.pem`,
      "ServerName x.test\nPidFile pid\nErrorLog error.log\nMutex posixsem\n",
      ...cases.map(([listen, address, lines], index) =>
        `${listen}\n<VirtualHost ${address}>\n${lines}\n</VirtualHost>\n`.replaceAll("PORT", String(ports[index])),
      ),
    ].join("\n");
    writeFileSync(folder.at("httpd.conf"), text);
    const served = await whileServing(folder.path, { address: "127.0.0.1", port: ports[0] ?? 0 }, () =>
      Promise.all(ports.map((port) => statusOf({ port, path: "/" }))),
    );
    if ("refused" in served) throw new Error(served.refused);
    answers = served;
    const simulatedServer = new SimulatedServer(loadText(text), createListedFiles([folder.at("cert.pem")]));
    statuses = ports.map((port) => {
      const request = {
        method: "GET",
        path: "/",
        clientIp: "127.0.0.1",
        serverIp: "127.0.0.1",
        scheme: "http",
      } as const;
      return simulatedServer.answer({ ...request, port }).status;
    });
  });

  test.each(cases.map((each, index) => [...each, index] as const))(
    "%s and <VirtualHost %s> with %j: a request without TLS returns %i",
    (_listen, _address, _lines, status, index) => {
      expect(answers[index]).toBe(status);
      expect(statuses[index]).toBe(status);
    },
  );
});
