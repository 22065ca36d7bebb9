import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, onServer, section } from "../../test/support/rules.js";
import { defaultRules } from "../index.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { mixedAccessControl } from "./mixed-access-control.js";

const check = (text: string, given?: Given) => findingsOf([mixedAccessControl], text, given);
const guarded = (guard: string, ...lines: readonly string[]) =>
  `<${guard}>\n${lines.join("\n")}\n</${guard.slice(0, guard.indexOf(" "))}>`;

describe("mod_access_compat and Require directives in one section", () => {
  test.each([
    ["Require all granted"],
    ["Require ip 10"],
    ["Require host example.org"],
    ["Require local"],
    ["Require env x"],
    ["Require method GET"],
    ["Require expr true"],
    ["<RequireAny>\nRequire valid-user\n</RequireAny>"],
    ["AuthMerging And"],
  ])("are reported for %s", (line) => {
    expect(check(inDirectory("Order allow,deny", line)).map(({ at, severity }) => [at, severity])).toEqual([
      ["2:1-2:17", "warning"],
    ]);
  });

  test("are reported with the combined effect and the Require line", () => {
    const [finding] = check(inDirectory("Require all granted", "Deny from 10"));
    expect(finding).toMatchObject({
      message: "`Deny` is mixed with `Require all granted` in one section",
      notes: ["mod_access_compat is checked first", "`Require` cannot allow a client that mod_access_compat denies"],
      help: [
        "to keep what the section does now, replace all of these directives with `<RequireAll>` containing `Require all granted` and `Require not ip 10`",
        "to let only the `Require` directives decide, delete `Deny`",
      ],
      related: ["httpd.conf:2:1: also applies"],
    });
  });

  describe("with mod_access_compat directives that allow every client", () => {
    const messages = (...sections: readonly string[]) =>
      findingsOf(defaultRules, onServer(...sections)).map(({ rule, severity, message, help }) => [
        rule,
        severity,
        message,
        help,
      ]);
    const both = ["Order allow,deny", "Allow from all", "Require all granted"];
    const note = (unless: string) => [
      "mixed-access-control",
      "info",
      "`Order` and `Allow` have no effect: they allow every client",
      [`delete them${unless}`],
    ];

    test("are reported once by all rules", () => {
      expect(messages(section('Directory "/srv"', ...both))).toEqual([note("")]);
      expect(messages(section('Directory "/srv"', ...both, "Satisfy all"))[0]?.[1]).toBe("info");
    });

    test("are reported once for all sections", () => {
      const sections = ["/srv/a", "/srv/b", "/srv/c"].map((path) => section(`Directory "${path}"`, ...both));
      const [finding, ...more] = check(
        onServer(...sections, section('Directory "/d"', "Deny from all", both[2] ?? "")),
      );
      expect(finding).toMatchObject({
        message: "`Order` and `Allow` have no effect: they allow every client (here and in 2 more sections)",
        related: ["httpd.conf:5:1: also applies", "httpd.conf:8:1: same here", "httpd.conf:13:1: same here"],
      });
      expect(more.map(({ severity }) => severity)).toEqual(["warning"]);
    });

    test("may override inherited mod_access_compat directives", () => {
      const outer = section('Directory "/"', "Order deny,allow", "Deny from all");
      expect(messages(outer, section('Directory "/srv"', ...both))).toContainEqual(
        note(", unless they override inherited mod_access_compat directives"),
      );
      const [finding] = check(`${both.join("\n")}\n`, { kind: "htaccess" });
      expect(finding?.help).toEqual(["delete them, unless they override inherited mod_access_compat directives"]);
    });

    test("are reported if it is a single line", () => {
      const outer = section('Directory "/"', "Deny from all");
      const [finding] = check(onServer(outer, section('Directory "/srv"', "Satisfy all", "Require all granted")));
      expect(finding).toMatchObject({
        message: "`Satisfy` has no effect: it allows every client",
        notes: ["only `Require` decides here"],
        help: ["delete it, unless it overrides inherited mod_access_compat directives"],
      });
    });

    test.each([
      ["a denied address", "Order allow,deny", "Allow from all", "Deny from 10"],
      [
        "an Order for one method only",
        "<Limit GET>",
        "Order deny,allow",
        "</Limit>",
        "Order allow,deny",
        "Allow from all",
      ],
      ["Satisfy any", "Allow from all", "Satisfy any"],
      ["an Order that denies every client", "Order allow,deny"],
    ])("are reported as a warning with %s", (_, ...lines) => {
      expect(check(inDirectory(...lines, "Require all granted"))).toMatchObject([{ severity: "warning" }]);
    });
  });

  test("are reported without a replacement if httpd rejects one of the lines", () => {
    for (const line of ["Deny from 10/33", "Require Local", "Require not ip 10"]) {
      const [finding] = check(inDirectory("Order deny,allow", "Require all granted", line));
      expect(finding?.help).toEqual(["keep only the `Require` directives, or only the mod_access_compat directives"]);
    }
  });

  test("are alternatives with Satisfy any", () => {
    const [finding] = check(
      inDirectory("Require all denied", "Order deny,allow", "Deny from all", "Allow from 10", "Satisfy any"),
    );
    expect(finding?.notes).toEqual(["with `Satisfy any`, one of the two is enough to allow a request"]);
    expect(finding?.help).toEqual(["replace all of these directives with `Require ip 10`"]);
  });

  test("are reported with the conditional section around one side only", () => {
    const [finding] = check(
      inDirectory(guarded("IfModule mod_authz_core.c", "Require all denied"), "Order allow,deny", "Deny from all"),
    );
    expect(finding?.at).toBe("5:1-5:17");
    expect(finding?.related).toContain(
      "httpd.conf:2:1: `<IfModule mod_authz_core.c>` is active, but only this side is conditional",
    );
  });

  test("are reported if only the mod_access_compat directives are in a conditional section", () => {
    const old = guarded("IfModule mod_access_compat.c", "Order allow,deny", "Deny from all");
    expect(check(inDirectory(old, "Require all denied"))).toHaveLength(1);
    expect(check(inDirectory(old, "Require all denied"), { withoutModules: ["access_compat_module"] })).toEqual([]);
    expect(check(inDirectory(old, "Require all denied"), { kind: "fragment" })).toHaveLength(1);
  });

  test("are not reported again by old-access-control", () => {
    const rules = [mixedAccessControl, oldAccessControl];
    const text = inDirectory("Order deny,allow", "Require all granted");
    expect(findingsOf(rules, text).map((each) => each.rule)).toEqual(["mixed-access-control"]);
  });
});

