import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, inDirectory, lintText, section } from "../../test/support/rules.js";
import { rewriteLoop } from "./rewrite-loop.js";

const check = (text: string, given: Given = { kind: "htaccess" }) => findingsOf([rewriteLoop], `${text}\n`, given);
const notes = (text: string, given?: Given) => check(text, given).map((finding) => finding.notes?.[0]);

const again = "and the rules of a directory run again for each result";

test("reports all parts of a finding", () => {
  expect(check("RewriteRule ^(.*)$ /index.php/$1 [L]")).toEqual([
    {
      rule: "rewrite-loop",
      severity: "error",
      at: "1:1-1:37",
      text: "RewriteRule ^(.*)$ /index.php/$1 [L]",
      message: "rewrite rule applies to its own result, without an end",
      notes: [
        `\`/x\` becomes \`/index.php/x\`, ${again}`,
        "the request returns 500, and httpd logs AH00124",
        "this holds if the file is in the document root",
      ],
      help: ["use `END` instead of `L`, or add a condition such as `RewriteCond %{REQUEST_FILENAME} !-f`"],
      related: [],
    },
  ]);
});

describe("reports a rule of a directory", () => {
  test.each([
    ["RewriteRule ^(.*)$ index.php/$1 [L]", "`/x` becomes `/index.php/x`"],
    ["RewriteRule (.+) index.php/$1", "`/x` becomes `/index.php/x`"],
    ["RewriteBase /a/\nRewriteRule ^(.*)$ /a/index.php/$1 [L]", "`/a/x` becomes `/a/index.php/x`"],
    ["RewriteCond %{HTTP_HOST} ^a\\.test$\nRewriteRule ^(.*)$ index.php/$1 [L]", "`/x` becomes `/index.php/x`"],
    ["RewriteRule ^page- - [L]\nRewriteRule ^(\\w+)$ x$1 [L]", "`/x` becomes `/xx`"],
  ])("%j", (lines, note) => {
    expect(notes(lines)).toEqual([`${note}, ${again}`]);
  });

  test("with a target directory that does not have its own rules", () => {
    const given: Given = { kind: "htaccess", files: { "/srv/public/x.txt": "x" } };
    expect(notes("RewriteRule ^(.*)$ public/$1 [L]", given)).toHaveLength(1);
    const withRules = { "/srv/public/.htaccess": "RewriteEngine On\n" };
    expect(notes("RewriteRule ^(.*)$ public/$1 [L]", { kind: "htaccess", files: withRules })).toEqual([]);
  });

  test("in a section for the document root", () => {
    const text = `DocumentRoot /srv\n${inDirectory("RewriteRule ^(.*)$ /index.php/$1 [L]")}`;
    expect(notes(text, {})).toHaveLength(1);
    expect(notes(inDirectory("RewriteRule ^(.*)$ /index.php/$1 [L]"), {})).toEqual([]);
    const host = section("VirtualHost *", "DocumentRoot /srv", inDirectory("RewriteRule ^(.*)$ /index.php/$1 [L]"));
    expect(notes(host, {})).toHaveLength(1);
  });
});

