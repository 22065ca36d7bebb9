import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { headlineOf } from "../../../src/report/answers/answer-words.js";
import { answer } from "../../../src/server/answer.js";
import { createAssumedFiles } from "../../../src/server/file-trees.js";
import { createListedFiles, type FileTree } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { load } from "../../support/projects.js";

const listed = createListedFiles([
  ...["/srv/www/index.html", "/srv/www/x.txt", "/srv/www/app.php", "/srv/www/d/y.txt", "/srv/www/in/.htaccess"],
  ...["/srv/www/in/page.html"],
]);

interface Asked {
  readonly entry?: string;
  readonly request?: Partial<Request>;
  readonly kind?: "server" | "fragment";
  readonly assumesFiles?: boolean;
}

/** Returns the first lines about the answer to a request for a URL. */
function headline(lines: readonly string[], url: string, { entry = "/etc/site.conf", request, ...more }: Asked = {}) {
  const access = memoryAccess({ [entry]: `${lines.join("\n")}\n` });
  const { kind } = more;
  const loaded = loadProject(entry, { access, release: "2.4", htaccess: true, ...(kind ? { kind } : {}) });
  if (!loaded.ok) throw new Error(loaded.error);
  const files: FileTree = more.assumesFiles ? createAssumedFiles(loaded.value) : listed;
  const [path = "", query] = url.split(/\?(.*)/s);
  const asked = { method: "GET", path, clientIp: "192.0.2.7", ...(query === undefined ? {} : { query }), ...request };
  const { title, reason, remarks } = headlineOf(answer(loaded.value, asked, { files }));
  return [title, reason, ...remarks];
}

const htaccess = { entry: "/srv/www/in/.htaccess" };
const host = (...lines: readonly string[]) => [
  ...["<VirtualHost *:80>", "ServerName a.test", "DocumentRoot /srv/www", ...lines],
  "</VirtualHost>",
];
const granted = ["<Directory /srv/www>", "Require all granted", "</Directory>"];
const ifGranted = (path: string) => `if other files grant access: this file has no access rules for \`${path}\``;

