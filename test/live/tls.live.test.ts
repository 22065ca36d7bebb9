import { writeFileSync } from "node:fs";
import { connect } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { obsoleteTlsDirective } from "../../rules/obsolete-tls-directive/obsolete-tls-directive.js";
import { portAndTlsDisagree } from "../../rules/port-and-tls-disagree/port-and-tls-disagree.js";
import { protocolOverridesProtocol } from "../../rules/protocol-overrides-protocol/protocol-overrides-protocol.js";
import { unverifiedBackend } from "../../rules/unverified-backend/unverified-backend.js";
import { weakTlsCipher } from "../../rules/weak-tls-cipher/weak-tls-cipher.js";
import { weakTlsProtocol } from "../../rules/weak-tls-protocol/weak-tls-protocol.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle, loadModules, runHttpdOn } from "../support/httpd/httpd.js";
import { readLog, statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, wholeServer } from "../support/rules.js";

/** Clients that support every weak protocol and cipher suite: their highest protocol, and the suites up to TLS 1.2. */
const clients = {
  tls1: { maxVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" },
  tls12: { maxVersion: "TLSv1.2", ciphers: "ALL:@SECLEVEL=0" },
  withoutSecrecy: { maxVersion: "TLSv1.2", ciphers: "AES128-SHA:@SECLEVEL=0" },
} as const;

/** The lines of a virtual host with TLS, and the protocol and cipher suite of the connection, or `rejected`. */
interface HandshakeCase {
  readonly rule: RuleDefinition;
  readonly client: keyof typeof clients;
  readonly lines: string;
  /** The severity of the finding; undefined if there is none. */
  readonly severity: string | undefined;
  readonly result: string;
}

const anyCipher = "SSLCipherSuite ALL:@SECLEVEL=0";
const recommended = "SSLProtocol -all +TLSv1.2 +TLSv1.3";

const handshakes: readonly HandshakeCase[] = [
  {
    rule: weakTlsProtocol,
    client: "tls1",
    lines: `SSLProtocol all -SSLv3\n${anyCipher}`,
    severity: "warning",
    result: "TLSv1",
  },
  { rule: weakTlsProtocol, client: "tls1", lines: anyCipher, severity: "warning", result: "TLSv1" },
  { rule: weakTlsProtocol, client: "tls1", lines: "SSLProtocol all", severity: "info", result: "rejected" },
  {
    rule: weakTlsProtocol,
    client: "tls1",
    lines: `${recommended}\n${anyCipher}`,
    severity: undefined,
    result: "rejected",
  },
  {
    rule: weakTlsProtocol,
    client: "tls1",
    lines: "SSLProtocol all\nSSLCipherSuite ECDHE+AESGCM:@SECLEVEL=0",
    severity: undefined,
    result: "rejected",
  },
  {
    rule: protocolOverridesProtocol,
    client: "tls12",
    lines: "SSLProtocol TLSv1.2 TLSv1.3",
    severity: "warning",
    result: "rejected",
  },
  { rule: protocolOverridesProtocol, client: "tls12", lines: recommended, severity: undefined, result: "TLSv1.2" },
  {
    rule: weakTlsCipher,
    client: "withoutSecrecy",
    lines: "SSLCipherSuite HIGH:!aNULL",
    severity: "info",
    result: "TLSv1.2 AES128-SHA",
  },
  {
    rule: weakTlsCipher,
    client: "withoutSecrecy",
    lines: "SSLCipherSuite ECDHE+AESGCM",
    severity: undefined,
    result: "rejected",
  },
  {
    rule: weakTlsCipher,
    client: "withoutSecrecy",
    lines: "SSLProtocol TLSv1.3\nSSLCipherSuite HIGH:!aNULL",
    severity: undefined,
    result: "rejected",
  },
];

/** Lines of a server without TLS, whose backend has the certificate of `localhost`; number of findings, and status. */
const backends: readonly (readonly [lines: string, findings: number, status: number])[] = [
  ["ProxyPass / https://BACKEND/", 1, 200],
  ["SSLProxyVerify require\nProxyPass / https://BACKEND/", 0, 500],
  ["SSLProxyVerify require\nSSLProxyCACertificateFile cert.pem\nProxyPass / https://BACKEND/", 0, 200],
  ["SSLProxyVerify optional_no_ca\nProxyPass / https://BACKEND/", 1, 200],
  ["ProxyPass / https://127.0.0.1:PORT/", 0, 500],
  ["SSLProxyCheckPeerName off\nProxyPass / https://BACKEND/", 1, 200],
  ["SSLProxyCheckPeerName off\nProxyPass / https://127.0.0.1:PORT/", 0, 200],
  ["SSLProxyCheckPeerCN off\nProxyPass / https://127.0.0.1:PORT/", 0, 200],
  ["SSLProxyCheckPeerName off\nSSLProxyCheckPeerCN on\nProxyPass / https://127.0.0.1:PORT/", 0, 500],
];

/** Lines, the number of findings, and the message of httpd's configuration test. */
const starts: readonly (readonly [lines: string, findings: number, message: RegExp])[] = [
  ["SSLCompression on", 1, /does not have any compression methods available|not implemented by the SSL library/],
  ["SSLCompression off", 0, /Syntax OK/],
  ["SSLProtocol +SSLv3", 1, /SSLv3 not supported by this version of OpenSSL/],
  ["SSLProtocol all -SSLv3", 0, /Syntax OK/],
  ["SSLProtocol all -SSLv2", 1, /Syntax OK/],
  ["SSLInsecureRenegotiation on", 1, /Syntax OK/],
];

const certificateLines = "SSLCertificateFile cert.pem\nSSLCertificateKeyFile key.pem";

function host(address: string, ...lines: readonly string[]): string {
  return `<VirtualHost ${address}>\n${lines.join("\n")}\n</VirtualHost>\n`;
}

/** Returns the messages of the server's own configuration test. */
function checkStart(lines: string): string {
  return runHttpdOn(["mpm_event", "authz_core", "socache_shmcb", "ssl"], `ErrorLog error.log\n${lines}\n`).stderr;
}

/** Returns the negotiated protocol, with the cipher suite if the client chooses it. */
function shakeHands(port: number, client: keyof typeof clients, servername = "localhost"): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      host: "127.0.0.1",
      port,
      rejectUnauthorized: false,
      servername,
      minVersion: "TLSv1",
      ...clients[client],
    });
    socket.on("error", () => resolve("rejected"));
    socket.on("secureConnect", () => {
      const protocol = socket.getProtocol() ?? "";
      resolve(client === "withoutSecrecy" ? `${protocol} ${socket.getCipher().name}` : protocol);
      socket.destroy();
    });
  });
}

