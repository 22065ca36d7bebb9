import { describe, expect, test } from "vitest";
import { findingsOf, onServer, section, wholeServer } from "../../test/support/rules.js";
import { overriddenSection } from "./overridden-section.js";

const check = (...sections: readonly string[]) => findingsOf([overriddenSection], sections.join(""));
const summarize = (...sections: readonly string[]) =>
  check(...sections).map(({ text, severity }) => `${severity} ${text}`);
const denied = "Require all denied";
const granted = "Require all granted";

test("reports a section for a shorter path after one for a longer path", () => {
  expect(check(section("Location /admin", denied), section("Location />".slice(0, -1), granted))).toMatchObject([
    {
      severity: "error",
      text: "<Location /admin>",
      message: "the access rules of `<Location /admin>` never apply",
      notes: [
        "`<Location />` is merged later, and its `Require` lines replace these",
        "every client is allowed to request `/admin`",
      ],
      help: ["put the section with the shorter path first: the last one that matches decides"],
      related: ["httpd.conf:4:1: replaces the access rules"],
    },
  ]);
});

test.each([
  [
    "the same path twice",
    [section("Location /a", denied), section("Location /a", "Require ip 192.0.2.1")],
    "warning <Location /a>",
  ],
  [
    "the same pattern",
    [section("LocationMatch ^/a", denied), section("LocationMatch ^/a", granted)],
    "error <LocationMatch ^/a>",
  ],
  ["the same file name", [section("Files x.txt", denied), section("Files x.txt", granted)], "error <Files x.txt>"],
  [
    "the same directory",
    [section("Directory /srv", denied), section("Directory /srv", granted)],
    "error <Directory /srv>",
  ],
  [
    "the same name with a dot",
    [section("Files ./x.txt", denied), section("Files x.txt", granted)],
    "error <Files ./x.txt>",
  ],
  ["all files", [section("Files x.txt", denied), section("Files *", granted)], "error <Files x.txt>"],
  [
    "a path with a slash",
    [section("Location /a/b", denied), section("Location /a/", granted)],
    "error <Location /a/b>",
  ],
])("reports %s", (_, sections, text) => {
  expect(summarize(...sections)).toEqual([text]);
});

test.each([
  ["FilesMatch \\.(env|log)$", "FilesMatch \\.log$", "log"],
  ["FilesMatch \\.env$|\\.log$", "FilesMatch log", "\\.log$"],
  ["FilesMatch ^(.*\\.sql|.*\\.bak|readme.*)$", "FilesMatch ^readme", "readme.*"],
  ["LocationMatch ^/(admin|status)", 'Location "/status"', undefined],
  ["LocationMatch ^/(admin|status)(/|$)", 'Location "/status"', "status"],
  ["LocationMatch ^/(admin|status)(/|$)", "LocationMatch ^/s", "status"],
  ['Files ~ "\\.(inc|tpl)$"', 'FilesMatch "\\.tpl$"', "tpl"],
] as const)("<%s> with a denial and <%s> with a grant: %s denies nothing", (denying, granting, text) => {
  const found = (first: string, second: string) =>
    check(section(denying, first), section(granting, second)).map(({ message, severity }) => `${severity} ${message}`);
  const expected = text === undefined ? [] : [expect.stringContaining(`error \`${text}\` in \`<`)];
  expect(found(denied, granted)).toEqual(expected);
  expect(found("Order allow,deny\nDeny from all", "Order allow,deny\nAllow from all")).toEqual(expected);
  expect(found(granted, denied)).toEqual([]);
});

test("shows the section that allows an alternative again", () => {
  expect(check(section('FilesMatch "\\.(env|log)$"', denied), section('FilesMatch "\\.log$"', granted))).toMatchObject([
    {
      text: '<FilesMatch "\\.(env|log)$">',
      message: '`log` in `<FilesMatch "\\.(env|log)$">` denies nothing',
      notes: [
        '`<FilesMatch "\\.log$">` is merged later, and its `Require` lines replace these',
        "it allows every client to request what this alternative matches",
      ],
      help: [
        'delete the alternative, or put the section after `<FilesMatch "\\.log$">`: the last section that matches decides',
      ],
      related: ["httpd.conf:4:1: replaces the access rules"],
    },
  ]);
});

