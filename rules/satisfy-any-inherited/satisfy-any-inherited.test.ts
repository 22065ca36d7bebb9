import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { compatPrecedence } from "../compat-precedence/compat-precedence.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { satisfyAnyInherited } from "./satisfy-any-inherited.js";

const seen = (text: string, given?: Given) => findingsOf([satisfyAnyInherited], text, given);
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

test("an inner Require that protects nothing", () => {
  expect(seen(onServer(outer, section('Directory "/srv/data"', "Require all denied")))).toEqual([
    {
      rule: "satisfy-any-inherited",
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

describe("clients that the old rules allow", () => {
  test.each([
    ["from an address", office, section("Location /a", "Require all denied")],
    ["without the password asked for", office, section("Location /a", "Require user admin")],
    [
      "in a container",
      office,
      section("Location /a", "<RequireAll>", "Require ip 192.0.2", "Require valid-user", "</RequireAll>"),
    ],
    ["to a file", outer, section('FilesMatch "^\\.ht"', "Require all denied")],
    ["with AuthMerging And", office, section("Location /a", "AuthMerging And", "Require user admin")],
    ["in a virtual host", outer, section("VirtualHost *:80", section("Location /a", "Require all denied"))],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toHaveLength(1);
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig", "Satisfy any"));
    expect(seen(main, { files: { "/srv/data/.htaccess": "Require all denied\n" } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["Satisfy All of its own", outer, section("Location /a", "Satisfy all", "Require all denied")],
    ["old rules of its own", outer, section("Location /a", "Deny from all", "Require all denied")],
    [
      "an inherited Satisfy All",
      section('Directory "/srv"', "Satisfy all"),
      section("Location /a", "Require all denied"),
    ],
    [
      "inherited old rules that let nobody in",
      section('Directory "/srv"', "Deny from all", "Satisfy any"),
      section("Location /a", "Require ip 10"),
    ],
    ["a Require that lets everybody in", outer, section("Location /a", "Require all granted")],
    ["no Require", office, section("Location /a", "Options None")],
    ["the Require beside Satisfy Any, which is meant", office],
    [
      "an exemption further in",
      section('Directory "/srv"', ...users, "Require valid-user"),
      section("Location /index.html", "Allow from all", "Satisfy any"),
    ],
    [
      "an exemption of files",
      section('Directory "/srv"', ...users, "Require user bob", "<Files index.html>", "Satisfy any", "</Files>"),
    ],
    [
      "Satisfy Any for another method",
      section('Directory "/srv"', "<Limit PUT>", "Satisfy any", "</Limit>"),
      section("Location /a", "Require all denied"),
    ],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toEqual([]);
  });

  test("2.2", () => {
    const text = onServer(outer, section("Location /a", "Require all denied"));
    expect(seen(text, { release: "2.2" })).toEqual([]);
  });

  test("one cause gives one finding", () => {
    const text = onServer(
      office,
      section("Location /a", "<RequireAll>", "Require ip 192.0.2", "Require valid-user", "</RequireAll>"),
    );
    const rules = [satisfyAnyInherited, compatPrecedence, mixedAccessControl];
    expect(findingsOf(rules, text).map(({ rule }) => rule)).toEqual(["satisfy-any-inherited"]);
  });
});
