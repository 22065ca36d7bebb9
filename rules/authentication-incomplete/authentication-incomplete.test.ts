import { describe, expect, test } from "vitest";
import { loadModules } from "../../test/support/httpd/httpd.js";
import { findingsOf, type Given, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { authenticationIncomplete } from "./authentication-incomplete.js";

/** A login without TLS is a finding, too. */
const rulesBesideExposure = defaultRules.filter(({ group }) => group !== "exposure");
const check = (text: string, given?: Given) => findingsOf([authenticationIncomplete], text, given);
const members = ["AuthType Basic", 'AuthName "Members"', "AuthUserFile /etc/users"];
const loaded = (...modules: readonly string[]) =>
  loadModules(["authn_core", "authn_file", "authz_core", "authz_user", "authz_host", "access_compat", ...modules]);

const forNone = [
  "to allow every client, use `Require all granted` in this section",
  "to require a login, set another `AuthType`",
];
const forType = [
  "add `AuthType` with `AuthName` and `AuthUserFile`",
  "to allow access without a login, use a `Require` that does not need a user",
];

describe("reports missing directives with a request", () => {
  test.each<readonly [string, string, string, readonly string[], readonly string[]]>([
    [
      "AuthType",
      section("Location /a", "Require valid-user"),
      "`Require valid-user` needs a user, but `AuthType` is not set",
      ["httpd cannot ask for a user without an authentication type", "GET `/a` from 203.0.113.9 returns 500 (AH00027)"],
      forType,
    ],
    [
      "AuthType, set to None",
      section("Location /a", "AuthType None", "Require user carol"),
      "`Require user carol` needs a user, but `AuthType None` applies",
      ["httpd cannot ask for a user without an authentication type", "GET `/a` from 203.0.113.9 returns 500 (AH00027)"],
      forNone,
    ],
    [
      "AuthType, with Satisfy Any",
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
    expect(check(onServer(given)).map(({ message, notes, help }) => ({ message, notes, help }))).toEqual([
      { message, notes, help },
    ]);
  });

  test("as an error if requests return 500 or banned members are allowed, as a warning if members are denied", () => {
    const severities = (...lines: readonly string[]) =>
      check(onServer(section("Location /a", ...lines))).map((each) => each.severity);
    expect(severities("Require valid-user")).toEqual(["error"]);
    expect(severities(...members, "Require group staff")).toEqual(["warning"]);
    const negated = ["<RequireAll>", "Require valid-user", "Require not group banned", "</RequireAll>"];
    expect(severities(...members, ...negated)).toEqual(["error"]);
  });

  test("and the line that turns on the module of an AuthType", () => {
    const text = `${loaded("auth_mellon")}${onServer(section("Location /a", "AuthType Mellon", "Require valid-user"))}`;
    expect(check(text)).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but `MellonEnable auth` is not set",
        help: ["add `MellonEnable auth`"],
      },
    ]);
    expect(check(text.replace("AuthType Mellon", "AuthType Mellon\nMellonEnable auth"))).toEqual([]);
    expect(check(text.replace("AuthType Mellon", "AuthType None\nMellonEnable info"))).toEqual([]);
  });

  describe("and an inherited provider of a third-party module without an AuthType", () => {
    const outer = (provider: string) => section("Location /", "AuthType CAS", `Require ${provider} x`);
    const modules = ["auth_cas", "auth_openidc", "authnz_pam", "authz_unixgroup", "authnz_external", "auth_tkt"];
    const checkInner = (provider: string, ...inner: readonly string[]) =>
      check(`${loaded(...modules)}${onServer(outer(provider), section("Location /a", ...inner))}`);

    test.each(["cas-attribute", "claim", "pam-account", "unix-group", "external-group"])("%s", (provider) => {
      for (const type of ["AuthType None", "AuthType none"])
        expect(checkInner(provider, type)).toMatchObject([
          {
            message: `the inherited \`Require ${provider} x\` needs a user, but \`${type}\` applies`,
            notes: [expect.anything(), "GET `/a` from 203.0.113.9 returns 500 (AH00027)"],
            help: forNone,
          },
        ]);
    });

    test("not if the section allows every client, or sets another way to log in", () => {
      expect(checkInner("claim", "AuthType None", "Require all granted")).toEqual([]);
      expect(checkInner("claim", "AuthType None", "Require ip 10.0.0.0/8")).toEqual([]);
      expect(checkInner("claim", "AuthType openid-connect")).toEqual([]);
      expect(checkInner("claim", "AuthType None", "TKTAuthLoginURL https://x.test/")).toEqual([]);
      expect(checkInner("claim")).toEqual([]);
    });
  });

  test("and the missing module of an AuthType", () => {
    const text = `${loaded()}${onServer(section("Location /a", "AuthType Digest", "AuthName x", "Require valid-user"))}`;
    const shown = "GET `/a` from 203.0.113.9 returns 500 (AH01796)";
    expect(check(text)).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but `auth_digest_module` is not loaded",
        notes: ["`AuthType Digest` needs `auth_digest_module`", shown],
        help: ["load `auth_digest_module`"],
      },
    ]);
    expect(check(text.replace("Digest", "Bsic"))).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but no loaded module provides `AuthType Bsic`",
        notes: [shown],
        help: ["use `AuthType Basic`", "to keep this type, load the module that provides it"],
      },
    ]);
  });
});