test.each([
  ["Files .env", 'FilesMatch "^\\."'],
  ["FilesMatch ^\\.ht", "FilesMatch ^\\."],
  ["FilesMatch \\.log$", "Files *"],
  ["Files x", "FilesMatch x"],
  ["FilesMatch ^x$", "Files x"],
  ["Location /admin", "LocationMatch ^/(admin|shop)"],
  ["LocationMatch ^/admin/", "Location /admin"],
  ["LocationMatch ^/admin/", "Location /admin/"],
  ["DirectoryMatch ^/srv/[ab]/", "DirectoryMatch ^/srv/"],
])("<%s> is overridden by a later <%s>", (earlier, later) => {
  expect(summarize(section(earlier, denied), section(later, granted))).toEqual([`error <${earlier}>`]);
  expect(summarize(section(later, granted), section(earlier, denied))).toEqual([]);
  const compat = ["Order deny,allow\nDeny from all", "Order allow,deny\nAllow from all"] as const;
  expect(summarize(section(earlier, compat[0]), section(later, compat[1]))).toEqual([`error <${earlier}>`]);
});

test("reports sections of a `.htaccess` file", () => {
  const text = section("Files x", denied) + section("Files x", granted);
  expect(findingsOf([overriddenSection], text, { kind: "htaccess" })).toHaveLength(1);
});

test.each([
  ["a longer path after a shorter one", [section("Location /", granted), section("Location /admin", denied)]],
  ["a path that is only a prefix of the name", [section("Location /admin", denied), section("Location /ad", granted)]],
  ["the same access rules twice", [section("Files x", denied), section("Files x", denied)]],
  ["a first section that allows every client", [section("Location /a", granted), section("Location /a", denied)]],
  ["access rules that are merged", [section("Location /a", denied), section("Location /", "AuthMerging And", granted)]],
  [
    "access rules for some methods",
    [section("Location /a", denied), section("Location /", "<Limit POST>", granted, "</Limit>")],
  ],
  ["a later section without access rules", [section("Location /a", denied), section("Location /", "Header set A b")]],
  [
    "a later section for some of the files",
    [section("FilesMatch \\.(env|log)$", denied), section("FilesMatch ^debug\\.log$", granted)],
  ],
  ["a pattern for other files", [section("Files x.txt", denied), section("FilesMatch \\.html$", granted)]],
  ["a path that a pattern does not match", [section("Location /b", denied), section("LocationMatch ^/a", granted)]],
  ["a path below which the pattern ends", [section("Location /a", denied), section("LocationMatch ^/a$", granted)]],
  [
    "the lines of two modules",
    [section("Files x", denied), section("FilesMatch x", "Order allow,deny", "Allow from all")],
  ],
  [
    "an alternative that a third section denies again",
    [
      section("FilesMatch \\.(env|log)$", denied),
      section("FilesMatch \\.log$", granted),
      section("FilesMatch \\.log$", "Require ip 192.0.2.1"),
    ],
  ],
  [
    "an alternative that a later section allows for some clients",
    [section("FilesMatch \\.(env|log)$", denied), section("FilesMatch \\.log$", "Require ip 192.0.2.1")],
  ],
  ["a pattern with a reference", [section("FilesMatch (a|b)\\1", denied), section("FilesMatch a", granted)]],
  ["another name with dots", [section("Files ./x", denied), section("Files ./y", granted)]],
  ["a name in a variable", [section("Files ${NAME}", denied), section("FilesMatch .", granted)]],
  [
    "directories, which are sorted by length",
    [section("Directory /srv/a", denied), section("Directory /srv", granted)],
  ],
  [
    "two virtual hosts",
    [
      section("VirtualHost *:80", section("Location /a", denied).trim()),
      section("VirtualHost *:81", section("Location /a", granted).trim()),
    ],
  ],
])("does not report %s", (_, sections) => {
  expect(summarize(...sections)).toEqual([]);
});

