import { describe, expect, test } from "vitest";
import { effectsOf, isUnknownEffect, namesWithEffects } from "../../src/facts/effects.js";
import { type Release, releaseLines } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadText } from "../support/projects.js";

const granted = "<Directory />\nRequire all granted\n</Directory>\n";
const getFile: Request = { method: "GET", path: "/a.txt", host: "x.test", clientIp: "192.0.2.7" };

function verdictOf(lines: string, request: Partial<Request> = {}) {
  const text = `LoadModule authz_core_module m.so\nServerName x.test\nDocumentRoot /srv\n${granted}${lines}\n`;
  const simulatedServer = new SimulatedServer(loadText(text, { kind: "server" }), createListedFiles(["/srv/a.txt"]));
  const { status, unknown } = simulatedServer.answer({ ...getFile, ...request });
  return [status, ...unknown];
}

describe("a directive that is not modelled", () => {
  test.each<[lines: string, request: Partial<Request>, fact: string]>([
    ["SecFilterEngine On", {}, "whether a third-party module rejects the request"],
    ["RegexDefaultOptions ICASE", {}, "how patterns match with RegexDefaultOptions"],
    ["ChrootDir /jail", {}, "the files below the ChrootDir"],
    ["MetaFiles On", {}, "the status in a file of mod_cern_meta"],
    ["MDRequireHttps temporary", { scheme: "http" }, "whether mod_md redirects to `https`"],
    ["JkMount /app/* w1", { path: "/app/x" }, "the answer of an application server"],
    ["<Location /a.txt>\nAuthzSVNAccessFile /etc/svn\n</Location>", {}, "the access file of Subversion"],
    ["GeoIPEnable On\nSetEnvIf GEOIP_COUNTRY_CODE CN no", {}, "the country of the client"],
    ["<Location /a.txt>\nSSLCipherSuite HIGH\n</Location>", { scheme: "https" }, "the cipher of the connection"],
    ["CacheEnable disk /", {}, "whether the cache has an answer for another client"],
    ["JkMount /a${X}/* w1", {}, "the answer of an application server"],
    ["MetaFiles ${X}", {}, "the status in a file of mod_cern_meta"],
    [
      "SSLVHostSNIPolicy strict",
      { scheme: "https", host: "192.0.2.1" },
      "whether the client names the host in the TLS handshake",
    ],
    [
      "ExtFilterDefine gif cmd=/bin/convert\n<Location /a.txt>\nSetOutputFilter gif\n</Location>",
      {},
      "whether the program of a filter starts",
    ],
    [
      "SSLStrictSNIVHostCheck On",
      { scheme: "https", host: "192.0.2.1" },
      "whether the client names the host in the TLS handshake",
    ],
  ])("makes the result unknown: %s", (lines, request, fact) => {
    const [line] =
      /^[A-Z].* .*$/m.exec(
        lines
          .replace(/^<.*$/gm, "")
          .replace(/^SetEnvIf.*$|^Require.*$/gm, "")
          .trim(),
      ) ?? [];
    expect(verdictOf(lines, request)).toEqual([undefined, `${fact} (\`${line}\`)`]);
  });

  test.each<[lines: string, request: Partial<Request>, status: number]>([
    ["SecFilterEngine On\nSecFilterEngine Off", {}, 200],
    ["MetaFiles Off", {}, 200],
    ["MDRequireHttps temporary", { scheme: "https" }, 200],
    ["JkMount /app/* w1", {}, 200],
    ["<Location /b>\nAuthzSVNAccessFile /etc/svn\n</Location>", {}, 200],
    ["GeoIPEnable On", {}, 200],
    ["CacheEnable disk /\n<Location /a.txt>\nRequire all denied\n</Location>", { user: "alice" }, 403],
    ["CacheEnable disk /\nCacheQuickHandler off\n<Location /a.txt>\nRequire all denied\n</Location>", {}, 403],
    ["CacheEnable disk /b", {}, 200],
    ["SSLVHostSNIPolicy insecure", { scheme: "https", host: "192.0.2.1" }, 200],
    ["SSLVHostSNIPolicy strict", { scheme: "https" }, 200],
    ["SSLCipherSuite HIGH", { scheme: "https" }, 200],
    ["AllowCONNECT 443", {}, 200],
    ["ExtFilterDefine gif cmd=/bin/convert", {}, 200],
    ["SSLStrictSNIVHostCheck On", { scheme: "https" }, 200],
    ["SSLStrictSNIVHostCheck On", { host: "192.0.2.1" }, 200],
  ])("twin: has no effect with %s", (lines, request, status) => {
    expect(verdictOf(lines, request)).toEqual([status]);
  });
});

