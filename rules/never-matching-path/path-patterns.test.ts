import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, inDirectory, lintText, onlyVariant, section } from "../../test/support/rules.js";
import { neverMatchingPath } from "./never-matching-path.js";

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");

const check = (text: string, given?: Given) =>
  findingsOf([pathPatterns], text, given).map((finding) => [finding.text, finding.message]);

const never = (text: string) => [[text, `\`${text}\` never matches a request`]];
const neverQuery = (text: string) => [[text, `\`${text}\` never matches the query of a request`]];

describe("reports on the server", () => {
  test.each([
    ["RewriteRule ^api/(.*)$ /b/$1", "^api/(.*)$"],
    ["RewriteRule ^(a|b)$ /c [NC,L]", "^(a|b)$"],
    ["Redirect 301 old /new.html", "old"],
    ["Redirect old /new.html", "old"],
    ["Redirect gone old", "old"],
    ["RedirectPermanent old /new.html", "old"],
    ["RedirectMatch ^old$ /new.html", "^old$"],
    ["RedirectMatch 301 ^old$ /new.html", "^old$"],
    ["Alias img /srv/img", "img"],
    ["ScriptAlias cgi-bin/ /srv/cgi/", "cgi-bin/"],
    ["AliasMatch ^img/(.*) /srv/img/$1", "^img/(.*)"],
    ['<LocationMatch "^admin">\n</LocationMatch>', "^admin"],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`).map(([, message]) => message)).toEqual(never(text).map(([, message]) => message));
  });

  test.each([
    ["Redirect 301 /old?id=1 /new.html", "/old?id=1"],
    ["RedirectMatch ^/old\\?id=(.*) /new/$1", "^/old\\?id=(.*)"],
    ["RewriteRule ^/old\\?id=1$ /new", "^/old\\?id=1$"],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`)).toEqual(neverQuery(text));
  });

  test.each([
    ["Redirect 301 /a.php?id=4 /a/b", ["/a.php", "id=4", "/a/b? [R=301,L]"]],
    ["Redirect /a?id=4&b=c https://b.test/n?m=1", ["/a", "id=4&b=c", "https://b.test/n?m=1 [R=302,L]"]],
    ["RedirectPermanent /a?id=4 /n", ["/a", "id=4", "/n? [R=301,L]"]],
  ])("with the lines that do it: %s", (line, [path, query, rule]) => {
    const lines = `\`RewriteCond %{REQUEST_URI} =${path}\`, \`RewriteCond %{QUERY_STRING} =${query}\` and \`RewriteRule ^ ${rule}\``;
    expect(findingsOf([pathPatterns], `${line}\n`)[0]?.help).toEqual([`with \`RewriteEngine On\`, use ${lines}`]);
  });

  test.each(["https://b.test/a%20b", "/n#top", "/n$1"])("without lines for the target %s", (target) => {
    const help = findingsOf([pathPatterns], `Redirect /a.php?id=4 ${target}\n`)[0]?.help;
    expect(help).toEqual(["test the query with `RewriteCond %{QUERY_STRING}`, and the path with `RewriteRule`"]);
  });

  test.each(["RewriteRule ^/page.php?id=(\\d+)$ /p", "RedirectMatch ^/a\\.html?b=1 /p"])(
    "with an optional character: %s",
    (line) => {
      expect(check(`${line}\n`)).toHaveLength(1);
      expect(findingsOf([pathPatterns], `${line}\n`)[0]?.notes?.[0]).toBe("`?` makes the character before it optional");
    },
  );

  test.each([
    "RewriteRule ^/page.php?$ /b",
    "RewriteRule ^/page\\.html?(/.*)?$ /b",
    "RewriteRule ^/api/(.*)$ /b/$1",
    "RewriteRule ^/?api/(.*)$ /b/$1",
    "RewriteRule api/(.*)$ /b/$1",
    "RewriteRule ^(.*)$ /b/$1",
    "RewriteRule !^api /b",
    "RewriteRule ^(a)\\1$ /b",
    "RewriteRule ^(?!api) /b",
    "RewriteRule ^/old\\??id /new",
    "RewriteRule ^@API@/ /b",
    "Redirect 301 /old /new.html",
    "Redirect gone /old",
    "Redirect /old http://example.org/",
    "RedirectMatch ^/old$ /new.html",
    "RedirectMatch old$ /new.html",
    "AliasMatch (?i)^/img/ /srv/img",
    '<LocationMatch "admin">\n</LocationMatch>',
  ])("but not %s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });

  test("but not if the path of a request can be a whole URL", () => {
    const rule = "RewriteRule ^http://a/ - [F]\n";
    expect(check(`ProxyRequests On\nRewriteOptions AllowAnyURI\n${rule}`)).toEqual([]);
    expect(check(`ProxyRequests Off\nRewriteOptions AllowAnyURI\n${rule}`)).toHaveLength(1);
    expect(check(`ProxyRequests On\n${rule}`)).toHaveLength(1);
    expect(check('ProxyRequests On\n<LocationMatch "^http:">\n</LocationMatch>\n')).toEqual([]);
    expect(check("ProxyRequests On\nAlias old /srv/old\n")).toHaveLength(1);
  });
});

