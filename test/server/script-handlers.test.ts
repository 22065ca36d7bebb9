import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const config = `ServerName x.test
DocumentRoot /www
<Directory />
Require all granted
</Directory>
Alias /all /www
<Location /all>
SetHandler application/x-httpd-php
</Location>
Alias /off /www
<Location /off>
AcceptPathInfo off
</Location>
Alias /none /www
<Location /none>
SetHandler none
</Location>
Alias /exec /www
<Location /exec>
Options +ExecCGI
</Location>
AddHandler fcgid-script .fcgi
`;
const files = ["/www/a.php", "/www/b.txt", "/www/a.fcgi", "/www/dir/c.txt", "/www/d.php/c.txt", "/www/e.fcgi/c.txt"];

function serve(lines: string, modules: readonly string[] = []): SimulatedServer {
  const loaded = ["authz_core", "mime", "dir", "alias", "php", "fcgid", ...modules];
  const project = load({ "/etc/httpd/httpd.conf": config + lines }, { kind: "server", modules: loaded });
  return new SimulatedServer(project, createListedFiles(files));
}

function statusOf(server: SimulatedServer, requestLine: string): readonly unknown[] {
  const [method = "", path = ""] = requestLine.split(" ");
  const { status, unknown } = server.answer({ method, path, host: "x.test", clientIp: "192.0.2.7" });
  return [status, ...unknown];
}

// Responses of PHP 8.2 and mod_fcgid 2.3.9 on httpd 2.4.71; they are alike for the three ways to set the handler.
describe.each([
  '<FilesMatch "\\.php$">\nSetHandler application/x-httpd-php\n</FilesMatch>\n',
  "AddType application/x-httpd-php .php\n",
  "AddHandler application/x-httpd-php .php\n",
])("%j", (lines) => {
  const server = serve(lines);

  test.each<[requestLine: string, status: number]>([
    ["GET /a.php", 200],
    ["GET /a.php/b", 200],
    ["GET /x.php", 404],
    ["PUT /x.php", 404],
    ["OPTIONS /x.php", 404],
    ["GET /x.php/a", 404],
    ["GET /all/", 403],
    ["GET /all/dir/", 403],
    ["OPTIONS /all/dir/", 403],
    ["GET /all/dir", 301],
    ["GET /all/b.txt", 200],
    ["GET /all/nix", 404],
    ["PUT /all/nix", 404],
    ["GET /d.php", 301],
    ["GET /off/a.php/b", 404],
    ["GET /off/x.php/b", 404],
    ["GET /none/x.php", 404],
    ["GET /x.fcgi", 403],
    ["PUT /x.fcgi", 403],
    ["GET /exec/x.fcgi", 404],
    ["PUT /exec/x.fcgi", 404],
    ["GET /exec/x.fcgi/b", 404],
    ["GET /exec/a.fcgi", 200],
  ])("%s returns %i", (requestLine, status) => {
    expect(statusOf(server, requestLine)).toEqual([status]);
  });
});

test("SetHandler none in a later section takes away that of an earlier one, and not that of AddHandler", () => {
  const [ofSection, ofExtension] = ["Set", "Add"].map((verb) =>
    serve(
      `<FilesMatch "[.]php$">\n${verb}Handler application/x-httpd-php ${verb === "Add" ? ".php" : ""}\n</FilesMatch>\n`,
    ),
  );
  expect([ofSection, ofExtension].map((server) => server && statusOf(server, "PUT /none/x.php"))).toEqual([
    [405],
    [404],
  ]);
});

test("a virtual wrapper of mod_fcgid answers for missing files", () => {
  const server = serve("FcgidWrapper /bin/true .fcgi virtual\n");
  expect(statusOf(server, "GET /exec/x.fcgi")).toEqual([200]);
  expect(statusOf(server, "GET /x.fcgi")).toEqual([403]);
  const other = serve("FcgidWrapper /bin/true .fcg virtual\n");
  expect(statusOf(other, "GET /exec/x.fcgi")).toEqual([404]);
});

test("ScriptAlias stands for ExecCGI for mod_fcgid, too", () => {
  const server = serve("ScriptAlias /bin/ /www/\n<Location /bin>\nSetHandler fcgid-script\n</Location>\n", ["cgi"]);
  expect(statusOf(server, "GET /bin/a.fcgi")).toEqual([200]);
});