describe.skipIf(!httpd)(liveTitle("TLS on the live server"), () => {
  const folder = sharedFolder();
  let negotiated: readonly string[] = [];
  let statuses: readonly number[] = [];
  let log = "";
  let protocolOfPlainHost = "";

  beforeAll(async () => {
    makeCertificate(folder.at("key.pem"), folder.at("cert.pem"), "localhost");
    const ports: number[] = [];
    for (let count = handshakes.length + backends.length + 1; count > 0; count--) ports.push(await freePort());
    const [backend = 0, ...others] = ports;
    const tlsHosts = handshakes.map(({ lines }, index) =>
      host(`*:${others[index]}`, "SSLEngine on", certificateLines, lines),
    );
    const proxies = backends.map(([lines], index) => {
      const own = lines.replace("BACKEND", `localhost:${backend}`).replace("PORT", `${backend}`);
      return host(`*:${others[handshakes.length + index]}`, "SSLProxyEngine on", own);
    });
    const head = [
      loadModules(["mpm_event", "authz_core", "dir", "proxy", "proxy_http", "socache_shmcb", "ssl"]),
      `ServerRoot "${folder.path}"\nDocumentRoot "${folder.path}"\nDirectoryIndex cert.pem`,
      "ServerName x.test\nPidFile pid\nErrorLog error.log\nMutex posixsem",
      ...ports.map((port) => `Listen 127.0.0.1:${port}`),
    ].join("\n");
    // The first virtual host of a port decides whether TLS is on for the others.
    const plainHost = host(`*:${others[0]}`, "ServerName plain.test");
    const disagreeing =
      host("*:443") + host("*:443", "ServerName a.test") + host("*:80", "SSLEngine on", certificateLines);
    const tlsBackend = host(`*:${backend}`, "SSLEngine on", certificateLines);
    writeFileSync(
      folder.at("httpd.conf"),
      `${head}\n${tlsBackend}${tlsHosts.join("")}${proxies.join("")}${plainHost}${disagreeing}`,
    );
    const plainPort = others[handshakes.length] ?? 0;
    const served = await whileServing(folder.path, { address: "127.0.0.1", port: plainPort }, async () => {
      negotiated = await Promise.all(handshakes.map(({ client }, index) => shakeHands(others[index] ?? 0, client)));
      const responses = backends.map((_, index) =>
        statusOf({ port: others[handshakes.length + index] ?? 0, path: "/" }),
      );
      statuses = await Promise.all(responses);
      protocolOfPlainHost = await shakeHands(others[0] ?? 0, "tls12", "plain.test");
      return readLog(folder.path, "error.log");
    });
    if (typeof served !== "string") throw new Error(served.refused);
    log = served;
  });

  test.each(handshakes.map((each, index) => [each.rule.id, each.lines, each, index] as const))(
    "%s: %j",
    (_, lines, { rule, severity, result }, index) => {
      const findings = findingsOf([rule], wholeServer("Listen 443", host("*:443", "SSLEngine on", lines)));
      expect(findings.map((finding) => finding.severity)).toEqual(severity === undefined ? [] : [severity]);
      expect(negotiated[index]).toBe(result);
    },
  );

  test.each(backends.map(([lines, findings, status], index) => [lines, findings, status, index] as const))(
    "unverified-backend: %j has %i findings, and returns %i",
    (lines, findings, status, index) => {
      const text = `SSLProxyEngine on\n${lines.replace("BACKEND", "app.internal").replace("PORT", "8443")}`;
      expect(findingsOf([unverifiedBackend], wholeServer("Listen 80", text))).toHaveLength(findings);
      expect(statuses[index]).toBe(status);
    },
  );

  test("the first virtual host of a port decides whether it has TLS, and which certificate a host without TLS has", () => {
    expect(protocolOfPlainHost).toBe("TLSv1.2");
    const first = host("*:443", "SSLEngine on", certificateLines);
    const whole = (...hosts: readonly string[]) =>
      wholeServer("LoadModule ssl_module mod_ssl.so", "Listen 443", ...hosts, host("*:443", "ServerName plain.test"));
    const messagesOf = (project: Parameters<typeof findingsOf>[1]) =>
      findingsOf([portAndTlsDisagree], project).map(({ message }) => message);
    expect(messagesOf(whole(first))).toEqual([
      "TLS is off for `plain.test`, but the first virtual host of its address has it",
    ]);
    expect(messagesOf(whole())).toHaveLength(1);
  });

  test("httpd warns about ports of virtual hosts without a name", () => {
    expect(log).toContain("AH01915: Init: (x.test:80)");
    expect(log).toContain("AH01916: Init: (x.test:443)");
    expect(log).not.toContain("a.test:443");
    const text = host("*:443", "ServerName a.test") + host("*:80", "SSLEngine on");
    const whole = wholeServer("LoadModule ssl_module mod_ssl.so", "Listen 443", text);
    expect(findingsOf([portAndTlsDisagree], whole)).toHaveLength(2);
  });

  test("httpd warns about protocols that override others", () => {
    expect(checkStart("SSLProtocol TLSv1.2 TLSv1.3")).toContain("AH02532");
    expect(checkStart(recommended)).not.toContain("AH02532");
  });

  test.each(starts)("obsolete-tls-directive: %s has %i findings, and httpd writes %s", (lines, findings, message) => {
    expect(findingsOf([obsoleteTlsDirective], lines)).toHaveLength(findings);
    expect(checkStart(lines)).toMatch(message);
  });
});
