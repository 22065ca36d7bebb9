import { describe, expect, test } from "vitest";
import { loadModules } from "../../test/support/httpd/httpd.js";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { authenticationIncomplete } from "./authentication-incomplete.js";

/** A login without TLS is a finding, too. */
const rulesBesideExposure = defaultRules.filter(({ group }) => group !== "exposure");
const seen = (text: string, given?: Given) => findingsOf([authenticationIncomplete], text, given);
const members = ["AuthType Basic", 'AuthName "Members"', "AuthUserFile /etc/users"];
const loaded = (...modules: readonly string[]) =>
  loadModules(["authn_core", "authn_file", "authz_core", "authz_user", "authz_host", "access_compat", ...modules]);

const forType = [
  "add `AuthType` with `AuthName` and `AuthUserFile`",
  "to allow access without a login, use a `Require` that does not need a user",
];

describe("missing directives, with a request", () => {
  test.each<readonly [string, string, string, readonly string[], readonly string[]]>([
    [
      "AuthType",
      section("Location /a", "Require valid-user"),
      "`Require valid-user` needs a user, but `AuthType` is not set",
      ["httpd cannot ask for a user without an authentication type", "GET `/a` from 203.0.113.9 returns 500 (AH00027)"],
      forType,
    ],
    [
      "AuthType, which is None",
      section("Location /a", "AuthType None", "Require user carol"),
      "`Require user carol` needs a user, but `AuthType None` applies",
      ["httpd cannot ask for a user without an authentication type", "GET `/a` from 203.0.113.9 returns 500 (AH00027)"],
      forType,
    ],
    [
      "AuthType, where either way would do",
      section("Location /a", "Deny from all", "Satisfy any", "Require valid-user"),
      "`Require valid-user` needs a user, but `AuthType` is not set",
      [
        "httpd cannot ask for a user without an authentication type",
        "GET `/a` from 203.0.113.9 returns 500 (AH01797, AH00028)",
      ],
      forType,
    ],
    [
      "AuthName",
      section("Location /a", "AuthType Basic", "AuthUserFile /etc/users", "Require valid-user"),
      "`Require valid-user` needs a user, but `AuthName` is not set",
      ["`AuthType Basic` cannot ask for a user without `AuthName`", "GET `/a` from 203.0.113.9 returns 500 (AH01615)"],
      ['add `AuthName`, such as `AuthName "Members"`'],
    ],
    [
      "AuthUserFile",
      section("Location /a", "AuthType Basic", "AuthName x", "Require valid-user"),
      "`Require valid-user` needs a user, but `AuthUserFile` is not set",
      [
        "httpd cannot look up a user without `AuthUserFile`",
        "GET `/a` from 203.0.113.9 as user `somebody` returns 500 (AH01619)",
      ],
      ["add `AuthUserFile`", "to look up users elsewhere, set another provider with `AuthBasicProvider`"],
    ],
    [
      "AuthDBMUserFile",
      section("Location /a", "AuthType Basic", "AuthName x", "AuthBasicProvider dbm", "Require valid-user"),
      "`Require valid-user` needs a user, but `AuthDBMUserFile` is not set",
      [
        "httpd cannot look up a user without `AuthDBMUserFile`",
        "GET `/a` from 203.0.113.9 as user `somebody` returns 500 (AH10285)",
      ],
      ["add `AuthDBMUserFile`", "to look up users elsewhere, set another provider with `AuthBasicProvider`"],
    ],
    [
      "AuthGroupFile",
      section("Location /a", ...members, "Require group staff"),
      "`Require group staff` never allows a member: `AuthGroupFile` is not set",
      [
        "httpd cannot look up members of the group without `AuthGroupFile`",
        "GET `/a` from 203.0.113.9 as user `somebody` of group `staff` returns 401 (AH01664, AH01631)",
      ],
      ["add `AuthGroupFile`"],
    ],
    [
      "AuthDBMGroupFile",
      section("Location /a", ...members, "Require dbm-group staff"),
      "`Require dbm-group staff` never allows a member: `AuthDBMGroupFile` is not set",
      [
        "httpd cannot look up members of the group without `AuthDBMGroupFile`",
        "GET `/a` from 203.0.113.9 as user `somebody` returns 401 (AH01798, AH01631)",
      ],
      ["add `AuthDBMGroupFile`"],
    ],
  ])("%s", (_, given, message, notes, help) => {
    expect(seen(onServer(given)).map(({ message, notes, help }) => ({ message, notes, help }))).toEqual([
      { message, notes, help },
    ]);
  });

  test("an error if it returns 500, a warning if it denies members, an error if it allows them", () => {
    const severities = (...lines: readonly string[]) =>
      seen(onServer(section("Location /a", ...lines))).map((each) => each.severity);
    expect(severities("Require valid-user")).toEqual(["error"]);
    expect(severities(...members, "Require group staff")).toEqual(["warning"]);
    const not = ["<RequireAll>", "Require valid-user", "Require not group banned", "</RequireAll>"];
    expect(severities(...members, ...not)).toEqual(["error"]);
  });

  test("the module of an AuthType", () => {
    const text = `${loaded()}${onServer(section("Location /a", "AuthType Digest", "AuthName x", "Require valid-user"))}`;
    const shown = "GET `/a` from 203.0.113.9 returns 500 (AH01796)";
    expect(seen(text)).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but `auth_digest_module` is not loaded",
        notes: ["`AuthType Digest` needs `auth_digest_module`", shown],
        help: ["load `auth_digest_module`"],
      },
    ]);
    expect(seen(text.replace("Digest", "Bsic"))).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but no loaded module provides `AuthType Bsic`",
        notes: [shown],
        help: ["use `AuthType Basic`", "to keep this type, load the module that provides it"],
      },
    ]);
  });
});

