import { describe, expect, test } from "vitest";
import { loadModules } from "../../test/support/httpd/httpd.js";
import { findingsOf, type Given, inDirectory } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { oldAccessControl } from "./old-access-control.js";

const seen = (text: string, given?: Given) => findingsOf([oldAccessControl], text, given);

test("one finding for each section, at its first old line, with the Require form", () => {
  const text =
    "<Directory /srv>\n  Order deny,allow\n  Deny from 10.1\n</Directory>\n<Location /x>\n  Deny from all\n</Location>\n";
  const findings = seen(text);
  expect(findings.map(({ at, severity }) => [at, severity])).toEqual([
    ["2:3-2:19", "info"],
    ["6:3-6:16", "info"],
  ]);
  expect(findings).toMatchObject([
    {
      message: "`Order` and `Deny` are deprecated (mod_access_compat)",
      notes: [
        "`<RequireAll>` containing `Require all granted` and `Require not ip 10.1` is equivalent within this section",
      ],
      help: ["run `httpd-lint migrate` to convert all sections at once"],
    },
    {
      message: "`Deny` is deprecated (mod_access_compat)",
      notes: ["`Require all denied` is equivalent within this section"],
      help: ["run `httpd-lint migrate` to convert all sections at once"],
    },
  ]);
});

test("sections inside a section have their own finding; Limit does not", () => {
  const text =
    "<Directory /srv>\nOrder allow,deny\n<Limit GET>\nDeny from 1\n</Limit>\n<Files x>\nDeny from all\n</Files>\n</Directory>\n";
  expect(seen(text).map((each) => each.at)).toEqual(["2:1-2:17", "7:1-7:14"]);
});

