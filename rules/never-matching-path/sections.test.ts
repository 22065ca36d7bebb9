import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { fromReadable } from "../../src/text/source.js";
import {
  findingsOf,
  type Given,
  inDirectory,
  lintText,
  onlyVariant,
  section,
  wholeServer,
} from "../../test/support/rules.js";
import { credentialsInClear } from "../credentials-in-clear/credentials-in-clear.js";
import { neverMatchingPath } from "./never-matching-path.js";

const neverMatchingSection = onlyVariant(neverMatchingPath, "never-matching-section");

const check = (text: string, given?: Given) =>
  findingsOf([neverMatchingSection], text, given).map(({ severity, text: word, help }) => [
    severity,
    word,
    ...(help ?? []),
  ]);

const denied = "Require all denied";

describe("a section that never matches a request", () => {
  test("is reported with the correct argument", () => {
    expect(findingsOf([neverMatchingSection], section('Location "d"', denied))).toEqual([
      {
        rule: "never-matching-path",
        severity: "error",
        at: "1:11-1:14",
        text: '"d"',
        message: '`<Location "d">` never matches a request',
        notes: ["a URL path begins with `/`", "its access rules do not protect anything"],
        help: ["use `/d`"],
        related: [],
      },
    ]);
  });

  test.each([
    [section("Location *.php", denied), "*.php", "use a regular expression with `<LocationMatch>`"],
    [section('Location "http://localhost/d"', denied), '"http://localhost/d"', "use `/d`"],
    [section("Location https://localhost", denied), "https://localhost", "use `/`"],
    [
      section('Location "/d?x=1"', denied),
      '"/d?x=1"',
      'use `/d`, and test the query with `<If "%{QUERY_STRING} =~ …">` in the section',
    ],
    [section('Directory "www/c"', denied), '"www/c"', "use the absolute path"],
    [section("Directory */c", denied), "*/c", "use the absolute path"],
    [
      section('Files "f/index.html"', "Order allow,deny"),
      '"f/index.html"',
      "use `<Files>` with `index.html` in a `<Directory>` section for `f`",
    ],
    [
      section('Directory "http://localhost/d"', denied),
      '"http://localhost/d"',
      "use the path of the directory, or a `<Location>` section",
    ],
    [
      `DocumentRoot "/srv/www/"\n${section('Location "/srv/www/d"', denied)}`,
      '"/srv/www/d"',
      'use `<Directory "/srv/www/d">`',
    ],
    [section("Files f", section("Files g", denied)), "g", "use one section, which matches the inner name"],
    [
      section('FilesMatch "f"', section('If "true"', section("FilesMatch g", denied))),
      "g",
      "put `<If>` into the `<Files>` section",
    ],
    [inDirectory(section('If "true"', section("Files g", denied))), "g", "put `<If>` into the `<Files>` section"],
    [
      section("If \"%{HTTPS} == 'on'\"") + section("ElseIf \"%{HTTPS} == 'on'\"", denied),
      "\"%{HTTPS} == 'on'\"",
      "correct the condition, or merge the sections",
    ],
    [section('DirectoryMatch "/private$"', denied), '"/private$"', "use `/private(/|$)`"],
    [section('DirectoryMatch "(^|/)\\.git/?$"', denied), '"(^|/)\\.git/?$"', "use `(^|/)\\.git(/|$)`"],
    [section('Directory ~ "\\.(?:git|svn)/$"', denied), '"\\.(?:git|svn)/$"', "use `\\.(?:git|svn)(/|$)`"],
    [section('Files "^\\.env"', denied), '"^\\.env"', 'use `<FilesMatch "^\\.env">`'],
    [section('Files "(\\.ini|\\.log)"', denied), '"(\\.ini|\\.log)"', 'use `<FilesMatch "(\\.ini|\\.log)">`'],
    [section('Files "*.{env,ini}"', denied), '"*.{env,ini}"', 'use `<FilesMatch "\\.(env|ini)$">`'],
    [section('Files "a.{b,c}"', denied), '"a.{b,c}"', 'use `<FilesMatch "^a\\.(b|c)$">`'],
    [section('Location "/{a,b}/c*"', denied), '"/{a,b}/c*"', 'use `<LocationMatch "^/(a|b)/c[^/]*">`'],
    [section('Directory "/srv/{a,b}"', denied), '"/srv/{a,b}"', 'use `<DirectoryMatch "^/srv/(a|b)">`'],
    [section("Files .bak$", denied), ".bak$", 'use `<FilesMatch ".bak$">`'],
    [
      section('Files ".env, .git"', denied),
      '".env, .git"',
      "use one section for each of `.env` and `.git`, or `<FilesMatch>`",
    ],
    [inDirectory("<Files x/>", denied, "</Files>"), "x/", "use a `<Directory>` section"],
    [inDirectory("<Limit get post>", "Deny from all", "</Limit>"), "get", "use `GET POST`"],
    [section("Location d", "<RequireAll>", denied, "</RequireAll>"), "d", "use `/d`"],
  ])("is reported: %j", (text, word, remedy) => {
    expect(check(text)).toEqual([["error", word, remedy]]);
  });

  test("is a warning without access control", () => {
    expect(check(section("Location d", "SetHandler x"))).toEqual([["warning", "d", "use `/d`"]]);
  });

  test("is reported in a `.htaccess` file", () => {
    expect(check(section("Files f/x", denied), { kind: "htaccess" })).toHaveLength(1);
    // The server returns 500 there.
    expect(check(section("Limit get", denied), { kind: "htaccess" })).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    section("Location /d", denied),
    section("Location /d?", denied),
    section("Location */d", denied),
    section("Location *", denied),
    section("Location ~ d", denied),
    section("LocationMatch d", denied),
    section('Location "${X}d"', denied),
    section("Location @X@", denied),
    section('Directory "##DOCUMENT_ROOT##"', denied),
    section("Directory ~ www/c", denied),
    section("DirectoryMatch www/c", denied),
    section("Directory C:/www", denied),
    section('Directory "C:\\www\\app"', denied),
    section('Directory "\\xampp\\htdocs\\app"', denied),
    section('Directory "\\\\server\\share"', denied),
    section("Directory proxy:*", denied),
    section("Directory *", denied),
    section("Proxy http://localhost/d", denied),
    section("Files *.html", denied),
    section("Files \\.env", denied),
    section("Location /{id}", denied),
    section('FilesMatch "^a{1,2}$"', denied),
    section('LocationMatch "^/a{1,2}$"', denied),
    section("Files ~ f/x", denied),
    section("FilesMatch f/x", denied),
    section("Files f", section('If "true"', denied)),
    inDirectory(section("Files f", denied)),
    section('If "true"', denied) + section('ElseIf "false"', denied),
    section('If "true"', denied) + section('If "true"', denied),
    section('DirectoryMatch "/private(/|$)"', denied),
    section('DirectoryMatch "/private/"', denied),
    section('DirectoryMatch "\\.php$"', denied),
    section('DirectoryMatch "/[^/]+$"', denied),
    section('DirectoryMatch "/a|/private$"', denied),
    inDirectory("<Limit GET POST>", denied, "</Limit>"),
    inDirectory("<Limit get GET>", denied, "</Limit>"),
    inDirectory("<Limit foo>", denied, "</Limit>"),
    `ProxyRequests On\n${section("Location http://localhost/d", denied)}`,
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });
});

