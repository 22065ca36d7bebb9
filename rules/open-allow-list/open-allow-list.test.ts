import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { openAllowList } from "./open-allow-list.js";

const check = (text: string, given?: Given) => findingsOf([openAllowList], text, given);
const inRoot = (...lines: readonly string[]) => onServer(section('Directory "/srv"', ...lines));
const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];

test("reports a list of clients beside the default order", () => {
  expect(check(inRoot("Allow from env=office"))).toEqual([
    {
      rule: "open-allow-list",
      severity: "warning",
      at: "3:1-3:22",
      text: "Allow from env=office",
      message: "`Allow from env=office` does not restrict access: no `Deny` applies",
      notes: [
        "the default `Order deny,allow` allows each client that no `Deny` matches",
        "GET `/index.html` from 203.0.113.9 is allowed",
      ],
      help: ["to allow only these clients, replace `Allow` of this section with `Require env office`"],
      related: [],
    },
  ]);
});

test("reports several lines once", () => {
  const [finding, ...more] = check(inRoot("Order Deny,Allow", "Allow from 10.0.0.0/8", "Allow from 192.0.2.7"));
  expect(more).toEqual([]);
  expect(finding?.notes?.[0]).toBe("`Order Deny,Allow` allows each client that no `Deny` matches");
  expect(finding?.help).toEqual([
    "to allow only these clients, replace `Order` and `Allow` of this section with `Require ip 10.0.0.0/8 192.0.2.7`",
  ]);
  expect(finding?.related).toEqual(["httpd.conf:5:1: does not restrict access either"]);
});

test("advises to add Deny on 2.2", () => {
  expect(check(inRoot("Allow from 127.0.0.1"), { release: "2.2" })[0]?.help).toEqual([
    "to allow only these clients, add `Order deny,allow` and `Deny from all`",
  ]);
});

describe("advises to add Deny where a Require would not restrict access", () => {
  const deny = "add `Order deny,allow` and `Deny from all`";
  const root = (...lines: readonly string[]) => section('Directory "/srv"', ...lines);
  test.each([
    [
      "inherited lines would apply again",
      onServer(root("Order allow,deny", "Allow from 10.1")),
      root("Allow from 10.2"),
      `to allow only these clients, ${deny}`,
    ],
    [
      "a later Require replaces it",
      inRoot("Allow from 10.2"),
      section("Location /", "Require all granted"),
      `to allow only these clients, ${deny}`,
    ],
    [
      "a login is enough",
      inRoot(...login, "Allow from 10.2", "Satisfy any"),
      "",
      `to allow only these clients and those with a login, ${deny}`,
    ],
    [
      "Satisfy any makes it optional",
      inRoot("Allow from 10.2", "Satisfy any"),
      "",
      "to allow only these clients, replace `Satisfy any` with `Order deny,allow` and `Deny from all`",
    ],
    [
      "its own Require allows every client",
      inRoot("Allow from 10.2", "Require all granted"),
      "",
      "to allow only these clients, replace `Allow` and `Require` of this section with `Require ip 10.2`",
    ],
  ])("%s", (_, text, more, help) => {
    expect(check(text + more)[0]?.help).toEqual([help]);
  });
});

describe("reports", () => {
  test.each([
    ["the own machine", inRoot("Order Deny,Allow", "Allow from 127.0.0.1")],
    ["a host name", inRoot("Allow from example.org")],
    ["a Location", onServer(section("Location /admin", "Allow from 10"))],
    ["a method", inRoot(section("Limit POST", "Allow from 10").trimEnd())],
    ["a password that the list makes optional", inRoot(...login, "Allow from 10", "Satisfy any")],
    ["a section beside a Require that allows every client", inRoot("Allow from 10", "Require all granted")],
    ["the last Order", inRoot("Order allow,deny", "Order deny,allow", "Allow from 10")],
  ])("%s", (_, text) => {
    expect(check(text)).toHaveLength(1);
  });

  test("a `.htaccess` file, alone and in a server", () => {
    expect(check("Allow from 10.0.0.1\n", { kind: "htaccess" })).toHaveLength(1);
    const main = onServer(section('Directory "/srv"', "AllowOverride All"));
    expect(check(main, { files: { "/srv/a/.htaccess": "Allow from 10.0.0.1\n" } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["Deny from all", inRoot("Order deny,allow", "Deny from all", "Allow from 10")],
    ["exceptions from a ban", inRoot("Deny from 192.0.2.0/24", "Allow from 192.0.2.7")],
    ["Order allow,deny", inRoot("Order allow,deny", "Allow from 10")],
    ["Order mutual-failure", inRoot("Order mutual-failure", "Allow from 10")],
    ["every client", inRoot("Order deny,allow", "Allow from all")],
    ["every client beside a list", inRoot("Allow from 10", "Allow from all")],
    ["a Require that restricts access", inRoot("Allow from 10", "Require ip 10")],
    ["a password", inRoot(...login, "Allow from 10")],
    [
      "a list that a later section replaces",
      onServer(section("Location /a", "Allow from 10"), section("LocationMatch ^/a", "Deny from all")),
    ],
    ["another section that denies access", inRoot("Require all denied") + section("Location /a", "Allow from 10")],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});

test("reports the sections of a fragment, but not its top, which a section with a Deny may include", () => {
  expect(check("Allow from 10.0.0.1\nAllow from 10.0.0.2\n", { kind: "fragment" })).toEqual([]);
  expect(check(section('Directory "/srv"', "Allow from 10.0.0.1"), { kind: "fragment" })).toHaveLength(1);
});

test("leaves a section that discards inherited rules to compat-reset", () => {
  const text = onServer(section('Directory "/srv"', "Deny from all"), section('Directory "/srv/a"', "Allow from 10"));
  const rules = findingsOf(defaultRules, text).map(({ rule }) => rule);
  expect(rules).toContain("compat-reset");
  expect(rules).not.toContain("open-allow-list");
});
