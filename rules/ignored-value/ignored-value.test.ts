import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, lintText, section, wholeServer } from "../../test/support/rules.js";
import { reflectedOrigin } from "../reflected-origin/reflected-origin.js";
import { ignoredValue } from "./ignored-value.js";

const check = (text: string) =>
  findingsOf([ignoredValue], `${text}\n`, { kind: "htaccess" }).map(({ text: word, help }) => [word, ...(help ?? [])]);

describe("reports", () => {
  test.each([
    ["ExpiresByType text/css,text/html A60", "text/css,text/html", "use one line for each type"],
    ["ExpiresByType text/html;charset=utf-8 A60", "text/html;charset=utf-8", "use `text/html`"],
    ["ExpiresByType */* A60", "*/*", "use a type, or all of a kind such as `text/*`"],
    ["AddOutputFilterByType DEFLATE text/css text/*", "text/*", "use one type for each kind of file"],
    ['AddOutputFilterByType DEFLATE "text/html; charset=x"', '"text/html; charset=x"', "use `text/html`"],
    ["ExpiresByType image/jpg A60", "image/jpg", "use `image/jpeg`"],
    ["AddOutputFilterByType DEFLATE text/css js", "js", "use the media types of the files"],
    ['RequestHeader set X-Uri "%{REQUEST_URI}e"', '"%{REQUEST_URI}e"', "use `expr=%{REQUEST_URI}`"],
    [
      "RewriteEngine On\nRewriteRule ^ - [E=A:%{REQUEST_URI}]\nRequestHeader set X-Uri %{REQUEST_URI}e",
      "%{REQUEST_URI}e",
      "use `expr=%{REQUEST_URI}`",
    ],
    ["AddType .css text/css", ".css", "swap the arguments"],
    ["AddHandler .cgi cgi-script", ".cgi", "swap the arguments"],
    ["AddType text/css *.css", "*.css", "use `.css`"],
    [
      "AddOutputFilter DEFLATE text/html",
      "text/html",
      "use `AddOutputFilterByType`, which compares the type of the response",
    ],
    [
      "AddOutputFilter DEFLATE html image/svg+xml",
      "image/svg+xml",
      "use `AddOutputFilterByType`, which compares the type of the response",
    ],
    ["AddCharset utf-8 text/css", "text/css", "use the extensions of the files"],
    ["AddHandler cgi-script application/x-perl", "application/x-perl", "use the extensions of the files"],
    [
      "RequestHeader set X-A expr=%{REQUEST_SCHEME}s",
      "expr=%{REQUEST_SCHEME}s",
      "use `%{REQUEST_SCHEME}` without the letter",
    ],
    [
      'Header set X-A "expr=a %{SSL:SSL_PROTOCOL}s"',
      '"expr=a %{SSL:SSL_PROTOCOL}s"',
      "use `%{SSL:SSL_PROTOCOL}` without the letter",
    ],
    ["RequestHeader set X-A expr=%{HTTP_HOST}e", "expr=%{HTTP_HOST}e", "use `%{HTTP_HOST}` without the letter"],
    ["AddType application/x-tgz .tar.gz", ".tar.gz", "use one extension, such as `.gz`"],
    ["Header set X-A b early", "early", "delete `early`, or move the line to the server or virtual host"],
    ["RequestHeader unset X-A early", "early", "delete `early`, or move the line to the server or virtual host"],
  ])("%s", (line, word, help) => {
    expect(check(line)).toEqual([[word, help]]);
  });
});

