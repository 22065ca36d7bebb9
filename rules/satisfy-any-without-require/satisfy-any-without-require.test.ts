import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { satisfyAnyWithoutRequire } from "./satisfy-any-without-require.js";

const either = "under Satisfy Any, either Order, Allow and Deny or Require is sufficient";
const seen = (text: string, given?: Given) => findingsOf([satisfyAnyWithoutRequire], text, given);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
const any = ["Order deny,allow", "Deny from all", "Satisfy any"];

test("allows every client", () => {
  expect(seen(onServer(section('Directory "/srv"', ...any)))).toEqual([
    {
      rule: "satisfy-any-without-require",
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

describe("all clients that are denied", () => {
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
    expect(finding?.notes).toContainEqual(expect.stringContaining("GET `/a/index.html` from 203.0.113.9 is allowed"));
  });
});

describe("a Require that allows every client", () => {
  const granted = section('Directory "/srv"', "AllowOverride All", "Require all granted");

  test("inherited", () => {
    expect(seen(onServer(granted, section('Directory "/srv/a"', ...any, "Allow from 10.0.0.0/8")))).toMatchObject([
      {
        at: "9:1-9:12",
        message: "`Satisfy any` allows every client: inherited `Require all granted` is sufficient",
        notes: [either, "GET `/a/index.html` from 203.0.113.9 is allowed and bypasses `Deny from all`"],
        help: ["delete `Satisfy any`, or add Require lines for the clients that need access"],
      },
    ]);
  });

  test("inherited by a `.htaccess` file", () => {
    expect(seen(onServer(granted), { files: { "/srv/a/.htaccess": "Deny from all\nSatisfy any\n" } })).toHaveLength(1);
  });

  test("with its own", () => {
    const text = onServer(section('Directory "/srv"', ...any, "Require all granted"));
    expect(seen(text)[0]?.message).toContain(": `Require all granted` is sufficient");
    const rules = [satisfyAnyWithoutRequire, mixedAccessControl, oldAccessControl];
    expect(findingsOf(rules, text).filter(({ severity }) => severity === "error")).toHaveLength(1);
  });
});

describe("old rules that deny no client", () => {
  test("beside a user", () => {
    expect(seen(onServer(section('Directory "/srv"', ...users, "Satisfy any")))).toMatchObject([
      {
        message: "`Satisfy any` allows every client: no `Order` or `Deny` directive restricts access",
        notes: [either, "GET `/index.html` from 203.0.113.9 is allowed and bypasses `Require valid-user`"],
        help: ["delete `Satisfy any`, or set with Order, Allow and Deny which clients need no Require"],
        related: ["httpd.conf:6:1: `Require valid-user` is bypassed"],
      },
    ]);
  });

  test("with lines of their own", () => {
    const text = onServer(section("Location /a", ...users, "Order allow,deny", "Allow from all", "Satisfy any"));
    expect(seen(text)).toHaveLength(1);
  });
});

describe("does not report", () => {
  const inner = section('Directory "/srv"', ...users);
  test.each([
    ["Satisfy All", section('Directory "/srv"', "Deny from all", "Satisfy all")],
    ["a Require of its own", section('Directory "/srv"', ...any, "AuthType Basic", "AuthName x", "Require valid-user")],
    ["an inherited Require", section('Directory "/srv"', "Require ip 10"), section("Location /a", ...any)],
    ["an exception", inner, section("Location /a", "Order allow,deny", "Allow from all", "Satisfy any")],
    ["a short exception", inner, section("Location /a", "Satisfy any")],
    ["users or an office", section('Directory "/srv"', ...users, ...any, "Allow from 10")],
    [
      "a Require that lets in but some",
      section('Directory "/srv"', "<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>"),
      section("Location /a", ...any),
    ],
    [
      "a Require further in that lets everybody in",
      section('Directory "/srv"', ...any),
      section("Location /", "Require all granted"),
    ],
    [
      "dropped rules, which compat-reset speaks of",
      section('Directory "/srv"', "Deny from all"),
      section("Location /a", ...users, "Satisfy any"),
    ],
    [
      "dropped rules without any Require",
      section('Directory "/srv"', "Deny from all"),
      section("Location /a", "Satisfy any"),
    ],
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

  test("2.2, which returns 403", () => {
    const text = onServer(section('Directory "/srv"', ...any));
    expect(seen(text, { release: "2.2" })).toEqual([]);
  });
});
