import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { load } from "../../support/projects.js";

const modules = ["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "access_compat", "ssl"];
const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

interface RequestOptions {
  readonly scheme?: "http" | "https";
  readonly user?: string;
  readonly release?: Release;
  readonly server?: readonly string[];
  readonly outer?: readonly string[];
}

/** Returns the result of a request, over TLS by default. */
function answerOf(
  text: string,
  { release = "2.4", server = [], outer = [], scheme = "https", ...by }: RequestOptions = {},
): string {
  const lines = [
    ...['DocumentRoot "/srv"', ...server, "<Location />", ...outer, "</Location>"],
    ...["<Location /a>", ...text.split("; "), "</Location>"],
  ];
  const project = load({ "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` }, { release, kind: "server", modules });
  const request = { method: "GET", path: "/a", clientIp: "192.0.2.7", scheme, ...by };
  const { status, errorLog, unknown } = answer(project, request, {
    files: createListedFiles(["/srv/a", "/etc/users"]),
  });
  return [status, ...errorLog.flatMap((line) => /^AH\d+/.exec(line) ?? []), ...unknown].join(" | ");
}

describe("SSLVerifyClient", () => {
  const later = " | whether the client uses TLS 1.2 or older, or allows post-handshake authentication";
  const accepted = " | whether the client presents a certificate that `SSLVerifyClient require` accepts";
  const unknownCertificate = later + accepted;
  test.each<[string, RequestOptions, string]>([
    ["SSLVerifyClient require", {}, unknownCertificate],
    ["SSLVerifyClient Require", {}, unknownCertificate],
    ["SSLVerifyClient optional", {}, later],
    ["SSLVerifyClient optional_no_ca", {}, later],
    ["SSLVerifyClient optional", { outer: ["SSLVerifyClient require"] }, later],
    ["SSLVerifyClient optional_no_ca", { server: ["SSLVerifyClient optional"] }, "200"],
    ["SSLVerifyClient optional", { server: ["SSLVerifyClient optional_no_ca"] }, "200"],
    ["SSLVerifyClient none", {}, "200"],
    ["SSLVerifyClient none", { outer: ["SSLVerifyClient require"] }, "200"],
    ["Require all granted", { outer: ["SSLVerifyClient require"] }, unknownCertificate],
    // If the server itself requires a certificate, no client connects without one.
    ["SSLVerifyClient require", { server: ["SSLVerifyClient require"] }, "200"],
    [
      "SSLVerifyClient require",
      { server: ["SSLVerifyClient optional"] },
      ` | whether the client uses TLS 1.2 or older${accepted}`,
    ],
    ["SSLVerifyClient require", { server: ["SSLProtocol all -TLSv1.3"] }, accepted],
    ["SSLVerifyClient optional", { server: ["SSLProtocol TLSv1.2"] }, "200"],
    [
      "SSLVerifyClient optional",
      { server: ["SSLProtocol -all +TLSv1.3"] },
      " | whether the client allows post-handshake authentication",
    ],
    ["SSLVerifyClient require", { server: ["SSLVerifyClient optional", "SSLProtocol TLSv1.3"] }, "403 | AH10158"],
    ["SSLVerifyClient require; Satisfy any; Require all granted", {}, unknownCertificate],
    ["SSLVerifyClient optional", { release: "2.2" }, "200"],
    ["SSLVerifyClient require", { release: "2.2" }, accepted],
    ["Require all granted", { server: ["SSLVerifyClient require"] }, "200"],
    ["SSLVerifyClient none", { server: ["SSLVerifyClient require"] }, "200"],
    // No certificate is requested from a client without TLS.
    ["SSLVerifyClient require", { scheme: "http" }, "200"],
    ["SSLVerifyClient require; Require all denied", {}, `403${unknownCertificate}`],
    ["SSLVerifyClient require; SSLRequire false", {}, `403${unknownCertificate}`],
  ])("%s %j", (lines, options, answer) => {
    expect(answerOf(lines, options)).toBe(answer);
  });
});

describe("SSLRequire", () => {
  const unknown = (written: string) => ` | whether \`SSLRequire ${written}\` holds`;
  test.each<[string, RequestOptions, string]>([
    ["SSLRequire true", {}, "200"],
    ["SSLRequire false", {}, "403 | AH02229"],
    ["SSLRequire false", { release: "2.2" }, "403"],
    ["SSLRequire false", { scheme: "http" }, "200"],
    ["Require all granted", { outer: ["SSLRequire false"] }, "403 | AH02229"],
    ["SSLRequire true", { outer: ["SSLRequire false"] }, "403 | AH02229"],
    ['SSLRequire "a" eq "a"', {}, "200"],
    ['SSLRequire "a" eq "b"', {}, "403 | AH02229"],
    ['SSLRequire "a" ne "b"', {}, "200"],
    ['SSLRequire "a eq b" == "a eq b"', {}, "200"],
    ['SSLRequire "a" eq "a" and "b" ne "c"', {}, "200"],
    ["SSLRequire %{REMOTE_ADDR} =~ m/^192\\./", {}, "200"],
    ["SSLRequire %{REMOTE_ADDR} =~ m#^10\\.#", {}, "403 | AH02229"],
    // The order of strings is not modelled.
    ['SSLRequire "a" lt "b"', {}, unknown('"a" lt "b"')],
    ['SSLRequire "a" < "b"', {}, unknown('"a" < "b"')],
    ["SSLRequire %{SSL_CIPHER_USEKEYSIZE} >= 128", {}, unknown("%{SSL_CIPHER_USEKEYSIZE} >= 128")],
    // In a string or a pattern, it is not an operator.
    ['SSLRequire "a lt b" eq "a < b"', {}, "403 | AH02229"],
    ["SSLRequire %{REMOTE_ADDR} =~ m/a lt b|^192/", {}, "200"],
    ["SSLRequire %{REMOTE_ADDR} =~ m#a < b|^192#i", {}, "200"],
    ['SSLRequire %{SSL_CLIENT_S_DN_O} eq "x"', {}, unknown('%{SSL_CLIENT_S_DN_O} eq "x"')],
  ])("%s %j", (lines, options, answer) => {
    expect(answerOf(lines, options)).toBe(answer);
  });
});

// Live 2.4: test/server/ssl-answers.json
describe("SSLOptions StrictRequire with `Satisfy any` and a user", () => {
  const rules = "SSLRequireSSL; Satisfy any; Require valid-user";
  const [strict, lax] = ["403 | AH02219", "200 | AH02219"];
  const plain = { scheme: "http", user: "bob" } as const;
  test.each<[string, readonly string[], string]>([
    [rules, [], lax],
    [`${rules}; SSLOptions StrictRequire`, [], strict],
    [`${rules}; SSLOptions +StrictRequire`, [], strict],
    [`${rules}; SSLOptions -StrictRequire`, [], lax],
    // Live 2.4 accepts its arguments in any case.
    [`${rules}; SSLOptions strictrequire`, [], strict],
    [`${rules}; SSLOptions +STRICTREQUIRE`, [], strict],
    [`${rules}; SSLOptions StdEnvVars StrictRequire`, [], strict],
    [`${rules}; SSLOptions StrictRequire StdEnvVars`, [], strict],
    [`${rules}; SSLOptions +StrictRequire -StrictRequire`, [], lax],
    [rules, ["SSLOptions +StrictRequire"], strict],
    [`${rules}; SSLOptions -StrictRequire`, ["SSLOptions StrictRequire"], lax],
    [`${rules}; SSLOptions +StdEnvVars`, ["SSLOptions +StrictRequire"], strict],
    [`${rules}; SSLOptions -StdEnvVars`, ["SSLOptions +StrictRequire"], strict],
    // Without a sign it replaces all earlier values.
    [`${rules}; SSLOptions StdEnvVars`, ["SSLOptions +StrictRequire"], lax],
    [`${rules}; SSLOptions -StdEnvVars FakeBasicAuth`, ["SSLOptions +StrictRequire"], lax],
  ])("%s %j", (lines, outer, answer) => {
    expect(answerOf(lines, { ...plain, outer: [...authLines, ...outer] })).toBe(answer);
  });
});
