import { describe, expect, test } from "vitest";
import { loadModules } from "../../test/support/httpd/httpd.js";
import { findingsOf, type Given, inDirectory } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { oldAccessControl } from "./old-access-control.js";

const check = (text: string, given?: Given) => findingsOf([oldAccessControl], text, given);

test.each([
  ["Allow from {{ x }}", "it uses the value of a template"],
  ["Allow from ${UNSET}", "it uses a variable that is not set"],
])("a value that is not known is the reason for no Require form: %s", (line, reason) => {
  const [finding] = check(`<Directory /srv>\nOrder deny,allow\n${line}\n</Directory>\n`);
  expect(finding?.notes).toContain(reason);
});

test("reports each section once, at its first line, with the Require form", () => {
  const text =
    "<Directory /srv>\n  Order deny,allow\n  Deny from 10.1\n</Directory>\n<Location /x>\n  Deny from all\n</Location>\n";
  const findings = check(text);
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

test("reports nested sections separately, but not Limit", () => {
  const text =
    "<Directory /srv>\nOrder allow,deny\n<Limit GET>\nDeny from 1\n</Limit>\n<Files x>\nDeny from all\n</Files>\n</Directory>\n";
  expect(check(text).map((each) => each.at)).toEqual(["2:1-2:17", "7:1-7:14"]);
});

test("reports equal findings of several sections at the first", () => {
  const open = (path: string) => `<Directory ${path}>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
  const other = "<Directory /d>\nOrder deny,allow\nAllow from all\nDeny from all\n</Directory>\n";
  const [first, second, ...more] = check(open("/a") + open("/b") + other + open("/c"));
  expect(first?.message).toBe("`Order` and `Allow` are deprecated (mod_access_compat), in 3 sections");
  expect(first?.notes).toEqual(["`Require all granted` is equivalent within this section"]);
  expect([first?.at, first?.related]).toEqual([
    "2:1-2:17",
    ["httpd.conf:6:1: same here", "httpd.conf:15:1: same here"],
  ]);
  expect([second?.at, more]).toEqual(["10:1-10:17", []]);
  expect(check(open("/a") + open("/b"))[0]?.message).toMatch(/, in 2 sections$/);
});

describe("sections with different networks", () => {
  const sections = (count: number) =>
    Array.from(
      { length: count },
      (_, index) =>
        `<Directory /srv/${index}>\nOrder deny,allow\nDeny from all\nAllow from 10.${index}.1.0/24\n</Directory>\n`,
    ).join("");

  test("share a finding if there are many, as from a template of hosts", () => {
    const findings = check(sections(21));
    expect(findings.map(({ message }) => message)).toEqual([
      "`Order`, `Allow` and `Deny` are deprecated (mod_access_compat), in 21 sections",
    ]);
    expect(findings[0]?.notes).toContain("`Require ip 10.0.1.0/24` is equivalent within this section");
  });

  test("have separate findings if there are few", () => {
    expect(check(sections(20))).toHaveLength(20);
  });

  test("do not share a finding with sections of another form", () => {
    expect(check(`${sections(21)}<Location /x>\nDeny from all\n</Location>\n`)).toHaveLength(2);
  });
});

test("reports that no equivalent form exists", () => {
  expect(check("<Directory /srv>\nDeny from all\nSatisfy any\n</Directory>\n")[0]?.notes).toEqual([
    "this section has no equivalent `Require` form",
    "the effect of `Satisfy any` depends on inherited Require lines",
  ]);
});

describe("a line that httpd rejects", () => {
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
  ])("is reported as the reason for no equivalent form: %j", (lines) => {
    expect(check(inDirectory(lines)).map((each) => each.notes)).toEqual([
      ["this section has no equivalent `Require` form", "httpd rejects one of its lines"],
    ]);
  });

  test("is left to refused-at-start", () => {
    const rules = (lines: string) =>
      findingsOf([oldAccessControl, refusedAtStart], inDirectory(lines)).map((each) => `${each.at[0]} ${each.rule}`);
    expect(rules("Order deny, allow\nDeny from all")).toEqual(["2 refused-at-start"]);
    expect(rules("Deny from all\nOrder deny, allow")).toEqual(["2 old-access-control", "3 refused-at-start"]);
  });

  test.each([
    ["in an inner section", "Deny from 10\n<Files x>\nDeny from 10/33\n</Files>"],
    ["unrelated to access", "Deny from 10\nOptions Indexes +MultiViews"],
    ["in another section", "Deny from 10\n</Directory>\n<Directory /x>\nRequire bogus"],
  ])("does not prevent an equivalent form if it is %s", (_, lines) => {
    expect(check(inDirectory(lines))[0]?.notes).toContain(
      "`<RequireAll>` containing `Require all granted` and `Require not ip 10` is equivalent within this section",
    );
  });

  test("may use names that earlier lines define", () => {
    const alias = "<AuthzProviderAlias ip office 10.1>\n</AuthzProviderAlias>\n<Limit FOO>\n</Limit>\n";
    const lines = inDirectory("Deny from 10\nRequire office\nRequire method FOO");
    expect(check(alias + lines)[0]?.notes).toEqual([expect.stringMatching(/ is equivalent within this section$/)]);
    expect(check(lines)[0]?.notes).toContain("httpd rejects one of its lines");
  });
});

test("reports `.htaccess` files, the top level of fragments, and included lines", () => {
  expect(check("Deny from all\n", { kind: "htaccess" })).toHaveLength(1);
  expect(check("Deny from all\n", { kind: "fragment" })).toHaveLength(1);
  const files = { "/etc/httpd/inc.conf": "Deny from 10\n" };
  const [finding] = check("<Directory /srv>\nInclude inc.conf\n</Directory>\n", { files });
  expect(finding?.text).toBe("Deny from 10");
});

test.each([
  ["directives of 2.2", "<Directory /srv>\nDeny from all\n</Directory>\n", { release: "2.2" }],
  [
    "directives in a conditional section that does not apply",
    "<Directory /srv>\n<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n</Directory>\n",
    {},
  ],
  ["only Require directives", "<Directory /srv>\nRequire all denied\n</Directory>\n", {}],
  ["directives of the main server, which are misplaced", "Deny from all\n", {}],
] as const)("does not report %s", (_, text, given) => {
  expect(check(text, given)).toEqual([]);
});

describe("obstacles to the Require form", () => {
  const loaded = (...modules: readonly string[]) => loadModules(["access_compat", ...modules]);
  const denied = inDirectory("Order deny,allow", "Deny from 10");
  const migrate = "run `httpd-lint migrate` to convert all sections at once";
  const equivalent =
    "`<RequireAll>` containing `Require all granted` and `Require not ip 10` is equivalent within this section";

  test("include a module that is not loaded", () => {
    expect(check(loaded("authz_core") + denied)).toMatchObject([
      { notes: [equivalent], help: ["load `authz_host_module` first", migrate] },
    ]);
    expect(check(loaded("unixd") + denied)).toMatchObject([
      {
        notes: [equivalent, "without `authz_core_module`, 2.4 returns 500 to every client that is allowed"],
        help: ["load `authz_core_module` and `authz_host_module` first", migrate],
      },
    ]);
  });

  test("include an AuthType without any Require, for which 2.4 already returns 500", () => {
    expect(check(inDirectory("AuthType Basic", "Deny from 10"))).toMatchObject([
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
    ["modules that are loaded", `${loaded("authz_core", "authz_host")}${denied}`],
    ["modules that may be loaded", denied],
    ["a section that denies every client", inDirectory("AuthType Basic", "Deny from all")],
    ["AuthType None", inDirectory("AuthType None", "Deny from 10")],
    ["an AuthType with a Require", inDirectory("AuthType Basic", "Deny from 10", "Require valid-user")],
  ])("do not include %s", (_, text) => {
    expect(check(text)).toMatchObject([
      { notes: [expect.stringMatching(/^`<?Require.*` is equivalent within this section$/)], help: [migrate] },
    ]);
  });
});

describe("an inherited Require that the Require form would replace", () => {
  const replaced = "a `Require` in this section overrides any inherited `Require`";
  const open = "<Directory /a/b>\nOrder allow,deny\nAllow from all\n</Directory>\n";

  test("is reported if a client gains access", () => {
    const outer = "<Directory /a>\nRequire valid-user\n</Directory>\n";
    expect(check(outer + open)[0]?.notes).toContain(replaced);
    expect(check(open + outer)[0]?.notes).toContain(replaced);
    expect(check("Order allow,deny\nAllow from all\n", { kind: "htaccess" })[0]?.notes).toContain(replaced);
  });

  test("is not reported without one, or if the section has its own", () => {
    expect(check(open)[0]?.notes).not.toContain(replaced);
    const both = "<Directory /a>\nOrder allow,deny\nAllow from all\nRequire valid-user\n</Directory>\n";
    expect(check(both)[0]?.notes).not.toContain(replaced);
  });
});

test("treats `none` as no client, but not a host name that begins with it", () => {
  const formOf = (name: string) => check(inDirectory("Deny from all", `Allow from ${name}`))[0]?.notes?.[0];
  expect(formOf("None")).toBe("`Require all denied` is equivalent within this section");
  expect(formOf("none.test")).toBe("`Require host none.test` is equivalent within this section");
});

test.each([
  [["Order allow,deny", "Deny from all", "Allow from 192.0.2.7"], "`Require ip 192.0.2.7`"],
  [["Order deny,allow", "Allow from 192.0.2.7"], "`Require ip 192.0.2.7`"],
  [["Order deny,allow", "Deny from 192.0.2.7", "Allow from all"], "`Require not ip 192.0.2.7`"],
])("shows what lists without effect name: %j", (lines, form) => {
  const [finding] = findingsOf([oldAccessControl], inDirectory(...lines));
  expect(finding?.notes?.[0]).toBe("the lists of this section have no effect");
  expect(finding?.help?.[0]).toContain(form);
});

test.each([
  [["Order deny,allow", "Deny from all", "Allow from 192.0.2.7"]],
  [["Order allow,deny", "Deny from all"]],
  [["Order allow,deny", "Allow from all", "Allow from none"]],
])("does not mention lists that have an effect, or name nobody: %j", (lines) => {
  const [finding] = findingsOf([oldAccessControl], inDirectory(...lines));
  expect(finding?.notes).not.toContain("the lists of this section have no effect");
});

describe("a section in which the server rejects a line", () => {
  const notesOf = (order: string, [opening, closing]: readonly string[]) =>
    check(`<Directory /srv>\nDeny from 10.1\n${opening}\nOrder ${order}\n${closing}\n</Directory>\n`).map(({ notes }) =>
      notes?.some((note) => note.includes("is equivalent")),
    );

  test.each([[["<Limit PUT>", "</Limit>"]], [["<LimitExcept GET>", "</LimitExcept>"]]])(
    "has no equivalent form: the line is within %j",
    (tags) => {
      expect(notesOf("deny, allow", tags)).toEqual([false]);
    },
  );
});
