import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { diskFiles } from "../../src/server/file-trees.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import { load } from "../support/projects.js";

const modules = [
  ...[
    "authn_core",
    "authn_file",
    "auth_basic",
    "auth_digest",
    "auth_form",
    "authz_core",
    "authz_user",
    "dir",
    "mime",
    "negotiation",
  ],
  ...["rewrite", "session", "session_cookie", "dav", "dav_fs"],
];

function decisionFor(lines: readonly string[], method: string, path: string) {
  const text = ['DocumentRoot "/srv"', "TypesConfig /dev/null", "AddType text/html .html .htm", ...lines, ""].join(
    "\n",
  );
  const project = load({ "/etc/httpd/httpd.conf": text, "/dev/null": "" }, { kind: "server", modules });
  const files = createListedFiles(["/srv/a.html", "/srv/a.htm", "/etc/httpd/users"]);
  return new SimulatedServer(project, files).answer({ method, path, clientIp: "192.0.2.7" });
}

const form = ["AuthType form", "AuthName x", "AuthUserFile /etc/httpd/users", "Require valid-user"];
const denied = ["Options MultiViews", "<Files a.html>", "Require all denied", "</Files>"];
const otherDenied = ["<Files a.htm>", "Require all denied", "</Files>"];
const dav = ["DavLockDB lk", "<Location />", "Dav On", "</Location>"];

const basic = ["<Files a.html>", ...login("Basic"), "</Files>", "ErrorDocument 401 /a.htm"];
const documentWith = (type: string) => ["<Files a.htm>", ...login(type), "</Files>"];

function login(type: string): readonly string[] {
  return [`AuthType ${type}`, "AuthName x", "AuthUserFile /etc/httpd/users", "Require valid-user"];
}

describe("the messages of the server are unknown only if they depend on a fact that is not configured", () => {
  test.each<[what: string, lines: readonly string[], requestLine: string, isUnknown: boolean]>([
    ["a session that no module stores", ["Session On"], "GET /a.html", true],
    ["a session in a cookie", ["Session On", "SessionCookieName s"], "GET /a.html", false],
    ["no session", ["Session Off"], "GET /a.html", false],
    ["one of two variants is denied", denied, "GET /a", true],
    ["both variants are denied", [...denied, ...otherDenied], "GET /a", false],
    ["a login form in a POST request", form, "POST /a.html", true],
    ["a login form in a GET request", form, "GET /a.html", false],
    ["another login", [...form, "AuthType Basic"], "POST /a.html", false],
    ["an error document with another login", [...basic, ...documentWith("Digest")], "GET /a.html", true],
    ["an error document with the same login", [...basic, ...documentWith("Basic")], "GET /a.html", false],
    ["PROPFIND for a file", dav, "PROPFIND /a.html", true],
    ["PROPFIND for a missing file", dav, "PROPFIND /none", false],
  ])("%s", (_, lines, requestLine, isUnknown) => {
    const [method = "", path = ""] = requestLine.split(" ");
    expect(decisionFor(lines, method, path)).toMatchObject({ unknown: [], logsMayDiffer: isUnknown });
  });
});

test("a type map that refers to itself does not cause endless negotiation", () => {
  const text = 'DocumentRoot "/srv"\nOptions MultiViews\nMultiviewsMatch Any\nAddHandler type-map .var\n';
  const access = memoryAccess({
    "/etc/httpd/httpd.conf": `${text}TypesConfig types\n`,
    "/etc/httpd/types": "",
    "/srv/map.var": "URI: map\nContent-Type: text/plain\n",
  });
  const loaded = loadProject("/etc/httpd/httpd.conf", { access, kind: "server", modules });
  if (!loaded.ok) throw new Error(loaded.error);
  const simulatedServer = new SimulatedServer(loaded.value, diskFiles(access));
  const { unknown } = simulatedServer.answer({ method: "GET", path: "/map", clientIp: "192.0.2.7" });
  expect(unknown).toEqual(["the files of `/srv/map`, which lead to each other"]);
});

test("the result of mod_dav is unknown for a file that a rule in a section rewrites", () => {
  const rules = ['<Directory "/srv">', "RewriteEngine On", "RewriteRule ^a.html$ /b.html", "</Directory>"];
  expect(decisionFor([...dav, ...rules], "PUT", "/a.html").unknown).toEqual(["what mod_dav returns for PUT"]);
  expect(decisionFor([...dav, ...rules], "GET", "/a.html").unknown).toEqual([]);
});
