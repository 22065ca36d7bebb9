import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { compatPrecedence } from "../compat-precedence/compat-precedence.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { satisfyAny } from "./satisfy-any.js";

const satisfyAnyInherited = onlyVariant(satisfyAny, "satisfy-any-inherited");

const check = (text: string, given?: Given) => findingsOf([satisfyAnyInherited], text, given);
const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
const outer = section('Directory "/srv"', "Satisfy any");
const office = section(
  'Directory "/srv"',
  ...users,
  "Require valid-user",
  "Order deny,allow",
  "Deny from all",
  "Allow from 10",
  "Satisfy any",
);

test("reports an inner Require that does not protect anything", () => {
  expect(check(onServer(outer, section('Directory "/srv/data"', "Require all denied")))).toEqual([
    {
      rule: "satisfy-any",
      severity: "error",
      at: "6:1-6:19",
      text: "Require all denied",
      message: "inherited `Satisfy any` bypasses `Require all denied`",
      notes: [
        "a client that the inherited Order, Allow and Deny directives allow needs no Require",
        expect.stringContaining("GET `/data/index.html` from 203.0.113.9 "),
      ],
      help: ["add `Satisfy All` to this section, or use Require instead of Order, Allow and Deny in the outer section"],
      related: ["httpd.conf:3:1: `Satisfy any` is inherited from here"],
    },
  ]);
});

describe("reports access for clients that mod_access_compat directives allow", () => {
  test.each([
    ["from an address", office, section("Location /a", "Require all denied")],
    ["without the required password", office, section("Location /a", "Require user admin")],
    [
      "despite a container",
      office,
      section("Location /a", "<RequireAll>", "Require ip 192.0.2", "Require valid-user", "</RequireAll>"),
    ],
    ["to files", outer, section('FilesMatch "^\\.ht"', "Require all denied")],
    ["with AuthMerging And", office, section("Location /a", "AuthMerging And", "Require user admin")],
    ["in a virtual host", outer, section("VirtualHost *:80", section("Location /a", "Require all denied"))],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toHaveLength(1);
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig", "Satisfy any"));
    expect(check(main, { files: { "/srv/data/.htaccess": "Require all denied\n" } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["an inner Satisfy All", outer, section("Location /a", "Satisfy all", "Require all denied")],
    ["inner mod_access_compat directives", outer, section("Location /a", "Deny from all", "Require all denied")],
    [
      "an inherited Satisfy All",
      section('Directory "/srv"', "Satisfy all"),
      section("Location /a", "Require all denied"),
    ],
    [
      "inherited mod_access_compat directives that deny every client",
      section('Directory "/srv"', "Deny from all", "Satisfy any"),
      section("Location /a", "Require ip 10"),
    ],
    ["a Require that allows every client", outer, section("Location /a", "Require all granted")],
    ["a section without a Require", office, section("Location /a", "Options None")],
    ["a Require in the same section as Satisfy Any, which is intended", office],
    [
      "an exception in an inner section",
      section('Directory "/srv"', ...users, "Require valid-user"),
      section("Location /index.html", "Allow from all", "Satisfy any"),
    ],
    [
      "an exception for files",
      section('Directory "/srv"', ...users, "Require user bob", "<Files index.html>", "Satisfy any", "</Files>"),
    ],
    [
      "Satisfy Any for another method",
      section('Directory "/srv"', "<Limit PUT>", "Satisfy any", "</Limit>"),
      section("Location /a", "Require all denied"),
    ],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test("2.2", () => {
    const text = onServer(outer, section("Location /a", "Require all denied"));
    expect(check(text, { release: "2.2" })).toEqual([]);
  });

  test("the same line in other rules", () => {
    const text = onServer(
      office,
      section("Location /a", "<RequireAll>", "Require ip 192.0.2", "Require valid-user", "</RequireAll>"),
    );
    const rules = [satisfyAnyInherited, compatPrecedence, mixedAccessControl];
    expect(findingsOf(rules, text).map(({ rule }) => rule)).toEqual(["satisfy-any"]);
  });
});