describe("reports incomplete authentication in", () => {
  test.each([
    ["a Files section", section('Files "*.cgi"', "Require valid-user")],
    [
      "an authorization container",
      section("Location /a", "<RequireAll>", "Require ip 10", "Require valid-user", "</RequireAll>"),
    ],
    [
      "a section that also allows clients without a user",
      section("Location /a", "Require ip 10", "Require valid-user"),
    ],
    ["a Limit section", section("Location /a", "<Limit POST>", "Require valid-user", "</Limit>")],
    [
      "a section with mod_access_compat directives that allow some clients",
      section("Location /a", "Require valid-user", "Deny from all", "Allow from 10"),
    ],
    ["a virtual host", section("VirtualHost *:80", "ServerName a.test", section("Location /a", "Require valid-user"))],
    ["a Require file-owner", section("Location /a", "Require file-owner")],
  ])("%s", (_, given) => {
    expect(check(onServer(given)).map(({ text }) => text)).toEqual([expect.stringMatching(/^Require (?:valid|file)/)]);
  });

  test("a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig"));
    expect(check(main, { files: { "/srv/a/.htaccess": "Require valid-user\n" } })).toHaveLength(1);
  });

  test("2.2, where a missing AuthType returns 500", () => {
    const text = onServer(section("Location /a", "Require valid-user"));
    const [finding, ...more] = check(text, { release: "2.2" });
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      message: "`Require valid-user` needs a user, but `AuthType` is not set",
      help: forType,
    });
    expect(finding?.notes).toContain("GET `/a` from 203.0.113.9 returns 500");
    expect(check(onServer(section("Location /a", "AuthType Basic", "Require valid-user")), { release: "2.2" })).toEqual(
      [],
    );
  });
});