describe("reports in a directory", () => {
  test.each([
    ["RewriteRule ^/api/(.*)$ /b/$1", "^/api/(.*)$"],
    ["RewriteRule ^/$ /b", "^/$"],
    ["RewriteRule (^/a|^/b) /c", "(^/a|^/b)"],
  ])("%s", (line, text) => {
    expect(check(inDirectory(line))).toEqual(never(text));
    expect(check(`${line}\n`, { kind: "htaccess" })).toEqual(never(text));
  });

  test.each(["RewriteRule ^api/(.*)$ /b/$1", "RewriteRule ^/?api /b", "RewriteRule a/api /b", "RewriteRule ^$ /b"])(
    "but not %s",
    (line) => {
      expect(check(inDirectory(line))).toEqual([]);
    },
  );

  test("but not in sections if the compared path depends on the request", () => {
    const line = "RewriteRule ^/api /b";
    for (const tag of ['Location "/a"', 'Directory "/srv/*/a"', 'DirectoryMatch "^/srv"', 'Files "a"'])
      expect(check(section(tag, line)), tag).toEqual([]);
    expect(check(`${line}\n`, { kind: "fragment" })).toEqual([]);
  });

  test("but not after a rule that changes the path and continues", () => {
    expect(check(inDirectory("RewriteRule ^a$ /b", "RewriteRule ^/b$ /c"))).toEqual([]);
    expect(check("RewriteRule ^/(.*) ${lowercase:$1} [C]\nRewriteRule ^a b\n")).toEqual([]);
    expect(check("RewriteRule ^b /c\nRewriteRule ^/a b [N]\n")).toEqual([]);
    expect(check(inDirectory("RewriteRule ^a$ /b [L]", "RewriteRule ^/b$ /c"))).toHaveLength(1);
    expect(check(inDirectory("RewriteRule ^a$ - [E=A:1]", "RewriteRule ^/b$ /c"))).toHaveLength(1);
  });

  test.each([
    ["RewriteRule ^a$ b", "RewriteRule ^/c$ /d"],
    ["RewriteRule ^a$ /b", "RewriteRule ^/c$ /d"],
    ["RewriteRule ^a/(.*)$ /b/$1", "RewriteRule ^/a/ /d"],
    ["RewriteRule ^a$ /b?x=/c", "RewriteRule ^/c$ /d"],
    // A server compares `http://host/b` (2.4.71).
    ["RewriteRule ^a$ /b [R]", "RewriteRule ^/b$ /c"],
    ["RewriteRule ^a$ http://b.test/ [R]", "RewriteRule ^/b /c"],
  ])("after a rule that changes the path: %s, %s", (first, second) => {
    expect(check(inDirectory(first, second))).toHaveLength(1);
    expect(check(`${first}\n${second}\n`, { kind: "htaccess" })).toHaveLength(1);
  });

  test.each([
    ["RewriteRule ^a$ /b", "RewriteRule ^/b$ /c"],
    ["RewriteRule ^a/(.*)$ /b/$1", "RewriteRule ^/b/x /d"],
    ["RewriteRule ^a$ /b", "RewriteRule ^/b/info$ /d"],
    ["RewriteRule ^(.*)$ $1/", "RewriteRule ^/c$ /d"],
    ["RewriteRule ^a$ %{ENV:X}", "RewriteRule ^/c$ /d"],
    ["RewriteRule ^a$ http://a.test/c", "RewriteRule ^/c$ /d"],
    ["RewriteRule ^a$ /b [R]", "RewriteRule ^http://[^/]+/b /c"],
    ["RewriteRule ^a$ b", "RewriteRule ^b$ c"],
    ["RewriteRule ^a$ /b\nRewriteRule ^x$ y", "RewriteRule ^/b$ /c"],
  ])("but not what it makes: %s, %s", (first, second) => {
    expect(check(inDirectory(first, second))).toEqual([]);
    expect(check(`${first}\n${second}\n`, { kind: "htaccess" })).toEqual([]);
  });

  test.each([
    ["rules of a directory below, which come first", section('Directory "/srv/a"', "RewriteOptions Inherit")],
    ["rules of a directory above that come first", section('Directory "/"', "RewriteOptions InheritDownBefore")],
    ["rules of any directory", section('DirectoryMatch "a$"', "RewriteOptions Inherit")],
  ])("but not with %s", (_, other) => {
    expect(check(inDirectory("RewriteRule ^/b$ /c"))).toHaveLength(1);
    expect(check(inDirectory("RewriteRule ^/b$ /c") + other)).toEqual([]);
  });

  test.each([
    ["InheritBefore", 0],
    ["InheritDown", 0],
    ["Inherit", 1],
    ["InheritDownBefore", 1],
    ["MergeBase", 1],
  ])("with %s in the same directory: %i", (option, count) => {
    expect(check(inDirectory(`RewriteOptions ${option}`, "RewriteRule ^/b$ /c"))).toHaveLength(count);
  });

  test.each([
    ["a directory beside it", section('Directory "/opt"', "RewriteOptions Inherit")],
    ["the server, whose options do not apply to directories", "RewriteOptions Inherit\n"],
    ["a virtual host", section("VirtualHost *:80", "RewriteOptions InheritBefore")],
  ])("although rules are inherited in %s", (_, other) => {
    expect(check(other + inDirectory("RewriteRule ^/b$ /c"))).toHaveLength(1);
    expect(check(`${other}Alias old /srv/old\n`)).toHaveLength(1);
  });

  test("but not on a server whose rules follow those of a virtual host, or the reverse", () => {
    const host = (...lines: readonly string[]) =>
      section("VirtualHost *:80", "RewriteEngine On", "RewriteRule ^/x$ /y", ...lines);
    const late = "RewriteRule ^b$ /c";
    expect(check(`${late}\n${host("RewriteOptions Inherit")}`)).toEqual([]);
    expect(check(`${late}\n${host("RewriteOptions InheritBefore")}`)).toHaveLength(1);
    expect(check(`${late}\nRewriteOptions Inherit\n${host()}`)).toEqual([]);
    expect(check(`${late}\nRewriteOptions InheritDown\n${host()}`)).toEqual([]);
    expect(check(`${late}\nRewriteOptions Inherit\n`)).toHaveLength(1);
    const own = (options: string) => section("VirtualHost *:80", late, `RewriteOptions ${options}`);
    expect(check(own("InheritBefore"))).toEqual([]);
    expect(check(own("Inherit"))).toHaveLength(1);
    expect(check(`RewriteOptions InheritDownBefore\n${section("VirtualHost *:80", late)}`)).toEqual([]);
    expect(check(host("RewriteOptions InheritBefore") + section("VirtualHost *:80", late))).toHaveLength(1);
  });

  test("but not if slashes are not merged", () => {
    expect(check(`MergeSlashes Off\n${inDirectory("RewriteRule ^/api /b")}`)).toEqual([]);
  });

  test("but not Redirect without a path, which applies to the whole directory", () => {
    expect(check("Redirect permanent /old\n", { kind: "htaccess" })).toEqual([]);
    expect(check("Redirect 301 old /new\n", { kind: "htaccess" })).toEqual(never("old"));
  });
});

