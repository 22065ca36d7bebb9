import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, section, wholeServer } from "../../test/support/rules.js";
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
  .concat("usertrack", "session", "session_cookie", "remoteip", "autoindex", "filter", "mime")
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
