import { describe, expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { requestAlwaysFails } from "./request-always-fails.js";

const found = (...lines: readonly string[]) =>
  findingsOf([requestAlwaysFails], wholeServer(...modules, ...lines)).map(({ message, text }) => [message, text]);

const modules = [
  "authn_core",
  "authz_host",
  "authz_user",
  "alias",
  "proxy",
  "proxy_http",
  "cgid",
  "mime",
  "rewrite",
].map((name) => `LoadModule ${name}_module mod_${name}.so`);

const denied = ["<Directory />", "AllowOverride None", "Require all denied", "</Directory>"];
const inDirectory = (path: string, ...lines: readonly string[]) => [`<Directory ${path}>`, ...lines, "</Directory>"];
const inHost = (...lines: readonly string[]) => ["<VirtualHost *:80>", "ServerName x.test", ...lines, "</VirtualHost>"];
const server = ["Listen 80", ...denied];

describe("a DocumentRoot to which nothing grants access", () => {
  const refused = [["every request for a file of `/srv/shop` returns 403", "/srv/shop"]];

  test.each([
    ["in a virtual host", [...server, ...inHost("DocumentRoot /srv/shop")]],
    ["of the main server", [...server, "DocumentRoot /srv/shop"]],
    [
      "with a section that grants nothing",
      [...server, ...inHost("DocumentRoot /srv/shop", ...inDirectory("/srv/shop", "Options Indexes"))],
    ],
    [
      "beside another directory",
      [...server, ...inDirectory("/srv/www", "Require all granted"), ...inHost("DocumentRoot /srv/shop")],
    ],
    [
      "with a denial above it",
      ["Listen 80", ...inDirectory("/srv", "Require all denied"), ...inHost("DocumentRoot /srv/shop")],
    ],
  ])("%s", (_, lines) => {
    expect(found(...lines)).toEqual(refused);
  });

  test.each(["var/www/shop", "srv/shop/", "opt/shop"])("whose path lacks the slash at its start: %s", (root) => {
    const text = wholeServer(...modules, ...server, ...inHost(`DocumentRoot ${root}`));
    expect(findingsOf([requestAlwaysFails], text).map(({ help }) => help)).toEqual([
      [`use \`/${root}\`, with the slash at its start`],
    ]);
    expect(found(...server, ...inHost("DocumentRoot htdocs/shop"))).toHaveLength(1);
    const granted = inDirectory("htdocs", "Require all granted");
    expect(found("Listen 80", ...granted, ...inHost(`DocumentRoot ${root}`))).toEqual([]);
  });

  test("whose sections have another case on a drive", () => {
    const section = inDirectory('"c:/SITES/shop"', "Options None");
    const lines = ["Listen 80", ...inDirectory('"c:/sites"', "Require all denied"), ...section];
    expect(
      findingsOf([requestAlwaysFails], wholeServer(...modules, ...lines, 'DocumentRoot "C:/Sites/Shop"')),
    ).toMatchObject([
      {
        message: "every request for a file of `C:/Sites/Shop` returns 403",
        help: ['add `Require all granted` to `<Directory "c:/SITES/shop">`'],
      },
    ]);
    const granted = inDirectory('"c:/sites/SHOP"', "Require all granted");
    expect(found(...lines, ...granted, 'DocumentRoot "C:/Sites/Shop"')).toEqual([]);
  });

  test.each([
    [
      "a section grants access",
      [...server, ...inHost("DocumentRoot /srv/shop", ...inDirectory("/srv/shop", "Require all granted"))],
    ],
    [
      "a section above grants access",
      [...server, ...inDirectory("/srv", "Require all granted"), ...inHost("DocumentRoot /srv/shop")],
    ],
    [
      "some clients are allowed",
      [...server, ...inHost("DocumentRoot /srv/shop", ...inDirectory("/srv/shop", "Require ip 10.1"))],
    ],
    [
      "a login is required",
      [
        ...server,
        ...inHost(
          "DocumentRoot /srv/shop",
          ...inDirectory("/srv/shop", "AuthType Basic", "AuthName x", "AuthUserFile /u", "Require valid-user"),
        ),
      ],
    ],
    [
      "a Location grants access",
      [...server, ...inHost("DocumentRoot /srv/shop", "<Location />", "Require all granted", "</Location>")],
    ],
    [
      "its own section denies access on purpose",
      ["Listen 80", ...inHost("DocumentRoot /srv/shop", ...inDirectory("/srv/shop", "Require all denied"))],
    ],
    ["everything is redirected", [...server, ...inHost("DocumentRoot /srv/shop", "Redirect / https://x.test/")]],
    ["a backend answers", [...server, ...inHost("DocumentRoot /srv/shop", "ProxyPass / http://127.0.0.1:8080/")]],
    ["nothing denies access", ["Listen 80", ...inHost("DocumentRoot /srv/shop")]],
    ["it is empty on purpose", [...server, ...inHost("DocumentRoot /var/empty")]],
    [
      "a file that is not here may grant access",
      [...server, "Include sites.conf", ...inHost("DocumentRoot /srv/shop")],
    ],
  ])("is not reported if %s", (_, lines) => {
    expect(found(...lines)).toEqual([]);
  });
});

describe("an Alias to whose directory nothing grants access", () => {
  const refused = [["every request for a file of `/opt/admin` returns 403", "/opt/admin"]];
  const site = inHost("DocumentRoot /srv/www", ...inDirectory("/srv/www", "Require all granted"));

  test.each([
    ["in a virtual host", [...server, ...inHost("Alias /admin /opt/admin")]],
    ["of the main server", [...server, "Alias /admin /opt/admin"]],
    ["of the main server, which a virtual host inherits", [...server, "Alias /admin /opt/admin", ...site]],
    ["for programs", [...server, ...inHost("ScriptAlias /admin /opt/admin")]],
    [
      "with a section that grants nothing",
      [...server, ...inHost("Alias /admin /opt/admin", ...inDirectory("/opt/admin", "Options None"))],
    ],
  ])("%s", (_, lines) => {
    expect(found(...lines)).toEqual(refused);
  });

  test.each([
    [
      "its section grants access",
      inHost("Alias /admin /opt/admin", ...inDirectory("/opt/admin", "Require all granted")),
    ],
    [
      "its section denies access",
      inHost("Alias /admin /opt/admin", ...inDirectory("/opt/admin", "Require all denied")),
    ],
    ["some clients are allowed", inHost("Alias /admin /opt/admin", ...inDirectory("/opt", "Require ip 10.1"))],
    [
      "a Location grants access",
      inHost("Alias /admin /opt/admin", "<Location /admin>", "Require all granted", "</Location>"),
    ],
    ["its requests go to a backend", inHost("ProxyPass /admin http://127.0.0.1:8080/", "Alias /admin /opt/admin")],
    [
      "an earlier Alias takes its requests",
      inHost("Alias /admin /srv/www", "Alias /admin /opt/admin", ...inDirectory("/srv/www", "Require all granted")),
    ],
    ["it is for one file", inHost("Alias /robots.txt /opt/robots.txt")],
    [
      "its section on Windows denies access to all files but one",
      inHost(
        'ScriptAlias /php-cgi/ "C:/xampp/php/"',
        ...inDirectory(
          '"C:/xampp/php"',
          "Require all denied",
          '<Files "php-cgi.exe">',
          "Require all granted",
          "</Files>",
        ),
      ),
    ],
  ])("is not reported if %s", (_, lines) => {
    expect(found(...server, ...lines)).toEqual([]);
  });
});

describe("scripts without ExecCGI", () => {
  test.each([
    [...inDirectory("/srv/cgi", "Options None", "AddHandler cgi-script .cgi", "Require all granted")],
    [...inDirectory("/srv/cgi", "Options Indexes", "SetHandler cgi-script", "Require all granted")],
  ])("%s %s %s", (...lines) => {
    const handler = lines.find((line) => line.includes("cgi-script")) ?? "";
    const all = ["DocumentRoot /srv/cgi", ...lines];
    expect(found(...all)).toEqual([["every script here returns 403, because `ExecCGI` is off", handler]]);
    expect(found(...all.map((line) => line.replace(/Options \w+/, "Options ExecCGI")))).toEqual([]);
  });
});

describe("scripts of a whole server without ExecCGI", () => {
  const site = (options: string, ...lines: readonly string[]) => [
    "DocumentRoot /srv/www",
    ...inDirectory("/srv/www", options, "Require all granted", ...lines),
  ];
  const handler = "AddHandler cgi-script .cgi .pl";
  const reported = [["every script here returns 403, because `ExecCGI` is off", handler]];

  test.each([
    ["in the main server", [handler, ...site("Options Indexes FollowSymLinks")]],
    ["in a virtual host", inHost(handler, ...site("Options Indexes FollowSymLinks"))],
    ["without Options", inHost(handler, ...site("AllowOverride None"))],
    ["with ExecCGI turned off", inHost(handler, ...site("Options -ExecCGI"))],
    [
      "in the main server, for a virtual host",
      [handler, ...site("Options Indexes"), ...inHost("DocumentRoot /srv/www")],
    ],
    [
      "beside a ScriptAlias",
      [
        ...inHost(handler, ...site("Options Indexes"), "ScriptAlias /cgi-bin/ /srv/bin/"),
        ...inDirectory("/srv/bin", "Options +ExecCGI", "Require all granted"),
      ],
    ],
  ])("%s", (_, lines) => {
    expect(found("Listen 80", ...lines)).toEqual(reported);
  });

  test.each([
    ["Options of the directory has it", inHost(handler, ...site("Options Indexes ExecCGI"))],
    ["Options of the directory adds it", inHost(handler, ...site("Options +ExecCGI"))],
    ["Options of the directory has all", inHost(handler, ...site("Options All"))],
    [
      "a directory below has it",
      inHost(handler, ...site("Options None"), ...inDirectory("/srv/www/cgi", "Options +ExecCGI")),
    ],
    ["the host has it", inHost(handler, "Options +ExecCGI", ...site("AllowOverride None"))],
    ["a .htaccess file may add it", inHost(handler, ...site("AllowOverride All"))],
    ["a .htaccess file may set Options", inHost(handler, ...site("AllowOverride AuthConfig Options"))],
    [
      "only a ScriptAlias has scripts",
      [
        ...inHost(...site("Options Indexes"), "ScriptAlias /cgi-bin/ /srv/bin/"),
        ...inDirectory("/srv/bin", "Require all granted"),
      ],
    ],
    ["the handler is another one", inHost("AddHandler type-map .var", ...site("Options Indexes"))],
    ["a backend answers", inHost(handler, ...site("Options None"), "ProxyPass / http://127.0.0.1:8080/")],
    [
      "no client is allowed",
      inHost(handler, "DocumentRoot /srv/www", ...inDirectory("/srv/www", "Require all denied")),
    ],
  ])("is not reported if %s", (_, lines) => {
    expect(found("Listen 80", ...lines)).toEqual([]);
  });

  test("is not reported in a part, whose server may have the option", () => {
    expect(
      findingsOf([requestAlwaysFails], inHost(handler, "DocumentRoot /srv/www").join("\n"), { kind: "fragment" }),
    ).toEqual([]);
  });
});

describe("rewrite rules without FollowSymLinks", () => {
  const rules = ["RewriteEngine On", "RewriteRule ^a$ b"];

  test.each([
    ["Options None", true],
    ["Options Indexes MultiViews", true],
    ["Options -FollowSymLinks", true],
    ["Options FollowSymLinks", false],
    ["Options SymLinksIfOwnerMatch", false],
    ["Options All", false],
  ])("%s", (options, isReported) => {
    const lines = ["DocumentRoot /srv/www", ...inDirectory("/srv/www", options, "Require all granted", ...rules)];
    expect(found(...lines)).toEqual(
      isReported ? [["every request here returns 403, because `FollowSymLinks` is off", "RewriteRule ^a$ b"]] : [],
    );
    expect(found(...lines.map((line) => line.replace("On", "Off")))).toEqual([]);
  });

  test("is not reported without access, which has another cause", () => {
    const lines = inDirectory("/srv/www", "Options None", "Require all denied", ...rules);
    expect(found("DocumentRoot /srv/www", ...lines)).toEqual([]);
  });
});

test("an Alias of a file is not reported", () => {
  const program = (target: string, name: string) => [
    `ScriptAlias /git/ ${target}`,
    `<Files ${name}>`,
    "Require all granted",
    "</Files>",
  ];
  expect(found(...server, ...program("/usr/lib/git-core/git-http-backend/", "git-http-backend"))).toEqual([]);
  expect(found(...server, "Alias /app /opt/app/front.php", "<Files *.php>", "Require all granted", "</Files>")).toEqual(
    [],
  );
  expect(found(...server, ...program("/usr/lib/git-core/", "git-http-backend"))).toHaveLength(1);
  expect(found(...server, "Alias /shop /srv/shop.example.com")).toHaveLength(1);
});

describe("a DocumentRoot with AuthMerging And", () => {
  const open = (...lines: readonly string[]) => [
    ...server,
    ...inHost("DocumentRoot /srv/shop", ...inDirectory("/srv/shop", ...lines)),
  ];
  const helpFor = (...lines: readonly string[]) =>
    findingsOf([requestAlwaysFails], wholeServer(...modules, ...open(...lines))).map(({ text, help }) => [
      text,
      ...(help ?? []),
    ]);

  test.each(["Require ip 203.0.113.0/24", "Require all granted"])("has that line as its cause: %s", (line) => {
    expect(helpFor("AuthMerging And", line)).toEqual([["AuthMerging And", "delete `AuthMerging And`"]]);
  });

  test("is not reported with `AuthMerging Or`, which another line of the section allows", () => {
    expect(helpFor("AuthMerging Or", "Require ip 203.0.113.0/24")).toEqual([]);
  });
});

test("a directory whose section lacks only the first slash is not reported: that path is the cause", () => {
  const section = inDirectory("srv/shop", "Require all granted");
  expect(found(...server, ...inHost("DocumentRoot /srv/shop", ...section))).toEqual([]);
});

test("a directory whose section has a relative path is not reported: that path is the cause", () => {
  const lines = [...server, "ScriptAlias /cgi-bin/ cgi-bin/"];
  const granted = (path: string) => [`<Directory "${path}">`, "Require all granted", "</Directory>"];
  expect(found(...lines, ...granted("cgi-bin"))).toEqual([]);
  expect(found(...lines, ...granted("other"))).toHaveLength(1);
});

describe("a file that a line leads to", () => {
  const dir = "LoadModule dir_module mod_dir.so";
  const targets = (files: Readonly<Record<string, string>>, ...lines: readonly string[]) => {
    const open = [...inDirectory("/srv", "Require all granted", "AllowOverride All", "Options FollowSymLinks")];
    const text = wholeServer(...modules, dir, ...server, ...open, ...inHost("DocumentRoot /srv/www", ...lines));
    return findingsOf([requestAlwaysFails], text, { files }).map(({ message, help, severity }) => [
      severity,
      message,
      help?.[0],
    ]);
  };
  const rules = "RewriteEngine On\nRewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /index.html [L]\n";

  test.each([
    [
      "FallbackResource /app/index.html",
      [
        "warning",
        "requests return 500: the target `/app/index.html` does not exist",
        "create the file, or correct the path",
      ],
    ],
    [
      "DirectoryIndex index.php",
      [
        "warning",
        "requests for `/` return 404: no file of `DirectoryIndex` exists",
        "add `index.html` to `DirectoryIndex`",
      ],
    ],
  ])("%s does not exist", (line, finding) => {
    expect(targets({ "/srv/www/index.html": "x" }, line)).toEqual([finding]);
  });

  test.each([
    "FallbackResource /index.html",
    "FallbackResource disabled",
    "DirectoryIndex index.php index.html",
    "DirectoryIndex disabled",
    "RewriteRule ^/none$ /none.html",
  ])("%s is not reported", (line) => {
    expect(targets({ "/srv/www/index.html": "x" }, line)).toEqual([]);
  });

  test.each([
    ["VirtualDocumentRoot /srv/www/%1", "index.html", 0],
    ["VirtualDocumentRoot /srv/www/%1", "index.php", 0],
    ["DocumentRoot /srv/www", "index.html", 0],
    ["DocumentRoot /srv/www", "index.php", 1],
  ])("%s leads to the directory, with `DirectoryIndex %s`: %i", (root, index, count) => {
    const open = [...inDirectory("/srv", "Require all granted"), "LoadModule vhost_alias_module x"];
    const main = ["DocumentRoot /srv/www", `DirectoryIndex ${index}`];
    const text = wholeServer(...modules, dir, ...server, ...open, ...main, ...inHost("ServerAlias *", root));
    const files = { "/srv/www/index.html": "x", "/srv/www/red.test/index.html": "x" };
    expect(findingsOf([requestAlwaysFails], text, { files }).length).toBe(count);
  });

  describe("in a language", () => {
    const loaded = ["mime", "negotiation"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
    const languages = ["AddLanguage en .en", "AddLanguage pt-BR .pt-br"];
    const inLanguages = (names: readonly string[], ...lines: readonly string[]) => {
      const open = [...inDirectory("/srv", "Require all granted")];
      const text = wholeServer(
        ...modules,
        dir,
        ...loaded,
        ...server,
        ...open,
        ...inHost("DocumentRoot /srv/www", ...lines),
      );
      const files = Object.fromEntries(names.map((name) => [`/srv/www/${name}`, "x"]));
      return findingsOf([requestAlwaysFails], text, { files }).map(({ help }) => help?.[0]);
    };
    const add = "add `MultiViews` to `Options`";

    test.each([
      [
        ["index.html.en", "index.html.de"],
        [...languages, "DirectoryIndex index.html"],
      ],
      [["index.html.pt-br"], [...languages, "DirectoryIndex index.php index.html"]],
    ])("is not chosen without MultiViews: %j", (names, lines) => {
      expect(inLanguages(names, ...lines)).toEqual([add]);
    });

    test.each([
      [
        ["index.html.en", "index.html"],
        [...languages, "DirectoryIndex index.html"],
      ],
      [["index.html.en"], [...languages, "DirectoryIndex index.html index.html.en"]],
      [["index.html.en"], ["DirectoryIndex index.html"]],
      [
        ["index.html.bak", "index.html.gz"],
        [...languages, "DirectoryIndex index.html"],
      ],
      [["start.html.en"], [...languages, "DirectoryIndex index.html"]],
      [
        ["index.html.en"],
        [...languages, "DirectoryIndex index.html", "<Directory /srv/www>", "Options MultiViews", "</Directory>"],
      ],
    ])("is not reported: %j %j", (names, lines) => {
      expect(inLanguages(names, ...lines)).toEqual([]);
    });
  });

  test("is not reported where the files of the site are unknown", () => {
    expect(targets({}, "FallbackResource /app/index.html", "DirectoryIndex index.php")).toEqual([]);
    expect(targets({ "/srv/www/a.txt": "x" }, "DirectoryIndex index.php")).toEqual([]);
  });

  test("is in the directory of the application", () => {
    const panel = { "/srv/www/panel/.htaccess": rules, "/srv/www/panel/index.html": "x" };
    expect(targets({ "/srv/www/a.txt": "x", ...panel })).toEqual([
      [
        "warning",
        "requests return 404: the target `/index.html` does not exist",
        "use `/panel/index.html`, which exists",
      ],
    ]);
    expect(targets({ "/srv/www/index.html": "x", ...panel })).toEqual([
      [
        "info",
        "the target `/index.html` is outside of this directory, which has `/panel/index.html`",
        "use `/panel/index.html`, and its directory in `RewriteBase`",
      ],
    ]);
    const own = {
      ...panel,
      "/srv/www/panel/.htaccess": rules
        .replace("RewriteBase /", "RewriteBase /panel/")
        .replace("/index.html", "index.html"),
    };
    expect(targets({ "/srv/www/a.txt": "x", ...own })).toEqual([]);
    const shared = { "/srv/www/index.html": "x", "/srv/www/panel/.htaccess": rules, "/srv/www/panel/a.txt": "x" };
    expect(targets(shared)).toEqual([]);
  });
});

test.each([
  ['RewriteRule "^/q$" "/opt/a.html"', 0],
  ['RewriteRule "^/q$" "/other/a.html"', 1],
  ['RewriteRule "^/q$" "/opt/a.html" [PT]', 1],
])("a rule of a server takes its target as a file if the first part is on the disk: %s", (rule, count) => {
  const open = [...inDirectory("/srv", "Require all granted"), ...inDirectory("/opt", "Require all granted")];
  const host = inHost("DocumentRoot /srv/www", "RewriteEngine On", rule);
  const found = findingsOf([requestAlwaysFails], wholeServer(...modules, ...server, ...open, ...host), {
    files: { "/srv/www/index.html": "x", "/opt/a.html": "x" },
  });
  expect(found.filter(({ message }) => message.includes("does not exist"))).toHaveLength(count);
});

describe("a target that exists, and that rules lead to without an end", () => {
  const open = [...inDirectory("/srv", "Require all granted", "AllowOverride All", "Options FollowSymLinks")];
  const messagesOf = (rule: string, files: Readonly<Record<string, string>>) =>
    findingsOf([requestAlwaysFails], wholeServer(...modules, ...server, ...open, ...inHost("DocumentRoot /srv/www")), {
      files: { "/srv/www/.htaccess": `RewriteEngine On\n${rule}\n`, "/srv/www/a.txt": "x", ...files },
    }).map(({ message }) => message);

  test.each([
    "RewriteRule !\\.(js|css|html)$ /index.php",
    "RewriteRule ^(.*)$ /index.php",
    "RewriteRule . /index.php [NC]",
  ])("is not missing: %s", (rule) => {
    expect(messagesOf(rule, { "/srv/www/index.php": "x" })).toEqual([]);
    expect(messagesOf(rule, {})).toEqual(["requests return 500: the target `/index.php` does not exist"]);
  });
});

describe("a redirect to a file of its own directory", () => {
  const open = [...inDirectory("/srv", "Require all granted", "AllowOverride All", "Options FollowSymLinks")];
  const redirects = (rule: string, files: Readonly<Record<string, string>> = {}) => {
    const own = { "/srv/www/cloud/.htaccess": `RewriteEngine On\n${rule}\n`, "/srv/www/cloud/remote.php": "x" };
    const text = wholeServer(...modules, ...server, ...open, ...inHost("DocumentRoot /srv/www"));
    const given = { files: { "/srv/www/a.txt": "x", ...own, ...files } };
    return findingsOf([requestAlwaysFails], text, given).map(({ message, help }) => [message, help?.[0]]);
  };
  const found = [
    "clients are redirected to `/remote.php`, which does not exist",
    "use `/cloud/remote.php`, which exists",
  ];

  test.each([
    "RewriteRule ^well-known/carddav /remote.php/dav/ [R=301,L]",
    "RewriteRule ^old$ /remote.php [R,L]",
    "RewriteRule ^old/(.*)$ /remote.php?path=$1 [R=302,L]",
    "RewriteRule ^old/(.*)$ /remote.php/$1 [R=302,L]",
    "RewriteRule ^old$ https://%{HTTP_HOST}/remote.php [R=301,L]",
  ])("%s", (rule) => {
    expect(redirects(rule)).toEqual([found]);
  });

  test.each([
    "RewriteRule ^old$ /cloud/remote.php [R,L]",
    "RewriteRule ^old$ /other.php [R,L]",
    "RewriteRule ^old$ https://b.test/remote.php [R,L]",
    "RewriteRule ^old$ remote.php [L]",
  ])("is not reported: %s", (rule) => {
    expect(redirects(rule)).toEqual([]);
  });

  test("a rule that leads to the document root, beside a start page", () => {
    const toRoot = "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*) /";
    const own = { "/srv/www/cloud/index.html": "x", "/srv/www/index.html": "x" };
    expect(redirects(toRoot, own)).toEqual([
      [
        "the target `/` is outside of this directory, which has `/cloud/`",
        "use `/cloud/`, and its directory in `RewriteBase`",
      ],
    ]);
    expect(redirects(toRoot)).toEqual([]);
    expect(redirects(toRoot.replace(/$/, " [R]"), own)).toEqual([]);
    expect(redirects(toRoot.replace(/\/$/, "/cloud/"), own)).toEqual([]);
  });

  test("is not reported if the file exists there, or a rule answers", () => {
    expect(redirects("RewriteRule ^old$ /remote.php [R,L]", { "/srv/www/remote.php": "x" })).toEqual([]);
    const front = { "/srv/www/.htaccess": "RewriteEngine On\nRewriteRule ^remote a.txt [L]\n" };
    expect(redirects("RewriteRule ^old$ /remote.php [R,L]", front)).toEqual([]);
  });
});

describe("a target that RewriteBase leads to", () => {
  const open = [...inDirectory("/srv", "Require all granted", "AllowOverride All", "Options FollowSymLinks")];
  const targets = (files: Readonly<Record<string, string>>, rules: string) => {
    const given = {
      files: { "/srv/www/a.txt": "x", ...files, "/srv/www/hc/.htaccess": `RewriteEngine On\n${rules}\n` },
    };
    const text = wholeServer(...modules, ...server, ...open, ...inHost("DocumentRoot /srv/www"));
    return findingsOf([requestAlwaysFails], text, given).map(({ message, help }) => [message, help?.[0]]);
  };
  const own = { "/srv/www/hc/index.php": "x" };
  const found = [
    "requests return 404: `RewriteBase` makes the target `/index.php`, which does not exist",
    "use `RewriteBase /hc/`, where the file exists",
  ];

  test.each([
    "RewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ index.php?route=/$1 [L,QSA]",
    "RewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ index.php [L]",
    "RewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^a$ index.php [L]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^b index.php?b [L]",
    'RewriteBase "/"\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]',
  ])("%j", (rules) => {
    expect(targets(own, rules)).toEqual([found]);
  });

  // Rules for files that do not exist apply again and again, until a server answers 500 (2.4.71).
  test.each(["/src/App", "/app/", "/hc/public"])("below a directory that does not exist: %s", (base) => {
    const rules = `RewriteBase ${base}\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ index.php [QSA,L]`;
    expect(targets(own, rules).map(([, help]) => help)).toEqual(["use `RewriteBase /hc/`, where the file exists"]);
  });

  test("of a redirect", () => {
    const rules = "RewriteBase /\nRewriteRule ^old$ index.php [R=301,L]";
    expect(targets(own, rules)).toEqual([
      ["clients are redirected to `/index.php`, which does not exist", "use `/hc/index.php`, which exists"],
    ]);
  });

  test.each([
    "RewriteBase /hc\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]",
    "RewriteBase /hc/\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]",
    "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]",
    "RewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /hc/index.php [L]",
  ])("is not reported for %j", (rules) => {
    expect(targets(own, rules)).toEqual([]);
  });

  test("is not reported if the file exists there", () => {
    const rules = "RewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]";
    expect(targets({ "/srv/www/index.php": "x" }, rules)).toEqual([]);
  });
});

describe("an Alias of one file to which nothing grants access", () => {
  const files = { "/usr/lib/git/git-http-backend": "x", "/opt/robots.txt": "x" };
  const check = (...lines: readonly string[]) =>
    findingsOf([requestAlwaysFails], wholeServer(...modules, ...server, ...inHost(...lines)), { files }).map(
      ({ message, help }) => [message, help?.[0]],
    );

  test.each([
    ["ScriptAlias /git/ /usr/lib/git/git-http-backend/", "/usr/lib/git/git-http-backend", "/usr/lib/git"],
    ["ScriptAlias /git /usr/lib/git/git-http-backend", "/usr/lib/git/git-http-backend", "/usr/lib/git"],
    ["Alias /robots.txt /opt/robots.txt", "/opt/robots.txt", "/opt"],
  ])("%s", (line, file, directory) => {
    const [found, ...others] = check(line, ...inDirectory("/git/", "Require all granted"));
    expect(others).toEqual([]);
    expect(found?.[0]).toContain(`every request for the file \`${file}`);
    expect(found?.[1]).toBe(`add \`Require all granted\` in a \`<Directory "${directory}">\` section`);
    expect(check(line, ...inDirectory(directory, "Require all granted"))).toEqual([]);
    const name = file.replace(/^.*\//, "");
    expect(check(line, `<Files ${name}>`, "Require all granted", "</Files>")).toEqual([]);
  });
});

describe("blanks in the query of a rule", () => {
  test("of a server", () => {
    const lines = "RewriteEngine On\nRewriteRule ^/c/([\\w\\s]+)$ /index.php?c=$1";
    expect(findingsOf([requestAlwaysFails], wholeServer("Listen 80", lines))).toHaveLength(1);
    expect(findingsOf([requestAlwaysFails], wholeServer("Listen 80", `${lines} [B]`))).toEqual([]);
  });

  const found = (text: string, given: Given = { kind: "htaccess" }) =>
    findingsOf([requestAlwaysFails], `RewriteEngine On\n${text}\n`, given).map(({ message }) => message);

  test.each([
    "RewriteRule ^c/([\\w\\s]+)$ index.php?c=$1 [L]",
    "RewriteRule ^c/([a-zA-Z0-9\\s\\-]+)/?$ index.php?c=$1 [L,QSA]",
    'RewriteRule "^c/([a-z ]+)$" /index.php?c=$1',
    "RewriteRule ^c/([a-z\\ ]+)$ /index.php?a=1&c=$1 [PT]",
  ])("%s", (line) => {
    expect(found(line)).toEqual([expect.stringMatching(/^requests such as `\/c\/\w+%20b` return 403: the rule puts/)]);
  });

  test.each([
    "RewriteRule ^c/([\\w\\s]+)$ index.php?c=$1 [L,B]",
    "RewriteRule ^c/([\\w\\s]+)$ index.php?c=$1 [L,R=301]",
    "RewriteRule ^c/([\\w\\s]+)$ index.php/$1 [L]",
    "RewriteRule ^c/([\\w\\s]+)/(\\d+)$ index.php?c=$2 [L]",
    "RewriteRule ^c/([\\w-]+)$ index.php?c=$1 [L]",
    "RewriteRule ^c/(.*)$ index.php?c=$1 [L]",
    "RewriteRule ^c/([^/\\s]+)$ index.php?c=$1 [L]",
  ])("not %s", (line) => {
    expect(found(line)).toEqual([]);
  });
});

describe("an application of mod_wsgi to which nothing grants access", () => {
  const wsgi = "LoadModule wsgi_module mod_wsgi.so";
  const application = "WSGIScriptAlias / /opt/app/app.wsgi";
  const message = "every request for the application `/opt/app/app.wsgi` returns 403";

  test.each([
    ["at the root", application],
    ["below it", "WSGIScriptAlias /app /opt/app/app.wsgi process-group=app"],
  ])("%s", (_, line) => {
    expect(found(wsgi, ...server, ...inHost(line))).toEqual([[message, "/opt/app/app.wsgi"]]);
  });

  test.each([
    ["with a grant for its directory", inDirectory("/opt/app", "Require all granted")],
    ["with a grant for its file", inDirectory("/opt/app", "<Files app.wsgi>", "Require all granted", "</Files>")],
    ["with a grant above it", inDirectory("/opt", "Require all granted")],
    ["with a login", inDirectory("/opt/app", "AuthType Basic", "AuthName a", "Require valid-user")],
  ])("but not %s", (_, lines) => {
    expect(found(wsgi, ...server, ...inHost(application, ...lines))).toEqual([]);
  });
});

describe("requests that another line refuses", () => {
  const modulesWithout = (name: string) => modules.filter((line) => !line.includes(`${name}_module`));
  const refused = (lines: readonly string[], loaded: readonly string[] = modules) =>
    findingsOf([requestAlwaysFails], wholeServer(...loaded, "Listen 80", ...lines)).map(({ severity, text }) => [
      severity,
      text,
    ]);
  const rules = (line: string) => inHost("RewriteEngine On", line);

  test.each(["RewriteRule ^/app/(.*)$ http://10.0.0.5/$1 [P]", "RewriteRule ^/app http://10.0.0.5/ [P,L]"])(
    "for the flag P without mod_proxy: %s",
    (line) => {
      const loaded = modulesWithout("proxy").filter((each) => !each.includes("proxy_http"));
      expect(refused(rules(line), loaded)).toEqual([["error", line]]);
      expect(refused(rules(line.replace("[P", "[R")), loaded)).toEqual([]);
      expect(refused(rules(line))).toEqual([]);
    },
  );

  const proxy = (section: string, ...lines: readonly string[]) => [`<Proxy ${section}>`, ...lines, "</Proxy>"];
  const compat = "LoadModule access_compat_module mod_access_compat.so";
  const pass = "ProxyPass /app http://10.0.0.5/app";

  test.each([
    [proxy("*", "Order deny,allow", "Deny from all"), "Deny from all"],
    [proxy('"*"', "Require all denied"), "Require all denied"],
    [proxy("http://10.0.0.5/*", "Require all denied"), "Require all denied"],
  ])("of a backend: %j", (section, line) => {
    expect(refused(inHost(...section, pass), [...modules, compat])).toEqual([["warning", line]]);
  });

  test.each([
    [proxy("*", "Order deny,allow", "Deny from all", "Allow from 10")],
    [proxy("*", "Order deny,allow", "Allow from all")],
    [proxy("*", "Require all granted")],
    [proxy("*", "Require ip 10")],
    [proxy("http://10.0.0.6/*", "Require all denied")],
    [["<Location /app>", "Require all denied", "</Location>"]],
  ])("but not for %j", (section) => {
    expect(refused(inHost(...section, pass), [...modules, compat])).toEqual([]);
  });

  test("of the directories of VirtualDocumentRoot", () => {
    const line = "VirtualDocumentRoot /srv/sites/%0/htdocs";
    const loaded = [...modules, "LoadModule vhost_alias_module mod_vhost_alias.so"];
    expect(refused([...denied, ...inHost(line)], loaded)).toEqual([["warning", line]]);
    const granted = inDirectory("/srv/sites", "Require all granted");
    expect(refused([...denied, ...granted, ...inHost(line)], loaded)).toEqual([]);
    expect(refused(inHost(line), loaded)).toEqual([]);
  });
});

describe("programs and fallbacks", () => {
  const loaded = ["dir", "actions"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
  const open = inDirectory("/srv", "Require all granted", "AllowOverride All");
  const files = { "/srv/www/index.php": "x", "/srv/php/php-cgi": "x", "/srv/www/bin/php-cgi": "x" };
  const messagesOf = (...lines: readonly string[]) => {
    const text = wholeServer(...modules, ...loaded, "Listen 80", ...open, ...inHost("DocumentRoot /srv/www", ...lines));
    return findingsOf([requestAlwaysFails], text, { files }).map(({ message }) => message);
  };

  // httpd looks for the file beside each URL (test on a server: `/a/b` returns 500, and `/b` the file).
  test.each(["FallbackResource index.php", "FallbackResource app/index.php"])("%s is relative", (line) => {
    expect(messagesOf(line)).toEqual([expect.stringMatching(/^requests below another directory return \d+: /)]);
  });

  test.each(["FallbackResource /index.php", "FallbackResource disabled"])("%s is not", (line) => {
    expect(messagesOf(line)).toEqual([]);
  });

  test("a program that no line maps", () => {
    const action = "Action my-php /php-bin/php-cgi";
    expect(messagesOf(action)).toEqual(["requests return 404: the target `/php-bin/php-cgi` does not exist"]);
    expect(messagesOf("ScriptAlias /php-bin/ /srv/php/", action)).toEqual([]);
    expect(messagesOf("Action my-php /bin/php-cgi")).toEqual([]);
    expect(messagesOf(`${action} virtual`)).toEqual([]);
  });
});

describe("directories of users to which nothing grants access", () => {
  const userdir = "LoadModule userdir_module mod_userdir.so";
  const homes = (...lines: readonly string[]) => inDirectory("/home/*/public_html", ...lines);
  const found403 = (...lines: readonly string[]) =>
    findingsOf([requestAlwaysFails], wholeServer(...modules, userdir, ...server, ...lines)).map(({ text, help }) => [
      text,
      help?.[0],
    ]);
  const toSection = "add `Require all granted` to `<Directory /home/*/public_html>`";
  const toNewSection = 'add `Require all granted` in a `<Directory "/home/*/public_html">` section';

  test.each([
    [["UserDir public_html", ...homes("Options Indexes")], toSection],
    [["UserDir /home/*/public_html", ...homes("Options Indexes")], toSection],
    // These directories are for other URLs.
    [["UserDir public_html", ...inDirectory("/usr/share", "Require all granted")], toNewSection],
    [["UserDir public_html", "Alias /x /opt/x", ...inDirectory("/opt/x", "Require all granted")], toNewSection],
    [["UserDir public_html", ...inDirectory("/nfs/people", "Require all denied")], toNewSection],
    [["UserDir public_html"], 'add `Require all granted` in a `<Directory "/home/*/public_html">` section'],
    [
      ["UserDir /data/*/www", ...inDirectory("/data/*/public_html", "Require all granted")],
      'add `Require all granted` in a `<Directory "/data/*/www">` section',
    ],
    [
      [
        'AliasMatch "^/team/([a-z]+)/(.*)" "/teams/$1/www/$2"',
        ...inDirectory("/teams/*/public", "Require all granted"),
      ],
      'add `Require all granted` in a `<Directory "/teams/*/www">` section',
    ],
    [["AliasMatch ^/doc/(.*)$ /opt/doc/$1"], 'add `Require all granted` in a `<Directory "/opt/doc">` section'],
    [["UserDir /data/*/www/"], 'add `Require all granted` in a `<Directory "/data/*/www">` section'],
  ])("%j", (lines, help) => {
    expect(found403(...lines)).toEqual([[lines[0], help]]);
    expect(found403(...inHost(...lines))).toEqual([[lines[0], help]]);
  });

  test.each([
    [["UserDir public_html", ...homes("Require all granted")]],
    [["UserDir public_html", ...homes("Require ip 10.1")]],
    [["UserDir public_html", ...homes("Require all denied")]],
    [["UserDir public_html", ...inDirectory("/home", "Require all granted")]],
    // Homes may be there.
    [["UserDir public_html", ...inDirectory("/Users/*/Sites", "Require all granted")]],
    [["UserDir public_html", ...inDirectory("/export/home", "Require all granted")]],
    [["UserDir public_html", ...inDirectory("/nfs/people", "Require all granted")]],
    [["UserDir /data/*/www", ...inDirectory("/data/*/www", "Require all granted")]],
    [["UserDir /data/*/www", ...inDirectory("/data", "Require all granted")]],
    [["AliasMatch ^/doc/(.*)$ /opt/doc/$1", ...inDirectory("/opt", "Require all granted")]],
    [["AliasMatch ^/doc/(.*)$ /opt/doc/$1", ...inDirectory("/opt/doc", "Require all denied")]],
    [["AliasMatch ^/t/(a|b)/(.*)$ /opt/$1/www/$2", ...inDirectory("/opt/*/www", "Require all granted")]],
    [["UserDir disabled"]],
    [["UserDir disabled root"]],
    [["UserDir http://b.test/~*/"]],
  ])("is not reported for %j", (lines) => {
    expect(found403(...lines)).toEqual([]);
  });
});

describe("a line for `/.well-known/` in a directory below the document root", () => {
  const open = inDirectory("/srv", "Require all granted", "AllowOverride All", "Options FollowSymLinks");
  const cloud = { "/srv/www/a.txt": "x", "/srv/www/cloud/remote.php": "x" };
  const helps = (line: string, given: { files?: Readonly<Record<string, string>>; lines?: readonly string[] } = {}) => {
    const { files = {}, lines = [] } = given;
    const own = { "/srv/www/cloud/.htaccess": `RewriteEngine On\n${line}\n` };
    const text = wholeServer(...modules, ...server, ...open, ...inHost("DocumentRoot /srv/www", ...lines));
    return findingsOf([requestAlwaysFails], text, { files: { ...cloud, ...own, ...files } })
      .filter(({ message }) => message.endsWith("never reach this line"))
      .map(({ help }) => help?.[0]);
  };
  const toHost = ["add `Redirect 301 /.well-known/carddav /cloud/remote.php/dav/` to the virtual host"];
  const move = ["move the line to the virtual host, or to the `.htaccess` file of its document root"];

  test.each([
    ["RewriteRule ^\\.well-known/carddav /remote.php/dav/ [R=301,L]", toHost],
    ["RewriteRule ^.well-known/carddav /cloud/remote.php/dav/ [R=301,L]", toHost],
    ["Redirect 301 /.well-known/carddav /cloud/remote.php/dav/", toHost],
    ["RewriteRule ^\\.well-known/(.*)$ /cloud/remote.php/$1 [R=301,L]", move],
    ["RewriteRule ^\\.well-known/carddav remote.php [L]", move],
    ["RedirectMatch 301 ^/\\.well-known/(\\w+)$ /cloud/remote.php/$1", move],
  ])("%s", (line, expected) => {
    expect(helps(line)).toEqual(expected);
  });

  const rule = "RewriteRule ^\\.well-known/carddav /cloud/remote.php/dav/ [R=301,L]";
  test.each([
    ["that another line redirects", { lines: ["Redirect 301 /.well-known/carddav /cloud/remote.php/dav/"] }],
    [
      "that rules lead to",
      { files: { "/srv/www/.htaccess": "RewriteEngine On\nRewriteRule !^cloud/ cloud%{REQUEST_URI} [L]\n" } },
    ],
    ["that an Alias leads to", { lines: ["Alias /.well-known /srv/www/cloud/.well-known"] }],
    [
      "whose directory is the root of another host",
      { lines: ["</VirtualHost>", "<VirtualHost *:80>", "ServerName c.test", "DocumentRoot /srv/www/cloud"] },
    ],
    ["that is a file", { files: { "/srv/www/.well-known/carddav": "x" } }],
  ])("not for a path %s", (_, given) => {
    expect(helps(rule, given)).toEqual([]);
  });

  test("not for other paths", () => {
    expect(helps("RewriteRule ^carddav /cloud/remote.php/dav/ [R=301,L]")).toEqual([]);
    expect(helps("RewriteRule (^|/)\\.(?!well-known) - [F]")).toEqual([]);
    expect(helps("Redirect 301 /cloud/.well-known/carddav /cloud/remote.php/dav/")).toEqual([]);
  });
});

describe("of a virtual host on its own", () => {
  const found = (...lines: readonly string[]) =>
    findingsOf([requestAlwaysFails], section("VirtualHost *:80", "ServerName a.test", ...lines), { kind: "fragment" });
  const proxied = "ProxyPass / http://192.0.2.9/";
  const message = "every request for the backend of `ProxyPass / http://192.0.2.9/` returns 403";

  test.each([
    ["Require", section('Proxy "*"', "Require all denied")],
    ["Deny", section('Proxy "http://192.0.2.9/*"', "Order deny,allow", "Deny from all")],
  ])("a section that denies its backend is reported, with %s", (_, denied) => {
    expect(found(denied, proxied)).toMatchObject([{ message }]);
  });

  test.each([
    ["a grant", [section('Proxy "*"', "Require all granted"), proxied]],
    ["a network", [section('Proxy "*"', "Require ip 10.0.0.0/8"), proxied]],
    ["another backend", [section('Proxy "http://192.0.2.8/*"', "Require all denied"), proxied]],
    ["no backend", [section('Proxy "*"', "Require all denied")]],
    ["a directory that another file may open", ["DocumentRoot /srv", "VirtualDocumentRoot /srv/%0"]],
  ])("nothing is reported with %s", (_, lines) => {
    expect(found(...lines)).toEqual([]);
  });
});

describe("UserDir without a directory", () => {
  const found = (...lines: readonly string[]) =>
    findingsOf(
      [requestAlwaysFails],
      wholeServer("LoadModule userdir_module mod_userdir.so", "Listen 80", ...lines),
    ).map(({ message }) => message);

  test("is reported", () => {
    const message = "`UserDir enabled bob` has no effect: no `UserDir` line names a directory";
    expect(found("UserDir disabled", "UserDir enabled bob")).toEqual([message]);
  });

  test.each([
    [["UserDir public_html", "UserDir disabled", "UserDir enabled bob"]],
    [["UserDir http://a.test/~*/", "UserDir enabled bob"]],
    [["UserDir disabled root"]],
  ])("is not reported for %j", (lines) => {
    expect(found(...lines)).toEqual([]);
  });
});
