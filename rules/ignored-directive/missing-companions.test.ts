import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, section, wholeServer } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { ignoredDirective } from "./ignored-directive.js";

const modules = [
  "cache",
  "cache_disk",
  "cache_socache",
  "dav",
  "dav_fs",
  "substitute",
  "proxy",
  "proxy_html",
  "speling",
]
  .concat(
    "ratelimit",
    "env",
    "setenvif",
    "rewrite",
    "usertrack",
    "session",
    "session_cookie",
    "remoteip",
    "autoindex",
    "filter",
    "mime",
  )
  .map((name) => `LoadModule ${name}_module mod_${name}.so`);
const check = (...lines: readonly string[]) =>
  findingsOf([ignoredDirective], wholeServer(...modules, "Listen 80", ...lines)).map(({ message }) => message);

describe("a line that does nothing without another is reported", () => {
  test.each([
    ["CacheEnable disk /", "`CacheEnable disk` needs `CacheRoot`, which no line sets"],
    ["CacheEnable socache /", "`CacheEnable socache` needs `CacheSocache`, which no line sets"],
    ["CacheDefaultExpire 3600", "`CacheDefaultExpire` needs `CacheEnable`, which no line sets"],
    [inDirectory("Dav On"), "`Dav On` needs `DavLockDB`, which no line sets"],
    ['Substitute "s|a|b|"', "`Substitute` needs `SetOutputFilter SUBSTITUTE`, which no line sets"],
    ["ProxyHTMLURLMap http://int/ /", "`ProxyHTMLURLMap` needs `ProxyHTMLEnable On`, which no line sets"],
    ["CheckCaseOnly on", "`CheckCaseOnly On` needs `CheckSpelling On`, which no line sets"],
    ["CookieName track\nCookieExpires 10", "`CookieName` needs `CookieTracking On`, which no line sets"],
    ["SessionCookieName s path=/", "`SessionCookieName` needs `Session On`, which no line sets"],
    ["RemoteIPInternalProxy 10.0.0.1", "`RemoteIPInternalProxy` needs `RemoteIPHeader`, which no line sets"],
    ['AddDescription "x" *.html', "`AddDescription` needs `IndexOptions FancyIndexing`, which no line sets"],
    [section("VirtualHost *:80", "CacheEnable disk /"), "`CacheEnable disk` needs `CacheRoot`, which no line sets"],
    ["SetEnv rate-limit 100", "`SetEnv rate-limit` needs `SetOutputFilter RATE_LIMIT`, which no line sets"],
    ["SetEnvIf Host . rate-limit=100", "`SetEnvIf rate-limit` needs `SetOutputFilter RATE_LIMIT`, which no line sets"],
    ["SetOutputFilter RATE_LIMIT", "`SetOutputFilter RATE_LIMIT` needs `SetEnv rate-limit`, which no line sets"],
    ["CheckSpelling Off\nCheckCaseOnly On", "`CheckCaseOnly On` needs `CheckSpelling On`, which no line sets"],
  ])("%j", (lines, message) => {
    expect(check(lines)).toEqual([message]);
  });
});