describe("reports a pattern that repeats its own directory", () => {
  const root = 'DocumentRoot "/srv/www"\n';
  const rule = "RewriteEngine On\nRewriteRule ^api/v1/(.*)$ index.php?q=$1 [L]\n";
  const inApi = (...lines: readonly string[]) => section('Directory "/srv/www/api/v1"', ...lines);
  const allowed = section('Directory "/srv/www"', "AllowOverride All");
  const repeats = [["^api/v1/(.*)$", "`^api/v1/(.*)$` repeats its own directory"]];

  test("in a section, with the pattern to use", () => {
    const text = root + inApi(rule);
    expect(findingsOf([pathPatterns], text).map(({ notes, help }) => [notes, help])).toEqual([
      [
        [
          "here, `RewriteRule` compares the path below `api/v1/`, which the server removes first",
          "the rule never applies, unless the directory contains one of the same name",
        ],
        ["use `^(.*)$`"],
      ],
    ]);
    expect(lintText([pathPatterns], text)[0]?.fix?.edits[0]?.text).toBe("^(.*)$");
  });

  test.each([
    ["a .htaccess file of a server", root + allowed, { "/srv/www/api/v1/.htaccess": rule }],
    ["a virtual host", section("VirtualHost *:80", root, inApi(rule)), {}],
    ["a directory with an Alias", `Alias /api/v1 /opt/app\n${section("Directory /opt/app/", rule)}`, {}],
  ])("in %s", (_, text, files) => {
    expect(check(text, { files })).toEqual(repeats);
  });

  test.each([
    "^api\\/v1\\/(.*)$ /b",
    "^/?api/v1/x /b",
    "^api/v1/(?:a|b)$ - [F]",
    "^(api/v1/x)$ /b",
    "^API/v1/x /b [NC]",
    "^api/v1/ - [G]",
  ])("as %s", (words) => {
    expect(check(root + inApi(`RewriteRule ${words}`))).toHaveLength(1);
  });

  test.each([
    ["^api/v2/(.*)$ /b"],
    ["^api/v1 /b"],
    ["api/v1/(.*)$ /b"],
    ["^api/v1/(.*)$|^x /b"],
    ["^(?:api/v1/)?x /b"],
    ["^v1/(.*)$ /b"],
    ["!^api/v1/ /b"],
    ["^API/v1/x /b"],
  ])("but not %s", (words) => {
    expect(check(root + inApi(`RewriteRule ${words}`))).toEqual([]);
  });

  test.each([
    ["in another directory", root + section('Directory "/srv/www/v1"', rule), {}],
    ["in the document root", root + section('Directory "/srv/www"', rule), {}],
    [
      "in the document root of that name",
      `DocumentRoot "/srv/api/v1"\n${section('Directory "/srv/api/v1"', rule)}`,
      {},
    ],
    ["if there is such a directory", root + inApi(rule), { "/srv/www/api/v1/api/v1/x": "" }],
    ["if another rule leads to it", root + inApi("RewriteRule ^x$ api/v1/y", rule), {}],
    ["in a virtual host, where the path is whole", section("VirtualHost *:80", root, rule.replace("^", "^/")), {}],
  ])("but not %s", (_, text, files) => {
    expect(check(text, { files })).toEqual([]);
  });

  test("but not the name of the directory of a .htaccess file on its own, which may be a working copy", () => {
    expect(check("RewriteRule ^srv/(.*)$ /b\n", { kind: "htaccess" })).toEqual([]);
  });
});

