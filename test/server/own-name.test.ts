import { expect, test } from "vitest";
import { type Asked, causesOf } from "./explained.js";

const own = "<VirtualHost *:8080>\nDocumentRoot /srv/www\n</VirtualHost>";
const named = (name: string) => own.replace("DocumentRoot", `ServerName ${name}\nDocumentRoot`);
const rule = "RewriteEngine On\nRewriteRule ^$ docs/ [R=301,L]";
const sent = { host: "book.test", port: 8080, htaccess: rule };
const redirected = (lines: string, asked: Asked = sent) => causesOf([lines], "/app/", asked).slice(1);

// 2.4.71 answers `Host: book.test` on port 8080 with a Location at `http://book.test:8080`, and with `ServerName book.test` at `http://book.test`.
test("httpd adds the port of a virtual host to a redirect", () => {
  expect(redirected(own)).toEqual([
    "httpd adds port 8080 of this virtual host to the URL, because it has no `ServerName` and the `Host` header names no port",
    "help: add `ServerName book.test` to it",
  ]);
  expect(redirected(named("book.test:8080"))).toEqual([
    "httpd adds port 8080 to the URL, because `ServerName book.test:8080` has it and the `Host` header names none",
    "help: use `ServerName book.test`",
  ]);
});

test.each<[string, string, Asked]>([
  ["a name without a port", named("book.test"), sent],
  ["a Host header with the port", own, { ...sent, host: "book.test:8080" }],
  ["a port that the rule writes", own, { ...sent, htaccess: rule.replace("docs/", "http://book.test:8080/docs/") }],
  ["another host", own, { ...sent, htaccess: rule.replace("docs/", "http://other.test:8080/docs/") }],
])("twin: %s", (_, lines, asked) => {
  expect(redirected(lines, asked).join()).not.toContain("port 8080");
});

// 2.4.71 with `UseCanonicalName On` redirects `Host: book.test` to `http://a.test/app/docs/`.
test("httpd redirects to its own name", () => {
  const asked = { ...sent, port: 80 };
  expect(redirected("UseCanonicalName On", asked)).toEqual([
    "httpd redirects to its own name `a.test` in place of `book.test`, because `UseCanonicalName On` applies",
    "help: use `UseCanonicalName Off`, or `ServerName book.test`",
  ]);
  // Twins: the default, the own name, and a rule that writes the name.
  expect(redirected("UseCanonicalName Off", asked).join()).not.toContain("own name");
  expect(redirected("UseCanonicalName On", { ...asked, host: "a.test" }).join()).not.toContain("own name");
  const writing = { ...asked, htaccess: rule.replace("docs/", "http://a.test/docs/") };
  expect(redirected("UseCanonicalName On", writing).join()).not.toContain("own name");
});
