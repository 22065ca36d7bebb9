import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant } from "../../test/support/rules.js";
import { undefinedReference } from "./undefined-reference.js";

const undefinedBackReference = onlyVariant(undefinedReference, "undefined-back-reference");

const check = (text: string) =>
  findingsOf([undefinedBackReference], text, { kind: text.startsWith("Rewrite") ? "htaccess" : "server" }).map(
    ({ text, notes }) => [text, notes?.[0]],
  );

describe("reports", () => {
  test.each([
    ["RewriteRule ^a(.*)$ /b/$2", "$2", "the pattern `^a(.*)$` has only 1 group"],
    ["RewriteRule ^a$ /b/$1", "$1", "the pattern `^a$` has no group"],
    ["RewriteRule !^(a)$ /b/$1", "$1", "a negated pattern captures nothing"],
    ["RewriteRule ^(a)$ /b/%1", "%1", "the rule has no condition that captures a text"],
    [
      "RewriteCond %{HTTP_HOST} ^a\nRewriteRule ^ /b/%1",
      "%1",
      "no condition of this rule that must match has that many groups",
    ],
    [
      "RewriteCond %{HTTP_HOST} !^(a)\nRewriteRule ^ /b/%1",
      "%1",
      "no condition of this rule that must match has that many groups",
    ],
    ["RewriteCond $1 ^x\nRewriteRule ^a$ /b", "$1", "the pattern `^a$` has no group"],
    ["RewriteRule ^(?:a)(b)$ /b/$2", "$2", "the pattern `^(?:a)(b)$` has only 1 group"],
    [
      "RewriteCond %1 ^x\nRewriteRule ^ - [F]",
      "%1",
      "this is the first condition of the rule, and `%1` is a group of a condition before it",
    ],
    [
      "RewriteCond %{HTTP_HOST} ^a\nRewriteCond %1 ^x\nRewriteCond %{REQUEST_URI} (b)\nRewriteRule ^ - [F]",
      "%1",
      "no condition before this one has that many groups",
    ],
    ["SetEnvIf Authorization .+ A=$1", "$1", "the pattern `.+` has no group"],
    ["SetEnvIfNoCase Host ^(a) A=$1 B=$2", "$2", "the pattern `^(a)` has only 1 group"],
    [
      "BrowserMatch curl tool=$1",
      "$1",
      "httpd compares `curl` as text, because it has no special characters, and replaces nothing",
    ],
    ['SetEnvIfExpr "%{REQUEST_URI} =~ m#^/a#" A=$1', "$1", "the pattern `^/a` has no group"],
    ["RedirectMatch ^/old/.* /new/$1", "$1", "the pattern `^/old/.*` has no group"],
    ["RedirectMatch 301 ^/(a|b)/.*$ /$1/$2", "$2", "the pattern `^/(a|b)/.*$` has only 1 group"],
    ["AliasMatch ^/img/.*$ /srv/img/$1", "$1", "the pattern `^/img/.*$` has no group"],
    ["ScriptAliasMatch ^/cgi/(.*)$ /srv/cgi/$2", "$2", "the pattern `^/cgi/(.*)$` has only 1 group"],
    ["ProxyPassMatch ^/app/.*$ http://10.0.0.1/$1", "$1", "the pattern `^/app/.*$` has no group"],
    [
      "<LocationMatch ^/a/.*$>\nProxyPassMatch http://10.0.0.1/$1\n</LocationMatch>",
      "$1",
      "the pattern `^/a/.*$` has no group",
    ],
    ["Header always edit Set-Cookie ^.*$ $1;Secure", "$1", "the pattern `^.*$` has no group"],
    ["RequestHeader edit* Cookie (a) $2", "$2", "the pattern `(a)` has only 1 group"],
    ['Substitute "s|http://|https://$1|i"', "$1", "the pattern `http://` has no group"],
  ])("%j", (lines, text, note) => {
    expect(check(`${lines}\n`)).toEqual([[text, note]]);
  });
});

