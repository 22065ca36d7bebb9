import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";

const files = createListedFiles(["/srv/www/in/.htaccess", "/srv/www/x.txt"]);

/** Returns the lines that a reader may expect to apply to a request, with the reasons why they do not. */
function missesOf(lines: readonly string[], url: string, entry = "/etc/httpd.conf"): readonly (readonly string[])[] {
  const kind = entry.endsWith(".htaccess") ? {} : { kind: "server" as const };
  const text = `${entry.endsWith(".htaccess") ? "" : "ServerName a.test\nDocumentRoot /srv/www\n"}${lines.join("\n")}\n`;
  const loaded = loadProject(entry, {
    access: memoryAccess({ [entry]: text }),
    release: "2.4",
    htaccess: true,
    ...kind,
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const [path = "", query] = url.split("?");
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...(query ? { query } : {}) };
  const { misses } = answer(loaded.value, request, { files });
  return misses.filter(({ isClose }) => isClose).map(({ section, reason }) => [section.replace(/^\S+ /, ""), reason]);
}

describe("a rewrite rule that a request comes close to", () => {
  const folder = "/srv/www/in/.htaccess";
  test.each<[why: string, rule: string, url: string, entry: string, reason: string]>([
    [
      "has a slash that the directory removes",
      "^/help$ /h.html",
      "/help",
      folder,
      "its pattern `^/help$` does not match `help`: in a `.htaccess` file or a directory, the path has no leading slash",
    ],
    [
      "lacks the slash that the path of a server has",
      "^help$ /h.html",
      "/help",
      "/etc/httpd.conf",
      "its pattern `^help$` does not match `/help`: in a server or virtual host, the path begins with a slash",
    ],
    [
      "allows no slash at the end",
      "^help$ /h.html",
      "/help/",
      folder,
      "its pattern `^help$` does not match `help/`: it does not allow the slash at the end",
    ],
    [
      "needs a slash at the end",
      "^help/$ /h.html",
      "/help",
      folder,
      "its pattern `^help/$` does not match `help`: it needs a slash at the end",
    ],
    [
      "differs in case",
      "^help$ /h.html",
      "/Help",
      folder,
      "its pattern `^help$` does not match `Help`: letters differ in case, and the rule has no `NC`",
    ],
    [
      "expects the query",
      "^help\\?id=1$ /h.html",
      "/help?id=1",
      folder,
      "its pattern `^help\\?id=1$` does not match `help`: patterns do not see the query",
    ],
    [
      "expects the host",
      "^http://a\\.test/help /h.html",
      "/help",
      folder,
      "its pattern `^http://a\\.test/help` does not match `help`: patterns do not see the host; test `%{HTTP_HOST}` in a RewriteCond",
    ],
  ])("%s", (_, rule, url, entry, reason) => {
    const lines = ["RewriteEngine on", `RewriteRule ${rule}`];
    expect(missesOf(lines, url, entry)).toEqual([[rule, reason]]);
    // Twins: the rule applies, and a rule about something else.
    expect(missesOf(["RewriteEngine on", "RewriteRule elp - [NC,PT]"], url, entry)).toEqual([]);
    expect(missesOf(["RewriteEngine on", "RewriteRule ^/?contact$ /c.html"], url, entry)).toEqual([]);
  });

  test("has a false condition, whose value the step shows", () => {
    const lines = ["RewriteEngine on", "RewriteCond %{HTTP_HOST} ^www\\.", "RewriteRule ^/x - [F]"];
    const loaded = loadProject("/etc/httpd.conf", {
      access: memoryAccess({ "/etc/httpd.conf": `DocumentRoot /srv/www\n${lines.join("\n")}\n` }),
      kind: "server",
      release: "2.4",
    });
    if (!loaded.ok) throw new Error(loaded.error);
    const { trace } = answer(
      loaded.value,
      { method: "GET", path: "/x.txt", host: "a.test", clientIp: "192.0.2.7" },
      { files },
    );
    expect(trace.map(({ effect }) => effect)).toContain(
      "does not apply: `RewriteCond %{HTTP_HOST} ^www\\.` is false, since `%{HTTP_HOST}` is `a.test`",
    );
  });
});

describe("a mapping line that a request comes close to", () => {
  test("matches, but another line is applied first", () => {
    expect(missesOf(["ProxyPass / http://one.test/", "ProxyPass /api/ws http://two.test/"], "/api/ws")).toEqual([
      ["/api/ws http://two.test/", "matches as well, but `ProxyPass / http://one.test/` is applied first"],
    ]);
    expect(missesOf(["Redirect permanent / https://a.test/", "ProxyPass /app http://two.test/"], "/app/x")).toEqual([
      ["permanent / https://a.test/", "matches as well, but `ProxyPass /app http://two.test/` is applied first"],
    ]);
    // Twin: in the other order, each applies to its own path.
    expect(missesOf(["ProxyPass /api/ws http://two.test/", "ProxyPass / http://one.test/"], "/x.txt")).toEqual([]);
  });

  test("differs by the slash at the end, or in case", () => {
    expect(missesOf(["Redirect /docs/ https://a.test/"], "/docs")).toEqual([
      ["/docs/ https://a.test/", "its path `/docs/` does not match `/docs`: the URL has no slash at the end"],
    ]);
    expect(missesOf(["Alias /Docs /srv/docs"], "/docs/x")).toEqual([
      ["/Docs /srv/docs", "its path `/Docs` does not match `/docs/x`: letters differ in case"],
    ]);
    expect(missesOf(["Redirect /docs/ https://a.test/"], "/news")).toEqual([]);
  });
});

describe("a virtual host with the name of the request that does not handle it", () => {
  const host = (address: string, ...names: readonly string[]) => [
    `<VirtualHost ${address}>`,
    ...names,
    "</VirtualHost>",
  ];

  /** Returns the reasons for a request to 127.0.0.1. */
  const reasonsFor = (lines: readonly string[], release?: "2.2" | "2.4", port?: number) =>
    missesOfHost(lines, "/", release, port).map(({ reason }) => reason);

  function missesOfHost(lines: readonly string[], path = "/", release: "2.2" | "2.4" = "2.4", port = 80) {
    const loaded = loadProject("/etc/httpd.conf", {
      access: memoryAccess({ "/etc/httpd.conf": `${lines.join("\n")}\n` }),
      ...{ release, htaccess: true, kind: "server" },
    });
    if (!loaded.ok) throw new Error(loaded.error);
    const request = { method: "GET", path, host: "oak.test", clientIp: "192.0.2.7", port };
    const { misses } = answer(loaded.value, request, { files });
    return misses.filter(({ isClose }) => isClose);
  }
  const [elm, oak] = ["ServerName elm.test", "ServerName oak.test"];

  test("comes after one with a wildcard that matches", () => {
    expect(reasonsFor([...host("*:80", elm, "ServerAlias *.test"), ...host("*:80", oak)])).toEqual([
      "it has `ServerName oak.test`, but `ServerAlias *.test` of an earlier virtual host matches first",
    ]);
    expect(reasonsFor([...host("*:80", elm, "ServerAlias *.org"), ...host("*:80", oak)])).toEqual([]);
  });

  test("is one whose name 2.2 does not compare", () => {
    const lines = [...host("*:80", elm), ...host("*:80", oak)];
    expect(reasonsFor(lines, "2.2")).toEqual([
      "it has `ServerName oak.test`, but httpd 2.2 compares no names without a `NameVirtualHost` line for this address",
    ]);
    expect(reasonsFor(["NameVirtualHost *:80", ...lines], "2.2")).toEqual([]);
    expect(reasonsFor(lines, "2.4")).toEqual([]);
  });

  test("has a less exact address or port", () => {
    expect(reasonsFor([...host("127.0.0.1:80", elm), ...host("*:80", oak)])).toEqual([
      "it has `ServerName oak.test`, but httpd prefers the exact address of `<VirtualHost 127.0.0.1:80>` to `*`, whatever the names",
    ]);
    expect(reasonsFor([...host("127.0.0.1:80", elm), ...host("127.0.0.1:*", oak)])).toEqual([
      "it has `ServerName oak.test`, but httpd prefers the exact port of `<VirtualHost 127.0.0.1:80>` to any port, whatever the names",
    ]);
    expect(reasonsFor([...host("127.0.0.2:80", elm), ...host("*:80", oak)])).toEqual([]);
  });

  test("has the name with a path, for which a ServerAlias is not meant", () => {
    const withPath = (alias: string, path: string) => {
      const lines = host("*:80", elm, `ServerAlias ${alias}`);
      return missesOfHost(lines, path).map(({ reason, help, change }) => [reason, help, change?.key]);
    };
    expect(withPath("oak.test/docs", "/docs/a")).toEqual([
      [
        "its `ServerAlias oak.test/docs` never matches `oak.test`: a ServerAlias is a name without a path, and maps no path to a directory",
        ["to map the path, use `Alias /docs DIRECTORY`"],
        "serveralias",
      ],
    ]);
    expect(withPath("www.elm.test OAK.test/docs/", "/docs")).toHaveLength(1);
    expect(withPath("oak.test/docs", "/other")).toEqual([]);
    expect(withPath("elm.test/docs", "/docs")).toEqual([]);
    expect(withPath("oak.test/docs oak.test", "/docs")).toEqual([]);
    const both = host("*:80", elm, "ServerAlias oak.test/docs oak.test:80 ash.test");
    expect(missesOfHost([...host("*:80", "ServerName ash.test"), ...both], "/other")[0]?.help).toEqual([
      "use `ServerAlias oak.test ash.test`",
    ]);
  });

  test("comes after one with the same name, of which that one may be the wrong one", () => {
    const lines = [...host("*:80", oak), ...host("*:80", elm, "ServerAlias oak.test")];
    const [miss] = missesOfHost([...host("*:80", oak), ...host("*:80", "ServerName oak.test", "ServerAlias x.test")]);
    expect(miss?.help).toEqual(["delete the virtual host that is not wanted, or give the two different names"]);
    expect(miss?.change?.span.start).toBe(lines.join("\n").indexOf("ServerName"));
  });

  test("is for another port or address, unless the one that answers has the name", () => {
    const other = host("*:443", elm);
    expect(reasonsFor([...other, ...host("*:80", oak)], "2.4", 443)).toEqual([
      "it has `ServerName oak.test`, but it is not for port 443, at which the request arrives",
    ]);
    expect(reasonsFor([...other, ...host("192.0.2.1:443", oak)], "2.4", 443)).toEqual([
      "it has `ServerName oak.test`, but it is not for the address 127.0.0.1, at which the request arrives",
    ]);
    expect(reasonsFor([...host("*:443", oak), ...host("*:80", oak)], "2.4", 443)).toEqual([]);
  });

  test("is for other ports, so that one for the port is missing", () => {
    const lines = [...host("*:443", elm), ...host("*:80", oak), ...host("*:8080", oak)];
    const helps = missesOfHost(lines, "/x", "2.4", 443).map(({ help }) => help);
    expect(helps).toEqual([["add `<VirtualHost *:443>` with `ServerName oak.test` and its document root"], undefined]);
  });
});

test("a rule that applies is not listed although the URL that it leads to does not fit", () => {
  const entry = "/srv/www/in/.htaccess";
  expect(missesOf(["RewriteEngine on", "RewriteRule ^news$ /mobile/news.html"], "/news", entry)).toEqual([]);
});

describe("a line without effect because of another setting", () => {
  const folder = "/srv/www/in/.htaccess";

  test("is in an IfModule section with a name that no module has", () => {
    const section = (name: string) => [`<IfModule ${name}>`, "RewriteEngine on", "RewriteRule ^a$ /b", "</IfModule>"];
    expect(missesOf(section("mod_rewrite"), "/x.txt", folder)).toEqual([
      [
        "mod_rewrite>",
        "httpd skips this section: no module has the name `mod_rewrite`; the names of this one are `rewrite_module` and `mod_rewrite.c`",
      ],
    ]);
    for (const name of ["mod_rewrite.c", "rewrite_module", "mod_own", "!mod_rewrite"])
      expect(missesOf(section(name), "/x.txt", folder)).toEqual([]);
  });

  test("is a rewrite rule without RewriteEngine", () => {
    const reason = "no `RewriteEngine On` line applies";
    expect(missesOf(["RewriteRule ^/a$ /b"], "/x.txt")).toEqual([
      ["^/a$ /b", `the rewrite rules of this server are off: ${reason}`],
    ]);
    expect(missesOf(["RewriteRule ^a$ /b"], "/x.txt", folder)).toEqual([
      ["^a$ /b", `the rewrite rules of this section are off: ${reason}`],
    ]);
    expect(missesOf(["RewriteEngine off", "RewriteRule ^a$ /b"], "/x.txt", folder)).toEqual([
      ["^a$ /b", "`RewriteEngine off` applies"],
    ]);
    expect(missesOf(["RewriteEngine on", "RewriteRule ^/a$ /b"], "/x.txt")).toEqual([]);
  });

  test("of a rewrite rule in a section is close only if the rule matches the request", () => {
    const sections = (...later: readonly string[]) => [
      ...["<Directory /srv>", "RewriteEngine on", "RewriteRule ^none$ /c", "RewriteRule ^www/x /b", "</Directory>"],
      ...["<Directory /srv/www>", ...later, "</Directory>"],
    ];
    const of = (path: string, ...later: readonly string[]) => missesOf(sections(...later), path);
    expect(of("/www/x.txt", "RewriteEngine on")).toHaveLength(1);
    expect(of("/x.txt", "RewriteEngine on")).toEqual([]);
    expect(of("/www/x.txt", "RewriteEngine off")).toEqual([
      ["^www/x /b", "`RewriteEngine off` of a later section or file applies"],
    ]);
  });

  test("is a rewrite rule that those of a later section replace", () => {
    const sections = (options: readonly string[]) => [
      ...["<Directory /srv>", "RewriteEngine on", "RewriteRule ^old$ /b", "</Directory>"],
      ...["<Directory /srv/www>", "RewriteEngine on", ...options, "</Directory>"],
    ];
    expect(missesOf(sections([]), "/old")).toEqual([
      [
        "^old$ /b",
        "the rewrite rules of a later section or file replace those of this one; `RewriteOptions` does not inherit them",
      ],
    ]);
    expect(missesOf(sections(["RewriteOptions Inherit"]), "/old")).toEqual([]);
  });

  test("is an access rule for other methods", () => {
    const limit = (name: string, methods: string) => [`<${name} ${methods}>`, "Require all denied", `</${name}>`];
    expect(missesOf(limit("Limit", "POST PUT"), "/x.txt", folder)).toEqual([
      ["all denied", "`<Limit POST PUT>` around it does not cover `GET`"],
    ]);
    expect(missesOf(limit("LimitExcept", "GET"), "/x.txt", folder)).toEqual([
      ["all denied", "`<LimitExcept GET>` around it does not cover `GET`"],
    ]);
    expect(missesOf(limit("Limit", "GET POST"), "/x.txt", folder)).toEqual([]);
    expect(missesOf(limit("LimitExcept", "POST"), "/x.txt", folder)).toEqual([]);
  });

  test("is a Files section for a file that a backend answers for", () => {
    const files = ['<Files "setup.php">', "Require all denied", "</Files>"];
    const proxy = "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/$1";
    expect(missesOf([proxy, ...files], "/setup.php")).toEqual([
      ['"setup.php">', `httpd does not consult it: \`${proxy}\` proxies the request before it is mapped to a file`],
    ]);
    expect(missesOf([proxy, ...files], "/other.php")).toEqual([]);
    expect(missesOf(files, "/setup.php")).toEqual([]);
  });

  test("is a URL as the document of 401", () => {
    const login = [
      "<Location />",
      "AuthType Basic",
      "AuthName a",
      "AuthUserFile /p",
      "Require valid-user",
      "</Location>",
    ];
    const misses = (document: string) => missesOf([`ErrorDocument ${document}`, ...login], "/x.txt");
    expect(misses("401 https://a.test/help.html")).toEqual([
      ["401 https://a.test/help.html", "httpd ignores a URL for 401, because a redirect cannot ask for a login"],
    ]);
    expect(misses("401 /x.txt")).toEqual([]);
    expect(misses("403 https://a.test/help.html")).toEqual([]);
  });

  test("is a RemoteIP line without the address that connects", () => {
    const lines = [
      "LoadModule remoteip_module m.so",
      "RemoteIPHeader X-Forwarded-For",
      "RemoteIPInternalProxy 10.0.0.5",
    ];
    const loaded = loadProject("/etc/httpd.conf", {
      access: memoryAccess({ "/etc/httpd.conf": `DocumentRoot /srv/www\n${lines.join("\n")}\n` }),
      ...{ release: "2.4", htaccess: true, kind: "server" },
    });
    if (!loaded.ok) throw new Error(loaded.error);
    const reasonsFor = (peerIp: string, clientIp: string) => {
      const headers = { "X-Forwarded-For": "203.0.113.40" };
      const request = { method: "GET", path: "/x.txt", host: "a.test", peerIp, clientIp, headers };
      return answer(loaded.value, request, { files }).misses.map(({ reason }) => reason);
    };
    expect(reasonsFor("10.0.1.5", "10.0.1.5")).toEqual([
      "it does not include 10.0.1.5, so httpd ignores `X-Forwarded-For` and the client is 10.0.1.5",
    ]);
    expect(reasonsFor("10.0.0.5", "203.0.113.40")).toEqual([]);
  });
});
