import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

const modules = [
  ...["authz_core", "alias", "dir", "mime", "rewrite", "proxy", "proxy_http", "proxy_balancer", "status", "cgi"],
  ...["ext_filter", "headers", "negotiation"],
];

function decide(path: string, ...lines: readonly string[]) {
  return decideAll({ path }, ...lines);
}

function decideAll({ path, query }: { path: string; query?: string | undefined }, ...lines: readonly string[]) {
  const text = ["ServerName x.test", 'DocumentRoot "/srv"', ...lines, ""].join("\n");
  const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules });
  return new SimulatedServer(project, createListedFiles(["/srv/a.php", "/srv/a.html", "/srv/cgi/e.cgi"])).answer({
    ...{ method: "GET", path, host: "x.test", clientIp: "192.0.2.7" },
    ...(query === undefined ? {} : { query }),
  });
}

describe("a path after the host of a backend", () => {
  test.each([
    ["/a/b.html", "ProxyPass /a/ http://localhost:8080", 500, undefined],
    ["/a/b.html", "ProxyPassMatch ^/a/(.*) http://localhost:8080$1", 500, undefined],
    ["/a/b.html", "ProxyPass /a/ http://backend", undefined, "whether the host `backendb.html` exists"],
    ["/a/:81/", "ProxyPass /a/ http://backend", 200, undefined],
    ["/a/b.html", "ProxyPass /a/ http://localhost:8080/", 200, undefined],
    ["/a/b.html", "ProxyPass /a http://localhost:8080", 200, undefined],
    ["/a/b.html", "ProxyPassMatch ^/(a)/ http://$1.test/", 200, undefined],
    ["/a/b.html", "ProxyPass /a/ balancer://pool", 500, undefined],
    ["/a/b.html", "ProxyPass /a/ balancer://pool/", 503, undefined],
    ["/a/b.html", "BalancerMember balancer://pool http://b.test\nProxyPass /a/ balancer://pool/", 200, undefined],
    ["/a/b.html", "BalancerPersist on\nProxyPass /a/ balancer://pool/", 200, undefined],
    ["/a/b.html", "ProxyRemote * http://proxy.test:81\nProxyPass /a/ http://localhost:8080", 200, undefined],
  ])("%s with `%s`", (path, line, status, unknown) => {
    const decided = decide(path, line);
    expect([decided.status, decided.unknown]).toEqual([status, unknown === undefined ? [] : [unknown]]);
  });

  test("the trace shows the URL that the backend gets", () => {
    const effects = (path: string, line: string) => decide(path, line).trace.map(({ effect }) => effect);
    const line = "ProxyPassMatch ^/a/(.*) http://b.test/$1";
    expect(effects("/a/x%3fy%23z%20%25", line)).toEqual(["passes the request to `http://b.test/x%3Fy%23z%20%25`"]);
    const raw = "ProxyPass /a/ http://b.test/ nocanon";
    // It gets the path as sent (test/live/destinations.live.test.ts).
    expect(effects("/a/x%23y", raw)).toEqual(["passes the request to `http://b.test/x%23y`"]);
  });
});

// 2.4.71: without fallback, mod_proxy_wstunnel leaves requests without the header to the next line (`proxy_wstunnel_check_trans`).
describe("a backend that only gets requests with the header Upgrade", () => {
  const off = "ProxyWebsocketFallbackToProxyHttp Off\n";
  const denied =
    '<Directory "/srv/ws">\nRequire all denied\n</Directory>\n<Directory "/srv">\nRequire all granted\n</Directory>\n';
  const statusOf = (lines: string, headers: Readonly<Record<string, string>>, without?: string) => {
    const text = `ServerName x.test\nDocumentRoot "/srv"\n${denied}${lines}\n`;
    const loaded = [...modules, "proxy_wstunnel"].filter((name) => name !== without);
    const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules: loaded });
    const request = { method: "GET", path: "/ws/f", host: "x.test", clientIp: "192.0.2.7", headers };
    return new SimulatedServer(project, createListedFiles(["/srv/ws/f"])).answer(request).status;
  };
  const pass = "ProxyPass /ws ws://127.0.0.1:9/";
  const upgrade = { upgrade: "websocket" };

  test.each([
    [`${off}${pass}`, undefined],
    [`<Location /ws>\n${off}</Location>\n${pass}`, undefined],
    [`${off}ProxyPassMatch ^/ws(.*) ws://127.0.0.1:9$1`, undefined],
    [`<Location /ws>\n${off}ProxyPass ws://127.0.0.1:9/\n</Location>`, undefined],
    // mod_proxy_http is not there to answer in its place.
    [pass, "proxy_http"],
  ])("%j without %s", (lines, without) => {
    expect(statusOf(lines, {}, without)).toBe(403);
    expect(statusOf(lines, upgrade, without)).toBe(200);
  });

  test.each([
    [pass, undefined],
    [`${off}ProxyPass /ws http://127.0.0.1:9/`, undefined],
    [`<Location /other>\n${off}</Location>\n${pass}`, undefined],
    [`${off}${pass}\nProxyPass /ws/f http://127.0.0.1:9/`, undefined],
  ])("twin: %j", (lines, without) => {
    expect(statusOf(lines, {}, without)).toBe(200);
  });
});

test.each([
  ["proxy:http://127.0.0.1:9", "backend"],
  ["proxy:odd://127.0.0.1:9", undefined],
  ["default-handler", undefined],
])("AddHandler %s decides who answers for a missing file", (handler, answeredBy) => {
  const decided = decide("/missing.php", `AddHandler "${handler}" .php`);
  expect(decided.answeredBy).toBe(answeredBy);
});

