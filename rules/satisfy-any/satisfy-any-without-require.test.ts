import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { satisfyAny } from "./satisfy-any.js";

const satisfyAnyWithoutRequire = onlyVariant(satisfyAny, "satisfy-any-without-require");

const either = "under Satisfy Any, either Order, Allow and Deny or Require is sufficient";
const check = (text: string, given?: Given) => findingsOf([satisfyAnyWithoutRequire], text, given);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
const any = ["Order deny,allow", "Deny from all", "Satisfy any"];

test("reports a Satisfy any that allows every client", () => {
  expect(check(onServer(section('Directory "/srv"', ...any)))).toEqual([
    {
      rule: "satisfy-any",
      severity: "error",
      at: "5:1-5:12",
      text: "Satisfy any",
      message: "`Satisfy any` allows every client: no `Require` applies here",
      notes: [
        "2.4 treats a missing Require as satisfied",
        "GET `/index.html` from 203.0.113.9 is allowed and bypasses `Deny from all`",
      ],
      help: ["delete `Satisfy any`, or add Require lines for the clients that need access"],
      related: ["httpd.conf:4:1: `Deny from all` is bypassed"],
    },
  ]);
});

describe("reports Satisfy any beside directives that deny", () => {
  test.each([
    ["all clients except an address", section('Directory "/srv"', ...any, "Allow from 10")],
    [
      "all clients except those with a variable",
      section("Location /a", "Order allow,deny", "Allow from env=ok", "Satisfy Any"),
    ],
    ["one address", section("Location /a", "Deny from 10.66.6.6", 'Satisfy "any"')],
    ["files", section('Files "*.bak"', ...any)],
    ["a pattern", section('LocationMatch "^/(?:admin|status)/"', ...any)],
    ["a method", section("Location /a", "<Limit POST>", ...any, "</Limit>")],
    ["clients of a virtual host", section("VirtualHost *:80", section("Location /a", ...any))],
    [
      "clients of a section whose AuthMerging Off discards the Require",
      section('Directory "/srv"', "Require all granted"),
      section("Location /a", ...any, "AuthMerging Off"),
    ],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toHaveLength(1);
  });

  test("clients of a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    const [finding] = check(main, { files: { "/srv/a/.htaccess": any.join("\n") } });
    expect(finding?.notes).toContainEqual(expect.stringContaining("GET `/a/index.html` from 203.0.113.9 is allowed"));
  });
});

describe("reports Satisfy any with a Require that allows every client", () => {
  const granted = section('Directory "/srv"', "AllowOverride All", "Require all granted");

  test("and is inherited", () => {
    expect(check(onServer(granted, section('Directory "/srv/a"', ...any, "Allow from 10.0.0.0/8")))).toMatchObject([
      {
        at: "9:1-9:12",
        message: "`Satisfy any` allows every client: inherited `Require all granted` is sufficient",
        notes: [either, "GET `/a/index.html` from 203.0.113.9 is allowed and bypasses `Deny from all`"],
        help: ["delete `Satisfy any`, or add Require lines for the clients that need access"],
      },
    ]);
  });

  test("and is inherited by a `.htaccess` file", () => {
    expect(check(onServer(granted), { files: { "/srv/a/.htaccess": "Deny from all\nSatisfy any\n" } })).toHaveLength(1);
  });

  test("and is in the same section", () => {
    const text = onServer(section('Directory "/srv"', ...any, "Require all granted"));
    expect(check(text)[0]?.message).toContain(": `Require all granted` is sufficient");
    const rules = [satisfyAnyWithoutRequire, mixedAccessControl, oldAccessControl];
    expect(findingsOf(rules, text).filter(({ severity }) => severity === "error")).toHaveLength(1);
  });
});

describe("reports Satisfy any with mod_access_compat directives that do not deny a client", () => {
  test("beside a required user", () => {
    expect(check(onServer(section('Directory "/srv"', ...users, "Satisfy any")))).toMatchObject([
      {
        message: "`Satisfy any` allows every client: no `Order` or `Deny` directive restricts access",
        notes: [either, "GET `/index.html` from 203.0.113.9 is allowed and bypasses `Require valid-user`"],
        help: ["delete `Satisfy any`, or set with Order, Allow and Deny which clients need no Require"],
        related: ["httpd.conf:6:1: `Require valid-user` is bypassed"],
      },
    ]);
  });

  test("in explicit lines", () => {
    const text = onServer(section("Location /a", ...users, "Order allow,deny", "Allow from all", "Satisfy any"));
    expect(check(text)).toHaveLength(1);
  });
});

describe("does not report", () => {
  const inner = section('Directory "/srv"', ...users);
  test.each([
    ["Satisfy All", section('Directory "/srv"', "Deny from all", "Satisfy all")],
    [
      "a Require in the same section",
      section('Directory "/srv"', ...any, "AuthType Basic", "AuthName x", "Require valid-user"),
    ],
    ["an inherited Require", section('Directory "/srv"', "Require ip 10"), section("Location /a", ...any)],
    ["an exception", inner, section("Location /a", "Order allow,deny", "Allow from all", "Satisfy any")],
    ["a short exception", inner, section("Location /a", "Satisfy any")],
    ["users or an office", section('Directory "/srv"', ...users, ...any, "Allow from 10")],
    [
      "a Require that denies some clients",
      section('Directory "/srv"', "<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>"),
      section("Location /a", ...any),
    ],
    [
      "an inner Require that allows every client",
      section('Directory "/srv"', ...any),
      section("Location /", "Require all granted"),
    ],
    [
      "discarded lines, which compat-reset reports",
      section('Directory "/srv"', "Deny from all"),
      section("Location /a", ...users, "Satisfy any"),
    ],
    [
      "discarded lines without any Require",
      section('Directory "/srv"', "Deny from all"),
      section("Location /a", "Satisfy any"),
    ],
    ["directives that do not deny a client", section('Directory "/srv"', "Order deny,allow", "Satisfy any")],
    ["only a Satisfy", section('Directory "/srv"', "Satisfy any")],
    ["an AuthType, for which requests return 500", section('Directory "/srv"', "AuthType Basic", "AuthName x", ...any)],
    ["a later Satisfy All", section('Directory "/srv"', ...any, "Satisfy all")],
    [
      "a Satisfy that denied methods do not need",
      section("Location /a", "<Limit PUT>", "Deny from all", "</Limit>", "Satisfy any"),
    ],
    [
      "a conditional section that does not apply",
      section('Directory "/srv"', "<IfModule !mod_authz_core.c>", ...any, "</IfModule>"),
    ],
    ["a section that never applies", section('Directory "srv"', ...any)],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test("2.2, which returns 403", () => {
    const text = onServer(section('Directory "/srv"', ...any));
    expect(check(text, { release: "2.2" })).toEqual([]);
  });
});