describe("does not report", () => {
  test.each([
    "RewriteRule ^a(.*)$ /b/$1",
    "RewriteRule ^a(.*)$ /b/$0",
    "RewriteRule ^a$ /b/\\$1",
    "RewriteRule ^a$ /b?q=%20c",
    "RewriteRule ^a$ $ENV",
    "RewriteCond %{HTTP_HOST} ^(a)\nRewriteRule ^ /b/%1",
    "RewriteCond %{HTTP_HOST} ^(a)\nRewriteCond %{REQUEST_URI} !x\nRewriteRule ^ /b/%1",
    'RewriteCond expr "%{HTTP_HOST} =~ /(a)/"\nRewriteRule ^ /b/%1',
    "RewriteRule ^(?|(a)|(b))$ /b/$1",
    "RewriteRule ^(?<name>a)$ /b/$1",
    "RewriteCond %{HTTP_HOST} ^(a)\nRewriteCond %1=%{HTTP_REFERER} ^(.*)=\nRewriteRule ^ - [F]",
    'SetEnvIf Authorization "(.+)" A=$1',
    "SetEnvIf Authorization .+ A=$0",
    "SetEnvIf X-Forwarded-Proto https HTTPS=on",
    'SetEnvIf Authorization "(.+)" A=\\$2',
    'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/(a)#" A=$0$1',
    "BrowserMatch curl/([0-9]+) tool=$1",
    "RedirectMatch 301 ^/old/(.*)$ /new/$1",
    "RedirectMatch gone ^/old/.*$",
    "AliasMatch ^/img/(.*)$ /srv/img/$1",
    "ProxyPassMatch ^/app/(.*)$ http://10.0.0.1/$1",
    "ProxyPassMatch ^/app/.*$ !",
    "<LocationMatch ^/a/(.*)$>\nProxyPassMatch http://10.0.0.1/$1\n</LocationMatch>",
    "Header edit Set-Cookie ^(.*)$ $1;Secure",
    "Header edit Set-Cookie ^.*$ $0;Secure",
    "Header set X-Price $1",
    'Substitute "s|(http)://|$1s://|i"',
    'Substitute "s|http://|$1|n"',
  ])("%j", (lines) => {
    expect(check(`${lines}\n`)).toEqual([]);
  });
});

test.each([
  ["RedirectMatch ^/old/.* /new/$1", ["use the pattern `^/old/(.*)`"]],
  ["RewriteRule ^old/.*$ /new/$1", ["use the pattern `^old/(.*)$`"]],
  ["RewriteRule ^(a|b)/.+$ /$1/$2", ["use the pattern `^(a|b)/(.+)$`"]],
  ["RewriteRule ^a/[^/]+/.*$ /$1", ["add the group to the pattern, or correct the number"]],
  ["SetEnvIf Authorization .+ A=$1", ["use the pattern `(.+)`", "or use `$0`, the whole match"]],
  ["BrowserMatch curl A=$0", ["use the pattern `(curl)`"]],
])("proposes for %j a pattern with the group", (lines, help) => {
  const found = findingsOf([undefinedBackReference], `${lines}\n`, { kind: "htaccess" });
  expect(found.map((each) => each.help)).toEqual([help]);
});

test.each([
  [
    "RewriteRule !^(a)$ /b/$1",
    "capture the text with `RewriteCond %{REQUEST_URI} ^(.*)$` before the rule, and use `%1`",
  ],
  [
    "RewriteCond %1 ^x\nRewriteRule ^ - [F]",
    "use `$` for a group of the rule, or add a condition with the group before this one",
  ],
])("%j has a help that captures the text", (lines, help) => {
  const [finding] = findingsOf([undefinedBackReference], `${lines}\n`, { kind: "htaccess" });
  expect(finding?.help).toEqual([help]);
});
