import { expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const config = `ServerName x.test
DocumentRoot /www
<Directory />
Require all granted
</Directory>
<Directory /srv/private>
Require all denied
</Directory>
WSGIScriptAlias /app /srv/app.wsgi process-group=app
WSGIScriptAlias /d /srv
WSGIScriptAlias /none /none.wsgi
WSGIScriptAlias /private /srv/private/x.wsgi
WSGIScriptAliasMatch ^/m([a-z]+) /srv/app.wsgi/$1
Alias /app/static /www/a.txt
AddHandler wsgi-script .wsgi
<Location /d/off>
AcceptPathInfo Off
</Location>
<Location /app/off>
AcceptPathInfo Off
</Location>
Alias /e /e
<Directory /e>
Options ExecCGI
</Directory>
Redirect /app/r /z
`;
const files = ["/www/a.txt", "/www/w.wsgi", "/srv/app.wsgi", "/srv/private/x.wsgi", "/e/app.wsgi"];
const project = load(
  { "/etc/httpd/httpd.conf": config },
  { kind: "server", modules: ["authz_core", "mime", "dir", "alias", "wsgi"] },
);
const simulatedServer = new SimulatedServer(project, createListedFiles(files));

/** Responses of mod_wsgi 4.9.4 on httpd 2.4.71. */
test.each<[requestLine: string, status: number]>([
  ["GET /app", 200],
  ["GET /app/", 200],
  ["GET /app/x/y", 200],
  ["GET /appl", 404],
  ["GET /app/off", 404],
  ["GET /app/static", 200],
  ["GET /app/static/x", 404],
  ["GET /app/r", 302],
  ["POST /app", 200],
  ["DELETE /app", 200],
  ["GET /d", 301],
  ["GET /d/", 403],
  ["GET /d/app.wsgi/x", 200],
  ["GET /d/off", 404],
  ["GET /none", 404],
  ["GET /none/x", 404],
  ["GET /private", 403],
  ["GET /mabc", 200],
  ["GET /w.wsgi", 403],
  ["GET /e/app.wsgi", 200],
  ["GET /e/app.wsgi/p", 200],
  ["GET /e/none.wsgi", 404],
])("WSGIScriptAlias: %s returns %i", (requestLine, status) => {
  const [method = "", path = ""] = requestLine.split(" ");
  const decision = simulatedServer.answer({ method, path, host: "x.test", clientIp: "192.0.2.7" });
  expect([decision.status, ...decision.unknown]).toEqual([status]);
});

/** Responses of mod_wsgi 4.9.4 on httpd 2.4.71: the path after the location is appended, and for `/` the whole path. */
test.each<[line: string, responses: Readonly<Record<string, number>>]>([
  ["WSGIScriptAlias / /srv/app.wsgi", { "/": 200, "/x": 200, "/x/y": 200 }],
  ["WSGIScriptAlias / /srv/", { "/": 403, "/app.wsgi": 200, "/app.wsgi/y": 200 }],
  ["WSGIScriptAlias // /srv/app.wsgi", { "/": 200, "/x": 404 }],
  ["WSGIScriptAlias /d/ /srv/app.wsgi", { "/d": 404, "/d/": 200, "/d/x": 404 }],
  ["WSGIScriptAlias /d/ /srv", { "/d/": 403, "/d/x": 404, "/d/app.wsgi": 404 }],
  ["WSGIScriptAlias /r srv/app.wsgi", { "/r": 200 }],
  ["WSGIScriptAlias /r srv/../srv/app.wsgi", { "/r": 200, "/r/x": 200 }],
  [
    "WSGIScriptAliasMatch ^/m/([a-z]+) /srv/$1.wsgi",
    { "/m/app": 200, "/m/app/x/y": 200, "/m/appx": 404, "/m/app.b": 404 },
  ],
  ["WSGIScriptAliasMatch ^/ /srv/app.wsgi", { "/": 200, "/x": 200, "/x/y": 200 }],
  ["WSGIScriptAliasMatch /m /srv/app.wsgi", { "/z/m": 200, "/z/m/x": 200, "/m/y": 200, "/mx": 404 }],
])("%s", (line, responses) => {
  const text = `ServerName x.test\nDocumentRoot /www\n<Directory />\nRequire all granted\n</Directory>\n${line}\n`;
  const server = new SimulatedServer(
    load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules: ["authz_core", "mime", "dir", "wsgi"] }),
    createListedFiles(files),
  );
  const found = Object.keys(responses).map((path) => {
    const { status } = server.answer({ method: "GET", path, host: "x.test", clientIp: "192.0.2.7" });
    return [path, status];
  });
  expect(Object.fromEntries(found)).toEqual(responses);
});