/** A server on which each effect can show, and requests to it. */
const scene = [
  'SetEnvIf GEOIP_COUNTRY_CODE "CN" flag',
  'SetEnvIf X-Named "x" flag',
  '<Location "/p">\nProxyPass http://backend.test/\n</Location>',
  "BalancerMember balancer://pool http://backend.test",
  '<Location "/pool">\nProxyPass balancer://pool/\n</Location>',
  '<Location "/login">\nAuthType Basic\nAuthName x\nAuthUserFile /u\nREQUIRE\n</Location>',
  '<Location "/form">\nSetHandler form-login-handler\n</Location>',
  '<Location "/filtered">\nSetOutputFilter X-Named\n</Location>',
];
const requests: readonly Partial<Request>[] = [
  {},
  { path: "/login/" },
  { path: "/login/", user: "alice" },
  { path: "/d/", user: "alice" },
  { path: "/p/" },
  { path: "/pool/" },
  { path: "/p/", origin: "http://intern" },
  { method: "POST", path: "/form" },
  { path: "/filtered/a.txt" },
  { path: "/~alice/" },
  { path: "/missing" },
  { path: "/.httpd/certificate-status" },
  { path: "/.well-known/acme-challenge/x" },
  { method: "POST", headers: { "Content-Length": "1" } },
  { method: "CONNECT", path: "y.test:443" },
  { scheme: "https" },
  { scheme: "https", host: "192.0.2.1" },
];
const words = ["On", "Off", "X-Named", "/a.txt", "disk /", "X-Named cmd=/bin/x", "strict"];

describe("each directive with an unknown effect in the table", () => {
  const names = releaseLines.flatMap((release) =>
    namesWithEffects().flatMap((name) => {
      const places = [false, true].filter((isInSection) => {
        const { answer } = effectsOf(name.toLowerCase(), release, isInSection) ?? {};
        return answer !== undefined && isUnknownEffect(answer);
      });
      return places.length > 0 ? [[release, name, places] as const] : [];
    }),
  );

  function serverWith(release: Release, line: string | undefined, isInSection: boolean) {
    const require = release === "2.4" ? "Require valid-user" : "Require valid-user\nAuthBasicAuthoritative Off";
    const allowed = release === "2.4" ? granted : granted.replace("Require all granted", "Allow from all");
    const lines = scene.join("\n").replace("REQUIRE", require);
    const own = line !== undefined && isInSection ? `<Location "/">\n${line}\n</Location>` : (line ?? "");
    const text = `ServerName x.test\nDocumentRoot /srv\n${allowed}${lines}\n${own}\n`;
    const options = { kind: "server", release } as const;
    return new SimulatedServer(loadText(text, options), createListedFiles(["/srv/a.txt", "/srv/d/index.html"]));
  }

  const before = new Map(releaseLines.map((release) => [release, serverWith(release, undefined, false)]));

  test.each(names)("under %s: %s", (release, name, places) => {
    const known = before.get(release);
    const lines = places.flatMap((isInSection) => words.map((word) => ({ isInSection, line: `${name} ${word}` })));
    const isFound = lines.some(({ isInSection, line }) => {
      const server = serverWith(release, line, isInSection);
      return requests.some((request) => {
        const { unknown } = server.answer({ ...getFile, ...request });
        // Some names of the manual have another case in the table of the server.
        const isNamed =
          unknown.length === 1 && unknown[0]?.toLowerCase().includes(`\`${line.toLowerCase()}\``) === true;
        return isNamed && known?.answer({ ...getFile, ...request }).unknown.length === 0;
      });
    });
    expect(isFound).toBe(true);
  });
});
