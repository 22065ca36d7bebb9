import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, section } from "../../test/support/rules.js";
import { shadowedRule } from "../shadowed-rule/shadowed-rule.js";
import { implicitRequireAny } from "./implicit-require-any.js";

const check = (text: string, given?: Given) => findingsOf([implicitRequireAny], text, given);

describe("reports an address beside a user", () => {
  test.each([
    ["Require ip 10.1", "Require valid-user"],
    ["Require local", "Require user bob"],
    ["Require host example.org", "Require group staff"],
    ["Require env ok", "Require ldap-group cn=x"],
    ["Require ssl", "Require valid-user"],
    ["Require method GET POST", "Require valid-user"],
    ["Require expr %{HTTPS} == 'on'", "Require valid-user"],
  ])("%s, %s", (client, user) => {
    expect(check(inDirectory(client, user))).toMatchObject([
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
    expect(check(inDirectory(user, client))).toMatchObject([{ at: `3:1-3:${client.length + 1}` }]);
  });

  test("in one Limit section, or in one with a shared method", () => {
    expect(check(inDirectory("<Limit GET>", "Require ip 10", "Require valid-user", "</Limit>"))).toHaveLength(1);
    expect(check(inDirectory("Require ip 10", "<Limit GET>", "Require valid-user", "</Limit>"))).toHaveLength(1);
  });
});

describe("reports a section that needs no user beside a user", () => {
  const [any, all] = [["<RequireAny>", "</RequireAny>"] as const, ["<RequireAll>", "</RequireAll>"] as const];
  const inside = ([start, end]: readonly [string, string], ...lines: readonly string[]) => [start, ...lines, end];

  test("the addresses of an office", () => {
    const lines = ["Require valid-user", ...inside(any, "Require ip 127.0.0.1", "Require ip 198.51.100.20")];
    expect(check(inDirectory(...lines))).toMatchObject([
      {
        at: "3:1-3:13",
        severity: "warning",
        message: "`<RequireAny>` grants access without a login",
        notes: [
          "sibling `Require` lines are alternatives (RequireAny)",
          "clients that match it do not need the user of `Require valid-user`",
        ],
        help: ["if both must match, wrap them in `<RequireAll>`", "if one is enough, wrap them in `<RequireAny>`"],
        related: ["httpd.conf:2:1: the user is required here"],
      },
    ]);
    expect(check(lines.join("\n"), { kind: "htaccess" })).toHaveLength(1);
    expect(check(section("VirtualHost *:80", section("Location /a", ...lines).trimEnd()))).toHaveLength(1);
  });

  test.each([
    ["a ban list", ["Require group staff", ...inside(all, "Require all granted", "Require not ip 203.0.113.7")]],
    ["an address in RequireAll", ["Require valid-user", ...inside(all, "Require ip 10", "Require not ip 10.1.2.3")]],
    ["every client", [...inside(any, "Require all granted"), "Require valid-user"]],
    ["users in a section", ["Require ip 10.0.0.0/8", ...inside(any, "Require user alice", "Require group staff")]],
    [
      "two sections",
      [...inside(any, "Require local", "Require env ok"), ...inside(any, "Require user a", "Require user b")],
    ],
    [
      "sections in a section",
      ["Require ldap-group cn=x", ...inside(any, ...inside(all, "Require ip 10", "Require ssl"))],
    ],
    ["one method", ["<Limit GET>", "Require valid-user", "</Limit>", ...inside(any, "Require ip 10", "Require local")]],
    [
      "RequireNone in it",
      ["Require valid-user", ...inside(all, "Require ssl", "<RequireNone>", "Require ip 10", "</RequireNone>")],
    ],
  ])("%s", (_, lines) => {
    expect(check(inDirectory(...lines))).toMatchObject([
      { message: expect.stringContaining("grants access without a") },
    ]);
  });

  test.each([
    ["a login in RequireAny", ["Require user bob", ...inside(any, "Require ip 10", "Require user alice")]],
    ["a login in RequireAll", ["Require valid-user", ...inside(all, "Require ip 10", "Require user alice")]],
    [
      "an address beside a login with an address",
      ["Require ip 10", ...inside(all, "Require ssl", "Require valid-user")],
    ],
    ["RequireAll around both", inside(all, "Require valid-user", ...inside(any, "Require ip 10", "Require local"))],
    ["RequireAny around both", inside(any, "Require valid-user", ...inside(any, "Require ip 10", "Require local"))],
    ["RequireAll around the user, as in stock files", ["Require local", ...inside(all, "Require valid-user")]],
    ["a ban", ["Require valid-user", "<RequireNone>", "Require ip 10", "</RequireNone>"]],
    ["only denials", ["Require valid-user", ...inside(any, "Require all denied")]],
    ["OPTIONS", ["Require valid-user", ...inside(all, "Require method OPTIONS", "Require expr %{HTTP:Origin} != ''")]],
    ["two sections of addresses", [...inside(any, "Require ip 10"), ...inside(any, "Require local")]],
    ["two sections of users", ["Require user a", ...inside(any, "Require user b", "Require group c")]],
    [
      "other methods",
      ["<Limit GET>", ...inside(any, "Require ip 10"), "</Limit>", "<Limit PUT>", "Require user a", "</Limit>"],
    ],
    ["Satisfy any", ["Satisfy any", "Require valid-user", ...inside(any, "Require ip 10", "Require local")]],
  ])("but not with %s", (_, lines) => {
    expect(check(inDirectory(...lines))).toEqual([]);
  });
});

describe("any user in a Limit section beside some users", () => {
  const limit = (start: string, ...lines: readonly string[]) => [`<${start}>`, ...lines, `</${start.split(" ")[0]}>`];

  test("is reported for writing", () => {
    const lines = [...limit("LimitExcept GET PROPFIND OPTIONS", "Require valid-user"), "Require user alice"];
    expect(check(inDirectory(...lines))).toMatchObject([
      {
        at: "3:1-3:19",
        severity: "warning",
        message: "`Require valid-user` allows every user here, not only `Require user alice`",
        notes: [
          "sibling `Require` lines are alternatives (RequireAny)",
          "`Require user alice` is outside of `<LimitExcept>`, so it applies to every method, such as GET",
        ],
        help: [
          "to allow only these users, replace `Require valid-user` with `Require user alice`",
          "if other methods need no login, delete `Require user alice` outside of `<LimitExcept>`",
        ],
        related: ["httpd.conf:5:1: applies to every method"],
      },
    ]);
  });

  test.each([
    ["POST and PUT", ["Require group staff", ...limit("Limit POST PUT DELETE", "Require valid-user")]],
    ["a group of LDAP", [...limit("LimitExcept GET OPTIONS", "Require valid-user"), "Require ldap-group cn=admins"]],
  ])("is reported with %s", (_, lines) => {
    expect(check(inDirectory(...lines))).toHaveLength(1);
  });

  test.each([
    ["reading", ["Require user alice", ...limit("Limit GET PROPFIND", "Require valid-user")]],
    ["all but writing", ["Require user alice", ...limit("LimitExcept PUT DELETE", "Require valid-user")]],
    ["two sections", [...limit("LimitExcept GET", "Require valid-user"), ...limit("Limit GET", "Require user alice")]],
    ["one section", limit("LimitExcept GET", "Require valid-user", "Require user alice")],
    ["the same users", ["Require valid-user", ...limit("LimitExcept GET", "Require valid-user")]],
    [
      "some users for writing, as shadowed-rule reports it",
      ["Require valid-user", ...limit("LimitExcept GET", "Require user a")],
    ],
  ])("is not reported for %s", (_, lines) => {
    expect(check(inDirectory(...lines))).toEqual([]);
  });
});

describe("a grant", () => {
  test("is reported as an error beside a stricter line", () => {
    expect(check(inDirectory("Require valid-user", "Require all granted"))).toMatchObject([
      {
        at: "3:1-3:20",
        severity: "error",
        message: "`Require all granted` is enough, so that `Require valid-user` has no effect",
        notes: ["sibling `Require` lines are alternatives (RequireAny)", "every client is allowed"],
        help: [
          "to restrict access, delete `Require all granted`",
          "if every client may have access, delete `Require valid-user` instead",
        ],
        related: ["httpd.conf:2:1: has no effect"],
      },
    ]);
  });

  test.each([
    ["a user for some methods", "Require all granted", "<Limit POST>", "Require valid-user", "</Limit>"],
    ["an address", "Require all Granted", "Require ip 10"],
    ["a denial", "Require all denied", "Require all granted"],
    ["an expression", "Require all granted", "Require expr %{REMOTE_USER} == 'bob'"],
    ["a container", "Require all granted", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>"],
    ["a user in the same Limit section", "<Limit GET>", "Require all granted", "Require valid-user", "</Limit>"],
  ])("is reported beside %s", (_, ...lines) => {
    expect(check(inDirectory(...lines))).toMatchObject([
      { message: expect.stringMatching(/^`Require all granted` is enough, so that /i) },
    ]);
  });

  test.each([
    ["beside the same grant", "Require all granted", "Require all granted"],
    ["for some methods only", "<Limit GET>", "Require all granted", "</Limit>", "Require valid-user"],
    ["in a container", "<RequireAll>", "Require all granted", "Require not ip 10", "</RequireAll>"],
    ["in RequireAny with a user", "<RequireAny>", "Require all granted", "Require valid-user", "</RequireAny>"],
    ["in another section", "Require valid-user", "<Files x>", "Require all granted", "</Files>"],
    ["beside RequireNone", "Require all granted", "<RequireNone>", "Require ip 10", "</RequireNone>"],
    ["beside Satisfy any", "Require all granted", "Require valid-user", "Satisfy any"],
  ])("is not reported %s", (_, ...lines) => {
    expect(check(inDirectory(...lines))).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    ["an explicit RequireAny", "<RequireAny>", "Require ip 10", "Require valid-user", "</RequireAny>"],
    ["an explicit RequireAll", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>"],
    ["two addresses", "Require ip 10", "Require host example.org"],
    ["a name that never matches", "Require valid-user", "Require host *.example.org"],
    ["two users", "Require user bob", "Require group staff"],
    ["an explicit Satisfy any", "Require ip 10", "Require valid-user", "Satisfy any"],
    [
      "different methods",
      "<Limit GET>",
      "Require ip 10",
      "</Limit>",
      "<LimitExcept GET>",
      "Require valid-user",
      "</LimitExcept>",
    ],
    ["a browser's OPTIONS request before it sends a password", "Require method OPTIONS", "Require valid-user"],
    ["an expression that reads the user", "Require expr %{REMOTE_USER} == 'bob'", "Require group staff"],
    ["a denial beside a user", "Require valid-user", "Require all denied"],
    ["different sections", "Require ip 10", "<Files x>", "Require valid-user", "</Files>"],
  ])("%s", (_, ...lines) => {
    expect(check(inDirectory(...lines))).toEqual([]);
  });

  test("the top level of a fragment, which may be in a container", () => {
    expect(check("Require ip 10\nRequire valid-user\n", { kind: "fragment" })).toEqual([]);
    expect(check("Require ip 10\nRequire valid-user\n", { kind: "htaccess" })).toHaveLength(1);
  });

  test("2.2", () => {
    expect(check(inDirectory("Require ip 10", "Require valid-user"), { release: "2.2" })).toEqual([]);
  });
});

test("does not report the lines that a grant overrides again, but those of another section", () => {
  const rules = [implicitRequireAny, shadowedRule];
  const listRules = (text: string) => findingsOf(rules, text).map(({ at, rule }) => `${at.split(":")[0]} ${rule}`);
  const lines = ["Require ip 10", "Require all granted", "Require valid-user"];
  expect(listRules(inDirectory(...lines))).toEqual(["3 implicit-require-any"]);
  expect(listRules(inDirectory(...lines) + section("Location /x", "Require local", "Require ip 127.0.0.1"))).toEqual([
    "3 implicit-require-any",
    "8 shadowed-rule",
  ]);
});
