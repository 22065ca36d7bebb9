import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { type LoopCase, loopCases, siteFiles } from "../../test/live/loop-cases.js";
import { findingsOf, type Given, inDirectory, lintText, resultOf, section } from "../../test/support/rules.js";
import { rewriteLoop } from "./rewrite-loop.js";

/** Rules apply only with this line. */
const engine = "RewriteEngine On\n";
const check = (text: string, given: Given = { kind: "htaccess" }) =>
  findingsOf([rewriteLoop], text.includes("RewriteRule") ? `${engine}${text}\n` : `${text}\n`, given);
const messages = (text: string, given?: Given) => check(text, given).map(({ message }) => message);

test("reports all parts of a finding", () => {
  expect(check("RewriteRule ^(.*)$ /index.php/$1 [L]")).toEqual([
    {
      rule: "rewrite-loop",
      severity: "error",
      at: "2:1-2:37",
      text: "RewriteRule ^(.*)$ /index.php/$1 [L]",
      message: "requests such as `/page` return 500: rewriting never ends",
      notes: [
        "`/page` becomes `/index.php/page`, then `/index.php/index.php/page`",
        "in a directory, the rules run again for each result; after 10 rounds, httpd returns 500 (AH00124)",
        "this holds if the file is in the document root",
      ],
      help: [
        "use `END` instead of `L`",
        "or add `RewriteCond %{ENV:REDIRECT_STATUS} ^$` before the rule, so that it does not apply to results",
      ],
      related: [],
    },
  ]);
});

describe("reports a rule of a directory", () => {
  test.each([
    ["RewriteRule ^(.*)$ index.php/$1 [L]", "/page"],
    ["RewriteRule (.+) index.php/$1", "/page"],
    ["RewriteBase /a/\nRewriteRule ^(.*)$ /a/b.php/index/$1 [L]\nRewriteRule ^b - [L]", "/a/page"],
    ["RewriteBase /a\nRewriteRule ^(.*)$ index.php/$1 [L]", "/a/page"],
    ["RewriteCond %{HTTP_HOST} ^a\\.test$\nRewriteRule ^(.*)$ index.php/$1 [L]", "/page"],
    ["RewriteRule ^photo- - [L]\nRewriteRule ^(\\w+)$ x$1 [L]", "/page"],
  ])("%j", (lines, path) => {
    expect(messages(lines)).toEqual([`requests such as \`${path}\` return 500: rewriting never ends`]);
  });

  test.each([
    "RewriteBase /a/\nRewriteRule ^index\\.php$ - [L]\nRewriteRule . /a/index.php [L]",
    "RewriteBase /a\nRewriteRule ^((?!index\\.php).*)$ index.php/$1 [L]",
    "RewriteBase /a\nRewriteCond $1 !^(index\\.php|images)\nRewriteRule ^(.*)$ /a/index.php/$1 [L]",
    "RewriteBase /a\nRewriteCond %{REQUEST_FILENAME} -s\nRewriteRule ^ - [L]\nRewriteCond %{REQUEST_URI}::$1 ^(/.+)/(.*)::\\2$\nRewriteRule ^(.*) - [E=BASE:%1]\nRewriteRule ^(.*)$ %{ENV:BASE}/index.php [L]",
    "RewriteBase /a/\nRewriteRule ^(.*)$ /index.php/$1 [L]",
  ])("unless it excludes its result below the RewriteBase: %j", (lines) => {
    expect(messages(lines)).toEqual([]);
  });

  test("with a target directory that does not have its own rules", () => {
    const given: Given = { kind: "htaccess", files: { "/srv/public/x.txt": "x" } };
    expect(messages("RewriteRule ^(.*)$ public/$1 [L]", given)).toHaveLength(1);
    const withRules = { "/srv/public/.htaccess": "RewriteEngine On\n" };
    expect(messages("RewriteRule ^(.*)$ public/$1 [L]", { kind: "htaccess", files: withRules })).toEqual([]);
  });

  test("in a section for the document root", () => {
    const rule = `${engine}RewriteRule ^(.*)$ /index.php/$1 [L]`;
    const text = `DocumentRoot /srv\n${inDirectory(rule)}`;
    expect(messages(text, {})).toHaveLength(1);
    expect(messages(inDirectory(rule), {})).toEqual([]);
    expect(messages(section("VirtualHost *", "DocumentRoot /srv", inDirectory(rule)), {})).toHaveLength(1);
  });
});

