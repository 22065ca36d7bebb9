import { describe, expect, test } from "vitest";
import { allRules, defaultRules } from "../../../rules/index.js";
import { noSelection, type RuleSelection, selectRules } from "../../../src/apps/settings/apply-settings.js";
import { findSettings } from "../../../src/apps/settings/settings.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { RuleGroup } from "../../../src/lint/rule-groups.js";

const rules = [
  { id: "open-page", group: "exposure", title: "", severity: "warning" },
  { id: "other-page", group: "exposure", title: "", severity: "error" },
  { id: "lost-line", group: "syntax", title: "", severity: "error" },
  { id: "old-etag", group: "hardening", title: "", severity: "info" },
  { id: "loud-header", group: "hardening", title: "", severity: "info" },
] as const satisfies readonly { readonly group: RuleGroup; readonly [key: string]: string }[];

/** Returns the rules of a run with their severities, for a configuration file and for flags. */
function selectedRules(document: object, flags: Partial<RuleSelection> = {}): readonly string[] {
  const text = JSON.stringify(document);
  const found = findSettings("/srv", memoryAccess({ "/srv/.httpd-lint.json": text }), rules);
  if (!found?.ok) throw new Error(JSON.stringify(found));
  return selectRules(rules, { ...noSelection, ...flags }, found.value).map(({ id, severity }) => `${id} ${severity}`);
}

const byDefault = ["open-page warning", "other-page error", "lost-line error"];

describe("groups are selected by name", () => {
  test("rules of an opt-in group run only if they are selected", () => {
    expect(selectedRules({})).toEqual(byDefault);
    expect(selectedRules({}, { extendSelect: ["hardening"] })).toEqual([
      ...byDefault,
      "old-etag info",
      "loud-header info",
    ]);
    expect(selectedRules({}, { extendSelect: ["old-etag"] })).toEqual([...byDefault, "old-etag info"]);
    expect(selectedRules({}, { select: ["hardening"] })).toEqual(["old-etag info", "loud-header info"]);
    expect(selectedRules({ extendSelect: ["hardening"] })).toEqual([...byDefault, "old-etag info", "loud-header info"]);
  });

  test("flags accept groups and rules", () => {
    expect(selectedRules({}, { select: ["exposure", "lost-line"] })).toEqual(byDefault);
    expect(selectedRules({}, { select: ["exposure"], extendSelect: ["old-etag"], disable: ["open-page"] })).toEqual([
      "other-page error",
      "old-etag info",
    ]);
    expect(selectedRules({}, { disable: ["exposure"] })).toEqual(["lost-line error"]);
    expect(selectedRules({}, { extendSelect: ["hardening"], disable: ["hardening"] })).toEqual(byDefault);
  });

  test("the configuration file sets the severity of a group, which a rule overrides", () => {
    expect(selectedRules({ rules: { exposure: "info", "other-page": "warning" } })).toEqual([
      "open-page info",
      "other-page warning",
      "lost-line error",
    ]);
    expect(selectedRules({ rules: { exposure: "off", "other-page": "info" } })).toEqual([
      "other-page info",
      "lost-line error",
    ]);
    expect(selectedRules({ rules: { hardening: "warning" } })).toEqual([
      ...byDefault,
      "old-etag warning",
      "loud-header warning",
    ]);
  });

  test("flags enable rules that the configuration file turns off, with their own severity", () => {
    expect(selectedRules({ rules: { exposure: "off" } }, { select: ["open-page"] })).toEqual(["open-page warning"]);
    expect(selectedRules({ rules: { exposure: "off" } }, { extendSelect: ["exposure"] })).toEqual(byDefault);
  });

  test("`ignores` names the rules of a group", () => {
    const document = { ignores: [{ paths: ["a"], rules: ["exposure", "lost-line"] }, { paths: ["b"] }] };
    const found = findSettings("/srv", memoryAccess({ "/srv/.httpd-lint.json": JSON.stringify(document) }), rules);
    expect(found).toMatchObject({
      value: { ignores: [{ rules: ["open-page", "other-page", "lost-line"] }, { paths: ["b"] }] },
    });
  });
});

test("all rules except those of the group `hardening` are in the default set", () => {
  const others = allRules.filter((rule) => !defaultRules.includes(rule));
  expect(others).toEqual(allRules.filter(({ group }) => group === "hardening"));
});

test("no rule has the name of a group", () => {
  const ids = allRules.map(({ id }) => id);
  expect(ids.filter((id) => allRules.some(({ group }) => group === id))).toEqual([]);
});
