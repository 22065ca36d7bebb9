import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { certificateUnfit } from "../../rules/certificate-unfit/certificate-unfit.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { readLog, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf } from "../support/rules.js";

/** Server names and extensions of a certificate for www.example.org, and the warnings of the server. */
const cases = [
  { name: "www.example.org", extension: "CA:FALSE", log: [], messages: [] },
  {
    name: "www.example.org",
    extension: "CA:TRUE",
    log: ["AH01906"],
    messages: ["the certificate is that of a certificate authority"],
  },
  {
    name: "mail.example.org",
    extension: "CA:FALSE",
    log: ["AH01909"],
    messages: ["the certificate is not for `mail.example.org`"],
  },
] as const;

describe.skipIf(!httpd)(liveTitle("warnings of mod_ssl about certificates"), () => {
  const folder = sharedFolder();

  test.each(cases)("$name, $extension", async ({ name, extension, log, messages }) => {
    const { status } = spawnSync("openssl", [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=www.example.org"],
      ...["-addext", `basicConstraints=${extension}`, "-addext", "subjectAltName=DNS:www.example.org"],
      ...["-keyout", folder.at("key.pem"), "-out", folder.at("cert.pem")],
    ]);
    expect(status).toBe(0);
    const port = await freePort();
    const tls = `ServerName ${name}\nSSLEngine on\nSSLCertificateFile ${folder.at("cert.pem")}\n`;
    const modules = loadModules(["mpm_event", "authz_core", "socache_shmcb", "ssl"]);
    folder.write({
      "error.log": "",
      "httpd.conf": `${modules}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port} https\nSSLSessionCache shmcb:cache\nSSLCertificateKeyFile key.pem\n<VirtualHost 127.0.0.1:${port}>\n${tls}</VirtualHost>\n`,
    });
    await whileServing(folder.path, { address: "127.0.0.1", port }, async () => {});
    const logged = readLog(folder.path, "error.log").match(/AH0190\d/g) ?? [];
    expect([...new Set(logged)]).toEqual(log);
    const files = { [folder.at("cert.pem")]: readFileSync(folder.at("cert.pem"), "latin1") };
    expect(findingsOf([certificateUnfit], tls, { files }).map(({ message }) => message)).toEqual(messages);
  });
});
