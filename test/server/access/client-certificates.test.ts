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
    { files: createListedFiles(["/srv/www/x/a"]) },
  ).class;
}

const clients: readonly TlsClient[] = [
  { version: "1.2", certificate: "none" },
  { version: "1.2", certificate: "verified", subject: "/CN=amy" },
  { version: "1.3", certificate: "none" },
  { version: "1.3", certificate: "verified" },
];

// The same kinds of clients connect to a server in test/live/client-certificates.live.test.ts.
it.each([
  ["SSLVerifyClient require", ["403", "allowed", "403", "unknown"]],
  ["SSLVerifyClient optional", ["allowed", "allowed", "unknown", "unknown"]],
  ["Require ssl-verify-client", ["403", "403", "403", "403"]],
])("%s decides by the certificate of the client", (line, classes) => {
  expect(clients.map((client) => answerTo([line], client))).toEqual(classes);
});
