import { expect, test } from "vitest";
import { findingsOf, lintText } from "../../test/support/rules.js";
import { escapedRedirect } from "./escaped-redirect.js";

const check = (lines: string) =>
  findingsOf([escapedRedirect], `RewriteEngine On\n${lines}\n`, { kind: "htaccess" }).map(
    ({ text, message }) => `${text}: ${message}`,
  );

test.each([
  ["RewriteRule ^a$ /b#c [R]", "#: `#` in the target of a redirect is sent as `%23`"],
  ["RewriteRule ^a$ https://a.test/b?x=1#c", "#: `#` in the target of a redirect is sent as `%23`"],
  ["RewriteRule ^a$ /b\\%20c [R=301]", "%20: `%20` in the target of a redirect is sent as `%2520`"],
  ["RewriteRule ^a$ /b%20c [R,NE]", "%20: `%20` is not an escaped character: httpd reads `%2` as a group"],
  ["RewriteRule ^a$ b.php?u=a%3Ab", "%3A: `%3A` is not an escaped character: httpd reads `%3` as a group"],
  ["RedirectMatch ^/a /b%20c", "%20: `%20` in the target of a redirect is sent as `%2520`"],
])("reports %s", (line, text) => {
  expect(check(line)).toEqual([text]);
});

test.each([
  "RewriteRule ^a$ /b#c [R,NE]",
  "RewriteRule ^a$ /b\\#c [R]",
  "RewriteRule ^a#$ /b [R]",
  "RewriteRule ^a$ b#c",
  "RewriteRule ^a$ http://a.test/#c [P]",
  "RewriteRule ^a$ /b\\%20c [R,NE]",
  "RewriteCond %{QUERY_STRING} (a)(b)\nRewriteRule ^a$ /b%20c [R,NE]",
  "RewriteCond expr %{HTTP_HOST}=~/(a)(b)/\nRewriteRule ^a$ /b%20c [R,NE]",
  "RewriteRule ^a$ /b%{HTTP_HOST} [R]",
  "RewriteRule ^a$ /b%% [R]",
  "RedirectMatch ^/a /b",
  "RedirectMatch ^/%20 /b",
  "Redirect /a /b%20c",
])("does not report %s", (line) => {
  expect(check(line)).toEqual([]);
});

test.each([
  ["/b#c [R,L]", "[NE,"],
  ['/b#c "[R]"', "[NE,"],
  ["https://a.test/b#c", " [NE]"],
  ["/b#c$ [R]", "[NE,"],
])("fixes %s", (target, text) => {
  const [finding] = lintText([escapedRedirect], `RewriteRule ^a$ ${target}\n`);
  expect(finding?.fix?.edits[0]?.text).toBe(text);
});

// 2.4.71 sends `Location: …/docs#a b` for /help/a%20b with NE.
test.each(["/docs#$1", "/docs\\%20x/$1", "/docs#%1", "/%{HTTP_HOST}/docs#a", "/docs#${pages:$1}"])(
  "has no fix for a target into which the request inserts text: %s",
  (target) => {
    const lines = `RewriteCond %{QUERY_STRING} (.*)\nRewriteRule ^help/(.*)$ ${target} [R]\n`;
    const [finding] = lintText([escapedRedirect], lines);
    expect(finding?.fix).toBeUndefined();
    expect(finding?.help?.[0]).toMatch(
      /^add the flag `NE`, and let `[^`]+` match only characters that need no escape$/,
    );
  },
);
