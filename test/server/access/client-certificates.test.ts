import { expect, it } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { TlsClient } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

function answerTo(lines: readonly string[], tls: TlsClient): string {
  const text = `ServerName a.test\nListen 443\nDocumentRoot /srv/www\nSSLEngine on\n<Location /x>\n${lines.join("\n")}\n</Location>\n`;
  const loaded = loadProject("/etc/httpd.conf", {
    access: memoryAccess({ "/etc/httpd.conf": text }),
    release: "2.4",
    kind: "server",
  });
  if (!loaded.ok) throw new Error(loaded.error);
  return answer(
    loaded.value,
    {
      path: "/x/a",
      scheme: "https",
      port: 443,
      method: "GET",
      host: "a.test",
      clientIp: "192.0.2.1",
      tls,
    },
    { files: createListedFiles(["/srv/users", "/srv/www/x/a"]) },
  ).class;
}

const clients: readonly TlsClient[] = [
  { version: "1.2", certificate: "none" },
  { version: "1.2", certificate: "verified", subject: "/CN=amy" },
  { version: "1.3", certificate: "none" },
  { version: "1.3", certificate: "verified" },
  {},
];

const login = ["AuthType Basic", "AuthName a", "AuthUserFile /srv/users", "AuthBasicProvider file"];
const asked = "SSLVerifyClient require";

// The same kinds of clients connect to a server in test/live/client-certificates.live.test.ts.
it.each<[string, readonly string[], readonly string[]]>([
  ["asked for", [asked], ["403", "allowed", "403", "unknown", "unknown"]],
  ["welcome", ["SSLVerifyClient optional"], ["allowed", "allowed", "unknown", "unknown", "unknown"]],
  ["needed, but never asked for", ["Require ssl-verify-client"], ["403", "403", "403", "403", "unknown"]],
  ["needed and asked for", [asked, "Require ssl-verify-client"], ["403", "allowed", "403", "unknown", "unknown"]],
  [
    "the user by its subject",
    [asked, "SSLUserName SSL_CLIENT_S_DN_CN", "AuthType Basic", "Require user amy"],
    ["403", "allowed", "403", "unknown", "unknown"],
  ],
  [
    "another user",
    [asked, "SSLUserName SSL_CLIENT_S_DN_CN", "AuthType Basic", "Require user bob"],
    ["403", "403", "403", "unknown", "unknown"],
  ],
  [
    "the user by another variable",
    [asked, "SSLUserName SSL_CIPHER", "AuthType Basic", "Require valid-user"],
    ["403", "unknown", "403", "unknown", "unknown"],
  ],
  [
    "the credentials",
    [asked, "SSLOptions +FakeBasicAuth", ...login, "Require user /CN=amy"],
    ["403", "allowed", "403", "unknown", "unknown"],
  ],
  [
    "the credentials, or a login",
    ["SSLVerifyClient optional", "SSLOptions FakeBasicAuth", ...login, "Require valid-user"],
    ["401", "allowed", "unknown", "unknown", "unknown"],
  ],
  [
    "no credentials",
    [asked, "SSLOptions +FakeBasicAuth", "SSLOptions -FakeBasicAuth", ...login, "Require valid-user"],
    ["403", "401", "403", "unknown", "unknown"],
  ],
])("a certificate is %s", (_, lines, classes) => {
  expect(clients.map((client) => answerTo(lines, client))).toEqual(classes);
});
