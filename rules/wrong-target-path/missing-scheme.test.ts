import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, onlyVariant, section } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const rule = onlyVariant(wrongTargetPath, "missing-scheme");
const check = (text: string) =>
  findingsOf([rule], text, { kind: text.startsWith("<") ? "server" : "htaccess" }).map(({ help }) => help?.[0]);

describe("the name of a host in place of a URL is reported", () => {
  test.each([
    ["RewriteRule ^(.*)$ www.example.com/$1 [R=301,L]", "use `https://www.example.com/$1`"],
    ["RewriteRule ^ example.org%{REQUEST_URI} [R]", undefined],
    ["RewriteRule ^ example.org/%{REQUEST_URI} [R]", "use `https://example.org/%{REQUEST_URI}`"],
    ["RewriteRule ^ shop.example.co.uk [R=302]", "use `https://shop.example.co.uk`"],
    ["RewriteRule ^ example.org:8443/x [R,L]", "use `https://example.org:8443/x`"],
    ['RewriteRule ^a$ "www.my-site.shop/a b" [R,L]', "use `https://www.my-site.shop/a b`"],
    ["RewriteBase /\nRewriteRule ^a$ www.example.com/a [R]", "use `https://www.example.com/a`"],
    [section("VirtualHost *:80", "RewriteRule ^/(.*)$ www.example.com/$1 [R]"), "use `https://www.example.com/$1`"],
  ])("%j", (text, help) => {
    expect(check(`${text}\n`)).toEqual(help === undefined ? [] : [help]);
  });

  test("with a fix", () => {
    const line = 'RewriteRule ^ "www.example.com/" [R]\n';
    expect(fixFirst(rule, line, { kind: "htaccess" })).toBe('RewriteRule ^ "https://www.example.com/" [R]\n');
  });
});

describe("is not reported for", () => {
  test.each([
    "RewriteRule ^(.*)$ https://www.example.com/$1 [R=301,L]",
    "RewriteRule ^(.*)$ /www.example.com/$1 [R=301,L]",
    "RewriteRule ^(.*)$ www.example.com/$1 [L]",
    "RewriteRule ^a$ index.php [R]",
    "RewriteRule ^a$ page.html/x [R]",
    "RewriteRule ^a$ shop/page.aspx [R]",
    "RewriteRule ^a$ v1.2/page [R]",
    "RewriteBase /rs/\nRewriteRule ^feed/?$ feed.rss [R=301,L]",
    "RewriteRule ^a$ manual.docx [R]",
    "RewriteRule ^a$ login.do [R]",
    "RewriteRule ^a$ archive.tar.gz [R]",
    "RewriteRule ^a$ html.backup/x [R]",
    "RewriteRule ^a$ //www.example.com/ [R]",
    "RewriteRule ^a$ %{HTTP_HOST}/a [R]",
    "RewriteRule ^a$ - [R=404]",
  ])("%j", (text) => {
    expect(check(`${text}\n`)).toEqual([]);
  });
});