describe("in each place", () => {
  test.each([
    ["files", section('Files "*.cgi"', "Require valid-user")],
    ["a container", section("Location /a", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>")],
    ["beside clients that need no user", section("Location /a", "Require ip 10", "Require valid-user")],
    ["for one method", section("Location /a", "<Limit POST>", "Require valid-user", "</Limit>")],
    [
      "beside old rules that let some in",
      section("Location /a", "Require valid-user", "Deny from all", "Allow from 10"),
    ],
    ["a virtual host", section("VirtualHost *:80", "ServerName a.test", section("Location /a", "Require valid-user"))],
    ["an owner", section("Location /a", "Require file-owner")],
  ])("%s", (_, given) => {
    expect(seen(onServer(given)).map(({ text }) => text)).toEqual([expect.stringMatching(/^Require (?:valid|file)/)]);
  });

  test("a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig"));
    expect(seen(main, { files: { "/srv/a/.htaccess": "Require valid-user\n" } })).toHaveLength(1);
  });

  test("2.2, where no AuthType returns 500", () => {
    const text = onServer(section("Location /a", "Require valid-user"));
    const [finding, ...more] = seen(text, { release: "2.2" });
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      message: "`Require valid-user` needs a user, but `AuthType` is not set",
      help: forType,
    });
    expect(finding?.notes).toContain("GET `/a` from 203.0.113.9 returns 500");
    expect(seen(onServer(section("Location /a", "AuthType Basic", "Require valid-user")), { release: "2.2" })).toEqual(
      [],
    );
  });
});

describe("one cause gives one finding", () => {
  test("an AuthType that lacks something, for all sections that inherit it", () => {
    const findings = seen(
      onServer(
        section('Directory "/srv"', "AuthType Basic", "AuthName x"),
        section("Location /a", "Require valid-user"),
        section("Location /b", "Require user carol"),
      ),
    );
    expect(findings).toMatchObject([
      {
        at: "7:1-7:19",
        message: "`Require valid-user` and 1 more line need a user, but `AuthUserFile` is not set",
        related: ["httpd.conf:3:1: `AuthType Basic` applies", "httpd.conf:10:1: also needs a user"],
      },
    ]);
  });

  test("a Require, for the sections within", () => {
    const within = section("Location /a", "Options None", "AuthName x");
    expect(seen(onServer(section('Directory "/srv"', "Require valid-user"), within))).toMatchObject([
      { at: "3:1-3:19" },
    ]);
    const none = section("Location /a", "AuthType None");
    expect(seen(onServer(section('Directory "/srv"', "Require valid-user"), none))).toMatchObject([{ at: "3:1-3:19" }]);
  });

  test("an AuthType that disables the inherited login", () => {
    const outer = section('Directory "/srv"', ...members, "Require valid-user");
    expect(seen(onServer(outer, section("Location /a", "AuthType None")))).toMatchObject([
      {
        at: "9:1-9:14",
        message: "the inherited `Require valid-user` needs a user, but `AuthType None` applies",
        notes: expect.arrayContaining([expect.stringMatching(/^GET `\/a` from .* returns 500/)]),
        related: ["httpd.conf:6:1: inherited from here"],
      },
    ]);
  });

  test("a module that several lines need", () => {
    const asks = ["AuthType Digest", "AuthName x", "Require valid-user"];
    const text = `${loaded()}${onServer(section("Location /a", ...asks), section("Location /b", ...asks))}`;
    expect(seen(text)).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but `auth_digest_module` is not loaded (needed by 1 more line)",
        related: [
          expect.stringMatching(/: `AuthType Digest` applies$/),
          expect.stringMatching(/: also needs the module$/),
        ],
      },
    ]);
  });

  test("a module that other lines also need", () => {
    const digest = section(
      "Location /a",
      "AuthType Digest",
      "AuthDigestProvider file",
      "AuthName x",
      "Require valid-user",
    );
    const rules = findingsOf(rulesBesideExposure, `${loaded()}${onServer(digest)}`).map(({ rule }) => rule);
    expect(rules).toEqual(["unknown-directive"]);
  });

  test("groups in a dbm file, which dbm-group reports", () => {
    const given = section("Location /a", ...members, "AuthDBMGroupFile /etc/groups", "Require group staff");
    expect(findingsOf(rulesBesideExposure, onServer(given)).map(({ rule }) => rule)).toEqual(["dbm-group"]);
  });
});