describe("reports a pattern with a slash in <FilesMatch>", () => {
  test.each(["^config/.*\\.yml$", "/\\.env$"])("%s", (pattern) => {
    expect(check(section(`FilesMatch "${pattern}"`, "Require all denied")).map(([, message]) => message)).toEqual([
      `\`${pattern}\` never matches a request`,
    ]);
  });

  test.each([
    [
      "^wp-content/uploads/.*\\.php$",
      '`<FilesMatch "\\.php$">`',
      "`wp-content/uploads/.htaccess`",
      "`wp-content/uploads`",
    ],
    ["^/config/app\\.yml$", '`<FilesMatch "^app\\.yml$">`', "`config/.htaccess`", "`config`"],
    ["^cache\\.d/", "the lines of the section", "`cache.d/.htaccess`", "`cache.d`"],
    ["^cache/.*$", "the lines of the section", "`cache/.htaccess`", "`cache`"],
    ["uploads/.*\\.php$", "only the name", "the `.htaccess` file of its directory", "its directory"],
    ["^(a|b)/.*\\.php$", "only the name", "the `.htaccess` file of its directory", "its directory"],
  ])("%s, with a remedy for each kind of file", (pattern, what, file, directory) => {
    const helpFor = (kind: "htaccess" | "server") =>
      findingsOf([pathPatterns], section(`FilesMatch "${pattern}"`, "Require all denied"), { kind })[0]?.help?.[0];
    expect(helpFor("htaccess")).toContain(what);
    expect(helpFor("htaccess")?.endsWith(file)).toBe(true);
    expect(helpFor("server")).toContain(what);
    expect(helpFor("server")?.endsWith(`a \`<Directory>\` section for ${directory}`)).toBe(true);
  });

  test.each(["\\.env$", "^(a/)?b$", "a|b/c"])("but not %s", (pattern) => {
    expect(check(section(`FilesMatch "${pattern}"`, "Require all denied"))).toEqual([]);
  });
});

describe("reports a pattern with a scheme or a fragment", () => {
  test.each([
    ["RewriteRule ^http://a\\.test/(.*)$ https://a.test/$1 [R]", "never matches a request"],
    ["RewriteRule ^https?://www /b [R]", "never matches a request"],
    ["RewriteRule ^#/(.*)$ /$1 [R]", "matches only a URL with an encoded `#`"],
    ["RewriteRule ^a(#.*)$ /b [R]", "matches only a URL with an encoded `#`"],
    ["Redirect /a#b /c", "matches only a URL with an encoded `#`"],
    ["RedirectMatch ^/a#b$ /c", "matches only a URL with an encoded `#`"],
  ])("%s", (line, message) => {
    expect(check(`${line}\n`, { kind: "htaccess" }).map(([text, actual]) => [text, actual])).toEqual([
      [expect.anything(), expect.stringContaining(message)],
    ]);
  });

  test.each([
    "RewriteRule ^http/(.*)$ /b",
    "RewriteRule ^redirect/https?:/(.*)$ /b",
    "RewriteRule ^(a|#b)$ /c",
    "RewriteRule ^#.*#$ - [F]",
    "RewriteRule ^a$ /b#c [R,NE]",
    "Redirect /a /b#c",
    '<FilesMatch "^#">\n</FilesMatch>',
  ])("but not %s", (line) => {
    expect(check(`${line}\n`, { kind: "htaccess" })).toEqual([]);
  });
});

test.each([
  [inDirectory("RewriteRule ^/api /b"), "^api"],
  ["RewriteRule ^api /b\n", "^/api"],
  ['RewriteRule "^api" /b\n', '"^/api"'],
  ["RewriteRule '^a b' /b\n", "'^/a b'"],
  ["Redirect old /b\n", "/old"],
  [inDirectory("RewriteRule ^/$ /b"), "^$"],
  ["RewriteRule (^a|^b) /c\n", undefined],
])("fixes %j", (text, replacement) => {
  expect(lintText([pathPatterns], text)[0]?.fix?.edits[0]?.text).toBe(replacement);
});

test.each([
  ['Alias "\\.well-known/acme-challenge" /srv/acme', "/.well-known/acme-challenge"],
  ["Redirect ^old/a\\.html https://b.test/", "/old/a.html"],
  ["Alias ^/img /srv/img", "/img"],
  ["Alias .well-known/x /srv/x", "/.well-known/x"],
])("a path that is written as a pattern is corrected: %s", (line, path) => {
  expect(findingsOf([pathPatterns], `${line}\n`).map(({ help }) => help)).toEqual([[`use \`${path}\``]]);
});

describe("the target of an Alias", () => {
  const checkAlias = (line: string) => findingsOf([pathPatterns], `${line}\n`).map(({ message }) => message);

  test("is reported if it is a file with a slash", () => {
    expect(checkAlias('Alias "/robots.txt" "/srv/robots.txt/"')).toEqual([
      "`/srv/robots.txt/` is a file with a slash after it",
    ]);
  });

  test.each([
    "Alias /robots.txt /srv/robots.txt",
    "Alias /docs /srv/docs/",
    "Alias /app /srv/app.php/",
    "Alias /v1 /srv/v1.2/",
  ])("is not reported for %s", (line) => {
    expect(checkAlias(line)).toEqual([]);
  });
});