const onIf = (condition: string, ...lines: readonly string[]) => section(`If "${condition}"`, ...lines).trim();
const onElseIf = (condition: string, ...lines: readonly string[]) => section(`ElseIf "${condition}"`, ...lines).trim();
const inLocation = (path: string, ...lines: readonly string[]) => section(`Location "${path}"`, ...lines);

describe("a condition that contradicts the section around it", () => {
  test("is reported with the section", () => {
    const text = inLocation("/admin", onIf("%{REQUEST_URI} =~ m#^/public#", denied));
    expect(findingsOf([neverMatchingSection], text)).toEqual([
      {
        rule: "never-matching-path",
        severity: "error",
        at: "2:5-2:36",
        text: '"%{REQUEST_URI} =~ m#^/public#"',
        message: '`<If "%{REQUEST_URI} =~ m#^/public#">` never matches a request',
        notes: [
          'it is in `<Location "/admin">`, which matches other requests',
          "its access rules do not protect anything",
        ],
        help: ['correct the condition, or move the section out of `<Location "/admin">`'],
        related: ["httpd.conf:1:1: matches other requests"],
      },
    ]);
  });

  const reported = [
    inLocation("/admin", onIf("%{REQUEST_URI} == '/administrator'", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} !~ /admin/", denied)),
    inLocation("/admin", onIf("! (%{REQUEST_URI} =~ m#^/admin#)", denied)),
    inLocation("/admin", onIf("%{DOCUMENT_URI} -in { '/a', '/b' }", denied)),
    inLocation("/admin/", onIf("%{REQUEST_URI} == '/admin'", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} =~ m#^/a/# || %{REQUEST_URI} =~ m#^/b/#", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} =~ m#^/a/# && %{HTTP_HOST} == 'a.example'", denied)),
    section('LocationMatch "\\.php$"', onIf("%{REQUEST_URI} =~ m#\\.html$#", denied)),
    section('Location ~ "^/a"', onIf("%{REQUEST_URI} =~ m#^/b#", denied)),
    section("Files x.php", onIf("%{REQUEST_FILENAME} =~ m#/y\\.php$#", denied)),
    section('FilesMatch "^x.*\\.php$"', onIf("%{SCRIPT_FILENAME} =~ m#\\.html$#", denied)),
    section("Directory /srv/www/", onIf("%{REQUEST_FILENAME} =~ m#^/srv/app/#", denied)),
    inLocation("/", onIf("%{REQUEST_METHOD} == 'GET'", "<Limit POST>", denied, "</Limit>")),
    inLocation("/", onIf("%{REQUEST_METHOD} -in { 'GET', 'HEAD' }", "<LimitExcept GET>", denied, "</LimitExcept>")),
    inLocation("/", onIf("%{REQUEST_METHOD} == 'GET'", onIf("%{REQUEST_METHOD} == 'POST'", denied))),
    onIf("%{REQUEST_METHOD} == 'GET' && %{REQUEST_METHOD} == 'POST'", denied),
    onIf("%{HTTPS} == 'ON'", denied),
    onIf("%{HTTPS} =~ /^(1|true)$/", denied),
    onIf("%{REQUEST_URI} =~ m#\\?id=#", denied),
    onIf("%{HTTP_HOST} == 'WWW.Example.org'", denied),
    `${onIf("%{REQUEST_URI} =~ m#^/a#", "Options None")}\n${onElseIf("%{REQUEST_URI} =~ m#^/a/b#", denied)}`,
  ];
  test.each(reported)("reports %j", (text) => {
    expect(check(text)).toMatchObject([["error", expect.any(String), expect.any(String)]]);
  });

  test.each([
    inLocation("/admin", onIf("%{REQUEST_URI} =~ m#^/admin/public#", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} == '/admin/'", denied)),
    inLocation("/admin/", onIf("%{REQUEST_URI} == '/admin/'", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} !~ m#^/public#", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} =~ m#^/a/# || %{HTTP_HOST} == 'a.example'", denied)),
    inLocation("/admin*", onIf("%{REQUEST_URI} =~ m#^/public#", denied)),
    inLocation("${P}", onIf("%{REQUEST_URI} =~ m#^/public#", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI} =~ m#^${P}#", denied)),
    inLocation("/admin", onIf("%{REQUEST_URI}x =~ m#^/public#", denied)),
    inLocation("/admin", onIf("%{REQUEST_FILENAME} =~ m#^/public#", denied)),
    inLocation("/admin", onIf("%{THE_REQUEST} =~ m# /public#", denied)),
    inLocation("/admin", onIf("-f '/srv/public'", denied)),
    section('LocationMatch "\\.php"', onIf("%{REQUEST_URI} =~ m#\\.html$#", denied)),
    section("Files *.php", onIf("%{REQUEST_FILENAME} =~ m#/y\\.php$#", denied)),
    section('FilesMatch "^x|y$"', onIf("%{REQUEST_FILENAME} =~ m#z#", denied)),
    section('FilesMatch "\\.php$"', onIf("%{REQUEST_FILENAME} =~ m#/y\\.php$#", denied)),
    section("Directory /srv", onIf("%{REQUEST_FILENAME} =~ m#^/srv/app/#", denied)),
    ...["/srv//app", "/srv/./app", "/srv/www/../app", "//srv/app", "/srv/app/.", "/srv/app/www/.."].map((path) =>
      section(`Directory ${path}`, onIf("%{REQUEST_FILENAME} =~ m#^/srv/app#", denied)),
    ),
    section("Directory /", onIf("%{REQUEST_FILENAME} =~ m#^/srv/app/#", denied)),
    section("Files x.php", onIf("%{REQUEST_URI} =~ m#^/public#", denied)),
    inLocation("/", onIf("%{REQUEST_METHOD} == 'HEAD'", "<Limit GET>", denied, "</Limit>")),
    inLocation("/", onIf("%{REQUEST_METHOD} != 'GET'", "<LimitExcept GET>", denied, "</LimitExcept>")),
    onIf("%{REQUEST_METHOD} == 'GET' || %{REQUEST_METHOD} == 'POST'", denied),
    onIf("%{REMOTE_ADDR} != '192.0.2.7'", denied),
    onIf("%{REMOTE_ADDR} != '192.0.2.7' && %{REMOTE_ADDR} != '192.0.2.8'", denied),
    onIf("! -R '192.0.2.0/24'", denied),
    // Its groups are used.
    onIf("%{REQUEST_URI} =~ m#^(/.*)#", denied),
    onIf("true", denied),
    onIf("false", denied),
    onIf("false && %{HTTPS} == 'on'", denied),
    onIf("%{HTTP_HOST} =~ /^WWW\\.Example\\.org$/i", denied),
    `ProxyRequests On\n${onIf("%{REQUEST_URI} =~ m#^http:#", denied)}`,
    `${onIf("%{REQUEST_URI} =~ m#^/a/b#", denied)}\n${onElseIf("%{REQUEST_URI} =~ m#^/a#", denied)}`,
    `${onIf("%{REQUEST_URI} =~ m#^/a#", denied)}\n${onIf("%{REQUEST_URI} =~ m#^/a/b#", denied)}`,
  ])("does not report %j", (text) => {
    expect(check(text)).toEqual([]);
  });
});

test.each([
  ["m#^/a1#", "== '/a12'", "== '/a34'"],
  ["m#^/a[0-4]$#", "== '/a2'", "== '/a6'"],
  ["m#^/a[x'5]$#", "== '/a5'", "== '/a7'"],
  ["m#^/a[^\\w]?[56]$#", "== '/a5'", "== '/a7'"],
  ["m#^/aa$#", "=~ m#^/a{2}#", "=~ m#^/a{3}#"],
  ["m#^/a$#", "=~ m#^/\\x61#", "=~ m#^/\\x62#"],
])("a section with other digits than one that matches is compared: %s", (pattern, right, wrong) => {
  const on = (test: string) => onIf(`%{REQUEST_URI} =~ ${pattern} && %{REQUEST_URI} ${test}`, denied);
  expect(check(on(right))).toEqual([]);
  expect(check(`${on(right)}\n${on(wrong)}`)).toHaveLength(1);
});

test.each([
  ["%{HTTPS} == 'ON'", "never matches a request"],
  ["%{SERVER_PORT} == 'http'", "never matches a request"],
  // Clients can send `Host: A.example`, `/a%3Fid=1`, `/a??id=1` and `get /a`.
  ["%{HTTP_HOST} == 'A.example'", "never matches a usual request"],
  ["%{REQUEST_URI} =~ m#\\?id=#", "never matches a usual request"],
  ["%{QUERY_STRING} =~ m#^\\?id=#", "never matches a usual request"],
  ["%{REQUEST_METHOD} == 'get'", "never matches a usual request"],
])("the message about %j states whether other clients match", (condition, effect) => {
  const [finding] = findingsOf([neverMatchingSection], onIf(condition, denied));
  expect(finding?.message).toContain(effect);
});

test.each([
  ["%{HTTPS} != 'ON'", "matches every request", "correct the condition"],
  [
    "%{REMOTE_ADDR} != '192.0.2.0/24'",
    "matches every request",
    "use `! -R '192.0.2.0/24'` instead of `%{REMOTE_ADDR} != '192.0.2.0/24'`",
  ],
  [
    "!(%{REMOTE_ADDR} == '2001:db8::/32')",
    "matches every request",
    "use `! -R '2001:db8::/32'` instead of `!(%{REMOTE_ADDR} == '2001:db8::/32')`",
  ],
  [
    "!(%{REMOTE_ADDR} != '10.0.0.0/8' && %{HTTPS} == 'ON')",
    "matches every request",
    "use `! -R '10.0.0.0/8'` instead of `%{REMOTE_ADDR} != '10.0.0.0/8'`",
  ],
  ["%{REMOTE_ADDR} !~ m#^10\\.0\\.0\\.0/8$#", "matches every request", "correct the condition"],
  ["%{REQUEST_METHOD} != 'get'", "matches every usual request", "correct the condition"],
  [
    "%{REMOTE_ADDR} != '192.0.2.7' || %{REMOTE_ADDR} != '192.0.2.8'",
    "matches every request",
    "correct the condition: use `&&` if all parts must hold",
  ],
])("%j holds for each request", (condition, effect, remedy) => {
  const [finding] = findingsOf([neverMatchingSection], onIf(condition, denied));
  expect(finding).toMatchObject({ severity: "warning", help: [remedy] });
  expect(finding?.message).toContain(effect);
  expect(finding?.notes).toContain("the condition has no effect");
});

test.each([
  ["%{REMOTE_ADDR} == '192.0.2.0/24'", "use `-R '192.0.2.0/24'` instead of `%{REMOTE_ADDR} == '192.0.2.0/24'`"],
  ["!(%{REMOTE_ADDR} != '192.0.2.0/24')", "use `-R '192.0.2.0/24'` instead of `!(%{REMOTE_ADDR} != '192.0.2.0/24')`"],
  [
    "%{REQUEST_METHOD} == 'GET' && %{REMOTE_ADDR} == '192.0.2.0/24'",
    "use `-R '192.0.2.0/24'` instead of `%{REMOTE_ADDR} == '192.0.2.0/24'`",
  ],
])("%j holds for no request", (condition, remedy) => {
  expect(findingsOf([neverMatchingSection], onIf(condition, denied))).toMatchObject([{ help: [remedy] }]);
});

test("sections that differ only in numbers are compared once", () => {
  const at = (path: string, sought: string) => inLocation(path, onIf(`%{REQUEST_URI} =~ m#^${sought}/#`, denied));
  expect(check(at("/a1", "/a1") + at("/a2", "/a2") + at("/a3", "/a1") + at("/a4", "/a4"))).toHaveLength(1);
});

describe("a condition on TLS in a virtual host", () => {
  const loads = ["LoadModule ssl_module mod_ssl.so", "Listen 80", "Listen 443"];
  const host = (address: string, ...lines: readonly string[]) => section(`VirtualHost ${address}`, ...lines).trim();
  const isOff = onIf("%{HTTPS} == 'off'", denied);
  const isOn = onIf("%{HTTPS} == 'on'", denied);
  const on = "SSLEngine On";

  test.each([
    [host("*:443", on, isOff)],
    [host("*:80", isOn)],
    [host("_default_:443", on), host("*:443", isOff)],
    [host("192.0.2.1:443 [2001:db8::1]:443", on, isOff)],
    [host("*:443", "SSLCertificateFile a.pem", isOff)],
  ])("reports %j", (...hosts) => {
    expect(check(wholeServer(...loads, ...hosts))).toEqual([
      ["error", expect.stringContaining("HTTPS"), "correct the condition, or move the section out of the virtual host"],
    ]);
  });

  test.each([
    [host("*:443", on, isOn)],
    [host("*:80", isOff)],
    [host("*:443"), host("*:443", on, isOff)],
    [host("*:443"), host("0.0.0.0:443", on, isOff)],
    [host("www.example.org:443", on, isOff)],
    [host("*:80", "SSLEngine optional", isOn)],
    [host("*:80", "TLSEngine On", isOn)],
    [host("a.example:443", on, isOff)],
    [host("*:443", on), host("*:80 *:443", isOn)],
    [host("192.0.2.1:80"), host("192.0.2.2:443", on), host("192.0.2.1:80 192.0.2.2:443", isOn, isOff)],
    [host("0.0.0.0:443", "SSLCertificateFile a.pem", isOff)],
  ])("does not report %j", (...hosts) => {
    expect(check(wholeServer(...loads, ...hosts))).toEqual([]);
  });

  test("is not decided without the whole server", () => {
    expect(check(host("*:443", on, isOff))).toEqual([]);
  });
});

describe("a Directory section with the path of a URL", () => {
  const files = { "/srv/www/admin/index.html": "", "/srv/www/index.html": "" };
  const helpFor = (path: string) =>
    findingsOf(
      [neverMatchingSection],
      `DocumentRoot "/srv/www"\n<Directory "${path}">\nRequire all denied\n</Directory>\n`,
      {
        files,
      },
    ).flatMap(({ help }) => help);

  test("is reported if its directory is below a document root", () => {
    expect(helpFor("/admin")).toEqual(['use `<Directory "/srv/www/admin">`']);
  });

  test.each(["/srv/www/admin", "/srv/www", "/", "/other"])("is not reported for %s", (path) => {
    expect(helpFor(path)).toEqual([]);
  });
});

describe("a Directory section for a place that a site had before", () => {
  const files = { "/srv/www/shop/staff/index.html": "", "/opt/tool/index.html": "" };
  const helpFor = (path: string, ...lines: readonly string[]) =>
    findingsOf(
      [neverMatchingSection],
      wholeServer("Listen 80", ...lines, section(`Directory "${path}"`, "Require all denied").trim()),
      { files },
    ).flatMap(({ help }) => help);
  const root = 'DocumentRoot "/srv/www/shop"';

  test.each(["/home/shop/staff", "/var/www/staff/", "/srv/shop/staff"])("is reported for %s", (path) => {
    expect(helpFor(path, root)).toEqual(['use `<Directory "/srv/www/shop/staff">`']);
  });

  test.each([
    // A URL leads there, or may.
    ["/var/www/staff", root, "Alias /team /var/www"],
    ["/var/www/staff", root, "Alias /team /var/www/staff/team"],
    ["/var/www/staff", root, 'RewriteRule "^/team" "/var/www/staff/index.html"'],
    ["/home/anna/staff", root, "UserDir public_html"],
    ["/var/www/other", root],
    ["/srv/www/shop/staff", root],
    // A part: another file may have an Alias.
    ["/var/www/staff"],
  ])("is not reported for %s", (path, ...lines) => {
    expect(helpFor(path, ...lines)).toEqual([]);
  });

  test("needs access rules", () => {
    const text = wholeServer("Listen 80", root, '<Directory "/var/www/staff">', "Options None", "</Directory>");
    expect(findingsOf([neverMatchingSection], text, { files })).toEqual([]);
  });
});

test("a Directory section with a regular expression names the section for patterns", () => {
  expect(check(section('Directory "^/srv/.*/private"', denied))).toEqual([
    ["error", '"^/srv/.*/private"', 'use `<DirectoryMatch "^/srv/.*/private">`'],
  ]);
});

describe("the fix of", () => {
  test.each([
    ["<Location private>", '<Location "/private">'],
    ["<Location http://a.example/private>", '<Location "/private">'],
    ['<Files "^\\.env">', '<Files ~ "^\\.env">'],
    ['<Files "*.{env,ini}">', '<Files ~ "\\.(env|ini)$">'],
    ['<Files "*.{c++,in?}">', '<Files ~ "\\.(c\\+\\+|in.)$">'],
    ['<Location "/{a,b*}/c?">', '<Location ~ "^/(a|b[^/]*)/c[^/]">'],
    ['<DirectoryMatch "/private$">', '<DirectoryMatch "/private(/|$)">'],
    ["<Directory www/private>", undefined],
  ])("%s", (before, after) => {
    const end = `</${/\w+/.exec(before)?.[0]}>\n`;
    const [finding] = lintText([neverMatchingSection], `${before}\n${end}`);
    const fixed = finding?.fix && applyEdits(`${before}\n${end}`, finding.fix.edits);
    expect(fixed).toBe(after && `${after}\n${end}`);
    if (fixed !== undefined) expect(lintText([neverMatchingSection], fixed)).toEqual([]);
  });

  test("a path keeps the bytes of letters outside of ASCII", () => {
    const [finding] = lintText([neverMatchingSection], "<Location caf\u00e9>\n</Location>\n");
    expect(finding?.fix?.edits.map(({ text }) => text)).toEqual([fromReadable('"/caf\u00e9"')]);
  });
});

test("nobody is asked for a password in a location that is the path of a file", () => {
  const asks = ["AuthType Basic", "AuthName a", "AuthUserFile /u", "Require valid-user"];
  const rulesOf = (tag: string) =>
    findingsOf([neverMatchingPath, credentialsInClear], `DocumentRoot "/srv/www"\n${section(tag, ...asks)}`, {
      files: { "/srv/www/admin/index.html": "x" },
    }).map(({ rule }) => rule);
  expect(rulesOf("Location /srv/www/admin")).toEqual(["never-matching-path"]);
  expect(rulesOf("Location /admin")).toEqual(["credentials-in-clear"]);
});

describe("a folder before the name, in a .htaccess file", () => {
  const helpFor = (pattern: string, kind: "htaccess" | "server") =>
    findingsOf([neverMatchingPath], `<Files "${pattern}">\nRequire all denied\n</Files>\n`, { kind }).flatMap(
      ({ help = [] }) => help,
    );

  test.each([
    ["uploads/secret.txt", "use `<Files>` with `secret.txt` in `uploads/.htaccess`"],
    ["a/b/*.txt", "use `<Files>` with `*.txt` in `a/b/.htaccess`"],
    ["/srv/uploads/x", "use `<Files>` with `x` in the `.htaccess` file of that directory"],
    ["*/x", "use `<Files>` with `x` in the `.htaccess` file of that directory"],
    ["/x", "use `<Files>` with only `x`"],
    ["/./x", "use `<Files>` with only `x`"],
    ["a/./x", "use `<Files>` with `x` in `a/.htaccess`"],
    ["uploads/", "put the lines of the section into `uploads/.htaccess`"],
  ])("%s", (pattern, help) => {
    expect(helpFor(pattern, "htaccess")).toEqual([help]);
  });

  test.each(["./x", ".//x", "a/../x", "./*", "a/..", "."])("httpd compares %s without a folder", (pattern) => {
    expect(helpFor(pattern, "htaccess")).toEqual([]);
    expect(helpFor(pattern, "server")).toEqual([]);
  });

  test("the file of a server may have <Directory>", () => {
    expect(helpFor("uploads/secret.txt", "server")).toEqual([
      "use `<Files>` with `secret.txt` in a `<Directory>` section for `uploads`",
    ]);
  });
});

describe("a section with the parts of a name of VirtualDocumentRoot", () => {
  const root = 'VirtualDocumentRoot "/srv/%0/htdocs"\n';
  const found = (lines: string, given: Given = { kind: "fragment" }) =>
    findingsOf([neverMatchingPath], section("VirtualHost *:80", lines), given).map(({ severity, help }) => [
      severity,
      help,
    ]);

  test.each([
    ["all of the name", root, "/srv/%0/htdocs", "/srv/*/htdocs"],
    ["a part of it", 'VirtualDocumentRoot "/srv/%1/htdocs"\n', "/srv/%1/htdocs", "/srv/*/htdocs"],
    ["several", 'VirtualDocumentRoot "/srv/%-2.1/%1+"\n', "/srv/%-2.1/%1+", "/srv/*/*"],
    ["a directory below", root, "/srv/%0/htdocs/admin", "/srv/*/htdocs/admin"],
  ])("is reported: %s", (_, line, path, pattern) => {
    expect(found(line + section(`Directory "${path}"`, "Require all granted"))).toEqual([
      ["error", [`use a wildcard: \`<Directory "${pattern}">\``]],
    ]);
  });

  test.each([
    ["a wildcard", root + section('Directory "/srv/*/htdocs"', "Require all granted")],
    ["the directory above", root + section('Directory "/srv"', "Require all granted")],
    ["no such line", section('Directory "/srv/%0/htdocs"', "Require all granted")],
    ["another path", root + section('Directory "/mnt/%0"', "Require all granted")],
  ])("is not reported: %s", (_, lines) => {
    expect(found(lines)).toEqual([]);
  });

  test("is not reported if the directory exists", () => {
    const lines = root + section('Directory "/srv/%0/htdocs"', "Require all granted");
    expect(found(lines, { kind: "server", files: { "/srv/%0/htdocs/index.html": "" } })).toEqual([]);
  });
});
