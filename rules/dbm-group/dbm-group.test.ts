import { describe, expect, test } from "vitest";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { dbmGroup } from "./dbm-group.js";

const section = (open: string, ...lines: readonly string[]) =>
  `<${open}>\n${lines.join("\n")}\n</${open.split(" ")[0]}>\n`;
const seen = (text: string, given?: Given) => findingsOf([dbmGroup], text, given);
const dbm = "AuthDBMGroupFile /etc/groups";
const plain = "AuthGroupFile /etc/groups.txt";

describe("a dbm file without a text file", () => {
  test("in one section; the fix writes dbm-group", () => {
    const text = section("Directory /srv", dbm, "Require group staff");
    expect(seen(text)).toMatchObject([{ at: "3:9-3:14", text: "group", severity: "warning" }]);
    const [edit] = lintText([dbmGroup], text)[0]?.fix?.edits ?? [];
    const fixed = text.slice(0, edit?.span.start) + edit?.text + text.slice(edit?.span.end);
    expect(fixed).toContain("Require dbm-group staff\n");
    expect(seen(fixed)).toEqual([]);
  });

  test.each([
    ["a section inside", section("Directory /srv", dbm, section("Files x", "Require group staff"))],
    ["a directory above", section("Directory /srv/", dbm) + section('Directory "/srv/a/b"', "Require group staff")],
    [
      "a container",
      section("Directory /srv", dbm, section("RequireAll", "Require all granted", "Require not group staff")),
    ],
    [
      "a text file in another directory",
      section("Directory /srv/b", plain) + section("Directory /srv/a", dbm, "Require group staff"),
    ],
    ["a Limit section", section("Directory /srv", dbm, section("Limit POST", "Require group staff"))],
  ])("%s", (_, text) => {
    expect(seen(text).map((each) => each.text)).toEqual(["group"]);
  });

  test("a `.htaccess` file", () => {
    expect(seen(`${dbm}\nRequire group staff\n`, { kind: "htaccess" })).toHaveLength(1);
  });
});

test("reports only the unknown word if both apply", () => {
  const text = section("Directory /srv", dbm, "Require group staff", "Require not group x");
  const found = (modules: readonly string[]) =>
    findingsOf([dbmGroup, refusedAtStart], text, { modules: ["authz_core_module", "authz_dbm_module", ...modules] });
  expect(found([])).toMatchObject([
    {
      rule: "dbm-group",
      severity: "error",
      message: "`Require group` does not check `AuthDBMGroupFile` in 2.4",
      notes: ["httpd will not start", "mod_authz_groupfile is not loaded"],
      help: ["use `Require dbm-group`"],
    },
    { rule: "refused-at-start", at: "4:13-4:18" },
  ]);
  expect(found(["authz_groupfile_module"])).toMatchObject([
    { rule: "dbm-group", notes: ["`AuthGroupFile` is not set", "this line never allows a client"] },
    { rule: "refused-at-start", at: "4:9-4:12" },
  ]);
});

test("grants access to no client beside other lines, which is not an error", () => {
  const lines = ["AuthType Basic", "AuthName x", dbm, "Require group staff", "Require user bob"];
  expect(findingsOf([dbmGroup], section("Directory /srv", ...lines))).toMatchObject([
    { severity: "warning", notes: ["`AuthGroupFile` is not set", "this line never allows a client"] },
  ]);
  expect(findingsOf([dbmGroup], section("Directory /srv", dbm, "Require group staff"))).toMatchObject([
    { severity: "warning", notes: ["`AuthGroupFile` is not set", "every member is denied (401)"] },
  ]);
});

test("is an error after `not`, because it denies no client", () => {
  const container = section("RequireAll", "Require valid-user", "Require not group staff");
  expect(seen(section("Directory /srv", dbm, container))).toMatchObject([
    { severity: "error", notes: ["`AuthGroupFile` is not set", "this line never denies a member"] },
  ]);
  expect(seen(section("Directory /srv", dbm, plain, container))).toEqual([]);
});

describe("does not report", () => {
  test.each([
    ["the new word beside it", section("Directory /srv", dbm, "Require group staff", "Require dbm-group ops staff")],
    [
      "a text file by pattern, which comes after all directories",
      section('DirectoryMatch "^/srv/g"', plain) + section("Directory /srv/g/b", dbm, "Require group staff"),
    ],
    ["a text file only", section("Directory /srv", plain, "Require group staff")],
    ["both", section("Directory /srv", dbm, plain, "Require group staff")],
    [
      "the text file in a directory above",
      section("Directory /", plain) + section("Directory /srv", dbm, "Require group staff"),
    ],
    [
      "a text file that may come in over a Location",
      section("Directory /srv", plain) + section("Location /x", dbm, "Require group staff"),
    ],
    [
      "the dbm file in another directory",
      section("Directory /srv/a", dbm) + section("Directory /srv/ab", "Require group staff"),
    ],
    ["dbm-group", section("Directory /srv", dbm, "Require dbm-group staff")],
    ["no group asked for", section("Directory /srv", dbm, "Require user group")],
  ])("%s", (_, text) => {
    expect(seen(text)).toEqual([]);
  });

  test("on 2.2, and at the top level of a fragment", () => {
    expect(seen(section("Directory /srv", dbm, "Require group staff"), { release: "2.2" })).toEqual([]);
    expect(seen(`${dbm}\nRequire group staff\n`, { kind: "fragment" })).toEqual([]);
  });
});