describe("does not report a rule of a directory", () => {
  test.each([
    "RewriteRule ^(.*)$ index.php/$1 [END]",
    "RewriteRule ^(.*)$ index.php?q=$1 [L]",
    "RewriteRule ^ index.php [L]",
    "RewriteRule ^a/(.*)$ index.php/$1 [L]",
    "RewriteRule ^(.*)$ public/$1 [L]",
    "RewriteRule ^(.*)/$ $1 [L]",
    "RewriteRule ^index\\.php - [L]\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteCond %{REQUEST_URI} !^/index\\.php\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteRule ^((?!index\\.php).*)$ index.php/$1 [L]",
    "RewriteRule ^(.*)$ http://other.test/$1 [P]",
    "RewriteBase /a\nRewriteRule ^(.*)$ /index.php/$1 [L]",
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("in a virtual host, where the rules run once", () => {
    expect(check(section("VirtualHost *", engine, "RewriteRule ^(.*)$ /index.php/$1 [L]"), {})).toEqual([]);
  });
});

describe("reports a redirect", () => {
  const leads = (url: string, next: string) => `too many redirects: \`${url}\` leads to \`${next}\`, and so on`;
  const itself = (url: string) => `too many redirects: \`${url}\` is redirected to itself`;

  test.each([
    ["RewriteRule ^(.*)$ /new/$1 [R=301,L]", leads("/page", "/new/page")],
    ["RewriteRule ^a/(.*)$ /a/b/$1 [R]", leads("/a/x", "/a/b/x")],
    ["Redirect 301 /old /old/new", leads("/old", "/old/new")],
    ["Redirect / /new/", leads("/", "/new/")],
    ["RedirectPermanent /a/ /a/b?c", itself("/a/b?cb")],
    ["RedirectMatch ^/a(.*)$ /a/b$1", leads("/ax", "/a/bx")],
  ])("%j", (lines, message) => {
    expect(messages(lines)).toEqual([message]);
  });

  test.each([
    "RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]",
    "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
  ])("to itself: %s", (line) => {
    expect(messages(line)).toEqual([itself("https://www.example.com/page")]);
  });

  test("and of several lines the first one", () => {
    expect(check("Redirect 301 /old /new\nRedirect 301 /new /old")).toMatchObject([
      {
        at: "1:1-1:23",
        message: "too many redirects: `/old` leads back to itself",
        notes: ["`/old` becomes `/new`, then `/old`", "browsers give up with an error about too many redirects"],
        related: [".htaccess:2:1: leads to the next URL"],
      },
    ]);
  });

  test("that httpd undoes for directories", () => {
    expect(check("RewriteRule ^(.+)/$ /$1 [R=301,L]")).toMatchObject([
      {
        message: "too many redirects: httpd adds the slash of the directory `/dir` again",
        // Without DirectorySlash, the directory would be 403: httpd searches no index file for it.
        help: ["add `RewriteCond %{REQUEST_FILENAME} !-d` before the rule"],
      },
    ]);
  });

  test.each([
    ["VirtualHost *", `${engine}RewriteRule ^/(.*)$ /new/$1 [R=301]`],
    ["VirtualHost *", `${engine}SSLEngine on\nRewriteRule ^(.*)$ https://%{HTTP_HOST}$1 [R=301]`],
    ["VirtualHost *", "Redirect /a /a/b"],
    ["Location /a", "Redirect 301 /a/b"],
  ])("in a section %j", (tag, lines) => {
    expect(check(section(tag, lines), {})).toHaveLength(1);
  });

  test.each(["Redirect permanent /old", "Redirect /old", "RedirectMatch 301 /old"])("of every request: %s", (line) => {
    expect(check(line).map(({ message }) => message)).toEqual(["every request is redirected to `/old`"]);
  });
});

describe("names the rule that leads to the target of a redirect", () => {
  const pretty = "RewriteCond %{REQUEST_FILENAME}.html -f\nRewriteRule ^([\\w-]+)$ $1.html";
  const given: Given = { kind: "htaccess", files: { "/srv/about.html": "x" } };

  test.each([
    [
      `RewriteRule ^(.+)\\.html$ /$1 [R=301,L]\n${pretty} [L]`,
      "use `END` instead of `L` in `RewriteRule ^([\\w-]+)$ $1.html [L]`",
    ],
    [
      `${pretty} [L]\nRewriteRule ^(.+)\\.html$ /$1 [R=301,L]`,
      "use `END` instead of `L` in `RewriteRule ^([\\w-]+)$ $1.html [L]`",
    ],
    [
      "RewriteRule ^about\\.html$ /about [R=301,L]\nRewriteRule ^about$ about.html",
      "add the flag `END` in `RewriteRule ^about$ about.html`",
    ],
  ])("%j", (lines, help) => {
    expect(check(lines, given)).toMatchObject([
      { help: [help], related: [expect.stringContaining("leads to the URL")] },
    ]);
  });

  test.each([
    `RewriteRule ^(.+)\\.html$ /$1 [R=301,L]\n${pretty} [END]`,
    `RewriteCond %{THE_REQUEST} \\.html\nRewriteRule ^(.+)\\.html$ /$1 [R=301,L]\n${pretty} [L]`,
    `RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^(.+)\\.html$ /$1 [R=301,L]\n${pretty} [L]`,
  ])("unless the redirect ends: %j", (lines) => {
    expect(check(lines, given)).toEqual([]);
  });
});

describe("does not report a redirect", () => {
  test.each([
    "RewriteRule ^a/(.*)$ /b/$1 [R=301,L]",
    "RewriteCond %{HTTPS} off\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
    "RewriteCond %{HTTP:X-Forwarded-Proto} !https\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
    "RewriteCond %{HTTP_HOST} !^www\\.\nRewriteRule ^(.*)$ https://www.%{HTTP_HOST}/$1 [R=301,L]",
    "RewriteCond %{THE_REQUEST} \\s/index\nRewriteRule ^(.*)$ /new/$1 [R=301,L]",
    "RewriteRule ^(.*)$ https://other.test/$1 [R=301,L]",
    "RewriteRule ^a$ - [R=404]",
    "Redirect 301 /old /new",
    "Redirect 301 /old/ /old",
    "Redirect 301 / https://other.test/",
    "Redirect permanent https://other.test/",
    "Redirect gone /old",
    "Redirect 301 /old/new /x\nRedirect 301 /old /old/new",
    "RedirectMatch ^/a$ /a/b",
    "RedirectMatch ^/(?!new/)(.*)$ /new/$1",
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test.each([
    ["VirtualHost *:80", `${engine}RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301]`],
    ["VirtualHost *:80", "Redirect / https://a.test/"],
    ["Location /a", "Redirect 301 /b"],
    ["Directory /srv/a", "Redirect 301 /b"],
  ])("in a section %j", (tag, lines) => {
    expect(check(section(tag, lines), {})).toEqual([]);
  });
});

describe("names the remedy", () => {
  const helpsOf = (text: string, given: Given = { kind: "htaccess" }) => check(text, given)[0]?.help ?? [];
  const helpOf = (text: string, given?: Given) => helpsOf(text, given)[0];
  const inTls = (...lines: readonly string[]) =>
    section("VirtualHost *:443", "ServerName a.test", "SSLEngine on", ...lines);
  const own = "delete this line: it is for the virtual host without TLS";

  test.each([
    ["RewriteRule !\\.(js|css)$ /index.php", "add the flag `END`"],
    ["RewriteRule ^(.*)$ index.php/$1", "add the flag `END`"],
    ["RewriteRule ^(.*)$ index.php/$1 [NC]", "add the flag `END`"],
    ["RewriteRule ^(.*)$ index.php/$1 [QSA,L]", "use `END` instead of `L`"],
    ["RewriteRule ^(.*)$ index.php/$1 [last]", "use `END` instead of `L`"],
  ])("of a rule that rewrites its result: %s", (line, help) => {
    expect(helpOf(line)).toBe(help);
  });

  // END does not hold for the subrequest for the index file of a directory.
  const atRoot = (path: string) =>
    `add \`RewriteCond %{REQUEST_URI} !^${path}\` before the rule, if this file is in the document root`;
  test.each([
    ["RewriteRule ^(.*)$ public/$1 [L]", atRoot("/public/")],
    ["RewriteRule (.*) public/web/$1 [L]", atRoot("/public/web/")],
    ["RewriteRule ^(.*)$ /public/$1 [L]", "add `RewriteCond %{REQUEST_URI} !^/public/` before the rule"],
    [
      "RewriteBase /app/\nRewriteRule ^(.*)$ public/$1",
      "add `RewriteCond %{REQUEST_URI} !^/app/public/` before the rule",
    ],
    ["RewriteCond %{HTTP_HOST} ^a\\.test$\nRewriteRule ^(.*)$ public/$1 [L]", atRoot("/public/")],
  ])("of a rule that leads to a directory: %s", (lines, help) => {
    const given: Given = { kind: "htaccess", files: { "/srv/public/web/x.txt": "x" } };
    expect(helpsOf(lines, given)[0]).toBe(help);
    expect(helpsOf(lines, given)[1]).toMatch(/^or add `RewriteCond %\{ENV:REDIRECT_STATUS\} \^\$`/);
  });

  test("of a rule that leads to a directory of another form", () => {
    const helps = helpsOf("RewriteRule ^ public%{REQUEST_URI} [L]", {
      kind: "htaccess",
      files: { "/srv/public/x": "" },
    });
    expect(helps).toEqual([expect.stringMatching(/^add `RewriteCond %\{ENV:REDIRECT_STATUS\} \^\$`/)]);
  });

  test.each([
    "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ public/$1 [L]",
    "RewriteRule ^(\\w+)$ x$1 [L]",
    "RewriteRule ^(.*)$ /index.php/$1 [L]",
    "RewriteRule ^(.*)$ /public/index.php?path=$1 [L]",
    "RewriteRule ^(.*)$ pages/$1.html [L]",
  ])("of a rule whose index file it does not apply to: %s", (lines) => {
    const given: Given = { kind: "htaccess", files: { "/srv/public/x.txt": "x", "/srv/pages/x.txt": "" } };
    const [help] = helpsOf(lines, given);
    expect(help).toBe("use `END` instead of `L`");
  });

  test.each([
    "Redirect permanent / https://a.test/",
    "Redirect / https://a.test/",
    "RedirectPermanent / https://a.test/",
    "RedirectMatch ^/(.*)$ https://a.test/$1",
    "RedirectMatch ^(/.*)$ https://a.test$1",
  ])("of a redirect to https in the virtual host that has TLS: %s", (line) => {
    expect(helpOf(inTls(line), {})).toBe(own);
  });

  const withNames = (names: readonly string[], line = "Redirect permanent / https://a.test/") =>
    section("VirtualHost *:443", ...names, "SSLEngine on", line);
  const slashes = "RedirectMatch ^/(.*)$ https://a.test/$1";

  test.each([
    [["ServerName https://A.test:443"]],
    [["ServerName a.test", "ServerAlias a.test"]],
    [["<IfModule mod_ssl.c>\nServerName a.test\n</IfModule>"]],
  ])("of a redirect in a virtual host with one name: %j", (names) => {
    expect(helpOf(withNames(names), {})).toBe(own);
  });

  test.each([
    ["to the name from another one", withNames(["ServerName www.a.test", "ServerAlias a.test"])],
    ["to the name from an alias", withNames(["ServerName a.test", "ServerAlias www.a.test"])],
    ["to the name from aliases with a wildcard", withNames(["ServerName a.test", "ServerAlias *.a.test"])],
    ["with a pattern to the name from an alias", withNames(["ServerName a.test", "ServerAlias www.a.test"], slashes)],
    ["in a host with names that are not here", withNames(["ServerName a.test", "IncludeOptional /srv/names/*.conf"])],
    ["of some paths", inTls("Redirect 301 /blog https://a.test/blog")],
    ["of some paths with a pattern", inTls("RedirectMatch ^/old/(.*)$ https://a.test/old/$1")],
    ["of paths without some", inTls("RedirectMatch 301 ^/(?!.well-known)(.*)$ https://a.test/$1")],
    ["of a path", inTls("RedirectMatch ^/a(.*)$ https://a.test/ab")],
    ["of a rule", inTls(engine, "RewriteRule ^(.*)$ https://a.test$1 [R=301]")],
    ["of http", section("VirtualHost *:80", "ServerName a.test", "Redirect /a http://a.test/a")],
    ["of a dot", inTls("RedirectMatch ^/a.b(.*)$ https://a.test/a/b$1")],
    ["of another path", inTls("Redirect /a https://a.test/a/b")],
    [
      "of a directory",
      section(
        "VirtualHost *:443",
        "ServerName a.test",
        "SSLEngine on",
        section("Location /a", "Redirect 301 https://a.test/a").trim(),
      ),
    ],
  ])("of another redirect %s", (_, text) => {
    const findings = check(text, {});
    expect(findings).not.toEqual([]);
    expect(findings[0]?.help?.[0]).not.toBe(own);
  });
});

const toHttps = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]";
const readsHeader = "SetEnvIf X-Forwarded-Proto https SCHEME=https";

describe("a redirect to https behind a proxy that terminates TLS", () => {
  test("is reported if another line reads the scheme of the client", () => {
    const text = `${readsHeader}\nRewriteEngine On\nRewriteCond %{HTTPS} off\n${toHttps}\n`;
    expect(findingsOf([rewriteLoop], text, { kind: "htaccess" })).toMatchObject([
      {
        text: toHttps,
        message: "redirect to https loops behind a proxy that terminates TLS",
        help: ["add `RewriteCond %{HTTP:X-Forwarded-Proto} !=https`"],
        related: [".htaccess:1:1: reads the scheme of the client"],
      },
    ]);
  });

  test.each([
    ["no line reads the scheme", `RewriteCond %{HTTPS} off\n${toHttps}`],
    [
      "an alternative tests the host",
      `RewriteCond %{HTTPS} off\nRewriteCond %{HTTP_HOST} ^a [OR]\nRewriteCond %{HTTP_HOST} ^b\n${toHttps}`,
    ],
    ["the rule tests the scheme", `RewriteCond %{HTTPS} off\nRewriteCond %{HTTP:X-Forwarded-Proto} !https\n${toHttps}`],
    ["the rule tests a variable", `${readsHeader}\nRewriteCond %{ENV:SCHEME} !https\n${toHttps}`],
    ["this server sends the header", `RequestHeader set X-Forwarded-Proto https\nRewriteCond %{HTTPS} off\n${toHttps}`],
  ])("is not reported if %s", (_, lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("is not reported if this server has TLS itself", () => {
    const withoutTls = section(
      "VirtualHost *:80",
      readsHeader,
      "RewriteEngine On",
      "RewriteCond %{HTTPS} off",
      toHttps,
    );
    expect(check(withoutTls + section("VirtualHost *:443", "SSLEngine on"), {})).toEqual([]);
    expect(check(withoutTls, {})).toHaveLength(1);
  });
});

test("reports an alternative that makes the test of the header useless", () => {
  const conditions = "RewriteCond %{HTTPS} off [OR]\nRewriteCond %{HTTP:X-Forwarded-Proto} !=https\n";
  const text = `RewriteEngine On\n${conditions}RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]\n`;
  expect(findingsOf([rewriteLoop], text, { kind: "htaccess" })).toMatchObject([
    {
      message: "redirect to https loops behind a proxy that terminates TLS",
      notes: [
        "because of `[OR]`, the rule does not depend on `X-Forwarded-Proto`",
        "the condition tests the connection from the proxy, so `https://…/x` is redirected to itself",
      ],
      help: ["delete `[OR]`"],
    },
  ]);
  expect(findingsOf([rewriteLoop], text.replace(" [OR]", ""), { kind: "htaccess" })).toEqual([]);
});

test("the fix tests the header of the proxy", () => {
  const rule = "RewriteCond %{HTTPS} off\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R]\n";
  const text = `${readsHeader}\nRewriteEngine On\n${rule}`;
  const [finding] = lintText([rewriteLoop], text, { kind: "htaccess" });
  const fixed = finding?.fix ? applyEdits(text, finding.fix.edits) : "";
  expect(fixed).toBe(text.replace(rule, `RewriteCond %{HTTP:X-Forwarded-Proto} !=https\n${rule}`));
  expect(findingsOf([rewriteLoop], fixed, { kind: "htaccess" })).toEqual([]);
});

describe("a rule before it", () => {
  const loop = "RewriteRule ^(.*)$ /index.php/$1 [L]";
  test.each([
    ["for another method", "RewriteCond %{REQUEST_METHOD} ^(TRACE|TRACK)$"],
    ["for a header", "RewriteCond %{HTTP:Upgrade} websocket [NC]"],
    ["for a text in a header", "RewriteCond %{HTTP:X-Debug} =on"],
    ["for one of two headers", "RewriteCond %{HTTP:A} x [OR]\nRewriteCond %{HTTP:B} y"],
    ["for a robot", "RewriteCond %{HTTP_USER_AGENT} bot [NC]"],
    ["for a header and a host", "RewriteCond %{HTTP_HOST} ^a\nRewriteCond %{HTTP_COOKIE} b"],
  ])("%s does not hide it", (_, conditions) => {
    expect(check(`${conditions}\nRewriteRule .* - [F]\n${loop}`)).toHaveLength(1);
  });

  test.each([
    ["for all requests", ""],
    ["for GET", "RewriteCond %{REQUEST_METHOD} GET\n"],
    ["for most browsers", "RewriteCond %{HTTP_USER_AGENT} !bot\n"],
    ["for a host", "RewriteCond %{HTTP_HOST} ^www\n"],
    ["for a header or all", "RewriteCond %{HTTP:A} x [OR]\nRewriteCond %{HTTP:B} ^$\n"],
    ["with OR on its last condition", "RewriteCond %{HTTP:A} x [OR]\n"],
  ])("%s may end the loop", (_, conditions) => {
    expect(check(`${conditions}RewriteRule .* - [F]\n${loop}`)).toEqual([]);
  });
});

/** Returns the findings in the sites of the live tests. */
function findingsIn({ htaccess, host = "", tls, files = {} }: LoopCase) {
  const fill = (text: string) => text.replaceAll(/(?<!_)HOST/g, "shop.example").replaceAll("DOCROOT", "/srv/www");
  const site = (own: string) => [
    ...["ServerName shop.example", "ServerAlias www.shop.example", 'DocumentRoot "/srv/www"'],
    ...['<Directory "/srv/www">', "AllowOverride All", "Require all granted", "</Directory>", fill(own)],
  ];
  const main = [
    ...["ServerName x.test", "Listen 80", ...(tls === undefined ? [] : ["Listen 443"])],
    ...["DirectoryIndex index.html index.php", section("VirtualHost *:80", ...site(host))],
    ...(tls === undefined ? [] : [section("VirtualHost *:443", "SSLEngine on", ...site(tls))]),
  ].join("\n");
  const all = {
    ...Object.fromEntries(siteFiles.map((name) => [`/srv/www/${name}`, "\n"])),
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`/srv/www/${name}`, text])),
    ...(htaccess === undefined ? {} : { "/srv/www/.htaccess": `${fill(htaccess)}\n` }),
  };
  return findingsOf([rewriteLoop], `${main}\n`, { files: all });
}

describe("sites of the live tests", () => {
  test.each(loopCases.map((each) => [each.title, each] as const))("%s, on its server", (_, each) => {
    expect(findingsIn(each)).toHaveLength(each.loops === undefined ? 0 : 1);
  });

  const alone = loopCases.filter(({ htaccess, needsServer }) => htaccess !== undefined && !needsServer);
  test.each(alone.map((each) => [each.title, each] as const))("%s, alone", (_, { htaccess = "", loops }) => {
    const text = `${htaccess.replaceAll(/(?<!_)HOST/g, "shop.example")}\n`;
    expect(findingsOf([rewriteLoop], text, { kind: "htaccess" })).toHaveLength(loops === undefined ? 0 : 1);
  });
});

describe("a file of a virtual host on its own", () => {
  const found = (text: string) =>
    findingsOf([rewriteLoop], text, { kind: "fragment" }).map(({ message }) => message.replace(/`.*/, ""));
  const names = "ServerName shop.example\nServerAlias www.shop.example\nDocumentRoot /var/www/shop";
  const tls = "SSLEngine on\nSSLCertificateFile /etc/ssl/shop.pem";
  const toTls = "Redirect permanent / https://shop.example/";
  const frontController = "RewriteRule ^(.*)$ /index.php?r=$1 [L,QSA]";

  test.each([
    [
      "a redirect to its other name",
      section("VirtualHost *:80", names, engine, "RewriteRule ^/(.*)$ http://www.shop.example/$1 [R]"),
    ],
    ["a redirect to https in the host with TLS", section("VirtualHost *:443", names, tls, toTls)],
    [
      "rules of a directory",
      section("VirtualHost *:80", names, section('Directory "/var/www/shop"', engine, frontController)),
    ],
  ])("is reported for %s", (_, text) => {
    expect(found(text)).toHaveLength(1);
  });

  test.each([
    ["a redirect to https in the host without TLS", section("VirtualHost *:80", names, toTls)],
    ["a redirect to another site", section("VirtualHost *:443", names, tls, "Redirect / https://www.other.example/")],
    ["rules of the host", section("VirtualHost *:80", names, engine, frontController)],
  ])("is not reported for %s", (_, text) => {
    expect(found(text)).toEqual([]);
  });
});

test.each(["CloudFront-Forwarded-Proto} =http", "X-Scheme} !https"])(
  "a redirect to https that reads a header of a proxy is not reported: %%{HTTP:%s",
  (condition) => {
    const rule = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]";
    expect(messages(`RewriteCond %{HTTP:${condition}\n${rule}`)).toEqual([]);
    const proxy = "SetEnvIf X-Forwarded-Proto https HTTPS=on\n";
    expect(messages(`${proxy}RewriteCond %{HTTP:${condition}\n${rule}`)).toEqual([]);
    expect(messages(`${proxy}RewriteCond %{HTTPS} off\n${rule}`)).toHaveLength(1);
  },
);

describe("virtual hosts that differ only in their names", () => {
  const site = (name: string) =>
    section(
      "VirtualHost *:80",
      `ServerName ${name}.example.org`,
      `DocumentRoot /srv/${name}`,
      section(`Directory /srv/${name}`, engine, "RewriteRule ^(.*)/$ /$1 [R=301,L]"),
    );
  const names = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
  const server = ["Listen 80", ...names.map(site)].join("\n");
  const filesOf = (without: string) =>
    Object.fromEntries(
      names.map((name) => [name === without ? `/srv/${name}/a.txt` : `/srv/${name}/photos/a.txt`, ""]),
    );

  test("are tried for their own files", () => {
    const found = check(server, { files: filesOf("") });
    expect(found).toHaveLength(names.length);
    expect(check(server, { files: filesOf("eight") })).toHaveLength(names.length - 1);
  });

  test("also if only a later one has the directory", () => {
    const files = Object.fromEntries(names.map((name) => [`/srv/${name}/a.txt`, ""]));
    expect(check(server, { files })).toEqual([]);
    expect(check(server, { files: { ...files, "/srv/eight/photos/a.txt": "" } })).toMatchObject([
      { text: "RewriteRule ^(.*)/$ /$1 [R=301,L]" },
    ]);
  });

  test("also if an outer section or a `.htaccess` file is about a later one", () => {
    const files = Object.fromEntries(names.map((name) => [`/srv/${name}/photos/a.txt`, ""]));
    const quiet = server.replaceAll("<Directory", "DirectorySlash Off\n<Directory");
    expect(check(quiet, { files })).toEqual([]);
    const outer = section("Directory /srv/eight/photos", "DirectorySlash On");
    expect(check(`${quiet}\n${outer}`, { files })).toHaveLength(1);
  });
});

test("counts the lines for which no requests are left", () => {
  const lines = Array.from({ length: 400 }, (_, index) => `RewriteRule ^(.*)/x${index}$ /$1/y [R,L]`);
  const { findings, untried } = resultOf([rewriteLoop], `${engine}${lines.join("\n")}\n`, { kind: "htaccess" });
  expect(findings).toEqual([]);
  expect(untried.length).toBeGreaterThan(100);
  expect(untried).toContain("/srv/.htaccess:401");
});

test("does not try lines that cannot lead back", () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `Redirect /old-${index} /new-${index}`);
  const looping = "Redirect /new-7 /old-7";
  const { findings, untried } = resultOf([rewriteLoop], [...lines.slice(0, 900), looping].join("\n"), {
    kind: "htaccess",
  });
  expect(findings).toHaveLength(1);
  expect(untried).toEqual([]);
});

describe("AliasMatch to one directory", () => {
  const found = (...lines: string[]) =>
    findingsOf([rewriteLoop], `${lines.join("\n")}\n`, { kind: "fragment" }).map(({ message, help }) => [
      message,
      ...(help ?? []),
    ]);
  const own = section("Directory /srv/img", "Require all granted");
  const message = "too many redirects: `/img/page` leads to the directory `/srv/img` itself";

  test.each([
    ["AliasMatch ^/img/ /srv/img", own],
    ["AliasMatch ^/img/ /srv/img/", ""],
    ['AliasMatch "^/img/(.*)$" "/srv/img"', own],
    ["AliasMatch ^/img /srv/img", own],
    ["ScriptAliasMatch ^/img/(.*) /srv/img/", ""],
  ])("%s", (line, other) => {
    expect(found(line, other)).toEqual([[message, 'use `Alias "/img/" "/srv/img/"`']]);
  });

  // A server redirects `/shop/static/a.css` to `/shop/static/a.css/`, and on (2.4.71).
  test("with a reference, but without one to the rest of the path", () => {
    const text = "AliasMatch ^/([^/]+)/static/ /srv/$1/static/\n";
    expect(findingsOf([rewriteLoop], text).map(({ message, help }) => [message, help?.[0]])).toEqual([
      [
        "too many redirects: `/x/static/page` leads to the directory `/srv/x/static` itself",
        'use `AliasMatch "^/([^/]+)/static/(.*)$" "/srv/$1/static/$2"`',
      ],
    ]);
  });

  test.each([
    ["AliasMatch ^/spa/([a-z]+)/.* /srv/spa/$1/", "add a group for the rest, and its reference: `$2`"],
    ["AliasMatch ^/spa/([a-z]+)/(.*)$ /srv/spa/$1/", "add the rest of the path to the target: `$2`"],
  ])("with a reference to another group: %s", (text, help) => {
    expect(findingsOf([rewriteLoop], `${text}\n`).map((each) => [each.notes?.[0], ...(each.help ?? [])])).toEqual([
      ["no reference in the target has the rest of the path", help],
    ]);
  });

  test.each([
    ["AliasMatch ^/img/(.*)$ /srv/img/$1", own],
    ["AliasMatch ^/([^/]+)/static/(.*)$ /srv/$1/static/$2", ""],
    ["AliasMatch ^/([^/]+)/static/$ /srv/$1/static/", ""],
    ["AliasMatch ^/img/?$ /srv/img", own],
    ["AliasMatch ^/img$ /srv/img/", own],
    ["AliasMatch ^/img/[^/]+$ /srv/img", own],
    ["AliasMatch ^/img/ /srv/img", ""],
    ["AliasMatch ^/img/ /srv/app.wsgi", own],
    ["AliasMatch ^/img/ /srv/img", section("Directory /srv/img", "SetHandler server-status")],
    ["DirectorySlash Off\nAliasMatch ^/img/ /srv/img", own],
    ["Alias /img/ /srv/img/", own],
  ])("not %s", (line, other) => {
    expect(found(line, other)).toEqual([]);
  });
});

describe("a file on its own", () => {
  test("whose conditions test the old name of the site only for one rule", () => {
    const old =
      "RewriteCond %{HTTP_HOST} ^(www\\.)?old\\.test$\nRewriteRule ^contact$ https://new.test/hello [R=301,L]\n";
    const all = "RewriteRule ^(.*)$ https://new.test/$1 [R=301,L]";
    expect(check(old + all)).toMatchObject([
      {
        message: "too many redirects: `https://new.test/page` is redirected to itself",
        notes: [expect.any(String), "this holds if the site has the name `new.test`, too"],
      },
    ]);
    expect(messages(all)).toEqual([]);
    expect(messages(`${old}RewriteCond %{HTTP_HOST} !^new\\.test$\n${all}`)).toEqual([]);
    expect(messages(`${old}RewriteRule ^(.*)$ https://other.test/$1 [R=301,L]`)).toEqual([]);
  });

  test("that leads to the directory of a subdomain", () => {
    const condition = "RewriteCond %{HTTP_HOST} ^([a-z0-9]+)\\.shops\\.test$";
    const [finding] = check(`${condition}\nRewriteRule ^(.*)$ /%1/$1 [L]`);
    expect(finding).toMatchObject({
      severity: "warning",
      message: "requests such as `/page` return 500: rewriting never ends",
      notes: expect.arrayContaining(["this holds if the directory of the result has no rules of its own"]),
    });
    expect(messages(`RewriteCond %{REQUEST_URI} !^/sites/\n${condition}\nRewriteRule ^(.*)$ /sites/%1/$1 [L]`)).toEqual(
      [],
    );
    expect(messages(`RewriteCond %{ENV:REDIRECT_STATUS} ^$\n${condition}\nRewriteRule ^(.*)$ /%1/$1 [L]`)).toEqual([]);
    expect(messages(`${condition}\nRewriteRule ^(.*)$ /%1/$1 [END]`)).toEqual([]);
  });
});

describe("reports a redirect to itself at an unusual port", () => {
  const server = (...lines: readonly string[]) =>
    ["Listen 127.0.0.1:8080", "ServerName a.example.com", ...lines].join("\n");

  test.each(["RewriteRule ^/page$ /page [R]", "RewriteRule ^/page$ page [R]", "Redirect /page /page"])("%j", (line) => {
    const text = server(...(line.startsWith("Rewrite") ? ["RewriteEngine On", line] : [line]));
    expect(findingsOf([rewriteLoop], text).map(({ message }) => message)).toEqual([
      "too many redirects: `/page` is redirected to itself",
    ]);
  });

  test("unless it leads to another port", () => {
    expect(findingsOf([rewriteLoop], server("Redirect /page http://a.example.com/page"))).toEqual([]);
  });
});

test("reports a target that httpd puts a slash before, outside of directories", () => {
  const text = "Listen 80\nServerName a.example.com\nRewriteEngine On\nRewriteRule ^/page$ page [R]";
  expect(findingsOf([rewriteLoop], text).map(({ message }) => message)).toEqual([
    "too many redirects: `/page` is redirected to itself",
  ]);
});

describe("a redirect to itself has the remedy of its cause", () => {
  const helpOf = (text: string, given?: Given) => check(text, given)[0]?.help;

  test.each([
    ["RedirectMatch 301 ^/teach.blocks(.*)$ /teach/blocks$1", "^/teach\\.blocks(.*)$"],
    ["RedirectMatch 301 /index.php /index-php", "/index\\.php"],
    ["RewriteRule ^a.b$ /a-b [R,L]", "^a\\.b$"],
  ])("a dot that is not escaped: %s", (line, pattern) => {
    expect(helpOf(line)?.[0]).toContain(`use \`${pattern}\``);
    expect(messages(line.replace(/(?<=\w)\.(?=\w)/, "\\."))).toEqual([]);
  });

  test("another cause", () => {
    expect(helpOf("RedirectMatch 301 ^/a(.*)$ /a$1")?.[0]).toContain("exclude the target");
  });

  test.each([
    "RewriteCond %{HTTP:X-Forwarded-Proto} !(^.+)\nRewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [L,R=301]",
    "RewriteCond %{HTTP_HOST} ^shop\\.test$\nRewriteRule ^(.*)$ https://shop.test/$1 [L,R=301]",
    "RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [L,R=301]",
  ])("a redirect to https without a condition for it: %j", (rules) => {
    const tls = section("VirtualHost *:443", "ServerName shop.test", "DocumentRoot /srv", "SSLEngine On");
    const text = `LoadModule rewrite_module x\nLoadModule ssl_module x\nListen 443\nListen 80\n${tls}`;
    const of = (written: string) =>
      findingsOf(
        [rewriteLoop],
        `${text}${inDirectory("Require all granted", "Options FollowSymLinks", "RewriteEngine On", ...written.split("\n"))}`,
      );
    expect(of(rules)[0]?.help).toEqual(["add `RewriteCond %{HTTPS} !=on` before the rule"]);
    expect(of(`RewriteCond %{HTTPS} !=on\n${rules}`)).toEqual([]);
  });
});

describe("the redirect of an index file to its directory", () => {
  const index = "DirectoryIndex index.html index.php\n";

  test("is reported with its remedy", () => {
    expect(check(`${index}Redirect 301 /index.html /`)).toEqual([
      {
        rule: "rewrite-loop",
        severity: "warning",
        at: "2:1-2:27",
        text: "Redirect 301 /index.html /",
        message: "too many redirects: `/` is redirected to itself",
        notes: [
          "for `/`, httpd looks up `/index.html` (`DirectoryIndex`), to which this line applies as well",
          "browsers give up with an error about too many redirects",
        ],
        help: [
          "to redirect only clients that ask for it, replace it with `RewriteEngine On`, `RewriteCond %{THE_REQUEST} \\s/index\\.html[?\\s]` and `RewriteRule ^index\\.html$ / [R=301,L]`",
        ],
        related: [],
      },
    ]);
  });

  test.each([
    ["a pattern", `${index}RedirectMatch 301 ^/index\\.html$ /`],
    ["another name", "DirectoryIndex home.php\nRedirect 301 /home.php /"],
  ])("is reported with %s", (_, text) => {
    expect(check(text)).toMatchObject([{ severity: "warning" }]);
  });

  test.each([
    ["the main server", "DocumentRoot /srv\nRedirect permanent /index.html /"],
    [
      "a virtual host",
      section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv", "Redirect /index.html http://a.test/"),
    ],
    ["a directory", "DocumentRoot /srv\nRedirect /docs/index.html /docs/"],
  ])("is reported in %s", (_, text) => {
    expect(messages(text, {})).toEqual([expect.stringContaining("is redirected to itself")]);
  });

  test("is an information if another file may set the names", () => {
    expect(check("Redirect 301 /index.html /")).toMatchObject([
      { severity: "info", notes: expect.arrayContaining([expect.stringContaining("unless another file sets")]) },
    ]);
  });

  test.each([
    ["by mod_rewrite", `${index}RewriteRule ^index\\.html$ / [R=301,L]`],
    ["by mod_rewrite with the path of the client", `${index}RewriteCond %{THE_REQUEST} index\\nRewriteRule ^index /`],
    ["with another name first", `DirectoryIndex index.php index.html\nRedirect 301 /index.html /`],
    ["with no names", "DirectoryIndex disabled\nRedirect 301 /index.html /"],
    ["to another site", `${index}Redirect 301 /index.html https://other.test/`],
    ["of another directory", `${index}Redirect 301 /old/index.html /`],
    ["of another file", `${index}Redirect 301 /home.html /`],
  ])("is not reported %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("is not reported if a file with a name before it exists", () => {
    const names = 'DocumentRoot "/srv"\nDirectoryIndex index.php index.html\nRedirect /index.html /\n';
    expect(check(names, { files: { "/srv/index.php": "", "/srv/index.html": "" } })).toEqual([]);
    expect(check(names, { files: { "/srv/index.html": "" } })).toHaveLength(1);
  });
});

