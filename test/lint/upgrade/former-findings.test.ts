import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { loadModules } from "../../support/httpd/httpd.js";
import { findingsOf, section } from "../../support/rules.js";

const rules = defaultRules.filter(({ group }) => group === "access");
const NOTE = "2.2 decides like this, and the upgrade keeps it";
const old = `${loadModules(["authz_host", "alias"])}Listen 80\n`;
const allowList = section("Location /manage", "Order deny,allow", "Allow from 192.0.2.7");
const ban = section("Location /", "Order deny,allow", "Deny from 192.0.2.66", "Allow from all");
const names = section("Location /", "Order allow,deny", "Allow from all", "Deny from 192.0.2.1, 192.0.2.2");

describe("lines of a server of 2.2 that do not do what they say", () => {
  test.each([
    ["an allow list that restricts nobody", allowList, "open-allow-list"],
    ["a ban that denies nobody", ban, "shadowed-rule"],
  ])("are reported before the upgrade: %s", (_, text, rule) => {
    expect(findingsOf(rules, old + text, { from: "2.2" })).toMatchObject([
      { rule, notes: expect.arrayContaining([NOTE]) },
    ]);
  });

  test("are reported once, if 2.4 shows them as well", () => {
    const found = findingsOf(rules, old + names, { from: "2.2" });
    expect(found.map(({ rule, text }) => [rule, text])).toEqual([["never-matching-name", "192.0.2.1,"]]);
    expect(found[0]?.notes).not.toContain(NOTE);
  });

  test.each([
    ["a correct list", section("Location /manage", "Order deny,allow", "Deny from all", "Allow from 192.0.2.7")],
    ["a correct ban", section("Location /", "Order allow,deny", "Allow from all", "Deny from 192.0.2.66")],
  ])("but not %s", (_, text) => {
    expect(findingsOf(rules, old + text, { from: "2.2" })).toEqual([]);
  });

  test("have no note if mod_access_compat is loaded, and none are reported without `--from`", () => {
    const loaded = `${loadModules(["access_compat", "authz_core"])}${old}${allowList}`;
    const notes = findingsOf(rules, loaded, { from: "2.2" }).flatMap((each) => each.notes ?? []);
    expect(notes).not.toContain(NOTE);
    expect(findingsOf(rules, old + allowList).filter(({ rule }) => rule === "open-allow-list")).toEqual([]);
  });
});
