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

const host = (...lines: readonly string[]) => ["<VirtualHost *:80>", "ServerName x.test", ...lines, "</VirtualHost>"];

/** Returns the status in the usual case, who answers, and the causes with their help. */
function explain(path: string, lines: readonly string[], { kind = "server", loaded = ["ssl"] }: Explained = {}) {
  const text = `${["Listen 80", 'DocumentRoot "/srv"', ...lines].join("\n")}\n`;
  const origin = /^\w+:\/\/[^/]*/.exec(path)?.[0];
  const all = [...modules, "proxy_http2", "proxy_connect", ...loaded];
  const project = load({ "/etc/httpd/httpd.conf": text }, kind === "server" ? { kind, modules: all } : { kind });
  const { cases, causes } = new SimulatedServer(project, createListedFiles(["/srv/a.html"])).answer({
    ...{ method: "GET", path, host: "x.test", clientIp: "192.0.2.7" },
    ...(origin === undefined ? {} : { path: path.slice(origin.length), origin }),
  });
  const found = causes.flatMap(({ text: cause, help = [] }) => [cause, ...help.map((each) => `help: ${each}`)]);
  return [
    cases[0]?.answeredBy ?? cases[0]?.status,
    ...found,
    ...cases.slice(1).map(({ answeredBy, status }) => answeredBy ?? status),
  ];
}

interface Explained {
  readonly kind?: "server" | "fragment";
  readonly loaded?: readonly string[];
}

// The statuses are those of 2.4.71.
describe("a backend with TLS", () => {
  const pass = "ProxyPass /a/ https://b.test/";

  test.each<[name: string, lines: readonly string[], answer: unknown]>([
    ["by ProxyPass", host(pass), 500],
    ["by a rule", host("RewriteEngine On", "RewriteRule ^/a/ https://b.test/x [P]"), 500],
    ["by SetHandler", host("<Location /a/>", 'SetHandler "proxy:https://b.test/"', "</Location>"), 500],
    ["of WebSocket", host("ProxyPass /a/ wss://b.test/"), 500],
    ["of HTTP/2", host("ProxyPass /a/ h2://b.test/"), 500],
    ["in the main server", [pass], 500],
    ["with the line in another virtual host", [...host(pass), ...host("SSLProxyEngine On")], 500],
    ["twin: without TLS", host("ProxyPass /a/ http://b.test/"), "backend"],
    ["twin: HTTP/2 without TLS", host("ProxyPass /a/ h2c://b.test/"), "backend"],
    ["twin: with the line", host("SSLProxyEngine On", pass), "backend"],
    ["twin: with that of the main server", ["SSLProxyEngine On", ...host(pass)], "backend"],
    [
      "twin: with that of its section",
      host("<Proxy https://b.test/>", "SSLProxyEngine On", "</Proxy>", pass),
      "backend",
    ],
    [
      "twin: with that of a condition",
      host("<IfModule mod_ssl.c>", "SSLProxyEngine On", "</IfModule>", pass),
      "backend",
    ],
  ])("needs SSLProxyEngine: %s", (_, lines, answer) => {
    expect(explain("/a/", lines)).toEqual([answer]);
  });

  test("the line that turns it off, or that applies to another backend", () => {
    expect(explain("/a/", ["SSLProxyEngine On", ...host("SSLProxyEngine off", pass)])).toEqual([
      500,
      "`SSLProxyEngine off` turns off TLS to the backend",
      "help: use `SSLProxyEngine On`",
    ]);
    const other = host("<Proxy https://c.test/>", "SSLProxyEngine On", "</Proxy>", pass);
    expect(explain("/a/", other)).toEqual([
      500,
      "`SSLProxyEngine On` applies to `<Proxy https://c.test/>` only",
      "help: add `SSLProxyEngine On` to `<VirtualHost *:80>`",
    ]);
  });

  test("a file of a virtual host may inherit the line of the main server", () => {
    const fragment = { kind: "fragment" } as const;
    expect(explain("/a/", host(pass), fragment)).toEqual([500, "backend"]);
    expect(explain("/a/", host("SSLProxyEngine Off", pass), fragment)[0]).toBe(500);
    expect(explain("/a/", host("SSLProxyEngine On", pass), fragment)).toEqual(["backend"]);
    // The virtual host is in another file, and may have the line.
    expect(explain("/a/", [pass], fragment)).toEqual(["backend"]);
  });

  test("another module may encrypt the connection", () => {
    expect(explain("/a/", host(pass), { loaded: ["ssl", "gnutls"] })).toEqual(["backend"]);
    expect(explain("/a/", host(pass), { loaded: ["ssl", "of_their_own"] })).toEqual(["backend"]);
    expect(explain("/a/", host(pass), { loaded: ["ssl", "php"] })).toEqual([500]);
  });
});