describe("sections whose rules compare the whole path of the file", () => {
  const found = (tag: string, ...lines: readonly string[]) => {
    const text = section(tag, "RewriteEngine On", ...lines);
    const host = section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/one/public", text);
    const [onServer, inHost] = [`DocumentRoot /srv/one/public\n${text}`, host].map((each) =>
      findingsOf([pathPatterns], each).map(({ message, notes }) => [message, ...(notes ?? [])]),
    );
    expect(inHost).toEqual(onServer);
    return onServer?.map(([message, ...notes]) =>
      [message, notes.find((note) => note.includes("becomes"))].join(" | "),
    );
  };
  const whole = (group: string, path: string, result: string) =>
    `\`${group}\` contains the whole path of the file | \`${path}\` becomes \`${result}\``;
  const never = (pattern: string) => `\`${pattern}\` never matches a request | `;
  const relative = (target: string) => `relative target \`${target}\` does not lead to a file | `;
  const wild = 'Directory "/srv/*/public/"';

  test.each<[string, string, string]>([
    [wild, "RewriteRule ^(.+)$ /index.php?q=$1 [L,QSA]", whole("$1", "/page", "/index.php?q=/srv/one/public/page")],
    [wild, "RewriteRule ^/?(.*)$ /index.php/$1 [L]", whole("$1", "/page", "/index.php/srv/one/public/page")],
    [
      wild,
      "RewriteRule .* http://127.0.0.1:81/$0 [P]",
      whole("$0", "/page", "http://127.0.0.1:81//srv/one/public/page"),
    ],
    ["Directory /srv/o?e/public", "RewriteRule (.*) /x/$1 [L]", whole("$1", "/page", "/x//srv/one/public/page")],
    ['Directory "/srv/[no]ne/public"', "RewriteRule (.*) /x/$1 [L]", whole("$1", "/page", "/x//srv/xne/public/page")],
    ['Directory ~ "^/srv/[^/]+/public"', "RewriteRule (.*) /x/$1", whole("$1", "/page", "/x//srv/one/public/page")],
    ['DirectoryMatch "/public/?$"', "RewriteRule (.*) /x/$1", whole("$1", "/page", "/x//srv/one/public/page")],
    [
      "Location /app",
      "RewriteRule ^(.*)$ http://127.0.0.1:81/$1 [P]",
      whole("$1", "/app/page", "http://127.0.0.1:81//srv/one/public/app/page"),
    ],
    [
      "LocationMatch ^/a",
      "RewriteRule ^(.*)$ https://www.a.test/$1 [R,L]",
      whole("$1", "/page", "https://www.a.test//srv/one/public/page"),
    ],
    [
      "If true",
      "RewriteRule ^(.*)$ https://www.a.test/$1 [R,L]",
      whole("$1", "/page", "https://www.a.test//srv/one/public/page"),
    ],
    ["FilesMatch \\.php$", "RewriteRule ^(.*)$ /run?file=$1", whole("$1", "/page", "/run?file=/srv/one/public/page")],
    [
      wild,
      "RewriteCond %{DOCUMENT_ROOT}/cache/$1.html -f\nRewriteRule ^(.*)$ /cache.php [L]",
      whole("$1", "/page", "/cache.php"),
    ],
    [wild, "RewriteRule ^index\\.php$ - [L]", never("^index\\.php$")],
    [wild, "RewriteRule ^$ /home [L]", never("^$")],
    [wild, "RewriteRule ^(css|js)/(.*)$ /static/$1/$2 [L]", never("^(css|js)/(.*)$")],
    ["DirectoryMatch ^/srv/.*/public", "RewriteRule ^login$ /login.php [L]", never("^login$")],
    ["Location /app", "RewriteRule ^/app/(.*)$ http://127.0.0.1:81/$1 [P]", never("^/app/(.*)$")],
    ["Location /app/", "RewriteRule ^app/(.*)$ /$1 [R]", never("^app/(.*)$")],
    ["Location /app", "RewriteRule ^/?app/old$ /new [R]", never("^/?app/old$")],
    ["Files x.php", "RewriteRule ^x\\.php$ /y [R]", never("^x\\.php$")],
    [wild, "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]", relative("index.php")],
    ["DirectoryMatch ^/srv/.*/public", "RewriteBase /\nRewriteRule !\\.php$ index.php [L]", relative("index.php")],
    ["If true", "RewriteRule .*go$ b.txt [L]", relative("b.txt")],
    ["Files go", "RewriteBase /\nRewriteRule ^ b.txt [L]", relative("b.txt")],
  ])("<%s> %s", (tag, lines, expected) => {
    expect(found(tag, ...lines.split("\n"))).toEqual([expected]);
  });

  test.each<[string, string]>([
    [wild, "RewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . index.php [L]"],
    [wild, "RewriteRule ^ /index.php [L]"],
    [wild, "RewriteRule ^(.*)\\.html$ $1.php [L]"],
    [wild, "RewriteRule /([^/]+)\\.html$ /page.php?name=$1 [L]"],
    [wild, "RewriteRule /public/(.*)$ /index.php?q=$1 [L]"],
    [wild, "RewriteRule (^|/)\\.git - [F]"],
    [wild, "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R,L]"],
    [wild, "RewriteRule .* - [E=A:$0]"],
    ["Directory /srv/one/public", "RewriteRule ^(.*)$ /index.php?q=$1 [L]"],
    ["Directory /srv/one/public", "RewriteRule . index.php [L]"],
    ["Location /app", "RewriteRule ^ http://127.0.0.1:81%{REQUEST_URI} [P]"],
    ["Location /app", "RewriteRule /app/(.*)$ http://127.0.0.1:81/$1 [P]"],
    ["Location /app", "RewriteRule .* b.txt [L]"],
    ["Location /srv", "RewriteRule ^one/public/a$ /b [L]"],
    ["Location /", "RewriteRule (.*) https://%{HTTP_HOST}%{REQUEST_URI} [R]"],
    ["If true", "RewriteRule ^ https://www.a.test%{REQUEST_URI} [R]"],
  ])("not <%s> %s", (tag, lines) => {
    expect(found(tag, ...lines.split("\n"))).toEqual([]);
  });

  test("once for the rules of a section", () => {
    const rules = ["a", "b", "c"].map((name) => `RewriteRule ^${name}/(.*)$|^(.*)$ /${name}.php?q=$2 [L]`);
    const findings = findingsOf([pathPatterns], section(wild, "RewriteEngine On", ...rules));
    expect(findings.map(({ message, related }) => [message, related.length])).toEqual([
      ["`$2` contains the whole path of the file", 2],
    ]);
  });
});