// Responses of 2.4.71 with mod_cgi and mod_cgid.
describe("a program that no user may execute", () => {
  const modes: Readonly<Record<string, boolean>> = {
    "/www/run.cgi": true,
    "/www/a.css": false,
    "/www/a.cgi": false,
    "/www/nph-a.cgi": false,
  };
  const lines = "ScriptAlias /cgi /www\nAddHandler cgi-script .cgi\n";
  function answerOf(requestLine: string, module: string, known: Readonly<Record<string, boolean>> = modes) {
    const [method = "", path = ""] = requestLine.split(" ");
    const loaded = ["authz_core", "mime", "dir", "alias", module];
    const project = load({ "/etc/httpd/httpd.conf": config + lines }, { kind: "server", modules: loaded });
    const tree = { ...createListedFiles(Object.keys(modes)), isExecutable: (file: string) => known[file] };
    return new SimulatedServer(project, tree).answer({ method, path, host: "x.test", clientIp: "192.0.2.7" });
  }

  test.each<[requestLine: string, status: number]>([
    ["GET /cgi/a.cgi", 500],
    ["POST /cgi/a.css", 500],
    ["PUT /cgi/a.cgi/more", 500],
    ["GET /exec/a.cgi", 500],
    ["GET /cgi/run.cgi", 200],
    ["GET /cgi/none.cgi", 404],
    ["GET /a.cgi", 403],
    ["GET /a.css", 200],
    // It sends its own headers, or nothing.
    ["GET /cgi/nph-a.cgi", 200],
  ])("%s: %i", (requestLine, status) => {
    expect(answerOf(requestLine, "cgi").status).toBe(status);
    expect(answerOf(requestLine, "cgid").status).toBe(status);
  });

  test("nothing is known without the modes", () => {
    expect(answerOf("GET /cgi/a.cgi", "cgi", {}).status).toBe(200);
  });

  test("the messages, and what to change", () => {
    expect(answerOf("GET /cgi/a.cgi", "cgid").errorLog).toEqual(["AH01241: exec of '/www/a.cgi' failed"]);
    const { errorLog, causes } = answerOf("GET /cgi/a.cgi", "cgi");
    expect(errorLog).toEqual(["AH01215: stderr from /www/a.cgi: (13)Permission denied: exec of '/www/a.cgi' failed"]);
    expect(causes).toEqual([
      { text: "`/www/a.cgi` has no permission to be executed", help: ["run `chmod +x /www/a.cgi`"] },
    ]);
    expect(answerOf("GET /cgi/a.css", "cgi").causes.map(({ text }) => text)).toEqual([
      "`ScriptAlias /cgi /www` is for all files below it: httpd runs `a.css` as a program as well, although it is none",
    ]);
  });
});

// Programs of 2.4.71 get no such header without these lines, and get it with the help.
describe("the `Authorization` header for a program", () => {
  const lost = "httpd does not pass the `Authorization` header to the program";
  const token = { Authorization: "Token abc" };
  const wsgi = "WSGIScriptAlias /w /www/a.wsgi";
  const fcgi = '<FilesMatch "php$">\nSetHandler "proxy:unix:/run/php.sock|fcgi://localhost"\n</FilesMatch>';
  function causesOf(path: string, lines: string, headers: Readonly<Record<string, string>> = token) {
    const modules = [
      "authz_core",
      "authz_user",
      "auth_basic",
      "authn_file",
      "authn_core",
      "mime",
      "dir",
      "alias",
      "cgi",
      "wsgi",
    ];
    const all = [...modules, "proxy", "proxy_fcgi", "setenvif", "rewrite", "headers"];
    const text = `ServerName x.test\nDocumentRoot /www\n<Directory /www>\nRequire all granted\n</Directory>\nScriptAlias /cgi /www\n${lines}\n`;
    const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules: all });
    const tree = createListedFiles([...files, "/www/a.wsgi", "/www/a.cgi"]);
    const request = { method: "GET", path, host: "x.test", clientIp: "192.0.2.7", headers };
    return new SimulatedServer(project, tree).answer(request).causes.flatMap(({ text, help = [] }) => [text, ...help]);
  }

  test.each<[path: string, lines: string, help: string]>([
    ["/w/me", wsgi, "add `WSGIPassAuthorization On` to `<Directory /www>`"],
    ["/w/me", `WSGIPassAuthorization Off\n${wsgi}`, "add `WSGIPassAuthorization On` to `<Directory /www>`"],
    ["/cgi/a.cgi", "", "add `CGIPassAuth On` to `<Directory /www>`"],
    ["/a.php", fcgi, "add `CGIPassAuth On` to `<Directory /www>`"],
    ["/p/x", "ProxyPass /p/ fcgi://localhost:9000/", 'add `CGIPassAuth On` to `<Location "/">`'],
    [
      "/a.php",
      `Header set Access-Control-Allow-Headers Authorization\n${fcgi}`,
      "add `CGIPassAuth On` to `<Directory /www>`",
    ],
  ])("is lost: %s with %j", (path, lines, help) => {
    expect(causesOf(path, lines)).toEqual([lost, help]);
  });

  test.each<[name: string, path: string, lines: string, headers?: Readonly<Record<string, string>>]>([
    ["with the line of mod_wsgi", "/w/me", `WSGIPassAuthorization On\n${wsgi}`],
    ["with that of a section", "/cgi/a.cgi", "<Location /cgi>\nCGIPassAuth On\n</Location>"],
    ["with a copy in a variable", "/a.php", `SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1\n${fcgi}`],
    [
      "with a copy by a rule",
      "/a.php",
      `RewriteEngine On\nRewriteRule ^ - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\n${fcgi}`,
    ],
    ["without the header", "/w/me", wsgi, {}],
    ["for a file", "/b.txt", ""],
    ["for another server", "/p/x", "ProxyPass /p/ http://localhost:9000/"],
  ])("twin: %s", (_, path, lines, headers = token) => {
    expect(causesOf(path, lines, headers)).not.toContain(lost);
  });

  test("twin: httpd checks the login itself", () => {
    const login = "<Location /cgi>\nAuthType Basic\nAuthName x\nAuthUserFile /u\nRequire valid-user\n</Location>";
    expect(causesOf("/cgi/a.cgi", login, { Authorization: "Basic YWxpY2U6c2VjcmV0" })).not.toContain(lost);
  });
});
