import { request } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { unexpectedVirtualHost } from "../../rules/unexpected-virtual-host/unexpected-virtual-host.js";
import { wrongTargetPath } from "../../rules/wrong-target-path/wrong-target-path.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, onlyVariant, section, wholeServer } from "../support/rules.js";

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");
const restOfPath = onlyVariant(wrongTargetPath, "rest-of-path");
const rewrittenFiles = onlyVariant(wrongTargetPath, "rewritten-files");
const missingAlias = onlyVariant(unexpectedVirtualHost, "missing-alias");
const unreachableMainServer = onlyVariant(unexpectedVirtualHost, "unreachable-main-server");

/** The lines of a `.htaccess` file in the directory `/dN/sub/` of a whole server, a request below it, and the answers. */
interface PlacedCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  readonly path: string;
  /** The status, and the path of a redirect on this server, the host of one to another, or the body. */
  readonly answers: readonly [bad: string, good: string];
}

const engine = "RewriteEngine On\n";
const plain = "RewriteCond %{HTTPS} off\n";

/** `Redirect /` in a directory adds the path of the directory to its target. */
const appended = (line: string, good: string, target = "b.test/team/"): PlacedCase => ({
  ...{ rule: restOfPath, bad: line, good, path: "" },
  answers: [`302 ${target}dN/sub/`, `302 ${target}`],
});

/** A redirect to https, or to one name, loses the path of its directory. */
const lost = (bad: string, good: string): PlacedCase => ({
  ...{ rule: restOfPath, bad: engine + bad, good: engine + good, path: "page" },
  answers: ["302 x.test/page", "302 x.test/dN/sub/page"],
});

/** Each request of a rule asks the backend for the same URL. */
const unused = (bad: string, good: string): PlacedCase => ({
  ...{ rule: restOfPath, bad: engine + bad, good: engine + good, path: "api/page" },
  answers: ["200 /", "200 /page"],
});

/** A rule for all but directories takes the files of the site. */
const taken = (bad: string, good: string, path = "a.css"): PlacedCase => ({
  ...{ rule: rewrittenFiles, bad: engine + bad, good: engine + good, path },
  answers: ["200 index", `200 ${path}`],
});

/** A rule after one that changes the path compares its result. */
const after = (first: string, bad: string, good: string, answer = "200 a.css"): PlacedCase => ({
  rule: pathPatterns,
  bad: `${engine}${first}\nRewriteRule ${bad} - [R=204,L]`,
  good: `${engine}${first}\nRewriteRule ${good} - [R=204,L]`,
  path: "z",
  answers: [answer, "204 "],
});

const notDirectory = "RewriteCond %{REQUEST_FILENAME} !-d\n";
const notFile = "RewriteCond %{REQUEST_FILENAME} !-f\n";