test("equal findings for several sections are reported at the first", () => {
  const open = (path: string) => `<Directory ${path}>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
  const other = "<Directory /d>\nOrder deny,allow\nAllow from all\nDeny from all\n</Directory>\n";
  const [first, second, ...more] = seen(open("/a") + open("/b") + other + open("/c"));
  expect(first?.message).toBe("`Order` and `Allow` are deprecated (mod_access_compat), in 3 sections");
  expect(first?.notes).toEqual(["`Require all granted` is equivalent within this section"]);
  expect([first?.at, first?.related]).toEqual([
    "2:1-2:17",
    ["httpd.conf:6:1: same here", "httpd.conf:15:1: same here"],
  ]);
  expect([second?.at, more]).toEqual(["10:1-10:17", []]);
  expect(seen(open("/a") + open("/b"))[0]?.message).toMatch(/, in 2 sections$/);
});

describe("sections with different networks", () => {
  const sections = (count: number) =>
    Array.from(
      { length: count },
      (_, index) =>
        `<Directory /srv/${index}>\nOrder deny,allow\nDeny from all\nAllow from 10.${index}.1.0/24\n</Directory>\n`,
    ).join("");

  test("share a finding if there are many, as from a template of hosts", () => {
    const findings = seen(sections(21));
    expect(findings.map(({ message }) => message)).toEqual([
      "`Order`, `Allow` and `Deny` are deprecated (mod_access_compat), in 21 sections",
    ]);
    expect(findings[0]?.notes).toContain("`Require ip 10.0.1.0/24` is equivalent within this section");
  });

  test("have a finding each if there are few", () => {
    expect(seen(sections(20))).toHaveLength(20);
  });

  test("do not share a finding with sections of another form", () => {
    expect(seen(`${sections(21)}<Location /x>\nDeny from all\n</Location>\n`)).toHaveLength(2);
  });
});

test("says that no equivalent form exists", () => {
  expect(seen("<Directory /srv>\nDeny from all\nSatisfy any\n</Directory>\n")[0]?.notes).toEqual([
    "this section has no equivalent `Require` form",
    "the effect of `Satisfy any` depends on inherited Require lines",
  ]);
});

describe("beside a line that httpd rejects", () => {
  test.each([
    "Order deny,allow\nDeny from 10.1.2.3/33",
    "Order deny,allow\nSatisfy both",
    "Order deny,allow\nDeny from all\nOrder denny,allow",
    "Deny from all\nAllow from 10.1 # office",
    "Deny from 10\nRequire Valid-User",
    "Deny from 10\nRequire not ip 10.1",
    "Deny from 10\n<RequireAll>\n</RequireAll>",
    "Deny from 10\n<RequireAny>\n<RequireAll>\nRequire not local\n</RequireAll>\n</RequireAny>",
    "Deny from 10\n<Limit GET>\nAllow from 10/33\n</Limit>",
    "Deny from 10\n<Limit TRACE>\nAllow from 10\n</Limit>",
  ])("no form says the same: %j", (lines) => {
    expect(seen(inDirectory(lines)).map((each) => each.notes)).toEqual([
      ["this section has no equivalent `Require` form", "httpd rejects one of its lines"],
    ]);
  });

  test("does not report its own line: one cause gives one finding", () => {
    const rules = (lines: string) =>
      findingsOf([oldAccessControl, refusedAtStart], inDirectory(lines)).map((each) => `${each.at[0]} ${each.rule}`);
    expect(rules("Order deny, allow\nDeny from all")).toEqual(["2 refused-at-start"]);
    expect(rules("Deny from all\nOrder deny, allow")).toEqual(["2 old-access-control", "3 refused-at-start"]);
  });

  test.each([
    ["in a section inside", "Deny from 10\n<Files x>\nDeny from 10/33\n</Files>"],
    ["that has nothing to do with access", "Deny from 10\nOptions Indexes +MultiViews"],
    ["in another section", "Deny from 10\n</Directory>\n<Directory /x>\nRequire bogus"],
  ])("twin: a refused line %s", (_, lines) => {
    expect(seen(inDirectory(lines))[0]?.notes).toContain(
      "`<RequireAll>` containing `Require all granted` and `Require not ip 10` is equivalent within this section",
    );
  });

  test("accepts names that earlier lines define", () => {
    const alias = "<AuthzProviderAlias ip office 10.1>\n</AuthzProviderAlias>\n<Limit FOO>\n</Limit>\n";
    const lines = inDirectory("Deny from 10\nRequire office\nRequire method FOO");
    expect(seen(alias + lines)[0]?.notes).toEqual([expect.stringMatching(/ is equivalent within this section$/)]);
    expect(seen(lines)[0]?.notes).toContain("httpd rejects one of its lines");
  });
});

test("in a `.htaccess` file and at the top level of a fragment, also in included lines", () => {
  expect(seen("Deny from all\n", { kind: "htaccess" })).toHaveLength(1);
  expect(seen("Deny from all\n", { kind: "fragment" })).toHaveLength(1);
  const files = { "/etc/httpd/inc.conf": "Deny from 10\n" };
  const [finding] = seen("<Directory /srv>\nInclude inc.conf\n</Directory>\n", { files });
  expect(finding?.text).toBe("Deny from 10");
});

test.each([
  ["2.2 reads it", "<Directory /srv>\nDeny from all\n</Directory>\n", { release: "2.2" }],
  [
    "a guard keeps it out",
    "<Directory /srv>\n<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n</Directory>\n",
    {},
  ],
  ["new rules alone", "<Directory /srv>\nRequire all denied\n</Directory>\n", {}],
  ["at the level of the server it is misplaced", "Deny from all\n", {}],
] as const)("does not report %s", (_, text, given) => {
  expect(seen(text, given)).toEqual([]);
});

describe("reasons against the new form", () => {
  const loaded = (...modules: readonly string[]) => loadModules(["access_compat", ...modules]);
  const denied = inDirectory("Order deny,allow", "Deny from 10");
  const migrate = "run `httpd-lint migrate` to convert all sections at once";
  const equivalent =
    "`<RequireAll>` containing `Require all granted` and `Require not ip 10` is equivalent within this section";

  test("a module that it needs and that is not loaded", () => {
    expect(seen(loaded("authz_core") + denied)).toMatchObject([
      { notes: [equivalent], help: ["load `authz_host_module` first", migrate] },
    ]);
    expect(seen(loaded("unixd") + denied)).toMatchObject([
      {
        notes: [equivalent, "without `authz_core_module`, 2.4 returns 500 to every client that is allowed"],
        help: ["load `authz_core_module` and `authz_host_module` first", migrate],
      },
    ]);
  });

  test("AuthType without any Require, for which 2.4 already returns 500", () => {
    expect(seen(inDirectory("AuthType Basic", "Deny from 10"))).toMatchObject([
      {
        notes: [
          "`<RequireAll>` containing `Require all granted` and `Require not ip 10` allows the same clients",
          "as long as AuthType is set without any Require, 2.4 returns 500 to these clients (AH01627)",
        ],
        help: [migrate],
      },
    ]);
  });

  test.each([
    ["all that it needs is loaded", `${loaded("authz_core", "authz_host")}${denied}`],
    ["nobody says what is loaded", denied],
    ["nobody is let in anyway", inDirectory("AuthType Basic", "Deny from all")],
    ["AuthType None", inDirectory("AuthType None", "Deny from 10")],
    ["a Require beside", inDirectory("AuthType Basic", "Deny from 10", "Require valid-user")],
  ])("does not report %s", (_, text) => {
    expect(seen(text)).toMatchObject([
      { notes: [expect.stringMatching(/^`<?Require.*` is equivalent within this section$/)], help: [migrate] },
    ]);
  });
});

describe("an inherited Require that the new form would replace", () => {
  const replaced = "a `Require` in this section overrides any inherited `Require`";
  const open = "<Directory /a/b>\nOrder allow,deny\nAllow from all\n</Directory>\n";

  test("is reported where a client gains access", () => {
    const outside = "<Directory /a>\nRequire valid-user\n</Directory>\n";
    expect(seen(outside + open)[0]?.notes).toContain(replaced);
    expect(seen(open + outside)[0]?.notes).toContain(replaced);
    expect(seen("Order allow,deny\nAllow from all\n", { kind: "htaccess" })[0]?.notes).toContain(replaced);
  });

  test("does not report sections without one, or with their own", () => {
    expect(seen(open)[0]?.notes).not.toContain(replaced);
    const both = "<Directory /a>\nOrder allow,deny\nAllow from all\nRequire valid-user\n</Directory>\n";
    expect(seen(both)[0]?.notes).not.toContain(replaced);
  });
});

test("`none` means no client; twin: a host name", () => {
  const formOf = (name: string) => seen(inDirectory("Deny from all", `Allow from ${name}`))[0]?.notes?.[0];
  expect(formOf("None")).toBe("`Require all denied` is equivalent within this section");
  expect(formOf("none.test")).toBe("`Require host none.test` is equivalent within this section");
});
