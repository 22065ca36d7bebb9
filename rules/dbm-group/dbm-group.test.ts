import { describe, expect, test } from "vitest";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { dbmGroup } from "./dbm-group.js";

const section = (open: string, ...lines: readonly string[]) =>
  `<${open}>\n${lines.join("\n")}\n</${open.split(" ")[0]}>\n`;
const check = (text: string, given?: Given) => findingsOf([dbmGroup], text, given);
const dbm = "AuthDBMGroupFile /etc/groups";
const plain = "AuthGroupFile /etc/groups.txt";

describe("reports a DBM file without a text file", () => {
  test("in one section, with a fix that uses dbm-group", () => {
    const text = section("Directory /srv", dbm, "Require group staff");
    expect(check(text)).toMatchObject([{ at: "3:9-3:14", text: "group", severity: "warning" }]);
    const [edit] = lintText([dbmGroup], text)[0]?.fix?.edits ?? [];
    const fixed = text.slice(0, edit?.span.start) + edit?.text + text.slice(edit?.span.end);
    expect(fixed).toContain("Require dbm-group staff\n");
    expect(check(fixed)).toEqual([]);
  });

  test.each([
    ["an inner section", section("Directory /srv", dbm, section("Files x", "Require group staff"))],
    ["an outer directory", section("Directory /srv/", dbm) + section('Directory "/srv/a/b"', "Require group staff")],
    [
      "a container",
      section("Directory /srv", dbm, section("RequireAll", "Require all granted", "Require not group staff")),
    ],
    [
      "a directory beside one with a text file",
      section("Directory /srv/b", plain) + section("Directory /srv/a", dbm, "Require group staff"),
    ],
    ["a Limit section", section("Directory /srv", dbm, section("Limit POST", "Require group staff"))],
  ])("in %s", (_, text) => {
    expect(check(text).map((each) => each.text)).toEqual(["group"]);
  });

  test("in a `.htaccess` file", () => {
    expect(check(`${dbm}\nRequire group staff\n`, { kind: "htaccess" })).toHaveLength(1);
  });
});

test("reports a line only once if refused-at-start also applies", () => {
  const text = section("Directory /srv", dbm, "Require group staff", "Require not group x");
  const checkBoth = (modules: readonly string[]) =>
    findingsOf([dbmGroup, refusedAtStart], text, { modules: ["authz_core_module", "authz_dbm_module", ...modules] });
  expect(checkBoth([])).toMatchObject([
    {
      rule: "dbm-group",
      severity: "error",
      message: "`Require group` does not check `AuthDBMGroupFile` in 2.4",
      notes: ["httpd will not start", "mod_authz_groupfile is not loaded"],
      help: ["use `Require dbm-group`"],
    },
    { rule: "refused-at-start", at: "4:13-4:18" },
  ]);
  expect(checkBoth(["authz_groupfile_module"])).toMatchObject([
    { rule: "dbm-group", notes: ["`AuthGroupFile` is not set", "this line never allows a client"] },
    { rule: "refused-at-start", at: "4:9-4:12" },
  ]);
});

test("reports a warning if the line never allows a client", () => {
  const lines = ["AuthType Basic", "AuthName x", dbm, "Require group staff", "Require user bob"];
  expect(findingsOf([dbmGroup], section("Directory /srv", ...lines))).toMatchObject([
    { severity: "warning", notes: ["`AuthGroupFile` is not set", "this line never allows a client"] },
  ]);
  expect(findingsOf([dbmGroup], section("Directory /srv", dbm, "Require group staff"))).toMatchObject([
    { severity: "warning", notes: ["`AuthGroupFile` is not set", "every member is denied (401)"] },
  ]);
});

test("reports an error after `not`, because the line never denies a member", () => {
  const container = section("RequireAll", "Require valid-user", "Require not group staff");
  expect(check(section("Directory /srv", dbm, container))).toMatchObject([
    { severity: "error", notes: ["`AuthGroupFile` is not set", "this line never denies a member"] },
  ]);
  expect(check(section("Directory /srv", dbm, plain, container))).toEqual([]);
});

describe("does not report", () => {
  test.each([
    ["a dbm-group beside it", section("Directory /srv", dbm, "Require group staff", "Require dbm-group ops staff")],
    [
      "a text file in a DirectoryMatch section, which is merged after all directories",
      section('DirectoryMatch "^/srv/g"', plain) + section("Directory /srv/g/b", dbm, "Require group staff"),
    ],
    ["a text file only", section("Directory /srv", plain, "Require group staff")],
    ["both files", section("Directory /srv", dbm, plain, "Require group staff")],
    [
      "a text file in an outer directory",
      section("Directory /", plain) + section("Directory /srv", dbm, "Require group staff"),
    ],
    [
      "a text file that a Location may inherit",
      section("Directory /srv", plain) + section("Location /x", dbm, "Require group staff"),
    ],
    [
      "a DBM file in another directory",
      section("Directory /srv/a", dbm) + section("Directory /srv/ab", "Require group staff"),
    ],
    ["dbm-group", section("Directory /srv", dbm, "Require dbm-group staff")],
    ["a section without a required group", section("Directory /srv", dbm, "Require user group")],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("2.2, or the top level of a fragment", () => {
    expect(check(section("Directory /srv", dbm, "Require group staff"), { release: "2.2" })).toEqual([]);
    expect(check(`${dbm}\nRequire group staff\n`, { kind: "fragment" })).toEqual([]);
  });
});