describe("reports a pattern where a text is compared", () => {
  const word = (line: string) => findingsOf([ignoredValue], `${line}\n`).map(({ text, message }) => [text, message]);
  const what = {
    type: "the type of a response",
    host: "the name of a host",
    file: "a file",
    extension: "an extension",
  };

  test.each([
    ['ExpiresByType audio/(mpe?g3?|ogg|aac) "access plus 1 year"', "audio/(mpe?g3?|ogg|aac)", what.type],
    ['ExpiresByType "image/(png|gif)" A60', '"image/(png|gif)"', what.type],
    ["ExpiresByType image/.* A60", "image/.*", what.type],
    ["ExpiresByType ^image/png$ A60", "^image/png$", what.type],
    ["ExpiresByType image/jpe?g A60", "image/jpe?g", what.type],
    ["ExpiresByType text/[a-z]+ A60", "text/[a-z]+", what.type],
    ["ExpiresByType image/svg\\+xml A60", "image/svg\\+xml", what.type],
    ["AddOutputFilterByType DEFLATE text/css text/(html|plain)", "text/(html|plain)", what.type],
    ["AddOutputFilterByType DEFLATE ^text/", "^text/", what.type],
    ["ServerAlias (www|ftp).a.test", "(www|ftp).a.test", what.host],
    ["ServerAlias b.test ^www\\.a\\.test$", "^www\\.a\\.test$", what.host],
    ["DirectoryIndex index.(php|html)", "index.(php|html)", what.file],
    ["DirectoryIndex a.html ^index\\.", "^index\\.", what.file],
    ["AddType text/html .(htm|html)", ".(htm|html)", what.extension],
    ["AddHandler cgi-script \\.cgi$", "\\.cgi$", what.extension],
    ["AddCharset utf-8 .(css|js)", ".(css|js)", what.extension],
    ["AddEncoding gzip gz|tgz", "gz|tgz", what.extension],
  ])("%s", (line, text, matched) => {
    const shown = text.replace(/^"|"$/g, "");
    expect(word(line)).toEqual([[text, `\`${shown}\` is a pattern, and never matches ${matched}`]]);
  });

  test.each([
    "ExpiresByType image/svg+xml A60",
    "ExpiresByType application/vnd.ms-excel.sheet.macroEnabled.12 A60",
    "ExpiresByType ${KIND} A60",
    "ExpiresByType image/* A60",
    "AddOutputFilterByType DEFLATE application/ld+json image/x-icon",
    "ServerAlias *.a.test www?.b.test",
    "DirectoryIndex index(1).html /cgi-bin/index.pl?a=b",
    "AddType text/x-c .c++ .h",
    'Header set Cache-Control max-age=60 "expr=%{CONTENT_TYPE} =~ m#^audio/(ogg|aac)#"',
    "AddIconByType (IMG,/icons/image.gif) image/*",
  ])("but not %s", (line) => {
    expect(word(line)).toEqual([]);
  });
});

test("reports several lines with two extensions once", () => {
  expect(check("AddType text/css css.gz\nAddType text/html html.gz")).toHaveLength(1);
});

describe("does not report", () => {
  test.each([
    // httpd rejects a type without a slash.
    "ExpiresByType *.jpg A60",
    "ExpiresByType text/css A60",
    "ExpiresByType text/* A60",
    "AddOutputFilterByType DEFLATE text/css text/html",
    "AddType text/css .css css",
    "AddOutputFilterByType DEFLATE text/html",
    "AddOutputFilter DEFLATE html css",
    "RequestHeader set X-A expr=%{REQUEST_SCHEME}",
    "RequestHeader set X-A expr=%{REQUEST_SCHEME}://%{HTTP_HOST}/",
    "RequestHeader set X-A %{SSL_PROTOCOL}s",
    "Header set X-A expr=%{REQUEST_SCHEME}-s",
    "AddType text/html;charset=utf-8 .html",
    "AddHandler .cgi .pl",
    "AddEncoding x-gzip .gz",
    "AddType text/css .@EXT@",
    "Header set X-A early env=X",
    "Header set X-A early",
    "ExpiresByType image/jpg A60\nExpiresByType image/jpeg A60",
    "ExpiresByType image/jpg A60\nAddType image/jpg .jpg",
    "AddOutputFilterByType DEFLATE text/css $TYPE",
    "AddOutputFilterByType DEFLATE text/css # styles",
    "RequestHeader set X-User %{REMOTE_USER}e env=REMOTE_USER",
    "RewriteEngine On\nRewriteRule ^ - [E=REMOTE_USER:a]\nRequestHeader set X-User %{REMOTE_USER}e",
    "SetEnvIf Host ^(.*)$ HTTP_HOST=$1\nRequestHeader set X-Host %{HTTP_HOST}e",
    "RequestHeader set X-Mine %{MINE}e",
    "RequestHeader set X-Tls %{HTTPS}s",
    "Header set X-User %{REMOTE_USER}e",
  ])("%s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test("an early header outside of sections", () => {
    expect(findingsOf([ignoredValue], "Header set X-A b early\n")).toEqual([]);
    expect(findingsOf([ignoredValue], section("VirtualHost *", "Header set X-A b early"))).toEqual([]);
    expect(findingsOf([ignoredValue], section("Location /", "Header set X-A b early"))).toHaveLength(1);
  });
});

describe("the fix", () => {
  test.each([
    [
      '  ExpiresByType text/css,text/html "access plus 1 day"',
      '  ExpiresByType text/css "access plus 1 day"\n  ExpiresByType text/html "access plus 1 day"',
    ],
    ["ExpiresByType text/html;charset=x A60", "ExpiresByType text/html A60"],
    ["AddType .css text/css", "AddType text/css .css"],
    ["AddType text/css *.css", "AddType text/css .css"],
    ["ExpiresByType image/jpg A60", "ExpiresByType image/jpeg A60"],
    ["RequestHeader set X %{REMOTE_ADDR}e", 'RequestHeader set X "expr=%{REMOTE_ADDR}"'],
  ])("of %s", (before, after) => {
    const [finding] = lintText([ignoredValue], `${before}\n`, { kind: "htaccess" });
    expect(finding?.fix && applyEdits(`${before}\n`, finding.fix.edits)).toBe(`${after}\n`);
  });
});

