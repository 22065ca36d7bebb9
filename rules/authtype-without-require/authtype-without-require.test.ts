import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { authtypeWithoutRequire } from "./authtype-without-require.js";

const check = (text: string, given?: Given) =>
  findingsOf([onlyVariant(authtypeWithoutRequire, "authtype-without-require")], text, given);
const login = ["AuthType Basic", 'AuthName "Members"', "AuthUserFile /etc/users"];

test("reports an AuthType without Require, because every request returns 500", () => {
  expect(check(onServer(section('Directory "/srv/members"', ...login)))).toEqual([
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

test("suggests the other directives that a login needs", () => {
  const helpFor = (...lines: readonly string[]) =>
    check(onServer(section("Location /a", ...lines))).flatMap(({ notes, help }) => [notes?.at(-1), ...(help ?? [])]);
  expect(helpFor("AuthType Basic")).toEqual([
    "a login needs more than Require: `AuthName` is not set",
    "to require a login, add `Require valid-user`",
    'add `AuthName`, such as `AuthName "Members"`',
    "add `AuthUserFile`",
    "to allow every client, delete `AuthType`",
  ]);
  expect(helpFor("AuthType Basic", "AuthName x")).toEqual([
    "a login needs more than Require: `AuthUserFile` is not set",
    "to require a login, add `Require valid-user`",
    "add `AuthUserFile`",
    "to look up users elsewhere, set another provider with `AuthBasicProvider`",
    "to allow every client, delete `AuthType`",
  ]);
});

describe("reports an AuthType without Require", () => {
  test.each([
    ["a Location", section("Location /a", ...login)],
    ["a Files section", section('Files "*.cgi"', ...login)],
    ["a section with Digest", section("Location /a", "AuthType Digest", "AuthName x")],
    [
      "a section with mod_access_compat directives that allow clients",
      section("Location /a", ...login, "Order allow,deny", "Allow from all"),
    ],
    [
      "a virtual host",
      section("VirtualHost *:443", "SSLEngine on", "ServerName a.test", section("Location /a", ...login)),
    ],
    [
      "a section whose AuthMerging Off discards the Require",
      section('Directory "/srv"', "Require all granted"),
      section("Location /a", ...login, "AuthMerging Off"),
    ],
    [
      "a section beside a Require for another directory",
      section('Directory "/srv/b"', "Require valid-user"),
      section('Directory "/srv/a"', ...login),
    ],
  ])("in %s", (_, ...sections) => {
    expect(check(onServer(...sections)).map(({ text }) => text)).toEqual([expect.stringMatching(/^AuthType /)]);
  });

  test.each([
    ["in the same section", section("Location /a", "Order deny,allow", "Deny from all", "Allow from 10", ...login)],
    ["inherited", section('Directory "/srv"', "Order allow,deny", "Allow from 10"), section("Location /a", ...login)],
  ])("for clients that mod_access_compat directives allow, %s", (_, ...sections) => {
    const [finding] = check(onServer(...sections));
    expect(finding?.notes).toContain("GET `/a` from 10.0.0.1 returns 500 (AH01627)");
  });

  test("in a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig"));
    expect(check(main, { files: { "/srv/a/.htaccess": `${login.join("\n")}\n` } })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["an AuthType with a Require", section("Location /a", ...login, "Require valid-user")],
    [
      "a Require in a container",
      section("Location /a", ...login, "<RequireAny>", "Require valid-user", "</RequireAny>"),
    ],
    [
      "a Require for some methods",
      section("Location /a", ...login, "<LimitExcept GET>", "Require valid-user", "</LimitExcept>"),
    ],
    ["an inherited Require", section('Directory "/srv"', "Require all granted"), section("Location /a", ...login)],
    ["AuthType None", section("Location /a", "AuthType None")],
    ["mod_access_compat directives that deny every client", section("Location /a", ...login, "Deny from all")],
    ["a Satisfy Any that allows every client", section("Location /a", ...login, "Satisfy any")],
    [
      "a Require for all paths in an inner section",
      section('Directory "/srv"', ...login),
      section("Location /", "Require valid-user"),
    ],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test("2.2, where AuthType does not require a login, or lines that may inherit a Require", () => {
    const text = onServer(section("Location /a", ...login));
    expect(check(text, { release: "2.2" })).toEqual([]);
    expect(check(text, { kind: "fragment" })).toEqual([]);
    expect(check(`${login.join("\n")}\n`, { kind: "htaccess" })).toEqual([]);
  });

  test("a file that `AllowOverride None` disables", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride None"));
    expect(check(main, { files: { "/srv/a/.htaccess": `${login.join("\n")}\n` } })).toEqual([]);
  });
});

describe("a login that no Require asks for", () => {
  const checkOpen = (text: string, given?: Given) =>
    findingsOf([onlyVariant(authtypeWithoutRequire, "login-not-required")], text, given);
  const granted = section('Directory "/srv"', "Require all granted");

  test("is reported with a request", () => {
    expect(checkOpen(onServer(granted, section('Directory "/srv/staff"', ...login)))).toEqual([
      {
        rule: "authtype-without-require",
        severity: "error",
        at: "6:1-6:15",
        text: "AuthType Basic",
        message: "`AuthType Basic` asks for no password: no `Require` needs a user",
        notes: ["GET `/staff/index.html` from 203.0.113.9 is allowed"],
        help: ["to require a login, add `Require valid-user`"],
        related: ["httpd.conf:3:1: allows every client"],
      },
    ]);
  });

  test.each([
    ["with its own grant", section('Directory "/srv/staff"', ...login, "Require all granted")],
    ["by URL", section("Location /admin", ...login)],
    ["of a file", section('Files "wp-login.php"', ...login)],
    ["with Digest", section("Location /admin", "AuthType Digest", "AuthName a", "AuthUserFile /etc/users")],
    ["with other .htaccess files", section('Directory "/srv/a"', ...login, "AllowOverride FileInfo")],
    ["without .htaccess files", section('Directory "/srv/a"', ...login, "AllowOverride None", "Require all granted")],
    ["with a line of a filter", section("Location /admin", ...login, "SetOutputFilter DEFLATE")],
    ["after .htaccess files", section("Location /admin", ...login, "Require all granted")],
    [
      "beside another login",
      section('Directory "/srv/a"', ...login) + section('Directory "/srv/b"', ...login, "Require valid-user"),
    ],
  ])("is reported %s", (_, text) => {
    expect(checkOpen(onServer(granted, text)).map(({ text: line }) => line)).toEqual([
      expect.stringMatching(/^AuthType /),
    ]);
  });

  test.each([
    ["in a .htaccess file", `${login.join("\n")}\n`],
    ["for a file", section('Files "wp-login.php"', ...login)],
  ])("is reported in a file on its own %s", (_, text) => {
    expect(checkOpen(text, { kind: "htaccess" })).toMatchObject([{ severity: "warning" }]);
  });

  test.each([
    ["a Require for users", section("Location /a", ...login, "Require valid-user")],
    ["a Require for users or a network", section("Location /a", ...login, "Require ip 10", "Require user bob")],
    ["a Require for a method", section("Location /a", ...login, section("LimitExcept GET", "Require valid-user"))],
    ["an inner section with Require", section('Directory "/srv"', ...login) + section("Location /b", "Require user b")],
    ["a network", section("Location /a", ...login, "Require ip 10.0.0.0/8")],
    ["an expression", section("Location /a", ...login, "Require expr %{REMOTE_USER} == 'a'")],
    ["no passwords", section("Location /a", "AuthType Basic")],
    ["another type", section("Location /a", "AuthType shibboleth", "AuthUserFile /etc/users")],
    ["AuthType None", section("Location /a", "AuthType None", "AuthUserFile /etc/users")],
    ["lines of mod_access_compat", section("Location /a", ...login, "Allow from all", "Satisfy any")],
    ["an access file", section("Location /a", ...login, "AuthzSVNAccessFile /etc/svn", "Require all granted")],
    ["a line of another module", section("Location /a", ...login, "MellonEnable auth", "Require all granted")],
    ["a line of an unknown module", section("Location /a", ...login, "MyAuthz on", "Require all granted")],
    [".htaccess files", section('Directory "/srv/a"', ...login, "AllowOverride AuthConfig", "Require all granted")],
    [".htaccess files with all", section('Directory "/srv/a"', ...login, "AllowOverride All")],
  ])("is not reported with %s", (_, text) => {
    expect(checkOpen(onServer(granted, text))).toEqual([]);
  });

  test.each([
    ["Require for one file", `${login.join("\n")}\n${section('Files "admin.php"', "Require valid-user")}`],
    ["Require for all", `${login.join("\n")}\nRequire valid-user\n`],
  ])("is not reported in a .htaccess file with %s", (_, text) => {
    expect(checkOpen(text, { kind: "htaccess" })).toEqual([]);
  });
});