describe("does not report", () => {
  const old = ["Order allow,deny", "Deny from all"];
  test.each([
    [
      "a pair of conditional sections for authz_core",
      guarded("IfModule mod_authz_core.c", "Require all denied"),
      guarded("IfModule !mod_authz_core.c", ...old),
    ],
    [
      "a pair of conditional sections by module identifier",
      guarded("IfModule authz_core_module", "Require all denied"),
      guarded("IfModule !authz_core_module", ...old),
    ],
    [
      "a pair of conditional sections for access_compat",
      guarded("IfModule !mod_access_compat.c", "Require all denied"),
      guarded("IfModule mod_access_compat.c", ...old),
    ],
    [
      "a pair of conditional sections for the version",
      guarded("IfVersion >= 2.4", "Require all denied"),
      guarded("IfVersion < 2.4", ...old),
    ],
    [
      "nested conditional sections for three cases",
      guarded("IfModule mod_authz_core.c", "Require all denied"),
      guarded(
        "IfModule !mod_authz_core.c",
        guarded("IfModule mod_access_compat.c", ...old),
        guarded("IfModule !mod_access_compat.c", ...old),
      ),
    ],
    [
      "a conditional section around the mod_access_compat directives",
      guarded("IfModule !mod_authz_core.c", ...old),
      "Require all denied",
    ],
    [
      "users as in 2.2",
      "Order deny,allow",
      "Deny from all",
      "Allow from 10",
      "AuthType Basic",
      "Require valid-user",
      "Satisfy any",
    ],
    ["a group as in 2.2", ...old, "Require group staff"],
    ["only mod_access_compat directives", ...old],
    ["only Require directives", "Require all denied"],
  ])("%s", (_, ...lines) => {
    expect(check(inDirectory(...lines))).toEqual([]);
  });

  test("different sections, and 2.2", () => {
    expect(check(`${inDirectory(...old)}<Location /x>\nRequire all denied\n</Location>\n`)).toEqual([]);
    expect(check(inDirectory(...old, "Require all denied"), { release: "2.2" })).toEqual([]);
  });
});

