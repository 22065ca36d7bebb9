import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, lintText, section } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const find = (text: string, given: Given = { kind: "htaccess" }) =>
  findingsOf([constantCondition], `${text}\n`, given).filter(({ message }) => message.includes("excludes nothing"));

// A live 2.4.71 returns 403 or redirects for each path that shall be excluded here.
describe("reports an exclusion that never applies", () => {
  test.each([
    [String.raw`RedirectMatch 403 ^/?\.(?!/well-known/)`, "(?!/well-known/)", "(?!well-known/)"],
    ["RedirectMatch 301 ^/blog/(?!/feed)(.*)$ https://b.test/$1", "(?!/feed)", "(?!feed)"],
    ["RedirectMatch 404 ^(?!public/)", "(?!public/)", "(?!/public/)"],
    ["RewriteRule ^(?!/api)(.*)$ index.php [L]", "(?!/api)", "(?!api)"],
    [String.raw`RewriteRule ^(?!\/api)(.*)$ index.php [L]`, String.raw`(?!\/api)`, "(?!api)"],
    ["RewriteCond %{REQUEST_URI} ^(?!admin)\nRewriteRule ^a - [F]", "(?!admin)", "(?!/admin)"],
    ['<FilesMatch "^(?!/img).*$">\nRequire all denied\n</FilesMatch>', "(?!/img)", "(?!img)"],
    ["RewriteRule ^app/(?!^api)(.*)$ index.php [L]", "(?!^api)", "(?!api)"],
  ])("%s", (line, exclusion, corrected) => {
    const text = `RewriteEngine On\n${line}\n`;
    expect(find(text)).toMatchObject([{ severity: "warning", text: exclusion, help: [`use \`${corrected}\``] }]);
    const [finding] = lintText([constantCondition], text, { kind: "htaccess" });
    const fixed = applyEdits(text, finding?.fix?.edits ?? []);
    expect(fixed).toBe(text.replace(exclusion, corrected));
    expect(find(fixed)).toEqual([]);
  });

  test("in the configuration of a server, where paths begin with a slash", () => {
    const host = section("VirtualHost *:80", "RewriteEngine On", "RewriteRule ^(?!api)(.*)$ /index.php [L]");
    expect(find(host, {})).toMatchObject([
      {
        message: "`(?!api)` excludes nothing: no URL path has this text there",
        notes: [
          "the path of a URL begins with `/`, and httpd removes repeated slashes and dot segments before",
          "the pattern also matches what shall be excluded",
        ],
        help: ["use `(?!/api)`"],
      },
    ]);
  });

  test("without another text if none is known", () => {
    expect(find("RedirectMatch 404 ^/a$(?!/b)")).toMatchObject([
      { help: ["correct the text of the exclusion, or delete it"] },
    ]);
  });
});

describe("does not report", () => {
  test.each([
    String.raw`RedirectMatch 403 ^/?\.(?!well-known/)`,
    String.raw`RedirectMatch 404 /\.(?!well-known/)`,
    "RedirectMatch 404 ^(?!/public/)",
    "RedirectMatch 404 ^(?!^/(a|b)).*$",
    "RewriteRule ^(?!api/)(.*)$ index.php [L]",
    "RewriteRule ^(?!.*/api/)(.*)$ index.php [L]",
    // The rest of the pattern excludes the path as well.
    "RewriteRule ^(?!api/)(css|js)/ - [L]",
    "RewriteCond %{REQUEST_URI} ^(?!/admin)\nRewriteRule ^a - [F]",
    "RewriteCond %{HTTP_HOST} ^(?!www)\nRewriteRule ^a - [F]",
    "RewriteCond %{QUERY_STRING} (?!/x)\nRewriteRule ^a - [F]",
    `${String.raw`<FilesMatch "^(?!index\.).*$">`}\nRequire all denied\n</FilesMatch>`,
    // An alternative, and a part that the engine does not read.
    "RewriteRule ^a|^(?!/b) - [F]",
    String.raw`RewriteRule ^(.)\1(?!/b) - [F]`,
    // The whole pattern is what is wrong.
    "RewriteRule ^/x/(?!b) - [F]",
    "RewriteRule ^@PATH@(?!/b) - [F]",
  ])("%s", (line) => {
    expect(find(`RewriteEngine On\n${line}`)).toEqual([]);
  });

  test("repeated slashes that the server keeps, and whole URLs", () => {
    const location = section("LocationMatch ^/(?!/b)", "Require all denied");
    expect(find(location, {})).toHaveLength(1);
    expect(find(`MergeSlashes Off\n${location}`, {})).toEqual([]);
    expect(find(location, { release: "2.4.38" })).toEqual([]);
    const urls = section("LocationMatch ^(?!http://a)", "Require all denied");
    expect(find(urls, {})).toHaveLength(1);
    expect(find(`ProxyRequests On\n${urls}`, {})).toEqual([]);
  });

  // With wildcards, httpd compares the pattern with the whole file name.
  test.each([
    ["Directory /srv/www", 1],
    ['Directory "/srv/www/"', 1],
    ["Directory /srv/*/html", 0],
    ["Directory /srv/w[w]w", 0],
    ["Directory ~ ^/srv/www", 0],
    ["DirectoryMatch ^/srv/www", 0],
  ])("a path without its directory in a section with a pattern: <%s>", (name, count) => {
    const text = section(name, "RewriteEngine On", "RewriteRule ^(?!/srv/www/api/).*$ /index.php [L]");
    expect(find(text, {})).toHaveLength(count);
  });
});
