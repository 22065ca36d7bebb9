import { describe, expect, test } from "vitest";
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
    ["CacheEnable disk /\n<Location /a.txt>\nRequire all denied\n</Location>", {}, 403],
    ["SSLCipherSuite HIGH", { scheme: "https" }, 200],
    ["AllowCONNECT 443", {}, 200],
    ["ExtFilterDefine gif cmd=/bin/convert", {}, 200],
    ["SSLStrictSNIVHostCheck On", { scheme: "https" }, 200],
    ["SSLStrictSNIVHostCheck On", { host: "192.0.2.1" }, 200],
  ])("twin: has no effect with %s", (lines, request, status) => {
    expect(verdictOf(lines, request)).toEqual([status]);
  });
});