describe("mod_access_compat and Require directives of different sections", () => {
  const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
  const office = section('Directory "/srv"', "Order deny,allow", "Deny from all", "Allow from 10");
  const members = ["<RequireAll>", "Require valid-user", "Require not user guest", "</RequireAll>"];

  test("are reported with a request", () => {
    expect(check(onServer(office, section("Location /a", ...users, ...members)))).toEqual([
      {
        rule: "mixed-access-control",
        severity: "warning",
        at: "11:1-11:13",
        text: "<RequireAll>",
        message: "`<RequireAll>` is mixed with the inherited `Deny from all`",
        notes: [
          "mod_access_compat is checked first",
          "`Require` cannot allow a client that mod_access_compat denies",
          expect.stringMatching(/^GET `\/a` from 203\.0\.113\.9 \w+ 403 \(AH01797\)$/),
        ],
        help: ["use either `Require` or mod_access_compat directives in both sections"],
        related: ["httpd.conf:4:1: inherited from here"],
      },
    ]);
  });

  test.each([
    [
      "an inherited Require",
      section('Directory "/srv"', ...users, ...members),
      section("Location /a", "Allow from 10", "Deny from all"),
    ],
    [
      "an inner Satisfy Any",
      section('Directory "/srv"', ...users, ...members),
      section("Location /a", "Allow from 10", "Deny from all", "Satisfy any"),
    ],
    ["files in a directory", office, section('Files "*.cgi"', ...users, ...members)],
  ])("are reported for %s", (_, ...sections) => {
    expect(check(onServer(...sections))).toHaveLength(1);
  });

  test("are reported for a `.htaccess` file", () => {
    const main = onServer(section('Directory "/srv"', "AllowOverride AuthConfig", "Order deny,allow", "Deny from all"));
    const files = { "/srv/a/.htaccess": [...users, ...members].join("\n") };
    expect(check(main, { files })).toMatchObject([{ at: "4:1-4:13" }]);
  });

  test.each([
    ["users as in 2.2", office, section("Location /a", ...users, "Require valid-user")],
    [
      "mod_access_compat directives that deny no client",
      section('Directory "/srv"', "Order deny,allow"),
      section("Location /a", ...users, ...members),
    ],
    ["a Require that allows every client", office, section("Location /a", "Require all granted")],
    ["only clients, which compat-precedence reports", office, section("Location /a", "Require ip 192.0.2")],
    [
      "an inherited Satisfy Any, which satisfy-any reports",
      section('Directory "/srv"', "Deny from all", "Allow from 10", "Satisfy any"),
      section("Location /a", ...users, ...members),
    ],
    ["inner mod_access_compat directives", office, section("Location /a", "Order deny,allow", "Deny from 10.66")],
    [
      "two sections that never apply to the same request",
      section('Directory "/srv/b"', "Deny from all"),
      section('Directory "/srv/a"', ...users, ...members),
    ],
  ])("are not reported for %s", (_, ...sections) => {
    expect(check(onServer(...sections))).toEqual([]);
  });
});

test("reports that no client is allowed for `Require all denied` with an Allow", () => {
  const lines = ["Require all denied", "Order deny,allow", "Deny from all", "Allow from 127.0.0.1"];
  const [finding] = findingsOf([mixedAccessControl], inDirectory(...lines));
  expect([finding?.notes?.[0], finding?.help]).toEqual([
    "no client is allowed",
    [
      "to give the lists effect, replace all of these directives with `Require ip 127.0.0.1`",
      "to keep what the section does now, replace them with `Require all denied`",
    ],
  ]);
  const variable = ["Require all denied", "Deny from all", "Allow from env=STAFF"];
  const [named] = findingsOf([mixedAccessControl], inDirectory(...variable));
  expect(named?.help?.[0]).toContain("`Require env STAFF`");
  const [unrestricted] = findingsOf([mixedAccessControl], inDirectory("Require local", "Allow from 192.0.2.7"));
  expect(unrestricted?.help).toEqual(["to allow the listed clients, too, use `Require ip 192.0.2.7` instead"]);
  const [other] = findingsOf([mixedAccessControl], inDirectory("Require ip 10", "Deny from 10.1"));
  expect(other?.notes).not.toContain("no client is allowed");
});

test("if no client is allowed, the first remedy lets Require decide", () => {
  const text = inDirectory("Order deny,allow", "Deny from all", "Require ip 10.1");
  expect(findingsOf([mixedAccessControl], text)).toMatchObject([
    {
      help: [
        "to let only the `Require` directives decide, delete `Order` and `Deny`",
        "to keep what the section does now, replace all of these directives with `Require all denied`",
      ],
    },
  ]);
});

describe("lines that do not open a section beside a narrower Require", () => {
  const open = ["Order allow,deny", "Allow from all"];
  const help = [
    "to keep the restriction, delete `Order` and `Allow`",
    "to allow every client, replace all of these directives with `Require all granted`",
  ];
  test.each([
    [["Require local", ...open]],
    [["Require ip 10.0.0.0/8", ...open]],
    [[...open, "Require host example.org"]],
    [["Require all denied", ...open]],
    [["<RequireAny>", "Require ip 10.1", "Require local", "</RequireAny>", ...open]],
  ])("are reported: %j", (lines) => {
    expect(check(inDirectory(...lines))).toMatchObject([
      { severity: "info", message: "`Order` and `Allow` do not open this section", help },
    ]);
  });

  test.each([
    [["Require all granted", ...open], "`Order` and `Allow` have no effect: they allow every client"],
    [["Require all granted", "Allow from all"], "`Allow` has no effect: it allows every client"],
    [["Require local", "Order deny,allow"], "`Order` has no effect: it allows every client"],
  ])("other lines are not: %j", (lines, message) => {
    expect(check(inDirectory(...lines)).map((each) => each.message)).toEqual([message]);
  });
});
