import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, section } from "../../test/support/rules.js";
import { ignoredValue } from "./ignored-value.js";

const check = (text: string) =>
  findingsOf([ignoredValue], `${text}\n`, { kind: "htaccess" }).map(({ message, help }) => [message, help?.[0]]);

describe("a value that browsers ignore", () => {
  test.each<readonly [string, string, string, string]>([
    [
      "X-Frame-Options",
      "ALLOW-FROM https://p.test",
      "ALLOW-FROM https://p.test",
      "use `Header always set Content-Security-Policy \"frame-ancestors 'self' https://p.test\"`",
    ],
    ["X-Frame-Options", "SAME-ORIGIN", "SAME-ORIGIN", 'use `"SAMEORIGIN"`'],
    ["X-Frame-Options", "'SAMEORIGIN'", "'SAMEORIGIN'", 'use `"SAMEORIGIN"`'],
    ["X-Frame-Options", "NONE", "NONE", "use `DENY` or `SAMEORIGIN`"],
    ["X-Content-Type-Options", "no-sniff", "no-sniff", 'use `"nosniff"`'],
    [
      "Referrer-Policy",
      "strict-origin-when-crossorigin",
      "strict-origin-when-crossorigin",
      'use `"strict-origin-when-cross-origin"`',
    ],
    ["Referrer-Policy", "none", "none", "use a policy such as `strict-origin-when-cross-origin`"],
    [
      "Strict-Transport-Security",
      "max-age:31536000; includeSubDomains",
      "max-age:31536000",
      'use `"max-age=31536000; includeSubDomains"`',
    ],
    [
      "Strict-Transport-Security",
      "max-age=31536000 includeSubDomains",
      "max-age=31536000 includeSubDomains",
      'use `"max-age=31536000; includeSubDomains"`',
    ],
    ["Strict-Transport-Security", "includeSubDomains", "includeSubDomains", 'use `"max-age=31536000"`'],
    ["Access-Control-Allow-Credentials", "True", "True", 'use `"true"`'],
    ["Cache-Control", "max-age 3600", "max-age 3600", 'use `"max-age=3600"`'],
    ["Cache-Control", "public, max-age:60", "max-age:60", 'use `"public, max-age=60"`'],
    ["Cache-Control", "public; max-age=3600", "public; max-age=3600", 'use `"public, max-age=3600"`'],
    ["Cache-Control", "no-cache no-store", "no-cache no-store", 'use `"no-cache, no-store"`'],
    ["Permissions-Policy", "geolocation none", "geolocation none", "use `geolocation=()`"],
    [
      "Permissions-Policy",
      "camera 'self'; microphone 'none'",
      "camera 'self'",
      "use `=(…)` after each name, such as `camera=(self)`, and `,`",
    ],
    [
      "Content-Security-Policy",
      "default-src 'self' script-src 'self'",
      "script-src",
      "use `\"default-src 'self'; script-src 'self'\"`",
    ],
    [
      "Content-Security-Policy",
      "script-src 'self' 'unsafe_inline'",
      "'unsafe_inline'",
      "use `\"script-src 'self' 'unsafe-inline'\"`",
    ],
    ["Set-Cookie", "a=b; Path=/; SameSite=None", "SameSite=None", 'use `"a=b; Path=/; SameSite=None; Secure"`'],
  ])("%s: %s", (name, value, part, help) => {
    const message = `browsers ignore \`${part}\` in \`${name}\``;
    expect(check(`Header always set ${name} "${value}"`)).toEqual([[message, help]]);
  });

  test.each([
    ["X-Frame-Options", "DENY"],
    ["X-Frame-Options", "sameorigin"],
    ["X-Frame-Options", "ALLOWALL"],
    ["X-Content-Type-Options", "NoSniff"],
    ["Referrer-Policy", "no-referrer, strict-origin-when-cross-origin"],
    ["Referrer-Policy", "unknown-policy, same-origin"],
    ["Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload;"],
    ["Strict-Transport-Security", "Max-Age = 0 ; unknown"],
    ["Strict-Transport-Security", "max-age=%{AGE}e"],
    ["Access-Control-Allow-Credentials", "true"],
    ["Access-Control-Allow-Credentials", "false"],
    ["Cache-Control", "public, max-age=3600, immutable, my-extension=1"],
    ["Cache-Control", "max-age=3600,must-revalidate"],
    ["Cache-Control", "pre-check=0, post-check=0"],
    ["Permissions-Policy", "geolocation=(), camera=(self)"],
    ["Permissions-Policy", "interest-cohort=()"],
    ["Feature-Policy", "geolocation 'none'"],
    ["Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline' https://cdn.test"],
    ["Content-Security-Policy", "upgrade-insecure-requests; frame-ancestors 'none'"],
    ["Content-Security-Policy", "script-src 'nonce-abc' 'inline-speculation-rules'"],
    ["Content-Security-Policy", "report-uri /script-src/a"],
    ["Set-Cookie", "a=b; SameSite=None; Secure"],
    ["Set-Cookie", "a=b; SameSite=Lax"],
    ["X-My-Header", "max-age 3600"],
  ])("but not %s: %s", (name, value) => {
    expect(check(`Header always set ${name} "${value}"`)).toEqual([]);
  });

  test.each([
    'Header append X-Frame-Options "ALLOW"',
    'Header edit X-Frame-Options "SAME-ORIGIN" "SAMEORIGIN"',
    "Header unset X-Frame-Options",
    'Header set X-Frame-Options "expr=%{HTTP:X-Frame}"',
    'RequestHeader set Cache-Control "max-age 0"',
  ])("but not in %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test("which the fix replaces", () => {
    const text = 'Header set Cache-Control "public max-age=60"\n';
    const [finding] = lintText([ignoredValue], text, { kind: "htaccess" });
    expect(applyEdits(text, finding?.fix?.edits ?? [])).toBe('Header set Cache-Control "public, max-age=60"\n');
  });
});