describe("the first lines about a part of a server show where its lines lead", () => {
  test("a section denies the file that a rule leads to", () => {
    const deny = ['<Files "index.php">', "Require all denied", "</Files>"];
    const rule = ["RewriteEngine On", "RewriteRule ^news$ index.php [L]"];
    expect(headline([...deny, ...rule], "/news", htaccess).slice(0, 2)).toEqual([
      "403 Forbidden",
      "httpd also checks access to the file that the URL leads to: `Require` does not allow this request",
    ]);
    expect(headline(rule, "/news", htaccess)[0]).toBe("leads to /srv/www/in/index.php");
  });

  test("a rule of a `.htaccess` file redirects", () => {
    const lines = ["RewriteEngine On", "RewriteRule ^old/(.*) https://new.test/$1?from=old [R=301,L]"];
    expect(headline(lines, "/old/a%20b", htaccess)).toEqual([
      "301 → https://new.test/a%20b?from=old",
      `a \`RewriteRule\` responds ${ifGranted("/old/a b")}`,
    ]);
    // Twin: another path leads to its file.
    expect(headline(lines, "/page.html", htaccess)).toEqual([
      "200 from /srv/www/in/page.html",
      ifGranted("/page.html"),
    ]);
  });

  test("a Redirect of a `.htaccess` file redirects to the host of the request", () => {
    const lines = ["Redirect permanent /old /new"];
    expect(headline(lines, "/old/x?y", htaccess)[0]).toBe("301 → /new/x?y");
    const named = { ...htaccess, request: { host: "b.test:8080" } };
    expect(headline(lines, "/old/x?y", named)[0]).toBe("301 → http://b.test:8080/new/x?y");
  });

  test("a rule redirects to the name of a request that has none", () => {
    const lines = ["RewriteEngine On", "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]"];
    const remark =
      "the request has no `Host` header, so this URL lacks the name; explain `http://NAME/in/page.html` to see it";
    expect(headline(lines, "/in/page.html", htaccess)).toContain(remark);
    const named = { ...htaccess, request: { host: "a.test" } };
    expect(headline(lines, "/in/page.html", named).join()).not.toContain("Host");
  });

  test("a rule passes the request to a backend, with the modules that it needs", () => {
    const lines = ["RewriteEngine On", "RewriteRule ^api/(.*) http://127.0.0.1:3000/$1 [P]"];
    expect(headline(lines, "/api/users?id=1", htaccess)).toEqual([
      "proxied to http://127.0.0.1:3000/users?id=1",
      `a backend answers ${ifGranted("/api/users")}`,
    ]);
    const hosted = host("RewriteEngine on", "RewriteRule ^/ws/(.*) ws://127.0.0.1:81/{PATH}/$1 [P]");
    expect(headline(hosted, "/ws/x")[0]).toBe("proxied to ws://127.0.0.1:81/%7BPATH%7D/x");
    // Twin: a denial is certain.
    expect(headline([...hosted, "<Location />", "Require all denied", "</Location>"], "/ws/x")[0]).toBe(
      "403 Forbidden",
    );
  });

  test("before access is checked, nothing is open", () => {
    const found = headline(host("Redirect permanent / https://cloud.test"), "/apps/files");
    expect(found).toEqual(["301 → https://cloud.testapps/files", "a `Redirect` responds before access is checked"]);
  });

  test("a rule of a virtual host leads to a file that a section opens", () => {
    const lines = host("RewriteEngine On", "RewriteRule ^/archive/(.*) /app.php?p=$1 [L]", ...granted);
    // A file in the root directory of the machine would come first.
    for (const assumesFiles of [false, true])
      expect(headline(lines, "/archive/2019", { assumesFiles })).toEqual([
        "200 from /srv/www/app.php",
        "access is granted; rules set the query `p=2019`",
        "this is the usual case; it depends on which files exist",
      ]);
  });

  test("what only other files define stays unknown", () => {
    const lines = host("Redirect /old /new", "<Location /in>", "Require all denied", "</Location>");
    const asked = { request: { host: "b.test" } };
    expect(headline(lines, "/x", asked)).toEqual([
      "leads to /srv/www/x",
      "this file does not exist, so that httpd returns 404",
      "this depends on whether another file defines a virtual host for `b.test`",
    ]);
    expect(headline(lines, "/old", asked)).toEqual([
      "302 → http://b.test/new",
      "httpd redirects unless another file defines a virtual host for `b.test`",
    ]);
    expect(headline(lines, "/in/page.html", asked)).toEqual([
      "403 Forbidden",
      "`Require` does not allow this request",
      "this depends on whether another file defines a virtual host for `b.test`",
    ]);
    const unmapped = ["<Location /a>", "Require all denied", "</Location>"];
    expect(headline(unmapped, "/b")).toEqual([
      "unknown",
      "the response depends on the access rules of other files: this file has none for `/b`",
    ]);
  });
});