test.each([
  [section("VirtualHost *", "ServerAlias a.test http://b.test/"), "`http://b.test/` never matches the name of a host"],
  [section("VirtualHost *", "ServerAlias b.test:8080"), "`b.test:8080` never matches the name of a host"],
  [section("VirtualHost *", "ServerName http://b.test/shop"), "`http://b.test/shop` never matches the name of a host"],
  [section("VirtualHost *", "ServerName b.test/"), "`b.test/` never matches the name of a host"],
  ["ServerName https://b.test:8443/a/b\n", "`https://b.test:8443/a/b` never matches the name of a host"],
  ["Header set A b env=C=d\n", "`env=C=d` never holds"],
])("reports %j", (text, message) => {
  expect(findingsOf([ignoredValue], text).map((each) => each.message)).toEqual([message]);
});

test.each(["b.test", "http://b.test", "https://b.test:8443", "b.test:80", "${NAME}/", "<name>/x", "[::1]:80"])(
  "accepts ServerName %s",
  (name) => {
    expect(findingsOf([ignoredValue], section("VirtualHost *", `ServerName ${name}`))).toEqual([]);
  },
);

test("suggests a name without the password of an address", () => {
  const text = section("VirtualHost *", "ServerAlias http://bob:secret@b.test/");
  expect(findingsOf([ignoredValue], text).map((each) => each.help)).toEqual([["use `b.test`"]]);
});

test.each([
  section("VirtualHost *", "ServerAlias a.test *.b.test [::1]"),
  "Header set A b env=C\n",
  "Header set A b env=!C\n",
  "Header set A env=C=d\n",
  "Header set A b \"expr=%{ENV:C} == 'd'\"\n",
])("does not report %j", (text) => {
  expect(findingsOf([ignoredValue], text)).toEqual([]);
});

describe("a header that httpd sends whatever the line says", () => {
  test.each([
    ["Header unset Server", "`Header unset Server` has no effect"],
    ["Header always unset server", "`Header unset Server` has no effect"],
    ["Header unset Date env=A", "`Header unset Date` has no effect"],
    ["Header add Content-Type text/html", "the media type of the response stays as it is"],
    ["Header append Content-Type: charset=utf-8", "the media type of the response stays as it is"],
  ])("reports %s", (line, message) => {
    expect(findingsOf([ignoredValue], `${line}\n`, { kind: "htaccess" })).toMatchObject([{ message }]);
  });

  test.each([
    "Header unset X-Powered-By",
    "Header set Server a",
    "Header set Content-Type text/html",
    "Header edit Content-Type a b",
    "Header unset Content-Type",
    "Header always add Content-Type a",
    "RequestHeader unset Server",
    "Header unset Server\nRewriteRule ^a$ http://b.example/ [P]",
  ])("does not report %j", (lines) => {
    expect(findingsOf([ignoredValue], `${lines}\n`, { kind: "htaccess" })).toEqual([]);
  });

  test("does not report a server with backends", () => {
    expect(findingsOf([ignoredValue], "Header unset Server\nProxyPass /a http://b.example/\n")).toEqual([]);
  });
});

test("a misnamed type is found after equal lines beside the right one", () => {
  const misnamed = "ExpiresByType image/jpg A60";
  const right = section("Location /a", "ExpiresByType image/jpeg A60", misnamed);
  expect(findingsOf([ignoredValue], right + right + section("Location /b", misnamed))).toHaveLength(1);
});

