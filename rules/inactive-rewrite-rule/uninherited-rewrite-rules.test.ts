import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { inactiveRewriteRule } from "./inactive-rewrite-rule.js";

const uninheritedRewriteRules = onlyVariant(inactiveRewriteRule, "uninherited-rewrite-rules");

const engine = "RewriteEngine On";
const rule = "RewriteRule ^/a - [F]";
const host = section("VirtualHost *:80", "ServerName a.test");
const check = (...lines: readonly string[]) =>
  findingsOf([uninheritedRewriteRules], wholeServer("Listen 80", ...lines)).map(({ text }) => text);

describe("rules of the main server", () => {
  test.each([
    ["one virtual host", [engine, rule, host]],
    ["all ports", [engine, rule, section("VirtualHost *")]],
    ["the port of the ServerName before it", ["ServerName a.test:80", engine, rule, section("VirtualHost _default_")]],
    ["two addresses", ["Listen 443", engine, rule, section("VirtualHost *:80 *:443")]],
  ])("are reported with %s", (_, lines) => {
    expect(check(...lines)).toEqual([rule]);
  });

  test.each([
    ["no virtual host", [engine, rule]],
    ["an address without a virtual host", ["Listen 8080", engine, rule, host]],
    ["a virtual host of one address", [engine, rule, section("VirtualHost 192.0.2.1:80")]],
    ["a virtual host of another port", ["ServerName a.test:8081", engine, rule, section("VirtualHost _default_")]],
    ["inheritance", [engine, rule, section("VirtualHost *:80", engine, "RewriteOptions Inherit")]],
    ["the engine off", [rule, host]],
    ["rules of a directory", [inDirectory(engine, rule), host]],
    ["rules of the virtual host", [section("VirtualHost *:80", engine, rule)]],
  ])("are not reported with %s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});

describe("a rule of a directory", () => {
  const main = `DocumentRoot /srv\n${inDirectory("AllowOverride All")}`;
  const inFiles = (above: string, below: string) =>
    findingsOf([uninheritedRewriteRules], main, {
      files: { "/srv/.htaccess": `${engine}\n${above}\n`, "/srv/blog/.htaccess": `${below}\n` },
    });

  test("is reported if a file below has its own rules", () => {
    expect(inFiles("RewriteRule \\.(sql|bak)$ - [F]", `${engine}\nRewriteRule ^a b`)).toMatchObject([
      {
        text: "RewriteRule \\.(sql|bak)$ - [F]",
        notes: [
          "the rules in `/srv/blog/.htaccess` replace those of the directories above",
          "requests for `blog/x.sql` are not denied",
        ],
        related: [".htaccess:1:1: replaces the rule"],
      },
    ]);
  });

  test.each([
    ["a pattern for the directory itself", "RewriteRule ^\\.env$ - [F]", engine],
    ["a file below without rules", "RewriteRule \\.sql$ - [F]", "Options None"],
    ["a rule that denies below", "RewriteRule \\.sql$ - [F]", `${engine}\nRewriteRule \\.sql$ - [F]`],
    ["a rule that rewrites", "RewriteRule \\.sql$ /x", engine],
    ["a rule for everything", "RewriteRule ^ - [F]", engine],
    ["inheritance", "RewriteRule \\.sql$ - [F]", `${engine}\nRewriteOptions Inherit`],
  ])("is not reported for %s", (_, above, below) => {
    expect(inFiles(above, below)).toEqual([]);
  });
});

describe("a redirect to https", () => {
  const toHttps = "RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]";
  const off = "RewriteCond %{HTTPS} off";
  const main = `DocumentRoot /srv\n${inDirectory("AllowOverride All")}`;
  const inFiles = (above: string, below: string) =>
    findingsOf([uninheritedRewriteRules], main, {
      files: { "/srv/.htaccess": `${engine}\n${above}\n`, "/srv/blog/.htaccess": `${below}\n` },
    });

  test("is reported if a file below has its own rules", () => {
    expect(inFiles(`${off}\n${toHttps}`, `${engine}\nRewriteRule ^a b`)).toMatchObject([
      {
        text: toHttps,
        message: "redirect to https does not apply below a directory with rules of its own",
        notes: [
          "the rules in `/srv/blog/.htaccess` replace those of the directories above",
          "requests for `blog/` are not redirected",
        ],
      },
    ]);
  });

  test.each([
    ["a file below that redirects as well", `${off}\n${toHttps}`, `${engine}\n${off}\n${toHttps}`],
    ["a file below without rules", `${off}\n${toHttps}`, "Options None"],
    ["a denied directory below", `${off}\n${toHttps}`, `${engine}\nRequire all denied`],
    ["a condition on the host", `RewriteCond %{HTTP_HOST} ^a\n${toHttps}`, engine],
    ["a rule for some paths", `${off}\nRewriteRule ^login https://%{HTTP_HOST}/login [R]`, engine],
    ["inheritance", `${off}\n${toHttps}`, `${engine}\nRewriteOptions Inherit`],
  ])("is not reported for %s", (_, above, below) => {
    expect(inFiles(above, below)).toEqual([]);
  });
});

describe("rules of the main server beside a second port", () => {
  const ssl = "LoadModule ssl_module mod_ssl.so";

  test("are reported if clients do not reach the main server there", () => {
    expect(check(ssl, "Listen 443", engine, rule, host)).toEqual([rule]);
  });

  test.each([
    ["the main server has TLS", [ssl, "Listen 443", "SSLEngine on", "SSLCertificateFile a.pem", engine, rule, host]],
    ["another port is for plain HTTP", [ssl, "Listen 443", "Listen 8080", engine, rule, host]],
    ["no virtual host is at a port", [ssl, "Listen 443", engine, rule]],
    ["only another port has a virtual host", ["Listen 443", engine, rule, section("VirtualHost *:443")]],
  ])("are not reported if %s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});
