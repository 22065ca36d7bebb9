import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { authtypeWithoutRequire } from "./authtype-without-require.js";

const seen = (text: string, given?: Given) => findingsOf([authtypeWithoutRequire], text, given);
const asks = ["AuthType Basic", 'AuthName "Members"', "AuthUserFile /etc/users"];

test("every request returns 500", () => {
  expect(seen(onServer(section('Directory "/srv/members"', ...asks)))).toEqual([
    {
      rule: "authtype-without-require",
      severity: "error",
      at: "3:1-3:15",
      text: "AuthType Basic",
      message: "`AuthType Basic` is set, but `Require` is missing",
      notes: [
        "2.4 treats AuthType without Require as a mistake",
        "GET `/members/index.html` from 203.0.113.9 returns 500 (AH01627)",
      ],
      help: ["to require a login, add `Require valid-user`", "to allow every client, delete `AuthType`"],
      related: [],
    },
  ]);
});

test("names other missing parts that a Require needs", () => {
  const advice = (...lines: readonly string[]) =>
    seen(onServer(section("Location /a", ...lines))).flatMap(({ notes, help }) => [notes?.at(-1), ...(help ?? [])]);
  expect(advice("AuthType Basic")).toEqual([
    "a login needs more than Require: `AuthName` is not set",
    "to require a login, add `Require valid-user`",
    'add `AuthName`, such as `AuthName "Members"`',
    "add `AuthUserFile`",
    "to allow every client, delete `AuthType`",
  ]);
  expect(advice("AuthType Basic", "AuthName x")).toEqual([
    "a login needs more than Require: `AuthUserFile` is not set",
    "to require a login, add `Require valid-user`",
    "add `AuthUserFile`",
    "to look up users elsewhere, set another provider with `AuthBasicProvider`",
    "to allow every client, delete `AuthType`",
  ]);
});

describe("in each place", () => {
  test.each([
    ["a Location", section("Location /a", ...asks)],
    ["files", section('Files "*.cgi"', ...asks)],
    ["Digest", section("Location /a", "AuthType Digest", "AuthName x")],
    ["beside old rules that let in", section("Location /a", ...asks, "Order allow,deny", "Allow from all")],
    [
      "a virtual host",
      section("VirtualHost *:443", "SSLEngine on", "ServerName a.test", section("Location /a", ...asks)),
    ],
    [
      "where AuthMerging Off wipes the Require",
      section('Directory "/srv"', "Require all granted"),
      section("Location /a", ...asks, "AuthMerging Off"),
    ],
    [
      "over a Require for other directories",
      section('Directory "/srv/b"', "Require valid-user"),
      section('Directory "/srv/a"', ...asks),
    ],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections)).map(({ text }) => text)).toEqual([expect.stringMatching(/^AuthType /)]);
  });

  test.each([
    ["of its own", section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10", ...asks)],
    ["from outside", section('Directory "/srv"', "Order allow,deny", "Allow from 10"), section("Location /a", ...asks)],
  ])("for clients that old rules allow, %s", (_, ...sections) => {
    const [finding] = seen(onServer(...sections));
    expect(finding?.notes).toContain("GET `/a` from 10.0.0.1 returns 500 (AH01627)");
  });

  test("a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig"));
    expect(seen(main, { files: { "/srv/a/.htaccess": `${asks.join("\n")}\n` } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["a Require", section("Location /a", ...asks, "Require valid-user")],
    [
      "a Require in a container",
      section("Location /a", ...asks, "<RequireAny>", "Require valid-user", "</RequireAny>"),
    ],
    [
      "a Require for some methods",
      section("Location /a", ...asks, "<LimitExcept GET>", "Require valid-user", "</LimitExcept>"),
    ],
    ["an inherited Require", section('Directory "/srv"', "Require all granted"), section("Location /a", ...asks)],
    ["AuthType None", section("Location /a", "AuthType None")],
    ["old rules that keep everybody out", section("Location /a", ...asks, "Deny from all")],
    ["Satisfy Any with which everybody comes in", section("Location /a", ...asks, "Satisfy any")],
    [
      "a Require further in, for all that is there",
      section('Directory "/srv"', ...asks),
      section("Location /", "Require valid-user"),
    ],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toEqual([]);
  });

  test("2.2, where it requires no login, and lines that may inherit a Require", () => {
    const text = onServer(section("Location /a", ...asks));
    expect(seen(text, { release: "2.2" })).toEqual([]);
    expect(seen(text, { kind: "fragment" })).toEqual([]);
    expect(seen(`${asks.join("\n")}\n`, { kind: "htaccess" })).toEqual([]);
  });

  test("`AllowOverride None` disables the file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride None"));
    expect(seen(main, { files: { "/srv/a/.htaccess": `${asks.join("\n")}\n` } })).toEqual([]);
  });
});
