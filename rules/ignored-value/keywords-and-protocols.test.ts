import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, section, wholeServer } from "../../test/support/rules.js";
import { ignoredValue } from "./ignored-value.js";

describe("a keyword of a content security policy without single quotes", () => {
  const given = { kind: "htaccess" } as const;
  const found = (line: string) => findingsOf([ignoredValue], `${line}\n`, given).map(({ message }) => message);
  const policy = (value: string) => `Header always set Content-Security-Policy "${value}"`;
  const name = "`Content-Security-Policy`";

  test.each([
    [policy("default-src self; img-src self data:"), "self", policy("default-src 'self'; img-src 'self' data:")],
    [policy("script-src 'self' unsafe-inline;"), "unsafe-inline", policy("script-src 'self' 'unsafe-inline';")],
    [policy("frame-ancestors none"), "none", policy("frame-ancestors 'none'")],
    [policy("object-src None;  base-uri SELF"), "None", policy("object-src 'None';  base-uri 'SELF'")],
    [policy("script-src nonce-abc123=="), "nonce-abc123==", policy("script-src 'nonce-abc123=='")],
    [
      'Header set Content-Security-Policy-Report-Only "default-src self"',
      "self",
      "Header set Content-Security-Policy-Report-Only \"default-src 'self'\"",
    ],
    [
      "Header merge Content-Security-Policy 'form-action self'",
      "self",
      "Header merge Content-Security-Policy \"form-action 'self'\"",
    ],
  ])("is reported: %s", (line, keyword, fixed) => {
    const header = line.includes("Report-Only") ? "`Content-Security-Policy-Report-Only`" : name;
    expect(found(line)).toEqual([`\`${keyword}\` without single quotes is not a keyword of ${header}`]);
    expect(fixFirst(ignoredValue, `${line}\n`, given)).toBe(`${fixed}\n`);
  });

  test.each([
    policy("default-src 'self'; img-src 'self' data: https: *; object-src 'none'"),
    policy("default-src self.example.com none.example.com https://self"),
    policy("upgrade-insecure-requests; sandbox allow-scripts; report-uri /none"),
    policy("require-trusted-types-for 'script'; trusted-types none"),
    policy("script-src %{NONCE}e self"),
    'Header always set Content-Security-Policy "expr=default-src self %{HTTP_HOST}"',
    "Header always unset Content-Security-Policy",
    'Header set X-Policy "default-src self"',
    "Header edit Content-Security-Policy self \"'self'\"",
  ])("is not in %s", (line) => {
    expect(found(line)).toEqual([]);
  });
});

describe("HTTP/2 without its module", () => {
  const found = (...lines: readonly string[]) =>
    findingsOf([ignoredValue], wholeServer("Listen 443", ...lines)).map(({ text, help }) => [text, ...(help ?? [])]);
  const advice = "add a `LoadModule` line for `http2_module`";

  test.each([
    [["Protocols h2 http/1.1"], ["h2", advice]],
    [["Protocols http/1.1 H2C"], ["H2C", advice]],
    [section("VirtualHost *:443", "Protocols h2 http/1.1").trim().split("\n"), ["h2", advice]],
  ])("is reported: %j", (lines, expected) => {
    expect(found(...lines)).toEqual([expected]);
  });

  test("needs another MPM than prefork", () => {
    const text = wholeServer("Listen 443", "Protocols h2").replace(/event/g, "prefork");
    expect(findingsOf([ignoredValue], text)[0]?.help).toEqual([
      advice,
      "and load `mpm_event_module` in place of `mpm_prefork_module`",
    ]);
  });

  test.each([
    [["LoadModule http2_module mod_http2.so", "Protocols h2 http/1.1"]],
    [["<IfModule http2_module>", "Protocols h2 http/1.1", "</IfModule>"]],
    [["Protocols http/1.1"]],
    [["ProtocolsHonorOrder On"]],
  ])("is not reported: %j", (lines) => {
    expect(found(...lines)).toEqual([]);
  });

  test("is not reported for a part of a server", () => {
    expect(findingsOf([ignoredValue], "Protocols h2 http/1.1\n", { kind: "fragment" })).toEqual([]);
  });
});

describe("a media type by another name than that of the TypesConfig file", () => {
  const iana = "text/javascript js mjs\nfont/woff woff\nfont/woff2 woff2\nimage/vnd.microsoft.icon ico\ntext/css css\n";
  const check = (types: string, ...lines: readonly string[]) =>
    findingsOf([ignoredValue], `ServerRoot /etc/httpd\n${wholeServer("Listen 80", "ExpiresActive On", ...lines)}`, {
      files: { "/etc/httpd/conf/mime.types": types, "/etc/httpd/conf/httpd.conf": "" },
    }).map(({ text, help }) => [text, help?.[0]]);
  const expires = (type: string) => `ExpiresByType ${type} "access plus 1 month"`;

  test.each([
    [iana, "application/javascript", "text/javascript"],
    [iana, "application/x-javascript", "text/javascript"],
    [iana, "application/x-font-woff", "font/woff"],
    [iana, "image/x-icon", "image/vnd.microsoft.icon"],
    ["application/javascript js\n", "text/javascript", "application/javascript"],
  ])("is reported: %j %s", (types, type, usual) => {
    expect(check(types, expires(type))).toEqual([[type, `use \`${usual}\``]]);
  });

  test.each([
    ["beside the other name", iana, [expires("application/javascript"), expires("text/javascript")]],
    ["of the file", iana, [expires("text/javascript")]],
    ["if the file has both", `${iana}application/javascript es\n`, [expires("application/javascript")]],
    ["if a line sets it", iana, ["AddType application/javascript .js", expires("application/javascript")]],
    [
      "if another line forces it",
      iana,
      ["<Files x.js>", "ForceType application/javascript", "</Files>", expires("application/javascript")],
    ],
    ["if a backend answers", iana, ["ProxyPass / http://b.test/", expires("application/javascript")]],
    ["if PHP answers", iana, ["LoadModule php_module libphp.so", expires("application/javascript")]],
    ["without the type in the file", "text/css css\n", [expires("application/javascript")]],
    ["of a file that is not here", iana, ["TypesConfig /none/mime.types", expires("application/javascript")]],
  ])("is not reported %s", (_, types, lines) => {
    expect(check(types, ...lines)).toEqual([]);
  });
});