describe("is not reported", () => {
  test.each([
    "CacheEnable disk /\nCacheRoot /var/cache",
    section("VirtualHost *:80", "CacheEnable disk /") + section("VirtualHost *:81", "CacheRoot /var/cache"),
    "CacheSocache shmcb\nCacheEnable socache /",
    "CacheEnable disk /\nCacheRoot /var/cache\nCacheDefaultExpire 3600",
    "CacheRoot /var/cache",
    `DavLockDB /var/lib/dav\n${inDirectory("Dav On")}`,
    inDirectory("Dav Off"),
    inDirectory("Dav svn"),
    'AddOutputFilterByType SUBSTITUTE text/html\nSubstitute "s|a|b|"',
    'SetOutputFilter INFLATE;SUBSTITUTE;DEFLATE\nSubstitute "s|a|b|"',
    "ProxyHTMLEnable on\nProxyHTMLURLMap http://int/ /",
    "SetOutputFilter proxy-html\nProxyHTMLURLMap http://int/ /",
    "CheckSpelling On\nCheckCaseOnly On",
    "SetOutputFilter RATE_LIMIT\nSetEnv rate-limit 100",
    "SetOutputFilter DEFLATE;RATE_LIMIT\nSetEnvIf Host . rate-limit=100",
    "SetOutputFilter RATE_LIMIT\nRewriteEngine On\nRewriteRule ^ - [E=rate-limit:100]",
    "SetEnv my-limit 100",
    "CookieTracking on\nCookieName track",
    "Session On\nSessionCookieName s path=/",
    "RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 10.0.0.1",
    'IndexOptions HTMLTable\nAddDescription "x" *.html',
    "IndexOptions HTMLTable",
    'IndexOptions +FancyIndexing +HTMLTable\nAddDescription "x" *.html',
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("in a part of a server, whose other files may have the line", () => {
    expect(findingsOf([ignoredDirective], "CacheEnable disk /\n", { kind: "fragment" })).toEqual([]);
  });
});

describe("a virtual host of a file on its own", () => {
  const inPart = (text: string) =>
    findingsOf([ignoredDirective], text, { kind: "fragment" }).map(({ message, help }) => [message, help?.[0]]);
  const host = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName a.test", ...lines);

  test.each([
    ["ProxyHTMLURLMap http://int/ /", "ProxyHTMLEnable On", "add `ProxyHTMLEnable On`"],
    ['Substitute "s|a|b|"', "SetOutputFilter SUBSTITUTE", "add `AddOutputFilterByType SUBSTITUTE text/html`"],
    ["SetEnv rate-limit 100", "SetOutputFilter RATE_LIMIT", "add `SetOutputFilter RATE_LIMIT`"],
  ])("%s", (line, companion, help) => {
    expect(inPart(host(line))).toEqual([[expect.stringContaining(`needs \`${companion}\``), help]]);
    expect(inPart(host(line, companion))).toEqual([]);
    expect(inPart(host(line, section("Location /a", companion)))).toEqual([]);
    expect(inPart(host(line, "Include other.conf"))).toEqual([]);
    expect(inPart(`${line}\n`)).toEqual([]);
  });

  describe("with a filter for the text of a backend", () => {
    const pass = "ProxyPass / http://127.0.0.1:8080/";
    const found = (filter: string) => [
      [
        `the filter \`${filter}\` ${filter === "SUBSTITUTE" ? "finds no text in compressed responses of the backend" : "makes compressed responses of the backend unreadable"}`,
        "add `RequestHeader unset Accept-Encoding`",
      ],
    ];
    const substitute = ["AddOutputFilterByType SUBSTITUTE text/html", 'Substitute "s|a|b|"'];

    test("is reported", () => {
      expect(inPart(host(pass, ...substitute))).toEqual(found("SUBSTITUTE"));
      expect(inPart(host(pass, "ProxyHTMLEnable On", "ProxyHTMLURLMap http://a/ /"))).toEqual(found("proxy-html"));
      const own = section("Location /app", "ProxyPass http://127.0.0.1:8080/app", ...substitute);
      expect(inPart(host(own))).toEqual(found("SUBSTITUTE"));
    });

    test.each([
      ["without the header", [pass, ...substitute, "RequestHeader unset Accept-Encoding"]],
      ["with another value of the header", [pass, ...substitute, "RequestHeader set Accept-Encoding identity"]],
      ["with INFLATE", [pass, "SetOutputFilter INFLATE;SUBSTITUTE;DEFLATE", 'Substitute "s|a|b|"']],
      ["for a part of the paths", ["ProxyPass /app http://127.0.0.1:8080/", ...substitute]],
      ["for a FastCGI backend", ["ProxyPass / fcgi://127.0.0.1:9000/srv/", ...substitute]],
      ["without a backend", substitute],
      ["with an Include", [pass, ...substitute, "Include other.conf"]],
      ["for another filter", [pass, "SetOutputFilter DEFLATE"]],
    ])("is not reported %s", (_, lines) => {
      expect(inPart(host(...lines))).toEqual([]);
    });
  });
});

test("is not reported at a line that httpd rejects", () => {
  const rulesAt = (...names: readonly string[]) =>
    findingsOf(
      [refusedAtStart, ignoredDirective],
      wholeServer(
        ...names.map((name) => `LoadModule ${name}_module mod_${name}.so`),
        "Listen 80",
        inDirectory("Dav On"),
      ),
    ).map(({ rule }) => rule);
  expect(rulesAt("dav")).toEqual(["refused-at-start"]);
  expect(rulesAt("dav", "dav_fs")).toEqual(["ignored-directive"]);
});