describe("a path of the disk where httpd takes a path of a URL", () => {
  const root = "DocumentRoot /srv/shop/public";
  const found = (...lines: readonly string[]) =>
    findingsOf([pathPatterns], `${[root, ...lines].join("\n")}\n`).map(({ message, help }) => [message, help?.[0]]);
  const isOfDisk = (text: string, corrected: string) => [
    [`\`${text}\` is a path of the disk, and not of a URL`, `use \`${corrected}\``],
  ];

  test.each<[string, string, string]>([
    ["Redirect TEXT https://b.test/", "/srv/shop/public/old", "/old"],
    ["Redirect permanent TEXT https://b.test/", "/srv/shop/public/old", "/old"],
    ["Redirect TEXT https://b.test/", "/srv/shop/public", "/"],
    ["RedirectMatch 301 TEXT https://b.test/", "^/srv/shop/public/old(.*)$", "^/old(.*)$"],
    ["RedirectPermanent TEXT https://b.test/", "/srv/shop/public/old", "/old"],
    ["Alias TEXT /srv/old", "/srv/shop/public/old", "/old"],
    ["AliasMatch TEXT /srv/old/$1", "^/srv/shop/public/old/(.*)", "^/old/(.*)"],
    ["ScriptAlias TEXT /srv/bin/", "/srv/shop/public/cgi-bin/", "/cgi-bin/"],
    ["ErrorDocument 404 TEXT", "/srv/shop/public/404.html", "/404.html"],
    ["ProxyPass TEXT http://127.0.0.1:8080/", "/srv/shop/public/app/", "/app/"],
    ["<LocationMatch TEXT>\nRequire all denied\n</LocationMatch>", "^/srv/shop/public/priv", "^/priv"],
    ["RewriteRule TEXT /new [R]", "^/srv/shop/public/old", "^/old"],
  ])("%s: %s", (line, text, corrected) => {
    expect(found(line.replace("TEXT", text))).toEqual(isOfDisk(text, corrected));
    expect(found(line.replace("TEXT", corrected))).toEqual([]);
  });

  test("in a .htaccess file, whose document root is a usual one", () => {
    const check = (text: string) => findingsOf([pathPatterns], `${text}\n`, { kind: "htaccess" }).length;
    expect(check("ErrorDocument 404 /home/alice/public_html/404.html")).toBe(1);
    expect(check("ErrorDocument 404 /var/www/html/404.html")).toBe(1);
    expect(check("ErrorDocument 404 /home/alice/404.html")).toBe(0);
    expect(check("ErrorDocument 404 /404.html")).toBe(0);
  });

  test.each([
    "Redirect /srv https://b.test/",
    "Redirect /srv/shop https://b.test/",
    "Redirect /srv/shop/publications https://b.test/",
    "Redirect /old /srv/shop/public/new",
    "Alias /old /srv/shop/public/old",
    "Alias /srv/shop/public /srv/shop/public",
    "AliasMatch ^/(.*) /srv/shop/public/$1",
    'ErrorDocument 404 "See /srv/shop/public/404.html"',
    "ErrorDocument 404 https://b.test/srv/shop/public/404.html",
    "<Directory /srv/shop/public/priv>\nRequire all denied\n</Directory>",
    "<DirectoryMatch ^/srv/shop/public/priv>\nRequire all denied\n</DirectoryMatch>",
    "RewriteRule ^/old /srv/shop/public/new",
    "RewriteRule !^/srv/shop/public - [L]",
    "RewriteRule ^/old(.*) /srv/shop/public/new$1\nRewriteRule ^/srv/shop/public/new - [L]",
    "ProxyPass /app/ http://127.0.0.1:8080/srv/shop/public/",
  ])("is not reported for %s", (line) => {
    expect(found(line)).toEqual([]);
  });
});

describe("encoded characters", () => {
  const decoded = (text: string) =>
    findingsOf([pathPatterns], `${text}\n`, { kind: "htaccess" }).map(({ help }) => help?.[0]);

  test.each([
    ["RewriteRule ^our%20team$ /team [R]", "use `^our\\steam$`"],
    ["RewriteRule ^a%2Bb$ /c", "use `^a\\+b$`"],
    ["RewriteRule ^%C3%BCber$ /about [R]", "use `^über$`"],
    ['Redirect 301 "/price%20list.pdf" /p.pdf', 'use `"/price list.pdf"`'],
    ["Redirect /caf%C3%A9 /c", "use `/café`"],
    ["RedirectMatch ^/a%20(.*) /a/$1", "use `^/a\\s(.*)`"],
  ])("are decoded before a line compares them: %s", (line, help) => {
    expect(decoded(line)).toEqual([help]);
  });

  test.each([
    "RewriteRule ^our\\ team$ /team [R]",
    "RewriteRule ^(a|b%20c)$ /d",
    "RewriteRule ^a%2520b$ /c",
    "RewriteRule ^a%20b - [F]",
    "RewriteRule %00 - [G]",
    "RewriteRule %0d /a",
    "Redirect 301 /a /b%20c",
    "RewriteRule ^a100%$ /b",
    "RewriteRule ^a%(20|30)$ /b",
  ])("but not in %s", (line) => {
    expect(decoded(line)).toEqual([]);
  });

  test("are decoded by the fix", () => {
    const text = "Redirect 301 /price%20list.pdf /p.pdf\n";
    const [finding] = lintText([pathPatterns], text, { kind: "htaccess" });
    expect(applyEdits(text, finding?.fix?.edits ?? [])).toBe('Redirect 301 "/price list.pdf" /p.pdf\n');
  });
});