describe("a Header line", () => {
  const header = (text: string) =>
    findingsOf([ignoredValue], `${text}\n`, { kind: "htaccess" }).map(({ message }) => message);
  const origin = (value: string) => `Header set Access-Control-Allow-Origin ${value}`;
  const credentials = "Header set Access-Control-Allow-Credentials true";

  test.each([
    ['"https://a.test, https://b.test"', "browsers reject the origins `https://a.test, https://b.test`"],
    ['"https://a.test https://b.test"', "browsers reject the origins `https://a.test https://b.test`"],
    ['"https://*.a.test"', "browsers reject the origin `https://*.a.test`"],
    ['"*.a.test"', "browsers reject the origin `*.a.test`"],
    ["https://a.test/", "browsers reject the origin `https://a.test/`"],
    ["https://a.test/app", "browsers reject the origin `https://a.test/app`"],
  ])("with the origin %s", (value, message) => {
    expect(header(origin(value))).toEqual([message]);
    expect(header(origin(value).replace("set", "always set"))).toEqual([message]);
  });

  test.each(['"*"', "https://a.test", "https://a.test:8443", "null", '"%{ORIGIN}e" env=ORIGIN', "expr=%{HTTP:Origin}"])(
    "but not with %s",
    (value) => {
      expect(header(origin(value))).toEqual([]);
    },
  );

  test("with credentials for all origins", () => {
    const message = "browsers reject the origin `*` for requests with credentials";
    expect(header(`${origin("*")}\n${credentials}`)).toEqual([message]);
    expect(header(`${origin("https://a.test")}\n${credentials}`)).toEqual([]);
    expect(header(`${origin("*")}\n${credentials.replace("true", "false")}`)).toEqual([]);
    expect(header(`SetEnvIf Origin a A\n${origin("*")}\n${credentials} env=A`)).toEqual([]);
  });

  // A live 2.4.71 sends the inner quotes.
  test.each([
    [
      String.raw`Header set Content-Security-Policy "\"default-src 'self'; img-src *\""`,
      "default-src 'self'; img-src *",
    ],
    [String.raw`Header always set X-Frame-Options "\"DENY\""`, "DENY"],
    [String.raw`Header set Expires "\"0\""`, "0"],
    [String.raw`Header always set Vary: "\"Accept\""`, "Accept"],
    [String.raw`Header set Location "\"/a\""`, "/a"],
    [String.raw`Header onsuccess set Pragma "\"no-cache\""`, "no-cache"],
    [`Header setifempty Cache-Control '"no-store"'`, "no-store"],
    [String.raw`Header set Access-Control-Allow-Origin "\"*\""`, "*"],
  ])("with quotes in its value: %s", (line, bare) => {
    const [finding, ...others] = findingsOf([ignoredValue], `${line}\n`, { kind: "htaccess" });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      message: `the quotes are part of the value of \`${/set\w* ([\w-]+)/.exec(line)?.[1]}\``,
      help: [`use \`"${bare}"\``],
    });
    const [withFix] = lintText([ignoredValue], `${line}\n`, { kind: "htaccess" });
    expect(withFix?.fix?.edits.map(({ text }) => text)).toEqual([`"${bare}"`]);
  });

  test.each([
    `Header set Content-Security-Policy "default-src 'self'"`,
    `Header set Content-Security-Policy "'self' 'unsafe-inline'"`,
    `Header set Content-Security-Policy "'self'"`,
    `Header set Vary "'"`,
    "Header set Cache-Control 'no-store'",
    String.raw`Header set ETag "\"abc\""`,
    String.raw`Header set X-Own "\"abc\""`,
    String.raw`Header set Content-Disposition "attachment; filename=\"a.pdf\""`,
    String.raw`Header edit X-Frame-Options "^\"(.*)\"$" "$1"`,
    `Header set X-Frame-Options "\\"\\""`,
    'Header set Cache-Control "private=\\"a\\""',
  ])("without quotes around its value: %s", (line) => {
    expect(header(line)).toEqual([]);
  });

  const several = "browsers reject a response with several origins, such as `https://a.test` and another";
  const add = (value: string) => `Header add Access-Control-Allow-Origin ${value}`;
  test.each([
    `${add("https://a.test")}\n${add("https://b.test")}`,
    `${add("https://a.test")}\n${add("https://b.test")}\n${add("https://c.test")}`,
    `${origin("https://a.test")}\n${add("https://b.test")}`,
    `${add("https://a.test")}\n${add("https://b.test").replace("add", "append")}`,
    `${add("https://a.test").replace("Header", "Header always")}\n${add("https://b.test").replace("Header", "Header always")}`,
  ])("that adds a second origin: %j", (lines) => {
    expect(header(lines)).toEqual([several]);
  });

  test.each([
    `${add("https://a.test")} env=A\n${add("https://b.test")} env=B`,
    `${add("https://a.test")}\n${add("https://b.test")} "expr=%{HTTPS} == 'on'"`,
    `${add("https://a.test")}\n${add("https://b.test").replace("Header", "Header always")}`,
    `${add("https://a.test")}\n${add("https://a.test").replace("add", "merge")}`,
    "Header add X-A 1\nHeader add X-A 2",
    add("https://a.test"),
    `${add("https://a.test")}\nHeader unset Access-Control-Allow-Origin\n${add("https://b.test")}`,
  ])("that adds no second origin: %j", (lines) => {
    expect(header(lines).filter((each) => each === several)).toEqual([]);
  });

  const replaced = (name: string) => `\`Header set ${name}\` has no effect: a later line sets another value`;
  test.each([
    ["Header set X-A 1\nHeader set X-A 2", replaced("X-A")],
    [`${origin("https://a.test")}\n${origin("https://b.test")}`, replaced("Access-Control-Allow-Origin")],
    [
      "Header always set Cache-Control a\nHeader set X-B 1\nHeader always set cache-control: b",
      replaced("Cache-Control"),
    ],
  ])("that a later one replaces: %j", (lines, message) => {
    expect(header(lines)).toEqual([message]);
  });

  test.each([
    "Header set X-A 1\nHeader set X-A 1",
    "Header set X-A 1\nHeader always set X-A 2",
    "Header set X-A 1\nHeader add X-A 2",
    "Header set X-A 1\nHeader unset X-A\nHeader set X-A 2",
    "Header set X-A 1\nHeader set X-A 2 env=B",
    "Header set X-A 1 \"expr=%{HTTPS} == 'on'\"\nHeader set X-A 2",
    "Header set Set-Cookie a=1\nHeader set Set-Cookie b=1",
    'Header set X-A 1\n<Files "a">\nHeader set X-A 2\n</Files>',
  ])("that a later one does not replace: %j", (lines) => {
    expect(header(lines)).toEqual([]);
  });

  test("with a variable of another name", () => {
    const line = "Header set X-Robots-Tag noindex env=no-index";
    expect(header(`SetEnvIf Host ^dev noindex\n${line}`)).toEqual(["no line sets the variable `no-index`"]);
    expect(header(`SetEnvIf Host ^dev No-Index\n${line}`)).toEqual([]);
    expect(header(`SetEnvIf Host ^dev staging\n${line}`)).toEqual([]);
    expect(header(`RewriteEngine On\nRewriteRule ^ - [E=IS_API:1]\nHeader set X-A 1 env=!ISAPI`)).toHaveLength(1);
    const negated = "SetEnvIf Request_URI x nocache\nHeader set Cache-Control max-age=5 env=!no-cache\n";
    expect(findingsOf([ignoredValue], negated)).toMatchObject([
      { notes: ["the line always applies"], help: ["use `env=!nocache`"] },
    ]);
    expect(header("SetEnv CACHES 1\nHeader set X-A 1 env=REDIRECT_CACHES")).toEqual([]);
  });

  const preflight = "RewriteEngine On\nRewriteCond %{REQUEST_METHOD} OPTIONS\nRewriteRule ^ - [R=204,L]";
  test("that does not apply to a response of a rule", () => {
    const [finding, ...others] = findingsOf(
      [ignoredValue],
      `${origin("*")}\nHeader set Access-Control-Allow-Methods GET\n${preflight}\n`,
      { kind: "htaccess" },
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      text: origin("*"),
      message: "`Header set Access-Control-Allow-Origin` does not apply to the response of `R=204`",
      help: ["use `Header always set`"],
    });
    expect(header(`Header always set Access-Control-Allow-Origin *\n${preflight}`)).toEqual([]);
    expect(header(`Header set X-A b\n${preflight}`)).toEqual([]);
    expect(header(`${origin("*")}\n${preflight.replace("R=204", "F")}`)).toEqual([]);
    expect(header(`${origin("*")}\nRewriteEngine On\nRewriteRule ^x - [R=200]`)).toEqual([]);
  });
});

