import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { certificateUnfit } from "../../rules/certificate-unfit/certificate-unfit.js";
import { makeCertificate } from "../support/httpd/certificate.js";
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

/** Lines for mod_ssl, what a client receives, and the findings. */
const fileCases: readonly (readonly [string, readonly string[], string, readonly string[]])[] = [
  ["the whole chain", ["SSLCertificateFile fullchain.pem"], "www.example.org, Issuer", []],
  [
    "the certificate alone",
    ["SSLCertificateFile live/x/cert.pem"],
    "www.example.org",
    ["`cert.pem` does not contain the certificate of its issuer"],
  ],
  [
    "the chain apart",
    ["SSLCertificateFile live/x/cert.pem", "SSLCertificateChainFile chain.pem"],
    "www.example.org, Issuer",
    [],
  ],
  [
    "the certificate in the chain",
    ["SSLCertificateFile cert.pem", "SSLCertificateChainFile fullchain.pem"],
    "www.example.org, www.example.org, Issuer",
    ["`fullchain.pem` also contains the certificate of the server"],
  ],
  [
    "one file for both",
    ["SSLCertificateFile fullchain.pem", "SSLCertificateChainFile fullchain.pem"],
    "www.example.org, Issuer",
    [],
  ],
  [
    "the issuers as authorities",
    ["SSLCertificateFile live/x/cert.pem", "SSLCACertificateFile chain.pem"],
    "www.example.org, Issuer",
    [],
  ],
  [
    "no certificate",
    ["SSLCertificateFile key.pem", "SSLCertificateKeyFile cert.pem"],
    "no start",
    ["`key.pem` is not a certificate, and `cert.pem` is not a key"],
  ],
  [
    "no key",
    ["SSLCertificateFile cert.pem", "SSLCertificateKeyFile chain.pem"],
    "no start",
    ["`chain.pem` is not a private key"],
  ],
  ["a request", ["SSLCertificateFile leaf.csr"], "no start", ["`leaf.csr` is not a certificate"]],
];

describe.skipIf(!httpd)(liveTitle("files of certificates, as mod_ssl sends them"), () => {
  const folder = sharedFolder();

  beforeAll(() => {
    const openssl = (...words: readonly string[]) => {
      expect(spawnSync("openssl", words, { cwd: folder.path }).status).toBe(0);
    };
    folder.write({ "leaf.cnf": "subjectAltName=DNS:www.example.org\n", "live/x/cert.pem": "" });
    const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", name];
    openssl("req", "-x509", ...key("ca.key"), "-out", "chain.pem", "-subj", "/CN=Issuer");
    openssl("req", ...key("key.pem"), "-out", "leaf.csr", "-subj", "/CN=www.example.org");
    const sign = ["-CA", "chain.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "leaf.cnf"];
    openssl("x509", "-req", "-in", "leaf.csr", ...sign, "-out", "cert.pem", "-days", "30");
    const [cert, chain] = ["cert.pem", "chain.pem"].map((name) => readFileSync(folder.at(name), "latin1"));
    folder.write({ "fullchain.pem": `${cert}${chain}`, "live/x/cert.pem": `${cert}` });
  });

  test.each(fileCases)("%s", async (_, lines, received, messages) => {
    const port = await freePort();
    const modules = loadModules(["mpm_event", "authz_core", "socache_shmcb", "ssl"]);
    const hasKey = lines.some((line) => line.startsWith("SSLCertificateKeyFile"));
    const tls = [
      `ServerRoot "${folder.path}"`,
      "SSLEngine on",
      ...(hasKey ? [] : ["SSLCertificateKeyFile key.pem"]),
      ...lines,
    ];
    const text = `${modules}ServerName www.example.org\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port} https\nSSLSessionCache shmcb:cache\n${tls.join("\n")}\n`;
    folder.write({ "error.log": "", "httpd.conf": text });
    const subjects = async () => {
      let shown = "";
      await whileServing(folder.path, { address: "127.0.0.1", port }, async () => {
        const words = ["s_client", "-connect", `127.0.0.1:${port}`, "-showcerts"];
        const { stdout } = spawnSync("openssl", words, { input: "", encoding: "utf8", timeout: 10_000 });
        shown = [...stdout.matchAll(/^ *\d s:.*CN ?= ?(.*)$/gm)].map(([, name]) => name).join(", ");
      });
      return shown;
    };
    if (received === "no start") {
      const started = spawnSync(httpd ?? "", ["-X", "-f", folder.at("httpd.conf")], { timeout: 10_000 });
      expect(started.status).toBe(1);
      expect(readLog(folder.path, "error.log")).toMatch(/AH0256[24]/);
    } else expect(await subjects()).toBe(received);
    const names = ["cert.pem", "chain.pem", "fullchain.pem", "key.pem", "leaf.csr", "live/x/cert.pem"].map(folder.at);
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(name, "latin1")]));
    expect(findingsOf([certificateUnfit], text, { files }).map(({ message }) => message)).toEqual(messages);
  });
});