describe("does not report a rule of a directory", () => {
  test.each([
    "RewriteRule ^(.*)$ index.php/$1 [END]",
    "RewriteRule ^(.*)$ index.php?q=$1 [L]",
    "RewriteRule ^ index.php [L]",
    "RewriteRule ^a/(.*)$ index.php/$1 [L]",
    "RewriteRule ^(.*)$ public/$1 [L]",
    "RewriteRule ^(.*)$ /$1 [L]",
    "RewriteRule ^(.*)/$ $1 [L]",
    "RewriteRule ^index\\.php - [L]\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteRule ^(.*)$ index.php/$1\nRewriteRule ^index - [L]",
    "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteCond %{REQUEST_URI} !^/index\\.php\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^(.*)$ index.php/$1 [L]",
    "RewriteRule ^((?!index\\.php).*)$ index.php/$1 [L]",
    "RewriteRule ^(.*)$ http://other.test/$1 [P]",
    "RewriteRule ^(.*)$ %{ENV:X}/$1 [L]",
    "RewriteBase /a\nRewriteRule ^(.*)$ /index.php/$1 [L]",
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("in a virtual host, where the rules run once", () => {
    expect(check(section("VirtualHost *", "RewriteRule ^(.*)$ /index.php/$1 [L]"), {})).toEqual([]);
  });
});

const redirected = "which is redirected again";

describe("reports a redirect", () => {
  test.each([
    ["RewriteRule ^(.*)$ /new/$1 [R=301,L]", "`/x` is redirected to `/new/x`"],
    ["RewriteRule ^a/(.*)$ /a/b/$1 [R]", "`/a/x` is redirected to `/a/b/x`"],
    ["RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]", "`/x` is redirected to `/x`"],
    ["RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]", "`/` is redirected to `/`"],
    ["Redirect 301 /old /old/new", "`/old` is redirected to `/old/new`"],
    ["Redirect / /new/", "`/` is redirected to `/new/`"],
    ["RedirectPermanent /a/ /a/b?c", "`/a/` is redirected to `/a/b`"],
    ["RedirectMatch ^/a(.*)$ /a/b$1", "`/ax` is redirected to `/a/bx`"],
    ["RedirectMatch 301 /favicon.ico /img/favicon.ico", "`/faviconxico` is redirected to `/img/favicon.ico`"],
  ])("%j", (lines, note) => {
    expect(notes(lines)).toEqual([`${note}, ${redirected}`]);
  });

  test.each([
    ["VirtualHost *", "RewriteRule ^/(.*)$ /new/$1 [R=301]"],
    ["VirtualHost *", "SSLEngine on\nRewriteRule ^(.*)$ https://%{HTTP_HOST}$1 [R=301]"],
    ["VirtualHost *", "Redirect /a /a/b"],
    ["Location /a", "Redirect 301 /a/b"],
  ])("in a section %j", (tag, lines) => {
    expect(check(section(tag, lines), {})).toHaveLength(1);
  });

  test.each(["Redirect permanent /old", "Redirect /old", "RedirectMatch 301 /old"])("of every request: %s", (line) => {
    expect(check(line).map(({ message }) => message)).toEqual(["every request is redirected to `/old`"]);
  });
});

describe("does not report a redirect", () => {
  test.each([
    "RewriteRule ^a/(.*)$ /b/$1 [R=301,L]",
    "RewriteCond %{HTTPS} off\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
    "RewriteCond %{HTTP:X-Forwarded-Proto} !https\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
    "RewriteCond %{HTTP_HOST} !^www\\.\nRewriteRule ^(.*)$ https://www.%{HTTP_HOST}/$1 [R=301,L]",
    "RewriteCond %{THE_REQUEST} /index\nRewriteRule ^(.*)$ /new/$1 [R=301,L]",
    "RewriteRule ^(.*)$ https://other.test/$1 [R=301,L]",
    "RewriteRule ^(.+)/$ /$1 [R=301,L]",
    "RewriteRule ^a$ - [R=404]",
    "Redirect 301 /old /new",
    "Redirect 301 /old/ /old",
    "Redirect 301 / https://other.test/",
    "Redirect permanent https://other.test/",
    "Redirect gone /old",
    "Redirect 301 /old/new /x\nRedirect 301 /old /old/new",
    "RedirectMatch ^/a$ /a/b",
    "RedirectMatch ^/(?!new/)(.*)$ /new/$1",
  ])("%j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test.each([
    ["VirtualHost *:80", "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301]"],
    ["VirtualHost *:80", "Redirect / https://a.test/"],
    ["Location /a", "Redirect 301 /b"],
    ["Directory /srv/a", "Redirect 301 /b"],
  ])("in a section %j", (tag, lines) => {
    expect(check(section(tag, lines), {})).toEqual([]);
  });
});

const toHttps = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]";
const readsHeader = "SetEnvIf X-Forwarded-Proto https SCHEME=https";