describe("the first lines about an error that lines of a part cause", () => {
  test("a directory without an index file that may not be listed", () => {
    const inDirectory = { entry: "/srv/www/.htaccess" };
    expect(headline(["Options -Indexes"], "/d/", inDirectory)).toEqual([
      "403 Forbidden",
      "httpd finds no index file, and `Options` does not allow it to list the directory",
      "this depends on whether the rest of the server lists `/d/` or names another index file",
    ]);
    // Twins: a file that does not exist, and a directory that httpd lists.
    expect(headline(["Options -Indexes"], "/none", inDirectory).slice(0, 2)).toEqual([
      "leads to /srv/www/none",
      "this file does not exist, so that httpd returns 404",
    ]);
    expect(headline(["Options +Indexes"], "/d/", inDirectory).slice(0, 2)).toEqual([
      "leads to a listing of /srv/www/d/",
      `httpd serves this ${ifGranted("/d/")}`,
    ]);
  });

  test("rules without FollowSymLinks", () => {
    const lines = ["Options -FollowSymLinks", "RewriteEngine On", "RewriteRule ^a$ b.html"];
    expect(headline(lines, "/x", htaccess)).toEqual([
      "403 Forbidden",
      "rewriting is on in this section, but `Options` does not allow httpd to follow links",
    ]);
  });

  test("an endless loop of rules", () => {
    const lines = ["RewriteEngine On", "RewriteRule ^(.*)$ app/$1"];
    expect(headline(lines, "/x.txt", htaccess)).toEqual([
      "500 Internal Server Error",
      "rewriting causes an endless loop of internal redirects",
      `only ${ifGranted("/x.txt")}`,
    ]);
    const [title] = headline([lines[0] ?? "", "RewriteRule ^old$ page.html"], "/old", htaccess);
    expect(title).toBe("200 from /srv/www/in/page.html");
  });

  test("a path that extends the port of a backend", () => {
    const glued = headline(host("ProxyPass /app/ http://127.0.0.1:8080"), "/app/login");
    expect(glued.slice(0, 2)).toEqual(["500 Internal Server Error", "the host name of the backend does not exist"]);
    // Twins: a slash on both sides, and a path that extends a name, which may exist.
    expect(headline(host("ProxyPass /app/ http://127.0.0.1:8080/"), "/app/login")[0]).toBe(
      "proxied to http://127.0.0.1:8080/login",
    );
    expect(headline(host("ProxyPass /app/ http://back"), "/app/end")[0]).toBe("proxied to http://backend");
  });

  test("a Redirect with an error status responds before access is checked", () => {
    const lines = ["ServerName a.test", "DocumentRoot /srv/www", 'RedirectMatch 404 "/\\."'];
    const whole = { kind: "server" } as const;
    const early = "a `RedirectMatch` responds before access is checked";
    expect(headline(lines, "/.well-known/x", whole)).toEqual(["404 Not Found", early]);
    // Twin: another path.
    expect(headline(lines, "/none", whole)[1]).toBe("access is granted, but `/srv/www/none` does not exist");
  });

  test("a handler that nothing here provides", () => {
    const lines = ["AddHandler application/x-httpd-php56 .html"];
    expect(headline(lines, "/page.html", htaccess)[1]).toBe(
      `the handler \`application/x-httpd-php56\` answers ${ifGranted("/page.html")}; if no other file or module defines this handler, httpd sends the source text of the file`,
    );
    // Twins: an Action and a handler of httpd provide it.
    const action = ["Action application/x-httpd-php56 /cgi-bin/php56", ...lines];
    expect(headline(action, "/page.html", htaccess)[1]).not.toContain("source text");
    expect(headline(["SetHandler server-status"], "/page.html", htaccess)[1]).not.toContain("source text");
  });
});

test("a part without TLS is named before the result of a request with https", () => {
  const notesOf = (...lines: readonly string[]) => {
    const text = [
      "Listen 8443",
      "<VirtualHost *:8443>",
      "ServerName a.test",
      ...lines,
      ...granted,
      "</VirtualHost>",
      "",
    ];
    const access = memoryAccess({ "/etc/site.conf": text.join("\n") });
    const loaded = loadProject("/etc/site.conf", { access, release: "2.4", htaccess: true });
    if (!loaded.ok) throw new Error(loaded.error);
    const project = loaded.value;
    const asked = {
      method: "GET",
      path: "/",
      clientIp: "192.0.2.7",
      scheme: "https",
      host: "a.test",
      port: 8443,
    } as const;
    return answer(project, asked, { files: createAssumedFiles(project) }).notes.filter(({ lacks }) => lacks === "TLS");
  };
  const certificate = "SSLCertificateFile /etc/ssl/a.pem";
  expect(notesOf(certificate).map(({ text }) => text)).toEqual([
    "has no `SSLEngine on`, so a client of `https` gets no response; this result assumes that httpd accepts `https` here",
  ]);
  // Twins: TLS is on, or other files may have all of it.
  expect(notesOf("SSLEngine on", certificate)).toEqual([]);
  expect(notesOf()).toEqual([]);
});

describe("the first lines about a server", () => {
  const server = (...lines: readonly string[]) => ["ServerName a.test", "DocumentRoot /srv/www", ...lines];
  const whole = { kind: "server" } as const;

  test.each<[lines: readonly string[], url: string, expected: readonly string[]]>([
    [[], "/x.txt", ["200 from /srv/www/x.txt", "access is granted; nothing restricts it"]],
    [[], "/", ["200 from /srv/www/index.html", "access is granted; nothing restricts it"]],
    [[], "/none", ["404 Not Found", "access is granted, but `/srv/www/none` does not exist"]],
    [
      [],
      "/d?q",
      ["301 → http://a.test/d/?q", "access is granted; httpd redirects to the path of the directory with a slash"],
    ],
    [
      ["ErrorDocument 404 https://www.test/lost"],
      "/none",
      ["302 → https://www.test/lost", "`ErrorDocument 404 https://www.test/lost` replaces the status 404"],
    ],
    [
      ["ProxyPass /api http://127.0.0.1:81"],
      "/api/x?y",
      [
        "proxied to http://127.0.0.1:81/x?y",
        "access is granted; nothing restricts it; a backend answers, with a status of its own",
      ],
    ],
    // A password in a target is masked.
    [["RewriteEngine on", "RewriteRule ^/r http://u:secret1@b.test/ [R]"], "/r", ["302 → http://********@b.test/"]],
  ])("%j %s", (lines, url, expected) => {
    expect(headline(server(...lines), url, whole).slice(0, expected.length)).toEqual(expected);
  });
});

