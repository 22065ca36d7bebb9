import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { implicitRequireAny } from "./implicit-require-any.js";

const inDirectory = (...lines: readonly string[]) => `<Directory "/srv">\n${lines.join("\n")}\n</Directory>\n`;
const seen = (text: string, given?: Given) => findingsOf([implicitRequireAny], text, given);

describe("an address and a user side by side", () => {
  test.each([
    ["Require ip 10.1", "Require valid-user"],
    ["Require local", "Require user bob"],
    ["Require host example.org", "Require group staff"],
    ["Require env ok", "Require ldap-group cn=x"],
  ])("%s, %s", (client, user) => {
    expect(seen(inDirectory(client, user))).toMatchObject([
      {
        at: `2:1-2:${client.length + 1}`,
        severity: "warning",
        related: ["httpd.conf:3:1: the user is asked for here"],
      },
    ]);
    expect(seen(inDirectory(user, client))).toMatchObject([{ at: `3:1-3:${client.length + 1}` }]);
  });

  test("in one Limit section, and in one that shares methods", () => {
    expect(seen(inDirectory("<Limit GET>", "Require ip 10", "Require valid-user", "</Limit>"))).toHaveLength(1);
    expect(seen(inDirectory("Require ip 10", "<Limit GET>", "Require valid-user", "</Limit>"))).toHaveLength(1);
  });
});

describe("twins", () => {
  test.each([
    ["an explicit RequireAny", "<RequireAny>", "Require ip 10", "Require valid-user", "</RequireAny>"],
    ["an explicit RequireAll", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>"],
    ["two addresses", "Require ip 10", "Require host example.org"],
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
    ["a method that needs no user", "Require method GET", "Require valid-user"],
    ["different sections", "Require ip 10", "<Files x>", "Require valid-user", "</Files>"],
  ])("%s", (_, ...lines) => {
    expect(seen(inDirectory(...lines))).toEqual([]);
  });

  test("the top of a fragment may stand in a container", () => {
    expect(seen("Require ip 10\nRequire valid-user\n", { kind: "fragment" })).toEqual([]);
    expect(seen("Require ip 10\nRequire valid-user\n", { kind: "htaccess" })).toHaveLength(1);
  });

  test("2.2", () => {
    expect(seen(inDirectory("Require ip 10", "Require valid-user"), { release: "2.2" })).toEqual([]);
  });
});
