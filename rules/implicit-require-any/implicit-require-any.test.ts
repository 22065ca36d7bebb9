import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, section } from "../../test/support/rules.js";
import { shadowedRule } from "../shadowed-rule/shadowed-rule.js";
import { implicitRequireAny } from "./implicit-require-any.js";

const seen = (text: string, given?: Given) => findingsOf([implicitRequireAny], text, given);

describe("an address and a user side by side", () => {
  test.each([
    ["Require ip 10.1", "Require valid-user"],
    ["Require local", "Require user bob"],
    ["Require host example.org", "Require group staff"],
    ["Require env ok", "Require ldap-group cn=x"],
    ["Require ssl", "Require valid-user"],
    ["Require method GET POST", "Require valid-user"],
    ["Require expr %{HTTPS} == 'on'", "Require valid-user"],
  ])("%s, %s", (client, user) => {
    expect(seen(inDirectory(client, user))).toMatchObject([
      {
        at: `2:1-2:${client.length + 1}`,
        severity: "warning",
        message: `\`${client}\` grants access without a login`,
        notes: [
          "sibling `Require` lines are alternatives (RequireAny)",
          `clients that match it do not need the user of \`${user}\``,
        ],
        related: ["httpd.conf:3:1: the user is required here"],
      },
    ]);
    expect(seen(inDirectory(user, client))).toMatchObject([{ at: `3:1-3:${client.length + 1}` }]);
  });

  test("in one Limit section, and in one that shares methods", () => {
    expect(seen(inDirectory("<Limit GET>", "Require ip 10", "Require valid-user", "</Limit>"))).toHaveLength(1);
    expect(seen(inDirectory("Require ip 10", "<Limit GET>", "Require valid-user", "</Limit>"))).toHaveLength(1);
  });
});

describe("a grant beside a stricter line", () => {
  test("decides", () => {
    expect(seen(inDirectory("Require valid-user", "Require all granted"))).toMatchObject([
      {
        at: "3:1-3:20",
        severity: "error",
        message: "`Require all granted` overrides `Require valid-user`",
        notes: [
          "sibling `Require` lines are alternatives (RequireAny)",
          "every client is allowed, so `Require valid-user` has no effect",
        ],
        help: ["delete the line that is not intended"],
        related: ["httpd.conf:2:1: has no effect"],
      },
    ]);
  });

  test.each([
    ["a user for some methods", "Require all granted", "<Limit POST>", "Require valid-user", "</Limit>"],
    ["an address", "Require all Granted", "Require ip 10"],
    ["a refusal", "Require all denied", "Require all granted"],
    ["an expression", "Require all granted", "Require expr %{REMOTE_USER} == 'bob'"],
    ["a container", "Require all granted", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>"],
    ["in one Limit section", "<Limit GET>", "Require all granted", "Require valid-user", "</Limit>"],
  ])("%s", (_, ...lines) => {
    expect(seen(inDirectory(...lines))).toMatchObject([
      { message: expect.stringMatching(/^`Require all granted` overrides /i) },
    ]);
  });

  test.each([
    ["twice", "Require all granted", "Require all granted"],
    ["for some methods alone", "<Limit GET>", "Require all granted", "</Limit>", "Require valid-user"],
    ["in a container", "<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>"],
    ["in a container, beside a user", "<RequireAny>", "Require all granted", "</RequireAny>", "Require valid-user"],
    ["in RequireAny with a user", "<RequireAny>", "Require all granted", "Require valid-user", "</RequireAny>"],
    ["in another section", "Require valid-user", "<Files x>", "Require all granted", "</Files>"],
    ["beside what is refused", "Require all granted", "<RequireNone>", "Require ip 10", "</RequireNone>"],
    ["beside Satisfy any", "Require all granted", "Require valid-user", "Satisfy any"],
  ])("does not report %s", (_, ...lines) => {
    expect(seen(inDirectory(...lines))).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    ["an explicit RequireAny", "<RequireAny>", "Require ip 10", "Require valid-user", "</RequireAny>"],
    ["an explicit RequireAll", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>"],
    ["two addresses", "Require ip 10", "Require host example.org"],
    ["a name that never matches", "Require valid-user", "Require host *.example.org"],
    ["two users", "Require user bob", "Require group staff"],
    ["Satisfy any says as much", "Require ip 10", "Require valid-user", "Satisfy any"],
    [
      "different methods",
      "<Limit GET>",
      "Require ip 10",
      "</Limit>",
      "<LimitExcept GET>",
      "Require valid-user",
      "</LimitExcept>",
    ],
    ["a browser's question before it sends a password", "Require method OPTIONS", "Require valid-user"],
    ["an expression that looks at the user", "Require expr %{REMOTE_USER} == 'bob'", "Require group staff"],
    ["a refusal beside a user", "Require valid-user", "Require all denied"],
    ["a container beside a user", "Require valid-user", "<RequireAll>", "Require ip 10", "</RequireAll>"],
    ["different sections", "Require ip 10", "<Files x>", "Require valid-user", "</Files>"],
  ])("%s", (_, ...lines) => {
    expect(seen(inDirectory(...lines))).toEqual([]);
  });

  test("the top level of a fragment may be in a container", () => {
    expect(seen("Require ip 10\nRequire valid-user\n", { kind: "fragment" })).toEqual([]);
    expect(seen("Require ip 10\nRequire valid-user\n", { kind: "htaccess" })).toHaveLength(1);
  });

  test("2.2", () => {
    expect(seen(inDirectory("Require ip 10", "Require valid-user"), { release: "2.2" })).toEqual([]);
  });
});

test("the lines that a grant overrides are not reported again; twin: those of another section", () => {
  const rules = [implicitRequireAny, shadowedRule];
  const found = (text: string) => findingsOf(rules, text).map(({ at, rule }) => `${at.split(":")[0]} ${rule}`);
  const lines = ["Require ip 10", "Require all granted", "Require valid-user"];
  expect(found(inDirectory(...lines))).toEqual(["3 implicit-require-any"]);
  expect(found(inDirectory(...lines) + section("Location /x", "Require local", "Require ip 127.0.0.1"))).toEqual([
    "3 implicit-require-any",
    "8 shadowed-rule",
  ]);
});
