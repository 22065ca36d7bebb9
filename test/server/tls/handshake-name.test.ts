import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Release } from "../../../src/facts/release.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

const host = (name: string, ...lines: readonly string[]) => [
  ...["<VirtualHost *:443>", `ServerName ${name}.test`, "SSLEngine on", "SSLCertificateKeyFile /k.pem"],
  ...["SSLCertificateFile /c.pem", ...lines, "</VirtualHost>"],
];

function answerFor(lines: readonly string[], serverName: string, name: string | undefined, release: Release = "2.4") {
  const text = [
    "ServerName a.test",
    "DocumentRoot /srv/www",
    "<Location />",
    "Require all granted",
    "</Location>",
    ...lines,
  ];
  const access = memoryAccess({ "/etc/httpd.conf": `${text.join("\n")}\n` });
  const loaded = loadProject("/etc/httpd.conf", { access, release, htaccess: true, kind: "server" } as const);
  if (!loaded.ok) throw new Error(loaded.error);
  const request: Request = {
    ...{ method: "GET", path: "/x", clientIp: "192.0.2.7", scheme: "https", tls: { serverName } },
    ...(name === undefined ? {} : { host: `${name}.test` }),
  };
  return answer(loaded.value, request, { files: createListedFiles(["/srv/www/x"]) });
}

const hosts = (...lines: readonly string[]) => [...host("one"), ...host("two", ...lines)];

describe("the name in a TLS handshake", () => {
  test.each<[lines: readonly string[], serverName: string, host: string | undefined, status: number]>([
    [hosts("SSLVerifyDepth 3"), "two.test", "two", 200],
    [hosts("SSLVerifyDepth 3"), "one.test", "two", 421],
    [hosts("SSLVerifyDepth 3"), "two.test", "one", 421],
    [hosts("SSLVerifyDepth 3"), "", "two", 421],
    [hosts("SSLVerifyDepth 3"), "", "one", 200],
    [hosts("SSLVerifyDepth 1", "SSLVerifyClient none", "SSLProtocol all"), "one.test", "two", 200],
    [hosts("SSLProtocol TLSv1.2"), "one.test", "two", 421],
    [hosts("SSLProtocol ${X}"), "one.test", "two", 421],
    [hosts("SSLCipherSuite HIGH"), "one.test", "two", 421],
    [hosts("SSLCipherSuite TLSv1.3 TLS_AES_256_GCM_SHA384"), "one.test", "two", 421],
    [hosts(), "one.test", undefined, 400],
    [["SSLStrictSNIVHostCheck on", ...hosts()], "", "one", 403],
    [["SSLStrictSNIVHostCheck on", ...host("one")], "", "one", 200],
    [["SSLVHostSNIPolicy strict", ...hosts()], "one.test", "two", 421],
    [["SSLVHostSNIPolicy authonly", ...hosts("SSLCipherSuite HIGH")], "one.test", "two", 200],
    [["SSLVHostSNIPolicy insecure", ...hosts("SSLVerifyDepth 3")], "one.test", "two", 200],
  ])("%j with %s for %s: %i", (lines, serverName, name, status) => {
    expect(answerFor(lines, serverName, name).status).toBe(status);
  });

  test("is shown with the line that differs, and with what helps", () => {
    const { causes, log } = answerFor(hosts("SSLVerifyDepth 3"), "one.test", "two");
    expect(log).toEqual(["AH02032"]);
    const send = (name: string) =>
      `send the name \`${name}\` in the handshake (\`curl --resolve\`, \`proxy_ssl_server_name on\` of nginx)`;
    expect(causes.map(({ text, help }) => [text, help])).toEqual([
      [
        "the client sends the name `one.test` in the handshake (SNI), which selects `<VirtualHost *:443>`; `SSLVerifyDepth 3` differs in the two hosts",
        [send("two.test"), "or use `SSLVerifyDepth 3` in both hosts"],
      ],
    ]);
    const strict = answerFor(["SSLStrictSNIVHostCheck on", ...hosts()], "", "one");
    expect(strict.causes.map(({ text, help }) => [text, help])).toEqual([
      ["the client sends no name in the handshake (SNI)", [send("one.test"), "or use `SSLStrictSNIVHostCheck off`"]],
    ]);
  });

  test("is compared differently by older versions", () => {
    expect(answerFor(hosts("SSLVerifyDepth 3"), "one.test", "two", "2.4.57").class).toBe("unknown");
  });
});