test.each(["www.a.test", "www.a.test:8443", "localhost"])("the origin %s, which has no scheme", (value) => {
  expect(check(`Header set Access-Control-Allow-Origin ${value}`)).toEqual([
    [`browsers reject the origin \`${value}\``, `use \`https://${value}\``],
  ]);
});

describe("Strict-Transport-Security of a virtual host without TLS", () => {
  const hsts = 'Header always set Strict-Transport-Security "max-age=31536000"';
  const tls = ["SSLEngine on", "SSLCertificateFile /a.pem"];
  const redirect = "Redirect permanent / https://a.test/";
  const rewrite = ["RewriteEngine On", "RewriteCond %{HTTPS} off", "RewriteRule ^ https://a.test%{REQUEST_URI} [R]"];
  const hosts = (plain: readonly string[], secure: readonly string[], name = "a.test") =>
    section("VirtualHost *:80", "ServerName a.test", ...plain) +
    section("VirtualHost *:443", `ServerName ${name}`, ...secure);
  const find = (text: string) =>
    findingsOf([ignoredValue], text, { kind: "fragment" }).map(({ message, help }) => [message, help?.[0]]);
  const found = [
    "browsers ignore `Strict-Transport-Security` in a response without TLS",
    "move this line to the virtual host with TLS",
  ];

  test.each([
    [[hsts, "RedirectMatch ^ https://a.test/"]],
    [[hsts, "RewriteEngine On", "RewriteRule ^/?(.*) https://a.test/$1 [R]"]],
    [[hsts, redirect]],
    [[hsts, ...rewrite]],
    [[hsts.replace("always ", ""), redirect]],
  ])("%j", (plain) => {
    expect(find(hosts(plain, tls))).toEqual([found]);
  });

  test.each([
    ["beside one with TLS", hosts([hsts, redirect], [...tls, hsts])],
    ["beside one with the line in a section", hosts([hsts, redirect], [...tls, section("Location /", hsts)])],
    ["beside one of another name", hosts([hsts, redirect], tls, "b.test")],
    ["without a redirect", hosts([hsts], tls)],
    ["with a redirect of a path", hosts([hsts, "Redirect /a https://a.test/a"], tls)],
    ["with a rule for some paths", hosts([hsts, ...rewrite.slice(0, 2), "RewriteRule ^/old https://a.test/ [R]"], tls)],
    ["with a rule for a name", hosts([hsts, rewrite[0] ?? "", "RewriteCond %{HTTP_HOST} ^b", rewrite[2] ?? ""], tls)],
    ["with a pattern for some paths", hosts([hsts, "RedirectMatch ^/old https://a.test/"], tls)],
    ["without RewriteEngine", hosts([hsts, ...rewrite.slice(1)], tls)],
    ["beside one with an Include", hosts([hsts, redirect], [...tls, "Include conf/headers.conf"])],
    ["without another", section("VirtualHost *:80", "ServerName a.test", hsts, redirect)],
    ["beside the line for all", `${hsts}\n${hosts([redirect], tls)}`],
    ["beside one whose TLS is not known", hosts([hsts, redirect], ["SSLCertificateFile /a.pem"])],
    ["whose TLS is not known", hosts([hsts, redirect, "SSLCertificateFile /a.pem"], tls)],
  ])("is not reported %s", (_, text) => {
    expect(find(text)).toEqual([]);
  });
});

test("a policy of many sources is read once", () => {
  const sources = (count: number) => Array.from({ length: count }, (_, n) => `https://cdn${n}.test`).join(" ");
  expect(check(`Header set Content-Security-Policy "img-src ${sources(5_000)}"`)).toEqual([]);
  expect(check(`Header set Content-Security-Policy "img-src ${sources(50)} script-src 'self'"`)).toHaveLength(1);
});