test("reports sections with the default of a line that merges them", () => {
  const later = section("Location />".slice(0, -1), granted);
  for (const line of ["AuthMerging Off", "Satisfy All"])
    expect(check(section("Location /admin", line, denied), later), line).toHaveLength(1);
  for (const line of ["AuthMerging And", "Satisfy Any"])
    expect(check(section("Location /admin", line, denied), later), line).toEqual([]);
});

describe("an exemption", () => {
  const login = section("Location /", "AuthType Basic", "AuthName x", "Require valid-user");
  const open = (tag: string) => section(tag, "Require all granted");

  test("is reported before the section that it is exempt from", () => {
    expect(findingsOf([overriddenSection], open("Location /public") + login)).toMatchObject([
      {
        at: "1:1-1:19",
        severity: "warning",
        message: "the access rules of `<Location /public>` never apply",
        notes: ["`<Location />` is merged later, and its `Require` lines replace these"],
        help: ["put the section with the shorter path first: the last one that matches decides"],
      },
    ]);
    const files = open('Files "x.txt"') + section('Files "*"', "Require ip 10");
    expect(findingsOf([overriddenSection], files)).toHaveLength(1);
  });

  test.each([
    ["after that section", login + open("Location /public")],
    ["beside another path", open("Location /public") + section("Location /private", "Require valid-user")],
    ["that the same section restricts later", open("Location /a") + section("Location /a", "Require valid-user")],
    ["before a section that is open too", open("Location /public") + open("Location /")],
    [
      "before a section that merges its rules",
      open("Location /a") + section("Location /", "AuthMerging Or", "Require ip 10"),
    ],
  ])("is not reported %s", (_, text) => {
    expect(findingsOf([overriddenSection], text)).toEqual([]);
  });
});