describe("a redirect that keeps the query which it needs", () => {
  const helpFor = (...lines: readonly string[]) => check(lines.join("\n")).map(({ help }) => help?.join());
  const discard = "add the flag `QSD`: the redirect keeps the query, which the condition tests again";
  const page = "RewriteCond %{QUERY_STRING} ^page=home$";

  test.each([
    ["an index page", [page, "RewriteRule ^$ / [R=301,L]"]],
    ["a part of the query", ["RewriteCond %{QUERY_STRING} (^|&)lang=en(&|$)", "RewriteRule ^(.*)$ /$1 [R=302,L]"]],
  ])("has its help, with %s", (_, lines) => {
    expect(helpFor(...lines)).toEqual([discard]);
  });

  test.each([
    ["QSD", [page, "RewriteRule ^$ / [R=301,L,QSD]"]],
    ["an empty query", [page, "RewriteRule ^$ /? [R=301,L]"]],
  ])("is not reported with %s", (_, lines) => {
    expect(helpFor(...lines)).toEqual([]);
  });

  test.each([
    ["a condition that is met without a query", ["RewriteCond %{QUERY_STRING} !^x$", "RewriteRule ^$ / [R=301,L]"]],
    ["an alternative", [`${page} [OR]`, "RewriteCond %{HTTPS} off", "RewriteRule ^$ / [R=301,L]"]],
  ])("has another help with %s", (_, lines) => {
    expect(helpFor(...lines)).not.toContain(discard);
  });
});
