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