describe("an exemption of requests that are rewritten", () => {
  const server = (exempt: string, rule = "RewriteRule . /index.php [L]") =>
    'DocumentRoot "/srv/www"\n' +
    section('Directory "/srv/www"', "AllowOverride All", "Require all granted") +
    section(
      "Location />".slice(0, -1),
      "AuthType Basic",
      "AuthName x",
      "AuthUserFile /srv/users",
      "Require valid-user",
    ) +
    exempt +
    section('Directory "/srv/www"', "RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} !-f", rule);
  const open = (tag: string) => section(tag, "AuthType None", "Require all granted");
  const files = { "/srv/www/index.php": "", "/srv/www/app.css": "", "/srv/www/static/a.css": "", "/srv/users": "" };
  const find = (text: string) => findingsOf([overriddenSection], text, { files });

  test("is reported at the section", () => {
    expect(find(server(open("Location /api/mobile/")))).toMatchObject([
      {
        severity: "warning",
        text: "<Location /api/mobile/>",
        message: "`<Location /api/mobile/>` does not apply after rewriting to `/index.php`",
        notes: [
          "httpd checks access again for the rewritten path",
          "`Require valid-user` decides then",
          expect.stringMatching(/^GET `\/api\/mobile\/.*returns 401/),
        ],
        help: ["next to `Require valid-user`, allow these requests by a `Require expr` that tests `%{THE_REQUEST}`"],
        related: [expect.stringContaining("rewrites the path"), expect.stringContaining("denies the rewritten path")],
      },
    ]);
    expect(find(server(open("LocationMatch ^/api/")))).toHaveLength(1);
    expect(
      find(section("VirtualHost *:80", "ServerName a.test", server(open("Location /api")).trimEnd())),
    ).toHaveLength(1);
  });

  test.each([
    ["files that exist", server(open("Location /app.css"))],
    ["files that programs create for a short time", server(open("Location /.well-known/acme-challenge/"))],
    ["a rule that redirects", server(open("Location /api/"), "RewriteRule . /index.php [R]")],
    ["a rule for other paths", server(open("Location /api/"), "RewriteRule ^blog/ /index.php [L]")],
    ["the rewritten path", server(open("Location /api/") + open("Location /index.php"))],
    ["a section that needs a login as well", server(section("Location /api/", "Require user bob"))],
  ])("but not for %s", (_, text) => {
    expect(find(text)).toEqual([]);
  });
});

describe("access rules of files that a Location section replaces", () => {
  const root = section('Directory "/srv"', granted);
  const inRoot = (...lines: readonly string[]) => section('Directory "/srv/secret"', ...lines);
  const allOf = (...lines: readonly string[]) => section('Location "/"', ...lines);
  const open = allOf(granted);
  const addresses = "Require ip 192.0.2.0/24";
  const host = (...parts: readonly string[]) =>
    `<VirtualHost *:80>\nServerName a.example\nDocumentRoot "/srv"\n${parts.join("")}</VirtualHost>\n`;
  const summaries = (text: string, files: Readonly<Record<string, string>> = {}) =>
    findingsOf([overriddenSection], `DocumentRoot "/srv"\n${text}`, { files: { "/srv/users": "", ...files } }).map(
      ({ severity, message }) => `${severity}: ${message}`,
    );
  const overridden = (line: string, by = '<Location "/">') => `\`${line}\` has no effect: \`${by}\` overrides it`;
  const login = ["AuthType Basic", "AuthName x", "AuthUserFile /srv/users", "Require valid-user"];

  test("are reported with a request", () => {
    expect(findingsOf([overriddenSection], onServer(root, inRoot(addresses), open))).toMatchObject([
      {
        at: "6:1-6:24",
        severity: "error",
        message: overridden(addresses),
        notes: [
          "`<Location>` sections are merged after `<Directory>`, `.htaccess` and `<Files>`, and their access rules replace the others",
          "GET `/secret/index.html` from 203.0.113.9 is allowed",
        ],
        help: [
          'add `AuthMerging And` to `<Location "/">`: a request then needs both',
          'or write these rules in a `<Location>` section after `<Location "/">`',
        ],
        related: ["httpd.conf:8:1: merged last"],
      },
    ]);
  });

  test.each([
    ["before the section for the files", open + inRoot(addresses), `error: ${overridden(addresses)}`],
    ["that need a password", inRoot(...login) + open, `error: ${overridden("Require valid-user")}`],
    ["for a name", section('Files "x.sql"', denied) + open, `error: ${overridden(denied)}`],
    ["for a pattern of names", section('FilesMatch "^x"', denied) + open, `error: ${overridden(denied)}`],
    ["in a virtual host", host(inRoot(addresses), open), `error: ${overridden(addresses)}`],
    ["outside of the virtual host", inRoot(addresses) + host(open), `error: ${overridden(addresses)}`],
    [
      "for the same path",
      inRoot(addresses) + section('Location "/secret"', granted),
      `error: ${overridden(addresses, '<Location "/secret">')}`,
    ],
    [
      "that deny some clients",
      inRoot("<RequireAll>", granted, "Require not ip 192.0.2.7", "</RequireAll>") + open,
      `error: ${overridden(granted)}`,
    ],
    ["by others", inRoot(addresses) + allOf(...login), `error: ${overridden(addresses)}`],
    [
      "of mod_access_compat",
      inRoot("Order deny,allow", "Deny from all") + allOf("Order allow,deny", "Allow from all"),
      `error: ${overridden("Order deny,allow")}`,
    ],
    ["and that denies every client", root + allOf(denied), `warning: ${overridden(granted)}`],
    ["and that denies every client in a virtual host", host(root, allOf(denied)), `warning: ${overridden(granted)}`],
  ])("are reported %s", (_, text, expected) => {
    expect(summaries(text)).toEqual([expected]);
  });

  test("are reported in a `.htaccess` file", () => {
    const files = { "/srv/a/.htaccess": "Require ip 192.0.2.1\n" };
    const all = section('Directory "/srv"', "AllowOverride All", granted);
    expect(summaries(all + open, files)).toEqual([`error: ${overridden("Require ip 192.0.2.1")}`]);
    expect(summaries(all + section('Location "/b"', granted), files)).toEqual([]);
  });

  test.each([
    ["another path", inRoot(addresses) + section('Location "/public"', granted)],
    ["the same rules", inRoot(addresses) + allOf(addresses)],
    ["the root, which is denied by default", section("Directory />".slice(0, -1), denied) + open],
    ["a grant that a login restricts", root + allOf(...login)],
    ["a grant that addresses restrict", root + allOf(addresses)],
    ["a grant, denied in another virtual host", root + host(allOf(denied))],
    ["rules that are merged", inRoot(addresses) + allOf("AuthMerging And", granted)],
    ["a Location section without access rules", inRoot(addresses) + allOf("Options None")],
    ["an exception for one path in a virtual host", inRoot(addresses) + host(section('Location "/secret"', granted))],
    ["an exception for one file", section('Files "x.sql"', denied) + host(section('Location "/x.sql"', granted))],
    ["another virtual host", host(inRoot(addresses)) + host(open).replaceAll("a.example", "b.example")],
    [
      "requests to a backend",
      section('Files "x.sql"', denied) + host('ProxyPass "/" "http://127.0.0.1:8080/"\n', open),
    ],
    ["both kinds of rules, which must both allow", inRoot(addresses) + allOf("Order allow,deny", "Allow from all")],
  ])("are not reported for %s", (_, text) => {
    expect(summaries(text)).toEqual([]);
  });
});

describe("a section for files that opens closed directories", () => {
  const modules = "LoadModule access_compat_module mod_access_compat.so\nListen 80\n";
  const site = section("Directory /srv/www", "AllowOverride All", granted);
  const closed = section("Directory /srv/www/private", denied);
  const opened = (lines: string, files: Readonly<Record<string, string>> = {}) =>
    findingsOf(
      [overriddenSection],
      `${modules}${section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/www", site, lines.trim())}`,
      { files: { "/srv/www/x.txt": "", ...files } },
    ).map(({ message, text }) => [message, text]);
  const message = (tag: string) => `\`${tag}\` also opens files of closed directories`;

  // A server answers `/private/x.png` with 200 (2.4.71).
  test.each([
    ['<FilesMatch "\\.(png|css)$">', section('FilesMatch "\\.(png|css)$"', granted)],
    ['<Files "*.jpg">', section('Files "*.jpg"', granted)],
    ["<Files x.txt>", section("Files x.txt", granted)],
    ['<Files ~ "\\.png$">', section('Files ~ "\\.png$"', granted)],
  ])("%s", (tag, lines) => {
    expect(opened(`${closed}${lines}`)).toEqual([[message(tag), tag]]);
    const file = { "/srv/www/private/.htaccess": `${denied}\n`, "/srv/www/private/x.txt": "" };
    expect(opened(lines, file)).toEqual([[message(tag), tag]]);
    expect(opened("", { ...file, "/srv/www/.htaccess": lines })).toEqual([[message(tag), tag]]);
  });

  test("needs a file of an exact name if the disk has the directory", () => {
    const lines = closed + section('FilesMatch "^(favicon\\.ico|x\\.txt)$"', granted);
    const tag = '<FilesMatch "^(favicon\\.ico|x\\.txt)$">';
    expect(opened(lines, { "/srv/www/private/other.txt": "" })).toEqual([]);
    expect(opened(lines, { "/srv/www/private/x.txt": "" })).toEqual([[message(tag), tag]]);
    expect(opened(lines)).toEqual([[message(tag), tag]]);
  });

  test.each([
    'FilesMatch "^(favicon\\.ico|robots\\.txt)$"',
    'FilesMatch "^(?:robots|humans)\\.txt$"',
    'FilesMatch "^favicon\\.ico"',
    "Files robots.txt",
  ])("is not for the files of a site: %s", (tag) => {
    expect(opened(closed + section(tag, granted))).toEqual([]);
  });

  test("with lines of 2.2", () => {
    const old = section('FilesMatch "\\.png$"', "Order allow,deny", "Allow from all");
    const file = { "/srv/www/private/.htaccess": "Order allow,deny\nDeny from all\n" };
    expect(opened(old, file)).toHaveLength(1);
  });

  test.each([
    [
      "an exemption in the directory itself",
      `${section("Directory /srv/www/private", denied, section("Files *.png", granted).trim())}`,
    ],
    [
      "a directory that is not closed to all",
      `${section("Directory /srv/www/private", "Require ip 10.1")}${section("Files *.png", granted)}`,
    ],
    ["a directory outside", `${section("Directory /srv/other", denied)}${section("Files *.png", granted)}`],
    ["a section that restricts", `${closed}${section("Files *.png", "Require ip 10.1")}`],
    [
      "a section of another directory",
      `${closed}${section("Directory /srv/www/img", section("Files *.png", granted).trim())}`,
    ],
    [
      "a Location that denies after it",
      `${closed}${section("Files *.png", granted)}${section("Location /private", denied)}`,
    ],
  ])("is not %s", (_, lines) => {
    expect(opened(lines).filter(([text]) => text?.includes("closed directories"))).toEqual([]);
  });

  test("is not an exemption in the `.htaccess` file of the directory", () => {
    const own = { "/srv/www/private/.htaccess": `${denied}\n${section("Files *.png", granted)}` };
    expect(opened("", own)).toEqual([]);
  });
});

describe("a password that no request needs", () => {
  const login = ["AuthType Basic", "AuthName a", "AuthUserFile /etc/httpd/users", "Require valid-user"];
  const modules = ["authn_core", "authn_file", "authz_user", "auth_basic", "alias"].map(
    (name) => `LoadModule ${name}_module mod_${name}.so`,
  );
  const root = 'DocumentRoot "/srv/www"';
  const open = (path: string) => section(`Directory ${path}`, granted).trim();
  const find = (...lines: readonly string[]) =>
    findingsOf([overriddenSection], wholeServer(...modules, "Listen 80", ...lines));
  const asks = (path: string) => section(`Directory ${path}`, ...login).trim();

  test("because the document root grants access to everyone", () => {
    expect(find(root, asks("/"), open("/srv/www"))).toMatchObject([
      {
        severity: "warning",
        text: "Require valid-user",
        message: "no request needs the password of `Require valid-user`: `<Directory /srv/www>` replaces it",
        notes: [
          "GET `/index.html` from 203.0.113.9 returns 200",
          "the `Require` lines of a section for a longer path replace those of a section for a shorter one",
        ],
        help: ["use `Require valid-user` in `<Directory /srv/www>`, in place of `Require all granted`"],
        related: [expect.stringContaining("replaces the access rules")],
      },
    ]);
  });

  test.each([
    ["a parent", [root, asks("/srv"), open("/srv/www")]],
    ["an Alias as well", [root, "Alias /a/ /srv/a/", asks("/srv"), open("/srv/www"), open("/srv/a")]],
    ["a user", [root, asks("/").replace("valid-user", "user alice"), open("/srv/www")]],
    ["a virtual host", [section("VirtualHost *:80", root).trim(), asks("/"), open("/srv/www")]],
  ])("of %s", (_, lines) => {
    expect(find(...lines)).toHaveLength(1);
  });

  test.each([
    ["the document root asks", [root, open("/"), asks("/srv/www")]],
    ["the document root inherits", [root, asks("/"), section("Directory /srv/www", "Options None").trim()]],
    ["a part of it is open", [root, asks("/srv/www"), open("/srv/www/public")]],
    ["an Alias asks", [root, "Alias /a/ /srv/a/", asks("/srv"), open("/srv/www")]],
    [
      "another section asks",
      [root, asks("/"), open("/srv/www"), section("Location /admin", "Require valid-user").trim()],
    ],
    ["directories of users", [root, "UserDir public_html", asks("/"), open("/srv/www")]],
    ["a denial by default", [root, section("Directory /", "Require all denied").trim(), open("/srv/www")]],
    ["nothing is served there", [root, asks("/opt"), open("/srv/www")]],
    ["a network in the document root", [root, asks("/"), section("Directory /srv/www", "Require ip 10").trim()]],
    ["a file that is not here", [root, "Include /srv/conf/more.conf", asks("/"), open("/srv/www")]],
  ])("not if %s", (_, lines) => {
    expect(find(...lines).filter(({ text }) => text.startsWith("Require"))).toEqual([]);
  });
});