describe("does not report", () => {
  test.each([
    ["all there", section("Location /a", ...members, "AuthGroupFile /etc/groups", "Require group staff")],
    ["all there, further out", section('Directory "/srv"', ...members), section("Location /a", "Require valid-user")],
    ["no user is needed", section("Location /a", "AuthType None", "Require all granted")],
    ["everybody is denied anyway", section("Location /a", "Require valid-user", "Deny from all")],
    [
      "a guard that does not hold",
      section("Location /a", "<IfModule mod_nope.c>", "Require valid-user", "</IfModule>"),
    ],
    [
      "another provider that knows the users",
      section(
        "Location /a",
        "AuthType Basic",
        "AuthName x",
        "AuthBasicProvider ldap file",
        "AuthLDAPURL ldap://x/o=x",
        "Require valid-user",
      ),
    ],
    [
      "an alias of a provider with a file of its own",
      section("AuthnProviderAlias file own", "AuthUserFile /etc/users"),
      section("Location /a", "AuthType Basic", "AuthName x", "AuthBasicProvider own", "Require valid-user"),
    ],
    [
      "an AuthType that is worked out",
      section("Location /a", 'AuthType "%{env:HOW}"', "AuthName x", "Require valid-user"),
    ],
    ["a user from a certificate", section("Location /a", "SSLUserName SSL_CLIENT_S_DN_CN", "Require valid-user")],
    ["a script that finds out the user", section("Location /a", "LuaHookCheckUserID x.lua f", "Require valid-user")],
    [
      "where nobody says what is loaded",
      section("Location /a", "AuthType Kerberos", "AuthName x", "Require valid-user"),
    ],
    [
      "a group beside a user who is let in",
      section("Location /a", ...members, "<RequireAny>", "Require valid-user", "Require group staff", "</RequireAny>"),
    ],
  ])("%s", (_, ...sections) => {
    expect(seen(onServer(...sections))).toEqual([]);
  });

  test.each([
    ["of its own", "auth_openidc", "AuthType openid-connect"],
    ["that nobody knows", "nobody_knows", "AuthType Foo"],
    ["that nobody knows, without any AuthType", "nobody_knows", ""],
    ["that finds out users", "perl", ""],
  ])("a module %s", (_, module, type) => {
    const text = `${loaded(module)}${onServer(section("Location /a", type, "Require valid-user"))}`;
    expect(seen(text)).toEqual([]);
  });

  test("lines that may inherit from other files", () => {
    const text = onServer(section("Location /a", "Require valid-user"));
    expect(seen(text, { kind: "fragment" })).toEqual([]);
    expect(seen("Require valid-user\n", { kind: "htaccess" })).toEqual([]);
  });
});

describe("misspelled lines", () => {
  const found = (...lines: readonly string[]) =>
    findingsOf(rulesBesideExposure, section("Location /a", ...lines)).map(
      ({ at, rule }) => `${at.split("-")[0]} ${rule}`,
    );

  test.each([
    ["AuthType", "AuthTyp Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"],
    ["AuthName", "AuthNme x", "AuthType Basic", "AuthUserFile /etc/users", "Require valid-user"],
    ["AuthUserFile", "AuthUserFiel /etc/users", "AuthType Basic", "AuthName x", "Require valid-user"],
    ["AuthGroupFile", "AuthGroupFle /etc/groups", ...members, "Require group staff"],
  ])("is not missed: %s", (_, ...lines) => {
    expect(found(...lines)).toEqual(["2:1 unknown-directive"]);
  });

  test("does not report another directive", () => {
    expect(found("AuthNme x", "AuthName x", "AuthType Basic", "Require valid-user")).toEqual([
      "2:1 unknown-directive",
      "5:1 authentication-incomplete",
    ]);
  });
});

describe("a directive of a module that is not known", () => {
  const section24 = (...lines: readonly string[]) =>
    section("Location /a", "AuthType Basic", "AuthName x", ...lines, "Require valid-user");

  test("may look up the user", () => {
    expect(seen(section24("aeUserFileCheck off"))).toEqual([]);
  });

  test.each(["DocumentRot x", "SSLMutex default", "php_value a b", "ServerSignature Off"])(
    "does not affect %s",
    (line) => {
      expect(seen(section24(line))).toHaveLength(1);
    },
  );
});

test("reports nothing for a variable without a value, which the environment may set", () => {
  const lines = ["AuthType ${TYPE}", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
  expect(seen(`${loaded()}${onServer(section("Location /a", ...lines))}`)).toEqual([]);
});
