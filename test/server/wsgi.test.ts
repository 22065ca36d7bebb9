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