describe.skipIf(!httpd)(liveTitle("files of certificates that the server refuses"), () => {
  const folder = sharedFolder();
  const textOf = (port: number, lines: string) =>
    `${loadModules(["mpm_event", "authz_core", "socache_shmcb", "ssl"])}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port}\nSSLSessionCache shmcb:cache\n<VirtualHost 127.0.0.1:${port}>\nServerName www.example.org\nSSLEngine on\n${lines}\n</VirtualHost>\n`;

  beforeAll(() => {
    makeCertificate(folder.at("a.key"), folder.at("a.pem"), "www.example.org");
    makeCertificate(folder.at("b.key"), folder.at("b.pem"), "www.example.org");
    const both = readFileSync(folder.at("b.pem"), "latin1") + readFileSync(folder.at("a.key"), "latin1");
    folder.write({ "both.pem": both, "empty.pem": "" });
  });

  test.each([
    ["SSLCertificateFile a.pem\nSSLCertificateKeyFile a.key", undefined, undefined],
    ["SSLCertificateFile a.pem\nSSLCertificateKeyFile b.key", "AH02565", /^the key in `b\.key` does not belong/],
    ["SSLCertificateFile both.pem", "AH02565", /^the private key in `both\.pem` does not belong/],
    ["SSLCertificateFile none.pem", "does not exist or is empty", /none\.pem` does not exist$/],
    ["SSLCertificateFile empty.pem", "does not exist or is empty", /empty\.pem` is empty$/],
    [
      "SSLCertificateFile a.pem\nSSLCertificateKeyFile a.key\nSSLCACertificateFile none.pem",
      "does not exist or is empty",
      /none\.pem` does not exist$/,
    ],
  ])("%j", async (lines, refusal, message) => {
    const port = await freePort();
    const text = textOf(port, lines);
    folder.write({ "error.log": "", "httpd.conf": text });
    const served = await whileServing(folder.path, { address: "127.0.0.1", port }, async () => "");
    const shown = `${typeof served === "string" ? "" : served.refused}${readLog(folder.path, "error.log")}`;
    expect(shown.includes(refusal ?? "AH02565")).toBe(refusal !== undefined);
    const names = ["a.pem", "a.key", "b.pem", "b.key", "both.pem", "empty.pem"];
    const files = Object.fromEntries(
      names.map((name) => [`/etc/httpd/${name}`, readFileSync(folder.at(name), "latin1")]),
    );
    const found = findingsOf([certificateUnfit], text.replace(folder.path, "/etc/httpd"), { files });
    const errors = found.filter(({ severity }) => severity === "error").map((finding) => finding.message);
    expect(errors).toEqual(message === undefined ? [] : [expect.stringMatching(message)]);
  });

  test("a virtual host without TLS gets the certificate of the first one", async () => {
    const port = await freePort();
    const more = `</VirtualHost>\n<VirtualHost 127.0.0.1:${port}>\nServerName c.test\nErrorDocument 403 "of c"\n<Location "/">`;
    folder.write({
      "error.log": "",
      "httpd.conf": textOf(
        port,
        `SSLCertificateFile a.pem\nSSLCertificateKeyFile a.key\n${more}\nRequire all denied\n</Location>`,
      ),
    });
    const served = await whileServing(folder.path, { address: "127.0.0.1", port }, async () => {
      const socket = connect({ host: "127.0.0.1", port, servername: "c.test", rejectUnauthorized: false });
      socket.end("GET /x HTTP/1.0\r\nHost: c.test\r\n\r\n");
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
      });
      await once(socket, "secureConnect");
      const { subject } = socket.getPeerCertificate();
      await once(socket, "close");
      return { name: subject.CN, status: text.slice(0, "HTTP/1.1 403".length), isOfHost: text.endsWith("of c") };
    });
    expect(served).toEqual({ name: "www.example.org", status: "HTTP/1.1 403", isOfHost: true });
  });
});