// The targets are those of the server (test/live/destinations.live.test.ts).
test.each([
  ["/a.php", "http://127.0.0.1:9/ZZ", "http://127.0.0.1:9/zz/srv/a.php", "/srv/a.php"],
  ["/a.php/more?q=1", "http://127.0.0.1:9", "http://127.0.0.1:9/srv/a.php?q=1", "/srv/a.php"],
  ["/a%20b%2520c.php", "http://127.0.0.1:9/", "http://127.0.0.1:9//srv/a%20b%2520c.php", "/srv/a b%20c.php"],
])("%s goes to the backend of SetHandler proxy:%s", (url, handler, target, file) => {
  const [path = "", query] = url.split("?");
  const decided = decideAll({ path, query }, `SetHandler "proxy:${handler}"`);
  expect(decided.cases.map(({ answeredBy }) => answeredBy)).toEqual(["backend"]);
  expect(decided.cases[0]?.destination).toMatchObject({ target, file });
  expect(decided.accessLog).toMatch(/ -$/);
});

test("a rule that proxies a path to the server itself needs the name of the server", () => {
  const rules = "RewriteEngine On\nRewriteRule ^/a/(.*) /b/$1 [P]";
  expect(decide("/a/x", rules).cases[0]?.destination.target).toBe("http://x.test/b/x");
  const unnamed = load({ "/etc/httpd/httpd.conf": `${rules}\n` }, { kind: "server", modules });
  const server = new SimulatedServer(unnamed, createListedFiles([]));
  const asked = { method: "GET", path: "/a/x", clientIp: "192.0.2.7" };
  const open = server.answer(asked);
  expect([open.status, open.unknown.join()]).toEqual([undefined, expect.stringContaining("`SERVER_NAME`")]);
  expect(server.answer({ ...asked, host: "y.test" }).cases[0]?.destination.target).toBe("http://y.test/b/x");
});

describe("SetHandler without a module that provides the handler", () => {
  test.each([
    ["proxy:fcgi://localhost:9000", undefined, "names a handler that no loaded module provides: httpd sends the file"],
    [
      "proxy:unix:/run/php.sock|fcgi://localhost",
      undefined,
      "names a handler that no loaded module provides: httpd sends the file",
    ],
    ["proxy:unix:/run/php.sock", undefined, "names a handler that no loaded module provides: httpd sends the file"],
    ["proxy:http://localhost:81/", "backend", "responds instead of a file"],
    ["none", undefined, "leaves the file to httpd"],
  ])("%s", (handler, answeredBy, effect) => {
    const decided = decide("/a.php", '<FilesMatch "php$">', `SetHandler "${handler}"`, "</FilesMatch>");
    expect([decided.status, decided.answeredBy]).toEqual([200, answeredBy]);
    expect(decided.trace.at(-1)?.effect).toBe(`\`SetHandler "${handler}"\` ${effect}`);
  });
});

test.each([
  ["ProxyPass /app http://b.test", "/app/e", "the backend"],
  ['ScriptAlias /cgi "/srv/cgi"', "/cgi/e.cgi", "the program"],
  ["<Location /status>\nSetHandler server-status\n</Location>", "/status", undefined],
  ["ProxyPass /app odd://b.test", "/app", undefined],
])("an error document of `%s` leaves the status open, but not the access", (line, document, responder) => {
  const denied = ["<Location /no>", "Require all denied", "</Location>", `ErrorDocument 403 ${document}`, line];
  const decided = decide("/no", ...denied);
  expect([decided.status, decided.class]).toEqual([responder === undefined ? 403 : undefined, "403"]);
  const unknown = `whether ${responder} of \`ErrorDocument 403 ${document}\` sets another status`;
  expect(decided.unknown).toEqual(responder === undefined ? [] : [unknown]);
});

describe("an error document of which something is unknown leaves the status open, but not the error", () => {
  const denied = ["<Location /no>", "Require all denied", "</Location>"];
  const document = (path: string, ...lines: readonly string[]) => [...denied, `ErrorDocument 403 ${path}`, ...lines];

  test.each([
    ["its content", document("/a.php", "AddHandler type-map .php")],
    ["a condition of a rule", document("/a.html", "RewriteEngine on", "RewriteCond /x -l", "RewriteRule ^/a - [G]")],
  ])("%s", (_, lines) => {
    const decided = decide("/no", ...lines);
    expect([decided.class, decided.access, decided.log]).toEqual(["403", "denied", ["AH01630"]]);
  });

  test("the log of the document is then unknown, not that of an empty one", () => {
    const decided = decide("/no", ...document("/a.php", "AddHandler type-map .php"));
    expect(decided.unknown).toEqual(["whether the document of `ErrorDocument 403 /a.php` sets another status"]);
    expect([decided.log, decided.logsMayDiffer]).toEqual([["AH01630"], true]);
  });

  test("a known document changes nothing", () => {
    expect(decide("/no", ...document("/a.html"))).toMatchObject({ status: 403, unknown: [], logsMayDiffer: false });
  });

  test("so does a document for a rejected path", () => {
    const bad = ["ErrorDocument 400 /a.php", "AddHandler type-map .php"];
    const decided = decide("/%zz", ...bad);
    expect([decided.cases[0]?.status, decided.status]).toEqual([400, undefined]);
    expect(decided.unknown).toEqual(["whether the document of `ErrorDocument 400 /a.php` sets another status"]);
  });
});

test("a filter of a program concerns only the requests that it applies to", () => {
  const lines = ["ExtFilterDefine x mode=output cmd=/bin/x", "<Files a.php>", "SetOutputFilter x", "</Files>"];
  expect([decide("/a.html", ...lines).status, decide("/a.php", ...lines).status]).toEqual([200, undefined]);
});