describe("a pattern of a directory that begins with a slash", () => {
  const deeper = (text: string) =>
    findingsOf([pathPatterns], `${text}\n`, { kind: "htaccess" }).map(({ message, severity }) => [severity, message]);

  test.each([
    ["RewriteRule /news/(.*)$ /archive/$1 [R]", "/news/"],
    ["RewriteRule /old-shop /shop [R]", "/old-shop"],
    ["RewriteRule /wp-config\\.php - [F]", "/wp-config.php"],
    ["RewriteRule /blog/(feed|rss)$ /feed [L]", "/blog/"],
  ])("does not match the path in this directory: %s", (line, path) => {
    const pattern = line.split(" ")[1];
    expect(deeper(line)).toEqual([["info", `\`${pattern}\` does not match \`${path}\` here`]]);
  });

  test.each([
    "RewriteRule (^|/)news/ /archive/ [R]",
    "RewriteRule news/ /archive/ [R]",
    "RewriteRule /$ /index.php [L]",
    "RewriteRule /(page|feed)$ /a [L]",
    "RewriteRule /news|^news /archive [R]",
    "RewriteRule .*/news /archive [R]",
    "RewriteRule !/news /archive [R]",
    "RewriteRule /? /archive [R]",
  ])("but not %s", (line) => {
    expect(deeper(line)).toEqual([]);
  });

  test("matches on a server", () => {
    expect(check("RewriteRule /news/ /archive/ [R]\n")).toEqual([]);
  });
});

describe("ProxyPassReverse", () => {
  const reverse = (...lines: readonly string[]) =>
    findingsOf([pathPatterns], section("VirtualHost *:80", "ServerName shop.test", ...lines)).map(({ text, help }) => [
      text,
      help?.[0],
    ]);

  test.each([
    ["ProxyPass /a/ http://10.0.0.4:8080/a/", "ProxyPassReverse /a/ http://10.0.0.4/a/"],
    ["ProxyPass /a http://app:3000", "ProxyPassReverse /a https://app:3000"],
    ["ProxyPass / http://localhost:8080/", "ProxyPassReverse / http://127.0.0.1:8080/"],
    ["ProxyPass /a/ http://b.test/", "ProxyPassReverse /a http://c.test/"],
    [section("Location /a", "ProxyPass http://b.test:81/", "ProxyPassReverse http://b.test:82/"), ""],
  ])("with another host, port or scheme than the backend: %s %s", (pass, line) => {
    expect(reverse(pass, line)).toHaveLength(1);
  });

  test("is corrected", () => {
    expect(reverse("ProxyPass /a/ http://b.test:81/x/", "ProxyPassReverse /a/ http://b.test:82/x/")).toEqual([
      ["http://b.test:82/x/", "use `http://b.test:81/x/` here, too"],
    ]);
  });

  test.each([
    ["ProxyPass /app http://b.test:3000", "ProxyPassReverse / http://b.test:3000/", "/", "/app"],
    ["ProxyPass /app/ http://b.test:3000/x/", "ProxyPassReverse /ap/ http://b.test:3000/x/", "/ap/", "/app"],
    [section("Location /app", "ProxyPass http://b.test/"), "ProxyPassReverse / http://b.test/", "/", "/app"],
  ])("for another path than the backend: %s %s", (pass, line, path, target) => {
    expect(reverse(pass, line)).toEqual([[path, `use \`${target}\` here, too`]]);
  });

  test.each([
    ["a path below one that is proxied", ["ProxyPass /a http://b.test/", "ProxyPassReverse /a/c http://b.test/"]],
    [
      "a second path beside that of the backend",
      ["ProxyPass /a http://b.test/", "ProxyPassReverse /a http://b.test/", "ProxyPassReverse / http://b.test/"],
    ],
    [
      "a backend with two paths",
      ["ProxyPass /a http://b.test/", "ProxyPass /c http://b.test/", "ProxyPassReverse / http://b.test/"],
    ],
    [
      "a path that goes to another backend",
      ["ProxyPass /a http://b.test/", "ProxyPass / http://d.test/", "ProxyPassReverse / http://b.test/"],
    ],
    ["the same", ["ProxyPass /a http://b.test/", "ProxyPassReverse /a http://b.test/x"]],
    ["the usual port", ["ProxyPass /a http://b.test:80/", "ProxyPassReverse /a http://B.test/"]],
    ["the name of the server", ["ProxyPass / http://10.0.0.4:8080/", "ProxyPassReverse / http://shop.test/"]],
    [
      "two lines",
      ["ProxyPass / http://b.test:1/", "ProxyPassReverse / http://b.test:1/", "ProxyPassReverse / http://b.test/"],
    ],
    ["a balancer", ["ProxyPass / balancer://b/", "ProxyPassReverse / http://c.test/"]],
    ["a web socket", ["ProxyPass /a ws://b.test/", "ProxyPassReverse /a http://b.test/"]],
    ["another path", ["ProxyPass /a http://b.test/", "ProxyPassReverse /c http://d.test/"]],
    [
      "the backend of another path",
      ["ProxyPass /a http://b.test/", "ProxyPass /c http://d.test/", "ProxyPassReverse /a http://d.test/"],
    ],
    ["an exception", ["ProxyPass /a !", "ProxyPassReverse /a http://b.test/"]],
    ["a rule", ["RewriteRule ^/(.*) http://b.test/$1 [P]", "ProxyPassReverse / http://c.test/"]],
    ["a variable", ["ProxyPass / http://${BACKEND}/", "ProxyPassReverse / http://b.test/"]],
  ])("is not reported with %s", (_, lines) => {
    expect(reverse(...lines)).toEqual([]);
  });
});