test("a rule of the virtual host answers requests for a section with its headers", () => {
  const inLocation = (tag: string, line: string, rule = "RewriteRule ^/api/ - [R=200,L]") =>
    findingsOf(
      [ignoredValue],
      section(
        "VirtualHost *:80",
        section(tag, line).trimEnd(),
        `RewriteEngine On\nRewriteCond %{REQUEST_METHOD} OPTIONS\n${rule}`,
      ),
    ).map(({ text, message }) => [text, message]);
  const line = "Header set Access-Control-Allow-Origin *";
  const message = "`Header set Access-Control-Allow-Origin` does not apply to the response of `R=200`";
  expect(inLocation("Location /api/", line)).toEqual([[line, message]]);
  expect(inLocation("Location /API", line, "RewriteRule ^/api/ - [R=200,NC]")).toEqual([[line, message]]);
  expect(inLocation("Directory /srv", line, "RewriteRule ^ - [R=200]")).toEqual([[line, message]]);
  expect(inLocation("Location /other", line)).toEqual([]);
  expect(inLocation("Location /api/", line.replace("set", "always set"))).toEqual([]);
  expect(inLocation("Location /api/", "Header set X-A b")).toEqual([]);
  expect(inLocation("Location /api/", line, "RewriteRule ^/api/ /x [R=301]")).toEqual([]);
});