describe("`Satisfy any` that lets a user in", () => {
  const words = (release: "2.2" | "2.4", ...lines: readonly string[]) => {
    const login = 'AuthType Basic\nAuthName x\nAuthUserFile "/etc/pw"\nRequire valid-user';
    const text = ["ServerName a.test", "<Location />", login, ...lines, "</Location>", ""].join("\n");
    const modules = [
      "authz_host",
      "authn_file",
      "auth_basic",
      "authz_user",
      "authz_core",
      "access_compat",
      "authn_core",
    ];
    const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules, release });
    const asked = { method: "GET", path: "/x.txt", clientIp: "192.0.2.7", user: "bob" };
    return headlineOf(answer(project, asked, { files: createAssumedFiles(project) })).reason;
  };

  test("is named with the denial that it bypasses", () => {
    const lines = ["Order deny,allow", "Deny from all", "Satisfy Any"];
    expect(words("2.2", ...lines)).toMatch(
      /^other lines deny this client, but `Satisfy any` makes `Require` sufficient/,
    );
    expect(words("2.4", ...lines)).toMatch(/deny this client, but `Satisfy any` makes `Require` sufficient/);
  });

  test("is not named if it bypasses nothing", () => {
    for (const release of ["2.2", "2.4"] as const) {
      expect(words(release, "Order allow,deny", "Allow from all", "Satisfy Any")).not.toContain("sufficient");
      expect(words(release, "Order allow,deny", "Allow from all", "Satisfy All")).not.toContain("sufficient");
    }
  });
});

test("a backend answers for the handler of a file", () => {
  const served = [...granted, "DocumentRoot /srv/www", '<FilesMatch "php$">', "</FilesMatch>"];
  const handled = served.toSpliced(-1, 0, "SetHandler proxy:fcgi://127.0.0.1:9000");
  expect(headline(handled, "/app.php?a", { entry: "/etc/httpd/httpd.conf", kind: "server" })).toEqual([
    "proxied to fcgi://127.0.0.1:9000/srv/www/app.php with the query a",
    "access is granted; the backend of the handler `proxy:fcgi://127.0.0.1:9000` answers, with a status of its own",
  ]);
  // Twin: no handler.
  expect(headline(served, "/app.php?a", { entry: "/etc/httpd/httpd.conf", kind: "server" })[0]).toBe(
    "200 from /srv/www/app.php",
  );
});

describe("causes and places are those of the case that the first lines show", () => {
  const lines = [
    ...["LoadModule autoindex_module m.so", "LoadModule dir_module m.so", "LoadModule authz_core_module m.so"],
    ...["ServerName a.test", "DocumentRoot /srv/www", "<Directory /srv/www>", "Require all granted"],
    ...["Options FollowSymLinks", "</Directory>"],
  ];
  const ask = (knowsFiles: boolean) => {
    const loaded = loadProject("/etc/httpd.conf", {
      access: memoryAccess({ "/etc/httpd.conf": `${lines.join("\n")}\n` }),
      ...{ release: "2.4", htaccess: true, kind: "server" },
    });
    if (!loaded.ok) throw new Error(loaded.error);
    const files = knowsFiles ? createListedFiles(["/srv/www/other.txt"]) : createAssumedFiles(loaded.value);
    const found = answer(loaded.value, { method: "GET", path: "/", clientIp: "192.0.2.7" }, { files });
    const { causes, places } = found;
    const lineAt = ({ file, start, end }: (typeof places)[number]) => file.text.slice(start, end).split("\n")[0];
    return [headlineOf(found).title, causes.map(({ text }) => text), places.map(lineAt)];
  };

  test("the index file exists in the usual case", () => {
    expect(ask(false)).toEqual(["200 from /srv/www/index.html", [], ["Require all granted"]]);
  });

  test("the index file does not exist", () => {
    const cause = "`Options FollowSymLinks` does not include `Indexes`";
    expect(ask(true)).toEqual(["403 Forbidden", [cause], ["Options FollowSymLinks"]]);
  });
});