describe("a redirect to https behind a proxy that terminates TLS", () => {
  test("is reported if another line reads the scheme of the client", () => {
    const text = `${readsHeader}\nRewriteEngine On\nRewriteCond %{HTTPS} off\n${toHttps}\n`;
    expect(findingsOf([rewriteLoop], text, { kind: "htaccess" })).toMatchObject([
      {
        text: toHttps,
        message: "redirect to https loops behind a proxy that terminates TLS",
        help: ["add `RewriteCond %{HTTP:X-Forwarded-Proto} !=https`"],
        related: [".htaccess:1:1: reads the scheme of the client"],
      },
    ]);
  });

  test.each([
    ["no line reads the scheme", `RewriteCond %{HTTPS} off\n${toHttps}`],
    [
      "an alternative tests the host",
      `RewriteCond %{HTTPS} off\nRewriteCond %{HTTP_HOST} ^a [OR]\nRewriteCond %{HTTP_HOST} ^b\n${toHttps}`,
    ],
    ["the rule tests the scheme", `RewriteCond %{HTTPS} off\nRewriteCond %{HTTP:X-Forwarded-Proto} !https\n${toHttps}`],
    ["the rule tests a variable", `${readsHeader}\nRewriteCond %{ENV:SCHEME} !https\n${toHttps}`],
    ["this server sends the header", `RequestHeader set X-Forwarded-Proto https\nRewriteCond %{HTTPS} off\n${toHttps}`],
  ])("is not reported if %s", (_, lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("is not reported if this server has TLS itself", () => {
    const withoutTls = section(
      "VirtualHost *:80",
      readsHeader,
      "RewriteEngine On",
      "RewriteCond %{HTTPS} off",
      toHttps,
    );
    expect(check(withoutTls + section("VirtualHost *:443", "SSLEngine on"), {})).toEqual([]);
    expect(check(withoutTls, {})).toHaveLength(1);
  });
});

test("reports an alternative that makes the test of the header useless", () => {
  const conditions = "RewriteCond %{HTTPS} off [OR]\nRewriteCond %{HTTP:X-Forwarded-Proto} !=https\n";
  const text = `RewriteEngine On\n${conditions}RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]\n`;
  expect(findingsOf([rewriteLoop], text, { kind: "htaccess" })).toMatchObject([
    {
      message: "redirect to https loops behind a proxy that terminates TLS",
      notes: [
        "because of `[OR]`, the rule does not depend on `X-Forwarded-Proto`",
        "the condition tests the connection from the proxy, so `https://…/x` is redirected to itself",
      ],
      help: ["delete `[OR]`"],
    },
  ]);
  expect(findingsOf([rewriteLoop], text.replace(" [OR]", ""), { kind: "htaccess" })).toEqual([]);
});

test("the fix tests the header of the proxy", () => {
  const rule = "RewriteCond %{HTTPS} off\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R]\n";
  const text = `${readsHeader}\nRewriteEngine On\n${rule}`;
  const [finding] = lintText([rewriteLoop], text, { kind: "htaccess" });
  const fixed = finding?.fix ? applyEdits(text, finding.fix.edits) : "";
  expect(fixed).toBe(text.replace(rule, `RewriteCond %{HTTP:X-Forwarded-Proto} !=https\n${rule}`));
  expect(findingsOf([rewriteLoop], fixed, { kind: "htaccess" })).toEqual([]);
});

describe("a rule before it", () => {
  const loop = "RewriteRule ^(.*)$ /index.php/$1 [L]";
  test.each([
    ["for another method", "RewriteCond %{REQUEST_METHOD} ^(TRACE|TRACK)$"],
    ["for a header", "RewriteCond %{HTTP:Upgrade} websocket [NC]"],
    ["for a text in a header", "RewriteCond %{HTTP:X-Debug} =on"],
    ["for one of two headers", "RewriteCond %{HTTP:A} x [OR]\nRewriteCond %{HTTP:B} y"],
    ["for a robot", "RewriteCond %{HTTP_USER_AGENT} bot [NC]"],
    ["for a header and a host", "RewriteCond %{HTTP_HOST} ^a\nRewriteCond %{HTTP_COOKIE} b"],
  ])("%s does not hide it", (_, conditions) => {
    expect(check(`${conditions}\nRewriteRule .* - [F]\n${loop}`)).toHaveLength(1);
  });

  test.each([
    ["for all requests", ""],
    ["for GET", "RewriteCond %{REQUEST_METHOD} GET\n"],
    ["for most browsers", "RewriteCond %{HTTP_USER_AGENT} !bot\n"],
    ["for a host", "RewriteCond %{HTTP_HOST} ^www\n"],
    ["for a header or all", "RewriteCond %{HTTP:A} x [OR]\nRewriteCond %{HTTP:B} ^$\n"],
    ["with OR on its last condition", "RewriteCond %{HTTP:A} x [OR]\n"],
  ])("%s may end the loop", (_, conditions) => {
    expect(check(`${conditions}RewriteRule .* - [F]\n${loop}`)).toEqual([]);
  });
});