describe("a log", () => {
  const format = 'LogFormat "%h %r" combined';
  const logs = (...lines: readonly string[]) =>
    findingsOf([ignoredValue], wholeServer("Listen 80", ...lines)).map(({ text, message, help }) => [
      text,
      message,
      ...(help ?? []),
    ]);
  const inHost = (...lines: readonly string[]) => section("VirtualHost *:80", ...lines).trimEnd();

  test("whose format no line defines", () => {
    expect(logs(inHost("CustomLog logs/a.log combined"))).toEqual([
      [
        "combined",
        "each line of the log is only the word `combined`",
        'add `LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined`',
      ],
    ]);
    expect(logs(format, "CustomLog logs/a.log combind")).toMatchObject([
      ["combind", "each line of the log is only the word `combind`", "use `combined`"],
    ]);
    expect(logs("CustomLog logs/a.log vhosts")).toMatchObject([["vhosts", expect.any(String), expect.any(String)]]);
    expect(logs(inHost(format), inHost("CustomLog logs/a.log combined"))).toHaveLength(1);
  });

  test.each([
    [[format, inHost("CustomLog logs/a.log combined")]],
    [[inHost("CustomLog logs/a.log Combined", format)]],
    [["CustomLog logs/a.log combined", format]],
    [["CustomLog logs/a.log clf"]],
    [['CustomLog logs/a.log "%h"']],
    [["CustomLog logs/a.log ${FORMAT}"]],
    [["Include missing.conf", "CustomLog logs/a.log combined"]],
  ])("has a format: %j", (lines) => {
    expect(logs(...lines)).toEqual([]);
  });

  test("of a part of a server may have its format elsewhere", () => {
    expect(findingsOf([ignoredValue], "CustomLog logs/a.log combined\n", { kind: "fragment" })).toEqual([]);
  });

  test("with a variable that no line sets", () => {
    const setting = 'SetEnvIf Request_URI "^/health$" dontlog';
    expect(logs(setting, 'CustomLog logs/a.log "%h" env=!donlog')).toEqual([
      ["env=!donlog", "no line sets the variable `donlog`", "use `env=!dontlog`"],
    ]);
    expect(logs(setting, 'CustomLog logs/a.log "%h" env=!dontlog')).toEqual([]);
    expect(logs(setting, 'CustomLog logs/a.log "%h" env=HTTPS')).toEqual([]);
    expect(logs(setting, 'CustomLog logs/a.log "%h" "expr=%{REQUEST_STATUS} -ge 400"')).toEqual([]);
  });
});

describe("variables of mod_ssl in a request header", () => {
  const found = (...lines: readonly string[]) =>
    findingsOf([ignoredValue], wholeServer("Listen 443", ...lines)).map(({ text, help }) => [text, help?.[0]]);

  test.each([
    ['RequestHeader set X-DN "%{SSL_CLIENT_S_DN}e"', "SSL_CLIENT_S_DN"],
    ['RequestHeader set X-Cipher "%{SSL_CIPHER}e"', "SSL_CIPHER"],
    ['RequestHeader set X-Cert "%{SSL_CLIENT_CERT}e"', "SSL_CLIENT_CERT"],
  ])("%s has no value", (line, name) => {
    expect(found(line)).toEqual([[`"%{${name}}e"`, `use \`%{${name}}s\`, which needs no option`]]);
    expect(found(section("VirtualHost *:443", line))).toHaveLength(1);
    expect(found("SSLOptions +StrictRequire", line)).toHaveLength(1);
    expect(found(line.replace("}e", "}s"))).toEqual([]);
    expect(found("SSLOptions +StdEnvVars +ExportCertData", line)).toEqual([]);
    expect(found(`SetEnv ${name} x`, line)).toEqual([]);
  });

  test("SNI has a value without an option", () => {
    expect(found('RequestHeader set X-Name "%{SSL_TLS_SNI}e"')).toEqual([]);
  });

  test("in a part, another file may set the option", () => {
    expect(findingsOf([ignoredValue], 'RequestHeader set X-DN "%{SSL_CLIENT_S_DN}e"\n', { kind: "fragment" })).toEqual(
      [],
    );
  });
});

describe("Strict-Transport-Security of a host that only redirects", () => {
  const hsts = 'Header set Strict-Transport-Security "max-age=15768000"';
  const inHost = (...lines: readonly string[]) =>
    findingsOf([ignoredValue], wholeServer(section("VirtualHost *:443", "SSLEngine on", ...lines))).map(
      ({ message, help }) => [message, help?.[0]],
    );
  const found = ["`Strict-Transport-Security` is never sent: each request is redirected", "use `Header always set`"];

  test.each([
    "Redirect permanent / https://www.a.test/",
    "Redirect / https://www.a.test/",
    "RedirectPermanent / https://www.a.test/",
    "RewriteEngine On\nRewriteRule ^ https://www.a.test%{REQUEST_URI} [R=301,L]",
    "RewriteEngine On\nRewriteRule ^/?(.*)$ https://www.a.test/$1 [R,L]",
    "RewriteEngine On\nRewriteRule (.*) https://www.a.test$1 [R]",
    "RewriteEngine On\nRewriteRule .* https://www.a.test/ [R=302]",
  ])("%s", (line) => {
    expect(inHost(hsts, ...line.split("\n"))).toEqual([found]);
    expect(inHost(hsts.replace("set", "add"), ...line.split("\n"))).toEqual([found]);
  });

  test.each([
    [hsts.replace("Header", "Header always"), "Redirect / https://www.a.test/"],
    [`${hsts}\n${hsts.replace("Header", "Header always")}`, "Redirect / https://www.a.test/"],
    [hsts, "Redirect /old https://www.a.test/"],
    [hsts, "Redirect 404 /"],
    [hsts, "RewriteEngine On\nRewriteCond %{HTTP_HOST} ^a\\.test$\nRewriteRule ^ https://www.a.test/ [R,L]"],
    [hsts, "RewriteEngine On\nRewriteRule ^/$ https://www.a.test/ [R,L]"],
    [hsts, "RewriteEngine On\nRewriteRule ^ /index.php [L]"],
    ["Header set X-Frame-Options DENY", "Redirect / https://www.a.test/"],
  ])("but not %j with %j", (header, line) => {
    expect(inHost(...header.split("\n"), ...line.split("\n"))).toEqual([]);
  });
});

