import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section, wholeServer } from "../../test/support/rules.js";
import { undefinedReference } from "./undefined-reference.js";

const rule = onlyVariant(undefinedReference, "unset-environment-variable");
const head = ["rewrite", "env", "setenvif", "alias"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
const server = (...lines: readonly string[]) =>
  wholeServer(...head, "Listen 80", section("VirtualHost *:80", "RewriteEngine On", ...lines));
const check = (...lines: readonly string[]) => findingsOf([rule], server(...lines));

test("reports a scheme that no line sets", () => {
  expect(check("RewriteRule ^ %{ENV:PROTO}://shop.test%{REQUEST_URI} [R=301,L]")).toMatchObject([
    {
      severity: "warning",
      text: "%{ENV:PROTO}",
      message: "no line sets the variable `PROTO`, so the URL has no scheme",
      notes: ["it has a value only if the environment of httpd has it"],
      help: [
        "set it with `SetEnvIf` or in an earlier rule: `RewriteRule ^ - [E=PROTO:https]`",
        "or use `%{REQUEST_SCHEME}`",
      ],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["a host", ["RewriteRule ^ https://%{ENV:DOMAIN}%{REQUEST_URI} [R]"]],
    ["a host before a path", ["RewriteRule ^/(.*)$ https://%{ENV:DOMAIN}/$1 [R]"]],
    ["a host before a group", ["RewriteRule ^(.*)$ https://%{ENV:DOMAIN}$1 [R]"]],
    ["a host alone", ["RewriteRule ^ https://%{ENV:DOMAIN} [R]"]],
    ["a host with a port", ["RewriteRule ^ http://%{ENV:BACKEND}:8080%{REQUEST_URI} [P]"]],
    ["another spelling", ["SetEnvIf Host ^ PROTOCOL=http", "RewriteRule ^ %{env:PROTO}://a.test/ [R]"]],
    ["a variable of SetEnv", ["SetEnv PROTO https", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]"]],
    ["a directory", [section("Directory /srv", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]").trim()]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toHaveLength(1);
  });

  test("a variable with nearly the same name", () => {
    const found = check("SetEnvIf Host ^ PROTOS=http", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]");
    expect(found[0]?.help?.[0]).toBe("use `%{ENV:protos}`");
  });

  test("the line that sets it too late", () => {
    const found = check("SetEnv PROTO https", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]");
    expect(found).toMatchObject([
      {
        message: "`SetEnv` sets `PROTO` only after rewriting, so the URL has no scheme",
        related: [expect.stringContaining("sets it after rewriting")],
      },
    ]);
  });

  test("a `.htaccess` file of a server", () => {
    const granted = section('Directory "/srv"', "AllowOverride All", "Require all granted");
    const text = "RewriteEngine On\nRewriteRule ^ %{ENV:PROTO}://a.test/ [R]\n";
    const files = { "/srv/index.html": "", "/srv/.htaccess": text };
    expect(findingsOf([rule], wholeServer(...head, "Listen 80", onServer(granted)), { files })).toHaveLength(1);
    expect(findingsOf([rule], text, { kind: "htaccess" })).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    ["a variable of an earlier rule", ["RewriteRule ^ - [E=PROTO:http]", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]"]],
    ["a variable of SetEnvIf", ["SetEnvIf Host ^ PROTO=http", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]"]],
    ["a variable of BrowserMatch", ["BrowserMatch ^ PROTO=http", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]"]],
    ["a variable of the environment", ["PassEnv PROTO", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]"]],
    [
      "a variable of a rule of the directory",
      [section("Directory /srv", "RewriteRule ^ - [E=PROTO:http]", "RewriteRule ^ %{ENV:PROTO}://a.test/ [R]").trim()],
    ],
    ["SetEnv beside SetEnvIf", ["SetEnv P a", "SetEnvIf Host ^ P=http", "RewriteRule ^ %{ENV:P}://a.test/ [R]"]],
    ["a variable of httpd", ["RewriteRule ^ %{ENV:REQUEST_SCHEME}://a.test/ [R]"]],
    ["a variable of mod_ssl", ["RewriteRule ^ https://%{ENV:SSL_TLS_SNI}/ [R]"]],
    ["another namespace", ["RewriteRule ^ %{HTTP:X-Forwarded-Proto}://a.test/ [R]"]],
    ["a part of a host", ["RewriteRule ^ https://%{ENV:SUB}.a.test/ [R]"]],
    ["a path", ["RewriteRule ^(.*)$ %{ENV:BASE}index.php [L]"]],
    ["a flag", ["RewriteRule ^ - [E=A:%{ENV:PROTO}]"]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });

  test("a server with an unknown module", () => {
    const text = server("RewriteRule ^ %{ENV:GEO}://a.test/ [R]");
    expect(findingsOf([rule], `LoadModule geoip_module mod_geoip.so\n${text}`)).toEqual([]);
    expect(findingsOf([rule], text, { kind: "fragment" })).toEqual([]);
  });
});
