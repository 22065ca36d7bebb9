import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { satisfyAnyWithoutRequire } from "./satisfy-any-without-require.js";

const seen = (text: string, given?: Given) => findingsOf([satisfyAnyWithoutRequire], text, given);
const any = ["Order deny,allow", "Deny from all", "Satisfy any"];

test("lets everybody in", () => {
  expect(seen(onServer(section('Directory "/srv"', ...any)))).toEqual([
    {
      rule: "satisfy-any-without-require",
      severity: "error",
      at: "5:1-5:12",
      text: "Satisfy any",
      message:
        "`Satisfy any` lets everybody in: no Require is in force here, which 2.4 takes for satisfied, so GET `/index.html` from 203.0.113.9 is let in past `Deny from all`; take Satisfy out, or say with Require who may come in",
      related: ["httpd.conf:4:1: `Deny from all` keeps nobody out"],
    },
  ]);
});

describe("whatever is kept out", () => {
  test.each([
    ["all but an address", section('Directory "/srv"', ...any, "Allow from 10")],
    ["all but a variable", section("Location /a", "Order allow,deny", "Allow from env=ok", "Satisfy Any")],
    ["one address", section("Location /a", "Deny from 10.66.6.6", 'Satisfy "any"')],
    ["files", section('Files "*.bak"', ...any)],
    ["a pattern", section('LocationMatch "^/(?:admin|status)/"', ...any)],
    ["for a method", section("Location /a", "<Limit POST>", ...any, "</Limit>")],
    ["in a virtual host", section("VirtualHost *:80", section("Location /a", ...any))],
    [
      "where AuthMerging Off wipes the Require",
      section('Directory "/srv"', "Require all granted"),
      section("Location /a", ...any, "AuthMerging Off"),
    ],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toHaveLength(1);
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    const [finding] = seen(main, { files: { "/srv/a/.htaccess": any.join("\n") } });
    expect(finding?.message).toContain("GET `/a/index.html` from 203.0.113.9 is let in");
  });
});

describe("twins", () => {
  test.each([
    ["Satisfy All", section('Directory "/srv"', "Deny from all", "Satisfy all")],
    ["a Require of its own", section('Directory "/srv"', ...any, "AuthType Basic", "AuthName x", "Require valid-user")],
    ["an inherited Require", section('Directory "/srv"', "Require ip 10"), section("Location /a", ...any)],
    ["nobody is kept out", section('Directory "/srv"', "Order deny,allow", "Satisfy any")],
    ["Satisfy alone", section('Directory "/srv"', "Satisfy any")],
    ["AuthType, which answers 500", section('Directory "/srv"', "AuthType Basic", "AuthName x", ...any)],
    ["a later Satisfy All", section('Directory "/srv"', ...any, "Satisfy all")],
    [
      "a Satisfy for a method that nothing is denied",
      section("Location /a", "<Limit PUT>", "Deny from all", "</Limit>", "Satisfy any"),
    ],
    ["a guard that does not hold", section('Directory "/srv"', "<IfModule !mod_authz_core.c>", ...any, "</IfModule>")],
    ["a section that is never applied", section('Directory "srv"', ...any)],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toEqual([]);
  });

  test("2.2, where it refuses, and what may inherit a Require from elsewhere", () => {
    const text = onServer(section('Directory "/srv"', ...any));
    expect(seen(text, { release: "2.2" })).toEqual([]);
    expect(seen(text, { kind: "fragment" })).toEqual([]);
    expect(seen(any.join("\n"), { kind: "htaccess" })).toEqual([]);
  });
});