describe("a line that a later one replaces", () => {
  const replaced = (text: string) =>
    findingsOf([ignoredValue], `${text}\n`, { kind: "htaccess" }).flatMap(({ severity, message, related }) =>
      message.includes("replaces it") ? [[severity, message, ...related.map((each) => each.replace(/^.*: /, ""))]] : [],
    );

  test.each([
    ["ExpiresDefault A60", "ExpiresDefault A90"],
    ["ExpiresByType text/css A60", "ExpiresByType Text/CSS A90"],
    ["ErrorDocument 404 /a.html", "ErrorDocument 404 /b.html"],
    ["Options Indexes", "Options FollowSymLinks"],
    ["AuthUserFile /a", "AuthUserFile /b"],
    ["SetHandler a", "SetHandler b"],
    ["AddDefaultCharset utf-8", "AddDefaultCharset Off"],
  ])("%s, %s", (first, second) => {
    expect(replaced(`${first}\n${second}`)).toEqual([
      ["info", `\`${first}\` has no effect: a later line replaces it`, "replaces it"],
    ]);
    expect(replaced(`${first}\n${first}`)).toEqual([]);
  });

  test.each([
    "ErrorDocument 404 /a.html\nErrorDocument 403 /b.html",
    "ExpiresByType text/css A60\nExpiresByType text/html A90",
    "Options Indexes\nOptions +FollowSymLinks",
    "DirectoryIndex a.html\nDirectoryIndex b.html",
    "<Files a>\nSetHandler a\n</Files>\nSetHandler b",
    "<IfModule mod_a.c>\nErrorDocument 404 /a\n</IfModule>\n<IfModule mod_b.c>\nErrorDocument 404 /b\n</IfModule>",
  ])("is not reported: %j", (text) => {
    expect(replaced(text)).toEqual([]);
  });
});

describe("a variable with a header of the request", () => {
  const named = (text: string) =>
    findingsOf([ignoredValue], `${text}\n`, { kind: "htaccess" }).flatMap(({ severity, message, help }) =>
      message.includes("is set only for programs") ? [[severity, help?.[0]]] : [],
    );

  test.each([
    ["Header always set X-A 1 env=HTTP_USER_AGENT", "User-Agent (.+) HTTP_USER_AGENT=$1"],
    ['Header set X-A "%{HTTP_X_FORWARDED_FOR}e"', "X-Forwarded-For (.+) HTTP_X_FORWARDED_FOR=$1"],
  ])("%s", (line, setter) => {
    expect(named(line)).toEqual([["info", `add \`SetEnvIf ${setter}\`, which also sets it for files`]]);
    expect(named(`SetEnvIf ${setter}\n${line}`)).toEqual([]);
  });

  test("of the origin, whose remedy names the sites", () => {
    const line = 'Header set Access-Control-Allow-Origin "%{HTTP_ORIGIN}e" env=HTTP_ORIGIN';
    const setter = 'SetEnvIf Origin "^https://www\\.example\\.com$" HTTP_ORIGIN=$0';
    expect(named(line)).toEqual([["info", `use \`${setter}\``]]);
    const unconditional = 'Header set Access-Control-Allow-Origin "%{HTTP_ORIGIN}e"';
    expect(named(unconditional)).toEqual([["info", `use \`${setter}\`, and add \`env=HTTP_ORIGIN\` to this line`]]);
    const both = `${setter}\n${line}\n`;
    expect(findingsOf([ignoredValue, reflectedOrigin], both, { kind: "htaccess" })).toEqual([]);
  });

  test.each([
    ["Header set X-A 1 env=HTTP_ORIGIN", "the line does not apply to files"],
    ["Header set X-A 1 env=!HTTP_ORIGIN", "the line always applies to files"],
    ['Header set X-A "%{HTTP_ORIGIN}e"', "for files, httpd sends `(null)`"],
    ['Header set X-A "%{HTTP_ORIGIN}e" env=OTHER', "for files, httpd sends `(null)`"],
  ])("has an effect for files that depends on the condition: %s", (line, effect) => {
    const messages = findingsOf([ignoredValue], `${line}\n`, { kind: "htaccess" }).map(({ message }) => message);
    expect(messages).toContain(`\`HTTP_ORIGIN\` is set only for programs: ${effect}`);
  });

  describe("in a section", () => {
    const line = "Header set X-A 1 env=HTTP_ORIGIN";
    const count = (text: string) =>
      findingsOf([ignoredValue], text).filter(({ message }) => message.includes("is set only for programs")).length;

    test.each([
      section('FilesMatch "\\.php$"', "SetHandler proxy:fcgi://127.0.0.1:9000", line),
      section('FilesMatch "\\.php$"', line),
      `ScriptAlias /cgi-bin/ /srv/cgi/\n${section("Directory /srv/cgi", line)}`,
      section("Location /api", "ProxyPass http://127.0.0.1:3000/", line),
      `ProxyPass /api/ http://127.0.0.1:3000/\n${section("Location /api/", line)}`,
      section("VirtualHost *:80", "ProxyPass / http://127.0.0.1:3000/", line),
      section("Location /app", "SetHandler php-script", `<IfModule mod_headers.c>\n${line}\n</IfModule>`),
    ])("of programs or a backend, it is not reported: %j", (text) => {
      expect(count(text)).toBe(0);
    });

    test.each([
      section('FilesMatch "\\.woff2$"', line),
      `ScriptAlias /cgi-bin/ /srv/cgi/\n${section("Directory /srv/www", line)}`,
      `ProxyPass /api/ http://127.0.0.1:3000/\n${section("Location /fonts", line)}`,
      section("VirtualHost *:80", "ProxyPass /api http://127.0.0.1:3000/", line),
      section("Location /fonts", "SetHandler none", line),
    ])("of files, it is: %j", (text) => {
      expect(count(text)).toBe(1);
    });
  });

  test.each([
    "Header set X-A expr=%{HTTP_HOST}",
    'Header set X-A "%{ORIGIN}e" env=ORIGIN',
    "Header set X-A HTTP_ORIGIN",
  ])("is not in %s", (line) => {
    expect(named(line)).toEqual([]);
  });
});

