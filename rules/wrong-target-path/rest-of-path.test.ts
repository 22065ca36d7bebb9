import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const restOfPath = onlyVariant(wrongTargetPath, "rest-of-path");

const modules = ["alias", "rewrite", "proxy", "proxy_http"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
const open = section("Directory /srv", "Require all granted", "AllowOverride All", "Options FollowSymLinks");
const serverWith = (...lines: readonly string[]) =>
  wholeServer(
    ...modules,
    "Listen 80",
    "Listen 443",
    open,
    section("VirtualHost *:80", "ServerName shop.test", "ServerAlias www.shop.test", "DocumentRoot /srv/www", ...lines),
  );
const found = (files: Readonly<Record<string, string>>, ...lines: readonly string[]) =>
  findingsOf([restOfPath], serverWith(...lines), { files: { "/srv/www/index.html": "x", ...files } }).map(
    ({ message, help }) => [message, help?.[0]],
  );
const inFolder = (...lines: readonly string[]) =>
  found({ "/srv/www/team/jo/.htaccess": `${lines.join("\n")}\n`, "/srv/www/team/jo/a.txt": "x" });

describe("a Redirect of `/` in another directory", () => {
  // A server answers `/team/jo/` with a Location that ends in `team/jo/` (2.4.71).
  test.each([
    ["Redirect 302 / https://b.test/people/", "use `Redirect 302 /team/jo/ https://b.test/people/`"],
    ["Redirect / https://b.test/people/", "use `Redirect /team/jo/ https://b.test/people/`"],
    ['RedirectPermanent "/" "https://b.test/people"', 'use `RedirectPermanent /team/jo/ "https://b.test/people"`'],
    ["Redirect permanent / /people/", "use `Redirect permanent /team/jo/ /people/`"],
  ])("%s", (line, help) => {
    expect(inFolder(line)).toEqual([["the redirect adds `team/jo/` to its target", help]]);
  });

  test.each([
    "Redirect 302 /team/jo/ https://b.test/people/",
    "Redirect 302 / https://b.test/",
    "Redirect 302 / https://b.test",
    "RedirectMatch 302 ^/ https://b.test/people/",
    "Redirect 403 /",
    "RewriteEngine On\nRewriteRule ^ https://b.test/people/ [R,L]",
  ])("is not reported: %s", (line) => {
    expect(inFolder(line)).toEqual([]);
  });

  test("in a `<Directory>`, and not in that of the site", () => {
    const line = "Redirect 302 / https://b.test/people/";
    expect(found({}, section("Directory /srv/www/team", line))).toHaveLength(1);
    expect(found({}, section("Directory /srv/www", line))).toEqual([]);
    expect(found({ "/srv/www/.htaccess": `${line}\n` })).toEqual([]);
    expect(found({}, line)).toEqual([]);
  });
});

describe("a redirect to https or to one name that loses its directory", () => {
  const off = "RewriteCond %{HTTPS} off";
  const lost = ["the redirect leaves the directory `/team/jo/`", expect.stringContaining("%{REQUEST_URI}")];

  test.each([
    [off, "RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]"],
    ["RewriteCond %{HTTPS} !=on", "RewriteRule (.*) https://shop.test/$1 [R,L]"],
    ["RewriteCond %{SERVER_PORT} 80", "RewriteRule ^(.*)$ https://%{SERVER_NAME}/$1 [R=301,L]"],
    ["RewriteCond %{HTTP_HOST} !^www\\.", "RewriteRule ^(.*)$ http://www.%{HTTP_HOST}/$1 [R=301,L]"],
  ])("%s, %s", (condition, rule) => {
    expect(inFolder("RewriteEngine On", condition, rule)).toEqual([lost]);
  });

  test.each([
    [off, "RewriteRule ^(.*)$ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]"],
    [off, "RewriteRule ^(.*)$ https://%{HTTP_HOST}/team/jo/$1 [R=301,L]"],
    [off, "RewriteRule ^(.*)$ https://b.test/$1 [R=301,L]"],
    // The pages of the directory were moved.
    ["", "RewriteRule ^(.*)$ http://shop.test/$1 [R=301,L]"],
    [off, "RewriteRule ^ https://%{HTTP_HOST}/ [R=301,L]"],
  ])("is not reported: %s, %s", (condition, rule) => {
    expect(inFolder("RewriteEngine On", condition, rule)).toEqual([]);
  });

  describe("for a slash at the end of the path", () => {
    const exists = "RewriteCond %{REQUEST_FILENAME} !-d";
    test.each([
      ["^(.*)/$", "/$1", "%1"],
      ["^(.+)/$", "/$1", "%1"],
      ["^(.*)/+$", "https://%{HTTP_HOST}/$1", "%1"],
      ["^(.*[^/])$", "/$1/", "%{REQUEST_URI}/"],
      ["^(.+)$", "http://shop.test/$1/", "%{REQUEST_URI}/"],
    ])("%s to %s", (pattern, target, written) => {
      const expected = ["the redirect leaves the directory `/team/jo/`", expect.stringContaining(`\`${written}\``)];
      expect(inFolder("RewriteEngine On", `RewriteRule ${pattern} ${target} [R=301,L]`)).toEqual([expected]);
      expect(inFolder("RewriteEngine On", exists, `RewriteRule ${pattern} ${target} [R=301,L]`)).toEqual([expected]);
    });

    test.each([
      ["^(.*)/$", "/team/jo/$1"],
      ["^(.*)/$", "https://b.test/$1"],
      ["^old/(.*)/$", "/$1"],
      ["^(.*)/$", "/new/$1"],
      ["^(.*)\\.html$", "/$1"],
    ])("%s to %s is not reported", (pattern, target) => {
      expect(inFolder("RewriteEngine On", exists, `RewriteRule ${pattern} ${target} [R=301,L]`)).toEqual([]);
    });

    test("is not reported with the whole path", () => {
      const condition = "RewriteCond %{REQUEST_URI} (.+)/$";
      expect(inFolder("RewriteEngine On", exists, condition, "RewriteRule ^ %1 [L,R=301]")).toEqual([]);
    });
  });

  test("is not reported in the directory of the site", () => {
    const lines = `RewriteEngine On\n${off}\nRewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]\n`;
    expect(found({ "/srv/www/.htaccess": lines })).toEqual([]);
  });
});

describe("a rule whose backend does not get the path", () => {
  const engine = "RewriteEngine On";

  test.each([
    ["RewriteRule /(.*) http://127.0.0.1:9090/ [P,L]", "http://127.0.0.1:9090/$1"],
    ["RewriteRule ^/(.*)$ http://app.test/ [P]", "http://app.test/$1"],
    ["RewriteRule ^/app/(.*)$ http://app.test/base/ [P]", "http://app.test/base/$1"],
    ["RewriteCond %{HTTP:Upgrade} !=websocket [NC]\nRewriteRule ^/?(.*) http://app.test/ [P]", "http://app.test/$1"],
  ])("%s", (lines, corrected) => {
    const [finding, ...more] = found({}, engine, ...lines.split("\n"));
    expect(finding?.[1]).toBe(`use \`${corrected}\`, which has what the group matched`);
    expect(more).toEqual([]);
  });

  test.each([
    "RewriteRule ^/(.*)$ http://app.test/$1 [P]",
    "RewriteRule ^/(.*)$ http://app.test%{REQUEST_URI} [P]",
    "RewriteRule ^/(.*)$ http://app.test/sorry.html [P]",
    "RewriteRule ^ http://app.test/ [P]",
    "RewriteRule ^/status$ http://app.test/ [P]",
    "RewriteRule ^/(a|b)$ http://app.test/ [P]",
    // A WebSocket may have one URL.
    "RewriteRule ^/(.*) ws://app.test/ [P]",
    // All other paths are meant for one page, or the group is used elsewhere.
    "RewriteCond %{REQUEST_URI} !^/(api|static)/\nRewriteRule ^/(.*)$ http://app.test/ [P]",
    "RewriteCond /srv/www/$1 !-f\nRewriteRule ^/(.*)$ http://app.test/ [P]",
    "RewriteRule ^/rpc/(.*)$ http://app.test/ [P,E=METHOD:$1]",
    "RewriteCond %{REQUEST_URI} =/feed\nRewriteRule ^/(.*)$ http://app.test/ [P]",
  ])("is not reported: %s", (lines) => {
    expect(found({}, engine, ...lines.split("\n"))).toEqual([]);
  });
});
