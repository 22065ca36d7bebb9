import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Release } from "../../../src/facts/release.js";
import { explainAnswer } from "../../../src/report/answers/answer-words.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

const host = (name: string, ...lines: readonly string[]) => [
  ...["<VirtualHost *:443>", `ServerName ${name}.test`, "SSLEngine on", "SSLCertificateKeyFile /k.pem"],
  ...["SSLCertificateFile /c.pem", ...lines, "</VirtualHost>"],
];

function answerFor(
  lines: readonly string[],
  serverName: string,
  name: string | undefined,
  release: Release = "2.4",
  tls: Request["tls"] = { serverName },
) {
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
    ...{ method: "GET", path: "/x", clientIp: "192.0.2.7", scheme: "https", tls },
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

describe("a handshake without a certificate", () => {
  const mixed = (first: string, second: string) => [
    ...["SSLVHostSNIPolicy insecure", ...host("one", ...(first === "" ? [] : [`SSLVerifyClient ${first}`]))],
    ...host("two", `SSLVerifyClient ${second}`),
  ];
  const ask = (lines: readonly string[], name: string, tls: Request["tls"]) =>
    answerFor(lines, tls?.serverName ?? "", name, "2.4", tls);

  test.each<[lines: readonly string[], host: string, tls: Request["tls"], status: number]>([
    [mixed("none", "require"), "two", { certificate: "none" }, 403],
    [mixed("none", "REQUIRE"), "two", { certificate: "none" }, 403],
    [mixed("none", "require"), "one", { certificate: "none" }, 200],
    [mixed("none", "require"), "two", { certificate: "verified" }, 200],
    [mixed("none", "require"), "two", { version: "1.3" }, 200],
    [mixed("none", "optional"), "two", { certificate: "none" }, 200],
    [mixed("none", "optional_no_ca"), "two", { certificate: "none" }, 200],
    [mixed("require", "none"), "two", { certificate: "none", serverName: "" }, 403],
    [mixed("require", "none"), "two", { certificate: "none", serverName: "two.test" }, 200],
    [mixed("none", "require"), "one", { certificate: "none", serverName: "two.test" }, 403],
    [mixed("none", "require"), "two", { certificate: "none", serverName: "" }, 200],
    [["SSLVerifyClient require", ...mixed("", "none")], "one", { certificate: "none" }, 403],
    [["SSLVerifyClient require", ...mixed("", "none")], "two", { certificate: "none" }, 200],
    [["SSLVerifyClient require", ...mixed("", "none")], "three", { certificate: "none" }, 403],
  ])("%j for %s with %j: %i", (lines, name, tls, status) => {
    expect(ask(lines, name, tls).status).toBe(status);
  });

  test("ends before the Host header and the path are checked, with the line that decides", () => {
    const found = ask(["StrictHostCheck on", ...mixed("require", "none")], "three", { certificate: "none" });
    const [line] = found.decidedBy;
    expect([found.status, found.class, found.access, line?.name, line?.argumentText]).toEqual([
      ...[403, "403", "denied", "SSLVerifyClient", "require"],
    ]);
    expect(found.log).toEqual([]);
    expect(explainAnswer(found)).toMatch(/^`SSLVerifyClient` requires a certificate/);
  });

  test("has its reason also in a section, and after the handshake of TLS 1.3", () => {
    const section = ["<Location /x>", "SSLVerifyClient require", "</Location>"];
    const found = (tls: Request["tls"]) => ask([...mixed("none", "none"), ...section], "two", tls);
    expect(explainAnswer(found({ certificate: "none", version: "1.2" }))).toMatch(/the TLS handshake fails/);
    const denied = ask([...mixed("none", "none"), "<Location /x>", "Order allow,deny", "</Location>"], "two", {});
    expect(explainAnswer(denied)).not.toMatch(/TLS/);
  });
});