describe("a header as a variable of the environment", () => {
  const found = (lines: string, given: Given = { kind: "htaccess" }) => findingsOf([ignoredValue], `${lines}\n`, given);

  test("has no value", () => {
    expect(found('RequestHeader set Authorization "Bearer %{X-Custom-Auth-Header}e"')).toMatchObject([
      {
        text: '"Bearer %{X-Custom-Auth-Header}e"',
        message: "`%{X-Custom-Auth-Header}e` has no value: no line sets a variable of this name",
        notes: [
          "a letter `e` stands for a variable of the environment, not for a header of the request",
          "the backend gets the value `Bearer (null)`",
        ],
        help: ['use `"expr=Bearer %{req:X-Custom-Auth-Header}"`'],
      },
    ]);
  });

  test.each([
    ["Header set X-A %{X-Forwarded-For}e", 'use `"expr=%{req:X-Forwarded-For}"`'],
    ['Header always append X-A "a %{User-Agent}e b"', 'use `"expr=a %{req:User-Agent} b"`'],
    ['Header edit X-A ^a "%{X-Id}e"', 'use `"expr=%{req:X-Id}"`'],
    ['RequestHeader add X-A "%{x-request-id}e"', 'use `"expr=%{req:x-request-id}"`'],
    ['RequestHeader set X-A "%{X-Id}e %D"', "add `SetEnvIf X-Id (.+) X-Id=$1`"],
    ["SetEnvIf X-Other (.+) X-Ids=$1\nHeader set X-A %{X-Id}e", 'use `"expr=%{req:X-Id}"`'],
  ])("%s", (lines, remedy) => {
    expect(found(lines).map(({ help }) => help?.[0])).toEqual([remedy]);
  });

  test("of any name with a hyphen, if the whole server is known", () => {
    const line = 'Header set X-A "%{FOO-BAR}e"';
    expect(found(line)).toEqual([]);
    expect(found(wholeServer("Listen 80", line), {})).toHaveLength(1);
    expect(found(wholeServer("LoadModule mod_shib mod_shib.so", "Listen 80", line), {})).toEqual([]);
    expect(found(wholeServer("Listen 80", 'Header set X-A "%{cache-status}e"'), {})).toEqual([]);
  });

  test.each([
    'Header set X-A "expr=%{req:X-Id}"',
    "SetEnvIf X-Id (.+) X-Id=$1\nHeader set X-A %{X-Id}e",
    "SetEnvIf X-Id (.+) x-id=$1\nHeader set X-A %{X-Id}e",
    "PassEnv X-Id\nHeader set X-A %{X-Id}e",
    "SetEnv X-Id 1\nHeader set X-A %{X-Id}e",
    "RewriteEngine On\nRewriteRule ^ - [E=X-Id:%{HTTP:X-Id}]\nHeader set X-A %{X-Id}e",
    "Header set X-A %{X-Id}e env=X-Id",
    "Header set X-A %{X_ID}e",
    "Header set X-A %{UNIQUE_ID}e",
    "Header set X-A %{Shib-Session-ID}e",
    "Header set X-A X-Id",
    "Header unset X-Id",
  ])("not %s", (lines) => {
    expect(found(lines)).toEqual([]);
  });
});