// The statuses are those of 2.4.71 (proxy_util.c `ap_proxy_checkproxyblock2`).
describe("ProxyBlock", () => {
  const url = "http://downloads.example.com/";
  const forward = (...lines: readonly string[]) => host("ProxyRequests On", ...lines);
  const isPart = "`ads.example` is a part of `downloads.example.com`: httpd compares no whole names";
  const longer = "help: use a longer word in place of `ads.example`, such as the whole name of the host to block";

  test.each<[name: string, path: string, lines: readonly string[], answer: readonly unknown[]]>([
    ["a part of a name", url, forward("ProxyBlock ads.example"), [403, isPart, longer]],
    ["a word of the main server", url, ["ProxyBlock ads.example", ...forward("ProxyBlock x")], [403, isPart, longer]],
    [
      "a domain",
      url,
      forward("ProxyBlock a.test example.com"),
      [
        403,
        "`example.com` blocks `downloads.example.com`",
        "help: delete `example.com` from this line to allow the host",
      ],
    ],
    [
      "all hosts",
      url,
      forward("ProxyBlock *x"),
      [403, "`*x` begins with `*`, which blocks all hosts", "help: write the hosts to block"],
    ],
    [
      "a part of an address",
      "http://10.0.0.12/",
      forward("ProxyBlock 10.0.0.1"),
      [
        403,
        "`10.0.0.1` is a part of `10.0.0.12`: httpd compares no whole names",
        'help: delete `10.0.0.1`, and deny this host with `<ProxyMatch "^[^:]+://([^/]*@)?10\\.0\\.0\\.1(:|/|$)">` and `Require all denied`',
      ],
    ],
    [
      "the host of ProxyPass",
      "/a/",
      host("ProxyBlock b.test", "ProxyPass /a/ http://B.test/"),
      [403, "`b.test` blocks `b.test`", "help: delete `b.test` from this line to allow the host"],
    ],
    [
      "twin: capital letters match nothing",
      url,
      forward("ProxyBlock ADS.example"),
      [
        "backend",
        "`ADS.example` does not block `downloads.example.com`: the case of letters counts, and httpd makes those of the host small",
        "help: use `ProxyBlock ads.example`",
        403,
      ],
    ],
    ["twin: another name, which may have the address", url, forward("ProxyBlock ads.test"), ["backend", 403]],
    ["twin: another address", "http://10.0.0.2/", forward("ProxyBlock 10.0.0.1"), ["backend"]],
    [
      "twin: a word of another virtual host",
      "/a/",
      [...host("ProxyPass /a/ http://b.test/"), ...host("ProxyBlock b.test")],
      ["backend"],
    ],
  ])("%s", (_, path, lines, answer) => {
    expect(explain(path, lines)).toEqual(answer);
  });

  test("the members of a balancer are not compared", () => {
    const lines = host(
      "ProxyBlock b.test",
      "BalancerMember balancer://b.test http://b.test",
      "ProxyPass /a/ balancer://b.test/",
    );
    const text = `${["Listen 80", ...lines].join("\n")}\n`;
    const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules: [...modules] });
    const asked = { method: "GET", path: "/a/", host: "x.test", clientIp: "192.0.2.7" };
    const { unknown } = new SimulatedServer(project, createListedFiles([])).answer(asked);
    expect(unknown).toEqual(["whether mod_proxy blocks the host (`ProxyBlock b.test`)"]);
  });
});
