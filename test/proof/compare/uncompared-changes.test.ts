import { describe, expect, test } from "vitest";
import { findUncomparedChanges } from "../../../src/proof/compare/uncompared-changes.js";
import { formatLine } from "../../../src/server/trace/step.js";
import { loadText } from "../../support/projects.js";

/** Returns `BEFORE > AFTER` for each change, with an empty side for a missing line. */
function changes(before: string, after: string): string[] {
  const load = (text: string) => loadText(text, { kind: "server" }).read;
  return findUncomparedChanges(load(before), load(after)).map(
    ({ before: old, after: now }) => `${old ? formatLine(old) : ""} > ${now ? formatLine(now) : ""}`,
  );
}

const host = (name: string, lines: string) => `<VirtualHost *:80>\nServerName ${name}\n${lines}\n</VirtualHost>\n`;

describe("lists a change", () => {
  test.each([
    ["ProxyPass /a http://x/", "ProxyPass /a http://y/"],
    ["ProxyPass /a http://x/", "ProxyPass /a http://x/ timeout=5"],
    ["ProxyPassReverse /a http://x/", "ProxyPassReverse /a http://y/"],
    ["SetHandler proxy:fcgi://a", "SetHandler proxy:fcgi://b"],
    ["Redirect /a http://x/", "Redirect /a http://y/"],
    ["Redirect permanent /a http://x/", "Redirect permanent /a http://y/"],
    ["RedirectMatch ^/a http://x/", "RedirectMatch ^/a http://y/"],
    ["ErrorDocument 404 https://x/", "ErrorDocument 404 https://y/"],
    ["RewriteRule ^/a /b", "RewriteRule ^/a /c"],
    ["RewriteRule ^/a /b [L]", "RewriteRule ^/a /c [L]"],
    ["RewriteRule ^/a https://x/ [R=301,L]", "RewriteRule ^/a https://y/ [R=301,L]"],
    ["RewriteRule ^/a /b [R]", "RewriteRule ^/a /b [L]"],
    ["SSLEngine on", "SSLEngine off"],
    ["SSLProtocol all", "SSLProtocol all -SSLv3"],
    ["SSLCertificateFile a.crt", "SSLCertificateFile b.crt"],
    ["Header set X-A b", "Header set X-A c"],
    ["RequestHeader unset Proxy early", "RequestHeader unset Proxy"],
    ["ErrorLog a.log", "ErrorLog b.log"],
    ["DirectoryIndex index.html", "DirectoryIndex index.php index.html"],
    ["DirectoryIndex index.html", "DirectoryIndex disabled"],
    ["FallbackResource /a.php", "FallbackResource /b.php"],
    ["CustomLog a.log common", "CustomLog a.log combined"],
  ])("of %s to %s", (before, after) => {
    expect(changes(before, after)).toEqual([`${before} > ${after}`]);
  });

  test.each([
    "SSLEngine on",
    "ProxyPass /a http://x/",
    "Redirect /a http://x/",
    "RewriteRule ^/a https://x/",
    "RewriteRule ^/a /b [P]",
    "Header always set X-A b",
  ])("of a deleted or added line: %s", (line) => {
    expect(changes(line, "")).toEqual([`${line} > `]);
    expect(changes("", line)).toEqual([` > ${line}`]);
    expect(changes(`${line}\n${line}`, line)).toEqual([`${line} > `]);
  });

  test("of the section or host around a line", () => {
    const inLocation = (path: string) => `<Location ${path}>\nProxyPass http://x/\n</Location>\n`;
    expect(changes(inLocation("/a"), inLocation("/b"))).toEqual(["ProxyPass http://x/ > ", " > ProxyPass http://x/"]);
    const hosts = (a: string, b: string) => host("a.example", `SSLEngine ${a}`) + host("b.example", `SSLEngine ${b}`);
    expect(changes(hosts("on", "off"), hosts("off", "on"))).toEqual([
      "SSLEngine on > SSLEngine off",
      "SSLEngine off > SSLEngine on",
    ]);
  });

  test("of several words after the first, in another order", () => {
    const lines =
      (...paths: readonly string[]) =>
      (end: string) =>
        paths.map((path) => `ProxyPass ${path} ${end}`).join("\n");
    expect(changes(lines("/a", "/b")("http://x/ timeout=5"), lines("/b", "/a")("http://y/ timeout=6"))).toEqual(
      ["/a", "/b"].map((path) => `ProxyPass ${path} http://x/ timeout=5 > ProxyPass ${path} http://y/ timeout=6`),
    );
  });

  test("of the value of a variable", () => {
    const text = (address: string) => `Define BACKEND ${address}\nProxyPass /a http://\${BACKEND}/\n`;
    expect(changes(text("x"), text("y"))).toEqual(["ProxyPass /a http://x/ > ProxyPass /a http://y/"]);
  });
});

describe("does not list a directive that returns 404, 405 or 410: that is compared", () => {
  test.each([
    "Redirect gone /a",
    "Redirect 404 /a",
    "RedirectMatch 410 ^/a",
    "RewriteRule ^/a - [G]",
    "RewriteRule ^/a - [L,R=404]",
    "TraceEnable Off",
    "AllowMethods GET",
  ])("%s", (line) => {
    expect(changes(line, "")).toEqual([]);
  });
});

describe("does not list", () => {
  test.each([
    [
      "a change of access",
      "<Location />\nRequire all granted\n</Location>",
      "<Location />\nRequire all denied\n</Location>",
    ],
    ["a redirect with status 403", "Redirect 403 /a", ""],
    ["a rule that denies access", "RewriteRule ^/a - [F]", "RewriteRule ^/b - [F]"],
    ["a rule within the server", "RewriteRule ^/a /b", ""],
    ["the pattern of a rule within the server", "RewriteRule ^/a /b", "RewriteRule ^/c /b"],
    ["the flags of a rule within the server", "RewriteRule ^/a /b [L]", "RewriteRule ^/a /b [PT]"],
    ["a directive of TLS that decides access", "SSLVerifyClient none", "SSLVerifyClient require"],
    ["an error page", "ErrorDocument 404 /a.html", "ErrorDocument 404 /b.html"],
    ["a handler", "SetHandler server-status", "SetHandler server-info"],
    ["limits", "Timeout 60\nLimitRequestBody 1", "Timeout 30\nLimitRequestBody 2"],
    ["quotes and case", 'proxypass "/a" "http://x/"', "ProxyPass /a http://x/"],
    ["the order of lines", "SSLEngine on\nHeader set A b", "Header set A b\nSSLEngine on"],
    [
      "a conditional section that is true",
      "Redirect /a http://x/",
      "<IfModule mod_alias.c>\nRedirect /a http://x/\n</IfModule>",
    ],
    ["pattern and target of a rule within the server", "RewriteRule ^/a /b", "RewriteRule ^/c /d"],
    [
      "hosts in another order",
      host("a", "SSLEngine on") + host("b", "SSLEngine off"),
      host("b", "SSLEngine off") + host("a", "SSLEngine on"),
    ],
  ])("%s", (_, before, after) => {
    expect(changes(before, after)).toEqual([]);
  });
});