const cases: readonly PlacedCase[] = [
  appended("Redirect 302 / http://b.test/team/", "Redirect 302 /dN/sub/ http://b.test/team/"),
  appended("Redirect / http://b.test/team/", "RedirectMatch ^/dN/sub/$ http://b.test/team/"),
  appended('Redirect temp "/" "http://b.test/team/"', 'Redirect temp "/dN/sub/" "http://b.test/team/"'),
  appended("RedirectTemp / http://b.test/team/", "RedirectTemp /dN/sub/ http://b.test/team/"),
  appended("Redirect 302 / http://b.test/a/b/", "Redirect 302 /dN/sub/ http://b.test/a/b/", "b.test/a/b/"),
  appended("Redirect 302 / /team/", "Redirect 302 /dN/sub/ /team/", "x.test/team/"),
  lost(
    `${plain}RewriteRule ^(.*)$ http://%{HTTP_HOST}/$1 [R,L]`,
    `${plain}RewriteRule ^ http://%{HTTP_HOST}%{REQUEST_URI} [R,L]`,
  ),
  lost(
    `${plain}RewriteRule (.*) http://%{HTTP_HOST}/$1 [R,L]`,
    `${plain}RewriteRule (.*) http://%{HTTP_HOST}/dN/sub/$1 [R,L]`,
  ),
  lost(
    `RewriteCond %{HTTP_HOST} ^x\\.test$\nRewriteRule ^(.*)$ http://x.test/$1 [R,L]`,
    `RewriteCond %{HTTP_HOST} ^x\\.test$\nRewriteRule ^ http://x.test%{REQUEST_URI} [R,L]`,
  ),
  lost(
    `RewriteCond %{SERVER_PORT} !^443$\nRewriteRule ^(.*)$ http://%{SERVER_NAME}/$1 [R=302,L]`,
    `RewriteCond %{SERVER_PORT} !^443$\nRewriteRule ^ http://%{SERVER_NAME}%{REQUEST_URI} [R=302,L]`,
  ),
  lost(
    `RewriteCond %{REQUEST_SCHEME} =http\nRewriteRule ^(.+)$ http://%{HTTP_HOST}/$1 [R,L]`,
    `RewriteCond %{REQUEST_SCHEME} =http\nRewriteRule ^(.+)$ http://%{HTTP_HOST}/dN/sub/$1 [R,L]`,
  ),
  lost(
    `RewriteCond %{HTTP:X-Forwarded-Proto} !=https\nRewriteRule ^(.*)$ http://%{HTTP_HOST}/$1 [R,L]`,
    `RewriteCond %{HTTP:X-Forwarded-Proto} !=https\nRewriteRule ^(.*)$ http://%{HTTP_HOST}%{REQUEST_URI} [R,L]`,
  ),
  unused("RewriteRule ^api/(.*)$ @BACKEND@/ [P]", "RewriteRule ^api/(.*)$ @BACKEND@/$1 [P]"),
  unused("RewriteRule ^api/(.*) @BACKEND@/ [P,L]", "RewriteRule ^api/(.*) @BACKEND@/$1 [P,L]"),
  unused('RewriteRule "^api/(.+)$" "@BACKEND@/" [P]', 'RewriteRule "^api/(.+)$" "@BACKEND@/$1" [P]'),
  unused("RewriteRule ^api/(.+) @BACKEND@/ [P,QSA]", "RewriteRule ^api/(.+) @BACKEND@/$1 [P,QSA]"),
  unused("RewriteRule api/(.*)$ @BACKEND@/ [P]", "RewriteRule api/(.*)$ @BACKEND@/$1 [P]"),
  unused(
    "RewriteCond %{REQUEST_METHOD} GET\nRewriteRule ^api/(.*)$ @BACKEND@/ [P]",
    "RewriteCond %{REQUEST_METHOD} GET\nRewriteRule ^api/(.*)$ @BACKEND@/$1 [P]",
  ),
  taken(`${notDirectory}RewriteRule .* index.txt [L]`, `${notFile}${notDirectory}RewriteRule .* index.txt [L]`),
  taken(`${notDirectory}RewriteRule ^ index.txt`, `${notDirectory}RewriteRule !\\.css$ index.txt`),
  taken(
    `${notDirectory}RewriteRule ^(.*)$ index.txt?url=$1 [QSA,L]`,
    `RewriteRule \\.css$ - [L]\n${notDirectory}RewriteRule ^(.*)$ index.txt?url=$1 [QSA,L]`,
  ),
  taken(
    "RewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^ - [L]\nRewriteRule ^ index.txt [L]",
    "RewriteCond %{REQUEST_FILENAME} -f [OR]\nRewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^ - [L]\nRewriteRule ^ index.txt [L]",
  ),
  taken(
    `RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d\nRewriteRule ^ index.txt [L]`,
    `RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d\nRewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f\nRewriteRule ^ index.txt [L]`,
  ),
  taken(
    `${notDirectory}RewriteRule !^admin index.txt [L]`,
    `${notDirectory}RewriteCond %{REQUEST_URI} !\\.(?:css|js|png)$\nRewriteRule !^admin index.txt [L]`,
  ),
  after("RewriteRule ^z$ a.css", "^/a\\.css$", "^a\\.css$"),
  after("RewriteRule ^z$ a.css?x=1", "^/a", "^a"),
  after("RewriteRule ^z$ /dN/sub/a.css", "^/sub/", "^/dN/sub/"),
  after("RewriteRule ^(z)$ a.css?n=$1", "^/z$", "^a\\.css$"),
  after("RewriteRule ^z$ /dN/sub/a.css [R]", "^/dN/", "^http://x\\.test/dN/", "302 x.test/dN/sub/a.css"),
  after("RewriteRule ^z$ http://b.test/ [R]", "^/b", "^http://b\\.test/", "302 b.test/"),
];

