import { expect, test } from "vitest";
import { findingsOf, lintText, section } from "../../test/support/rules.js";
import { droppedQuery } from "./dropped-query.js";

const check = (lines: string) => findingsOf([droppedQuery], `${lines}\n`, { kind: "htaccess" });

test.each([
  ["RewriteRule ^(.*)$ index.php?q=$1 [L]", "`/x?page=2` becomes `index.php?q=x`, without `page=2`"],
  ["RewriteRule (.*) /app.php?u=/$1", "`/x?page=2` becomes `/app.php?u=/x`, without `page=2`"],
  [
    "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^([\\w-]+)/?$ page.php?name=$1 [L]",
    "`/x?page=2` becomes `page.php?name=x`, without `page=2`",
  ],
  ["RewriteRule ^item/(\\d+)$ item.php?id=$1 [L]", "`/item/0?page=2` becomes `item.php?id=0`, without `page=2`"],
  ["RewriteRule ^about/?$ index.php?p=about [L]", "`/about?page=2` becomes `index.php?p=about`, without `page=2`"],
])("reports %s", (lines, note) => {
  expect(check(lines).flatMap(({ notes }) => notes)).toEqual([note]);
});

test("reports a rule of a virtual host", () => {
  const text = section("VirtualHost *:80", "RewriteRule ^/(.*)$ /index.php?q=$1 [L]");
  expect(findingsOf([droppedQuery], text)).toMatchObject([{ severity: "info", text: "/index.php?q=$1" }]);
});

test.each([
  "RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]",
  "RewriteRule ^(.*)$ index.php?q=$1 [L,QSD]",
  "RewriteRule ^(.*)$ index.php?q=$1 [R]",
  "RewriteRule ^(.*)$ http://a.test/?q=$1 [P]",
  "RewriteRule ^(.*)$ index.php?q=$1&%{QUERY_STRING} [L]",
  "RewriteRule ^(.*)$ index.php? [L]",
  "RewriteRule ^(.*)$ index.php/$1 [L]",
  "RewriteRule ^(.+)\\.(\\d+)\\.css$ $1.css?v=$2 [L]",
  "RewriteRule ^item/(\\d+)$ item.php?id=$1 [L,QSA]",
  "RewriteCond %{QUERY_STRING} ^id=(\\d+)$\nRewriteRule ^item$ item.php?id=%1 [L]",
  "RewriteCond %{QUERY_STRING} ^$\nRewriteRule ^(.*)$ index.php?q=$1 [L]",
  "RewriteCond %{HTTP_HOST} ^a\nRewriteRule ^(.*)$ index.php?q=$1 [L]",
])("does not report %s", (lines) => {
  expect(check(lines)).toEqual([]);
});

test("reports several rules of a file once", () => {
  const rule = (name: string) => `RewriteRule ^${name}/(\\d+)$ ${name}.php?id=$1 [L]`;
  expect(check([rule("a"), rule("b"), rule("c")].join("\n"))).toMatchObject([
    { notes: [expect.anything(), "the same applies to 2 more lines"], related: [expect.anything(), expect.anything()] },
  ]);
});

test("the fix adds the flag", () => {
  const [finding] = lintText([droppedQuery], "RewriteRule ^(.*)$ index.php?q=$1 [L]\n", { kind: "htaccess" });
  expect(finding?.fix?.edits[0]?.text).toBe("[QSA,");
});