describe("the lines for answers of a backend", () => {
  const found = (...lines: readonly string[]) =>
    findingsOf([pathPatterns], section("VirtualHost *:80", "ServerName shop.test", ...lines)).map(({ text, help }) => [
      text,
      help?.[0],
    ]);
  const inner = "ProxyPass /admin/x http://192.0.2.1/web";

  test.each([
    ["ProxyPassReverseCookieDomain /admin/x http://192.0.2.1/web/", "/admin/x"],
    ["ProxyPassReverseCookieDomain http://192.0.2.1 shop.test", "http://192.0.2.1"],
    ["ProxyPassReverseCookieDomain 192.0.2.1 https://shop.test/", "https://shop.test/"],
    ["ProxyPassReverseCookieDomain 192.0.2.1:8080 shop.test", "192.0.2.1:8080"],
    ["ProxyPassReverseCookiePath http://192.0.2.1/web /admin/x", "http://192.0.2.1/web"],
    ["ProxyPassReverseCookiePath /admin/x http://192.0.2.1/web/", "http://192.0.2.1/web/"],
  ])("%s", (line, word) => {
    expect(found(inner, line).map(([text]) => text)).toEqual([word]);
  });

  test.each([
    [inner, "ProxyPassReverseCookiePath /admin/x /web", "/web /admin/x"],
    ["ProxyPass /f/api/ http://b.test:81/api/", "ProxyPassReverseCookiePath /f/api /api", "/api /f/api"],
    [
      section("Location /f/api", "ProxyPass http://b.test:81/api", "ProxyPassReverseCookiePath /f/api /api"),
      "",
      "/api /f/api",
    ],
  ])("have the path of the backend first: %s %s", (pass, line, corrected) => {
    expect(found(pass, line).map(([, help]) => help)).toEqual([`swap the arguments: \`${corrected}\``]);
  });

  test.each([
    ["ProxyPassReverseCookieDomain 192.0.2.1 shop.test"],
    ["ProxyPassReverseCookieDomain .b.test .shop.test"],
    ["ProxyPassReverseCookieDomain ${INNER} ${OUTER}"],
    ["ProxyPassReverseCookiePath /web /admin/x"],
    ["ProxyPassReverseCookiePath / /admin/x"],
    ["ProxyPassReverseCookiePath /admin/x /other"],
  ])("not %s", (line) => {
    expect(found(inner, line)).toEqual([]);
  });

  const atRoot = "ProxyPass /shop/ http://b.test:81/";
  test.each([
    [atRoot, "ProxyPassReverseCookiePath /shop/ /", "/ /shop/"],
    ["ProxyPass /shop http://b.test:81", "ProxyPassReverseCookiePath /shop /", "/ /shop"],
    [section("Location /shop", "ProxyPass http://b.test:81/", "ProxyPassReverseCookiePath /shop /"), "", "/ /shop"],
  ])("usually have the path of a backend at the root: %s %s", (pass, line, corrected) => {
    expect(found(pass, line).map(([, help]) => help)).toEqual([`swap the arguments: \`${corrected}\``]);
  });

  test.each([
    [[atRoot, "ProxyPassReverseCookiePath / /shop/"]],
    [[atRoot, "ProxyPassReverseCookiePath / /shop/", "ProxyPassReverseCookiePath /shop/ /"]],
    [[atRoot, "ProxyPass /old/ http://b.test:81/shop/", "ProxyPassReverseCookiePath /shop/ /"]],
    [["ProxyPass /shop/ http://b.test:81/shop/", "ProxyPassReverseCookiePath /shop/ /"]],
    [["ProxyPass / http://b.test:81/", "ProxyPassReverseCookiePath / /"]],
  ])("are not in the wrong order: %j", (lines) => {
    expect(found(...lines)).toEqual([]);
  });

  test("a path that is proxied to the same path is not in the wrong order", () => {
    expect(
      found("ProxyPass /a http://b.test/c", "ProxyPass /d http://b.test/a", "ProxyPassReverseCookiePath /a /c"),
    ).toEqual([]);
  });

  test.each([
    [
      "ProxyPass /foo http://b.test:81/foo",
      section("Location /foo/", "ProxyPassReverse /"),
      "/",
      "http://b.test:81/foo/",
    ],
    ["ProxyPass /app http://b.test/", "ProxyPassReverse /app /", "/app", "http://b.test"],
    ["ProxyPass /app/ http://b.test/in/", "ProxyPassReverse /app/ /", "/app/", "http://b.test/in/"],
  ])("ProxyPassReverse with the path of another directory: %s %s", (pass, line, _, corrected) => {
    expect(found(pass, line).map(([, help]) => help)).toEqual([`use \`${corrected}\``]);
  });

  test.each([
    ["ProxyPass /app/ http://b.test/in/", "ProxyPassReverse /app/ /in/"],
    ["ProxyPass /app/ http://b.test/", "ProxyPassReverse /app/ /"],
    ["ProxyPass / http://b.test/", "ProxyPassReverse / /"],
    ["ProxyPass /app http://b.test/in", "ProxyPassReverse /app /in"],
    ["ProxyPass /app http://b.test/in", "ProxyPassReverse /app /in\nProxyPassReverse /app http://b.test/in"],
    ["ProxyPass /app balancer://b/in", "ProxyPassReverse /app /"],
  ])("not %s %s", (pass, line) => {
    expect(found(pass, line)).toEqual([]);
  });
});