interface Response {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

function ask(port: number, path: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: { host: "x.test" } }, (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, location: headers.location, body }), reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe.skipIf(!httpd)(liveTitle("mistakes in directories of a server, on the live server"), () => {
  const folder = sharedFolder();
  let answers: readonly string[] = [];
  const texts = cases.flatMap(({ bad, good }) => [bad, good]);

  beforeAll(async () => {
    const [port, backendPort] = [await freePort(), await freePort()];
    for (const [index, written] of texts.entries()) {
      const lines = written.replaceAll("dN", `d${index}`).replaceAll("@BACKEND@", `http://127.0.0.1:${backendPort}`);
      folder.write({
        [`www/d${index}/sub/.htaccess`]: `${lines}\n`,
        [`www/d${index}/sub/a.css`]: "a.css",
        [`www/d${index}/sub/index.txt`]: "index",
      });
    }
    folder.write({ "backend/index.html": "/", "backend/page": "/page" });
    const head = `ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig /dev/null\nDirectoryIndex index.html\n`;
    const site = `Listen 127.0.0.1:${port}\nDocumentRoot "${folder.at("www")}"\n<Directory "${folder.path}">\nAllowOverride All\nRequire all granted\n</Directory>\n`;
    const backend = `Listen 127.0.0.1:${backendPort}\n<VirtualHost 127.0.0.1:${backendPort}>\nDocumentRoot "${folder.at("backend")}"\n</VirtualHost>\n`;
    const modules = ["mpm_event", "authz_core", "alias", "dir", "mime", "proxy", "proxy_http", "rewrite", "setenvif"];
    folder.write({ "httpd.conf": loadModules(modules) + head + site + backend });
    const read = async (path: string, index: number) => {
      const { status, location, body } = await ask(port, `/d${index}/sub/${path}`);
      const shown = location?.replace(/^https?:\/\//, "") ?? body;
      return `${status} ${shown.replaceAll(`d${index}/`, "dN/")}`;
    };
    const first = { address: "127.0.0.1", port, text: "GET / HTTP/1.0\r\n\r\n" };
    const requests = cases.flatMap(({ path }) => [path, path]);
    const served = await whileServing(folder.path, first, () => Promise.all(requests.map(read)));
    if ("refused" in served) throw new Error(served.refused);
    answers = served;
  });

  const find = (rule: RuleDefinition, lines: string) => {
    const loads = ["alias", "proxy", "proxy_http", "rewrite"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
    const site = section("Directory /srv", "AllowOverride All", "Options FollowSymLinks", "Require all granted");
    const server = wholeServer(...loads, "Listen 80", "ServerName x.test", "DocumentRoot /srv/www", site);
    const placed = lines.replaceAll("@BACKEND@", "http://127.0.0.1:8080");
    const files = { "/srv/www/dN/sub/.htaccess": placed, "/srv/www/dN/sub/a.css": "", "/srv/www/dN/sub/index.txt": "" };
    return findingsOf([rule], server, { files: { "/srv/www/index.html": "", ...files } });
  };

  test.each(cases.map((each, index) => [each.bad, each, index] as const))(
    "%j",
    (_, { rule, bad, good, answers: expected }, index) => {
      expect(answers.slice(2 * index, 2 * index + 2)).toEqual(expected);
      expect([find(rule, bad).length, find(rule, good).length]).toEqual([1, 0]);
    },
  );

  const named = (name: string, root: string, ...lines: readonly string[]) => [
    ...["<VirtualHost *>", `ServerName ${name}`, `DocumentRoot "DOCROOT/${root}"`, ...lines, "</VirtualHost>"],
  ];
  test.each([
    ["a virtual host with another name", named("shop.test", "shop"), 404, 1],
    ["two of them", [...named("shop.test", "shop"), ...named("b.test", "b")], 404, 1],
    ["the name of the main server", [...named("x.test", ""), ...named("shop.test", "shop")], 200, 0],
    ["an alias with this name", named("shop.test", "", "ServerAlias x.*"), 200, 0],
    ["the same document root", named("shop.test", ""), 200, 0],
    ["a redirect", named("shop.test", "shop", "Redirect / http://shop.test/"), 302, 0],
  ])("the main server never answers beside %s", async (_, lines, status, count) => {
    await withRunningHttpd(
      ["authz_core", "alias"],
      lines,
      async (running) => {
        const answer = await running.ask({ path: "/x.txt", headers: { Host: "x.test" } });
        expect(answer.status).toBe(status);
      },
      { "x.txt": "x", "shop/index.html": "x", "b/index.html": "x" },
    );
    const written = lines
      .join("\n")
      .replaceAll("<VirtualHost *>", "<VirtualHost *:80>")
      .replaceAll("DOCROOT", "/srv/site");
    const granted = section("Directory /srv", "Require all granted");
    const server = wholeServer(
      "LoadModule alias_module mod_alias.so",
      "Listen 80",
      "ServerName x.test",
      "DocumentRoot /srv/site",
      granted,
      written,
    );
    expect(findingsOf([unreachableMainServer], server)).toHaveLength(count);
  });
});

describe.skipIf(!httpd)(liveTitle("names that a virtual host with TLS lacks, on the live server"), () => {
  const folder = sharedFolder();
  const twins = [
    ["ServerName shop.test", 404, 1],
    ["ServerName shop.test\nServerAlias www.shop.test", 200, 0],
    ["ServerName shop.test\nServerAlias *.shop.test", 200, 0],
  ] as const;
  const lines = "SSLEngine on\nSSLCertificateFile cert.pem\nSSLCertificateKeyFile key.pem";
  const hostsAt = (port: number | string, root: string, names: string) =>
    ["first", "shop"]
      .map((name) =>
        section(
          `VirtualHost *:${port}`,
          name === "shop" ? names : "ServerName first.test",
          `DocumentRoot ${root}/${name}`,
          lines,
        ),
      )
      .join("");
  let statuses: readonly number[] = [];

  beforeAll(async () => {
    makeCertificate(folder.at("key.pem"), folder.at("cert.pem"), "localhost");
    folder.write({ "first/other": "x", "shop/page": "x" });
    const ports = await Promise.all(twins.map(() => freePort()));
    const head = `${loadModules(["mpm_event", "authz_core", "socache_shmcb", "ssl"])}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nMutex posixsem\n`;
    const hosts = twins.map(
      ([names], index) => `Listen ${ports[index]}\n${hostsAt(ports[index] ?? 0, folder.path, names)}`,
    );
    folder.write({ "httpd.conf": head + hosts.join("") });
    const ask = (port: number) =>
      statusOf(
        { host: "127.0.0.1", port, path: "/page", headers: { host: "www.shop.test" }, rejectUnauthorized: false },
        httpsRequest,
      );
    const served = await whileServing(folder.path, { address: "127.0.0.1", port: ports[0] ?? 0 }, () =>
      Promise.all(ports.map(ask)),
    );
    if ("refused" in served) throw new Error(served.refused);
    statuses = served;
  });

  test.each(twins.map((each, index) => [...each, index] as const))("%j: %i", (names, status, count, index) => {
    const plain = section(
      "VirtualHost *:80",
      "ServerName shop.test",
      "ServerAlias www.shop.test",
      "Redirect / https://www.shop.test/",
    );
    const loads = ["alias", "ssl"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
    const granted = section("Directory /srv", "Require all granted");
    const server = wholeServer(...loads, "Listen 80", "Listen 443", granted, plain, hostsAt(443, "/srv", names));
    expect(statuses[index]).toBe(status);
    expect(findingsOf([missingAlias], server)).toHaveLength(count);
  });
});