describe("reports one finding for", () => {
  test("an incomplete AuthType that several sections inherit", () => {
    const findings = check(
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

  test("a Require that inner sections inherit", () => {
    const inner = section("Location /a", "Options None", "AuthName x");
    expect(check(onServer(section('Directory "/srv"', "Require valid-user"), inner))).toMatchObject([
      { at: "3:1-3:19" },
    ]);
    const withoutAuthType = section("Location /a", "AuthType None");
    expect(check(onServer(section('Directory "/srv"', "Require valid-user"), withoutAuthType))).toMatchObject([
      { at: "3:1-3:19" },
    ]);
  });

  test("an AuthType that disables the inherited login", () => {
    const outer = section('Directory "/srv"', ...members, "Require valid-user");
    expect(check(onServer(outer, section("Location /a", "AuthType None")))).toMatchObject([
      {
        at: "9:1-9:14",
        message: "the inherited `Require valid-user` needs a user, but `AuthType None` applies",
        notes: expect.arrayContaining([expect.stringMatching(/^GET `\/a` from .* returns 500/)]),
        related: ["httpd.conf:6:1: inherited from here"],
      },
    ]);
  });

  test("a module that several lines need", () => {
    const login = ["AuthType Digest", "AuthName x", "Require valid-user"];
    const text = `${loaded()}${onServer(section("Location /a", ...login), section("Location /b", ...login))}`;
    expect(check(text)).toMatchObject([
      {
        message: "`Require valid-user` needs a user, but `auth_digest_module` is not loaded (needed by 1 more line)",
        related: [
          expect.stringMatching(/: `AuthType Digest` applies$/),
          expect.stringMatching(/: also needs the module$/),
        ],
      },
    ]);
  });

  test("a module that other directives also need", () => {
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

  test("groups in a DBM file, which dbm-group reports", () => {
    const given = section("Location /a", ...members, "AuthDBMGroupFile /etc/groups", "Require group staff");
    expect(findingsOf(rulesBesideExposure, onServer(given)).map(({ rule }) => rule)).toEqual(["dbm-group"]);
  });
});

describe("does not report", () => {
  test.each([
    [
      "a DBM file that does not exist here",
      section(
        ...["Location /a", "AuthType Basic", "AuthName x", "AuthBasicProvider dbm", "AuthDBMUserFile /etc/none"],
        "Require valid-user",
      ),
    ],
    ["complete authentication", section("Location /a", ...members, "AuthGroupFile /etc/groups", "Require group staff")],
    [
      "authentication that an outer section completes",
      section('Directory "/srv"', ...members),
      section("Location /a", "Require valid-user"),
    ],
    ["a section that does not require a user", section("Location /a", "AuthType None", "Require all granted")],
    ["a section that denies every client", section("Location /a", "Require valid-user", "Deny from all")],
    [
      "a conditional section that does not apply",
      section("Location /a", "<IfModule mod_nope.c>", "Require valid-user", "</IfModule>"),
    ],
    [
      "another provider that looks up the users",
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
      "a provider alias with its own file",
      section("AuthnProviderAlias file own", "AuthUserFile /etc/users"),
      section("Location /a", "AuthType Basic", "AuthName x", "AuthBasicProvider own", "Require valid-user"),
    ],
    [
      "an AuthType from an expression",
      section("Location /a", 'AuthType "%{env:HOW}"', "AuthName x", "Require valid-user"),
    ],
    ["a user from a certificate", section("Location /a", "SSLUserName SSL_CLIENT_S_DN_CN", "Require valid-user")],
    ["a script that determines the user", section("Location /a", "LuaHookCheckUserID x.lua f", "Require valid-user")],
    [
      "an unknown AuthType if the loaded modules are unknown",
      section("Location /a", "AuthType Kerberos", "AuthName x", "Require valid-user"),
    ],
    [
      "a group as an alternative to any valid user",
      section("Location /a", ...members, "<RequireAny>", "Require valid-user", "Require group staff", "</RequireAny>"),
    ],
  ])("%s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });

  test.each([
    ["with its own AuthType", "auth_openidc", "AuthType openid-connect"],
    ["that is unknown", "nobody_knows", "AuthType Foo"],
    ["that is unknown, without an AuthType", "nobody_knows", ""],
    ["that determines users", "perl", ""],
  ])("a module %s", (_, module, type) => {
    const text = `${loaded(module)}${onServer(section("Location /a", type, "Require valid-user"))}`;
    expect(check(text)).toEqual([]);
  });

  test("lines that may inherit from other files", () => {
    const text = onServer(section("Location /a", "Require valid-user"));
    expect(check(text, { kind: "fragment" })).toEqual([]);
    expect(check("Require valid-user\n", { kind: "htaccess" })).toEqual([]);
  });
});

describe("misspelled directives", () => {
  const listFindings = (...lines: readonly string[]) =>
    findingsOf(rulesBesideExposure, section("Location /a", ...lines)).map(
      ({ at, rule }) => `${at.split("-")[0]} ${rule}`,
    );

  test.each([
    ["AuthType", "AuthTyp Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"],
    ["AuthName", "AuthNme x", "AuthType Basic", "AuthUserFile /etc/users", "Require valid-user"],
    ["AuthUserFile", "AuthUserFiel /etc/users", "AuthType Basic", "AuthName x", "Require valid-user"],
    ["AuthGroupFile", "AuthGroupFle /etc/groups", ...members, "Require group staff"],
  ])("are not also reported as missing: %s", (_, ...lines) => {
    expect(listFindings(...lines)).toEqual(["2:1 unknown-directive"]);
  });

  test("do not hide another missing directive", () => {
    expect(listFindings("AuthNme x", "AuthName x", "AuthType Basic", "Require valid-user")).toEqual([
      "2:1 unknown-directive",
      "5:1 authentication-incomplete",
    ]);
  });
});

describe("a directive of an unknown module", () => {
  const loginSection = (...lines: readonly string[]) =>
    section("Location /a", "AuthType Basic", "AuthName x", ...lines, "Require valid-user");

  test("may look up the user", () => {
    expect(check(loginSection("aeUserFileCheck off"))).toEqual([]);
  });

  test.each(["DocumentRot x", "SSLMutex default", "php_value a b", "ServerSignature Off"])(
    "is not assumed for %s",
    (line) => {
      expect(check(loginSection(line))).toHaveLength(1);
    },
  );
});

test("does not report an AuthType from a variable that the environment may set", () => {
  const lines = ["AuthType ${TYPE}", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
  expect(check(`${loaded()}${onServer(section("Location /a", ...lines))}`)).toEqual([]);
});

describe("a password or group file that is not where its path leads", () => {
  const find = (text: string, given?: Given) =>
    findingsOf([authenticationIncomplete], text, given)
      .filter(({ text: word }) => /htpasswd|htgroup/.test(word))
      .map(({ severity, message, notes = [], help = [] }) => [severity, message, ...notes, ...help]);
  const login = ["AuthType Basic", "AuthName a", "Require valid-user"];
  const htaccess = (line: string) => `${[...login, line].join("\n")}\n`;
  const files = { "/srv/www/.htpasswd": "", "/srv/www/staff/.htpasswd": "", "/etc/httpd/conf/.htpasswd": "" };
  const server = (line: string) =>
    onServer(
      `ServerRoot "/etc/httpd"\nDocumentRoot "/srv/www"\n${section('Directory "/srv/www/staff"', ...login, line)}`,
    );

  test("is reported in a `.htaccess` file on its own", () => {
    expect(find(htaccess("AuthUserFile .htpasswd"), { kind: "htaccess" })).toEqual([
      [
        "warning",
        "`AuthUserFile .htpasswd` is relative to the ServerRoot, not to the directory",
        "each request with a password returns 500 (AH01620)",
        "use the absolute path of the file",
      ],
    ]);
    expect(find(htaccess("AuthGroupFile ../.htgroup"), { kind: "htaccess" })).toHaveLength(1);
  });

  test.each([
    ["AuthUserFile .htpasswd", "/srv/.htpasswd"],
    ["AuthUserFile ./.htpasswd", "/srv/.htpasswd"],
    ["AuthUserFile ../private/.htpasswd", "/private/.htpasswd"],
    ['AuthUserFile "conf/.htpasswd"', "/srv/conf/.htpasswd"],
    ["AuthGroupFile .htgroup", "/srv/.htgroup"],
  ])("is reported in a lone `.htaccess` file beside its file: %s", (line, meant) => {
    const found = find(htaccess(line), { kind: "htaccess", files: { [meant]: "" } });
    expect(found.map((each) => each.at(-1))).toEqual([`use \`${meant}\``]);
  });

  test("is reported in a part of a server", () => {
    const site = section("Directory /etc/httpd/www", "AuthType Basic", "AuthName x", "AuthUserFile www/.htpasswd");
    const given = {
      kind: "fragment",
      files: { "/etc/httpd/www/.htpasswd": "", "/etc/httpd/www/www/.htpasswd": "" },
    } as const;
    expect(find(site, given)).toHaveLength(1);
  });

  test.each([
    [
      "a relative path",
      "AuthUserFile .htpasswd",
      "`AuthUserFile .htpasswd` is relative to the ServerRoot, not to the directory",
      ["`/etc/httpd/.htpasswd` does not exist", "each request with a password returns 500 (AH01620)"],
      "use `/srv/www/staff/.htpasswd`",
    ],
    [
      "a relative path with a dot",
      'AuthGroupFile "./.htpasswd"',
      '`AuthGroupFile "./.htpasswd"` is relative to the ServerRoot, not to the directory',
      [
        "`/etc/httpd/.htpasswd` does not exist",
        "no group has members then, and requests of each user return 401 (AH01665)",
      ],
      "use `/srv/www/staff/.htpasswd`",
    ],
    [
      "the path of a URL",
      "AuthUserFile /.htpasswd",
      "`AuthUserFile /.htpasswd` is a path of the file system, and no such file exists",
      ["each request with a password returns 500 (AH01620)"],
      "use `/srv/www/.htpasswd`",
    ],
  ])("is reported in a section, with %s", (_, line, message, notes, help) => {
    expect(find(server(line), { files })).toEqual([["warning", message, ...notes, help]]);
  });

  test.each([
    ["an absolute path", server("AuthUserFile /srv/www/.htpasswd"), { files }],
    ["a path below the ServerRoot", server("AuthUserFile conf/.htpasswd"), { files }],
    ["a file that is nowhere here", server("AuthUserFile secret/.htpasswd"), { files }],
    ["an absolute path that is nowhere here", server("AuthUserFile /home/anna/.htpasswd"), { files }],
    ["a server without files", server("AuthUserFile .htpasswd"), {}],
    ["an absolute path in a `.htaccess` file", htaccess("AuthUserFile /home/anna/.htpasswd"), { kind: "htaccess" }],
    ["a placeholder", htaccess("AuthUserFile %PATH%/.htpasswd"), { kind: "htaccess" }],
    ["a variable", htaccess("AuthUserFile ${ROOT}/.htpasswd"), { kind: "htaccess" }],
  ] as const)("is not reported with %s", (_, text, given) => {
    expect(find(text, given)).toEqual([]);
  });
});

describe("a password file whose users cannot log in", () => {
  const basic = "alice:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\nbob:$apr1$6FBfynrS$tBYfAu5Uk5deenQ1kc.381\n";
  const digest = "alice:staff:c23d19c0fc65c1a3a2354a2eaaeecb77\nbob:staff:6a781b4124e44d1f84acfdd7a2100008\n";
  const login = (type: string, ...lines: readonly string[]) =>
    section("Location /a", `AuthType ${type}`, 'AuthName "staff"', "AuthUserFile /etc/users", ...lines);
  const find = (text: string, users: string, files: Readonly<Record<string, string>> = {}) =>
    check(text, { files: { "/etc/users": users, ...files } });
  const user = "Require valid-user";

  test("is reported with the answers", () => {
    expect(find(login("Digest", user), basic)).toMatchObject([
      {
        severity: "error",
        text: "/etc/users",
        message:
          "nobody can log in: `AuthType Digest` needs a file of `htdigest`, and `/etc/users` is one of `htpasswd`",
        notes: [
          "Digest reads only lines with the realm of `AuthName` and a hash for it",
          "a request of each of its 2 users returns 401 (AH01790)",
        ],
        help: ["use `AuthType Basic`, or create the file with `htdigest`"],
        related: ["httpd.conf:2:1: `AuthType Digest` applies"],
      },
    ]);
    expect(find(login("Basic", user), digest)).toMatchObject([
      {
        message:
          "nobody can log in: `AuthType Basic` needs a file of `htpasswd`, and `/etc/users` is one of `htdigest`",
        notes: [
          "Basic reads the realm as the hash of the password",
          "a request of each of its 2 users returns 401 (AH01617)",
        ],
        help: ["use `AuthType Digest`, or create the file with `htpasswd`"],
      },
    ]);
    expect(find(login("Digest", user).replace('"staff"', '"Staff only"'), digest)).toMatchObject([
      {
        message: "nobody can log in: no line of the password file has the realm `Staff only`",
        notes: ["the lines have `staff`", "a request of each of its 2 users returns 401 (AH01790)"],
        help: ['use `AuthName "staff"`, or create the file with this realm'],
      },
    ]);
    expect(find(login("Basic", "Require user alice"), "alice:secret\n")).toMatchObject([
      {
        message: "nobody can log in: the passwords in `/etc/users` are not hashed",
        notes: ["a request of its only user returns 401 (AH01617)"],
        help: ["create the lines with `htpasswd`"],
      },
    ]);
  });

  test("is reported in a `.htaccess` file on its own", () => {
    const lines = ["AuthType Digest", "AuthName x", "AuthUserFile /etc/users", user].join("\n");
    expect(check(`${lines}\n`, { kind: "htaccess", files: { "/etc/users": basic } })).toHaveLength(1);
  });

  test.each<[string, string, string, Given]>([
    ["Basic and its file", login("Basic", user), basic, {}],
    ["Digest and its file", login("Digest", user), digest, {}],
    ["one user of two formats", login("Basic", user), basic + digest, {}],
    ["a realm of some users", login("Digest", user), `${digest}carol:other:c23d19c0fc65c1a3a2354a2eaaeecb77\n`, {}],
    ["another provider", login("Digest", "AuthDigestProvider file dbd", user), basic, {}],
    ["a file of Windows", login("Basic", user).replace("/etc/users", "C:/users"), "", { files: { "C:/users": "a:b" } }],
    ["a file of comments", login("Digest", user), "# none\n", {}],
    ["a variable", login("Digest", user).replace("/etc/users", "${USERS}"), basic, {}],
    ["no login", login("Digest", "Require all granted"), basic, {}],
  ])("is not reported with %s", (_, text, users, given) => {
    expect(check(text, { files: { "/etc/users": users }, ...given })).toEqual([]);
  });

  test("may lack the user or the members of a Require line", () => {
    expect(find(login("Basic", "Require user alice Bob carol"), basic)).toMatchObject([
      {
        severity: "warning",
        text: "Bob",
        message: "the user `Bob` is not in `/etc/users`",
        notes: ["GET `/a` from 203.0.113.9 as user `Bob` returns 401 (AH01618)"],
        help: ["use `bob`, which the file has"],
        related: ["httpd.conf:4:1: the password file"],
      },
    ]);
    const groups = login("Basic", "AuthGroupFile /etc/groups", "Require group admins");
    expect(find(groups, basic, { "/etc/groups": "admin: alice bob\n" })).toMatchObject([
      {
        severity: "warning",
        text: "Require group admins",
        message: "`Require group admins` allows nobody: no user of `/etc/users` is in the group",
        related: ["httpd.conf:5:1: the group file"],
      },
    ]);
    expect(find(groups, basic, { "/etc/groups": "admins: bob\n" })).toEqual([]);
    expect(find(groups, basic)).toEqual([]);
  });

  test("in a group file with commas between the members", () => {
    const groups = login("Basic", "AuthGroupFile /etc/groups", "Require group admins");
    for (const [members, word, corrected] of [
      ["carol,bob", "carol,bob", "carol bob"],
      ["alice, bob", "alice,", "alice bob"],
      ["alice bob;carol", "bob;carol", "alice bob carol"],
    ])
      expect(find(groups, basic, { "/etc/groups": `team: x,bob\nadmins: ${members}\n` })).toMatchObject([
        {
          message: `\`${word}\` is one member of the group in \`Require group admins\``,
          help: [`in \`/etc/groups\`, use \`admins: ${corrected}\``],
        },
      ]);
    // The users are in the group, or the word has no user.
    expect(find(groups, basic, { "/etc/groups": "admins: alice bob carol,dave\n" })).toEqual([]);
    expect(find(groups, basic, { "/etc/groups": "team: alice,bob\nadmins: alice bob\n" })).toEqual([]);
    const also = login("Basic", "AuthGroupFile /etc/groups", "Require group admins", "Require user bob");
    expect(find(also, basic, { "/etc/groups": "admins: alice carol,bob\n" })).toEqual([]);
    expect(find(login("Basic", "Require user alice bob"), basic)).toEqual([]);
    expect(find(login("Basic", "Require user ${USER} %{ENV:x}"), basic)).toEqual([]);
    expect(find(login("Basic", "<RequireAll>", user, "Require not user carol", "</RequireAll>"), basic)).toEqual([]);
  });
});

describe("a password file that does not exist", () => {
  const protect = (path: string) =>
    `AuthType Basic\nAuthName x\nAuthUserFile ${path}\n${section("Directory /srv", "Require valid-user")}`;
  const found = (path: string, files: Readonly<Record<string, string>>) =>
    check(protect(path), { files }).map(({ message, help }) => [message, help?.[0]]);

  test("is reported if its folder is on this disk", () => {
    expect(found("/etc/httpd/htpaswd", {})).toEqual([
      [
        "`AuthUserFile /etc/httpd/htpaswd` is a path of the file system, and no such file exists",
        "create the file, or correct the path",
      ],
    ]);
  });

  test.each([
    ["/etc/httpd/users", { "/etc/httpd/users": "a:$apr1$x$y" }],
    // The folder may be mounted later.
    ["/run/secrets/users", {}],
    ["${USERS}", {}],
  ])("not %s", (path, files) => {
    expect(found(path, files)).toEqual([]);
  });
});

describe("a Require of a directory without AuthLDAPURL", () => {
  const modules = loaded("auth_basic", "authn_core", "authn_file", "authz_core", "authz_user", "ldap", "authnz_ldap");
  const given = (...lines: readonly string[]) =>
    check(`${modules}${onServer(section("Location /a", ...members, ...lines))}`).map(({ message }) => message);

  test.each([
    "Require ldap-group cn=staff,o=x",
    "Require ldap-user alice",
    "Require ldap-dn cn=a,o=x",
    "Require ldap-attribute a=b",
    "Require ldap-filter (a=b)",
  ])("%s", (line) => {
    expect(given(line)).toEqual([`\`${line}\` allows nobody: \`AuthLDAPURL\` is not set`]);
    expect(given("AuthLDAPURL ldap://x/o=x", line)).toEqual([]);
  });

  test("but not a negated one, or one that inherits the URL", () => {
    const negated = ["<RequireAll>", "Require valid-user", "Require not ldap-group cn=a,o=x", "</RequireAll>"];
    expect(given(...negated)).toEqual([]);
    const inner = section("Location /a", ...members, "Require ldap-group cn=a,o=x");
    expect(check(`${modules}${onServer(section("Location /", "AuthLDAPURL ldap://x/o=x"), inner)}`)).toEqual([]);
  });
});
