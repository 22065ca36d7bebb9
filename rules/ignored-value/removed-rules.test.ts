import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { ignoredValue } from "./ignored-value.js";

const rule = 'SecRule ARGS "@rx a" "id:981050,phase:1,deny,status:403"';
const remove = "SecRuleRemoveById 981050";
const host = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName a.test", ...lines);
const check = (...lines: readonly string[]) => findingsOf([ignoredValue], wholeServer("Listen 80", ...lines));

test("reports the removal of a rule that comes later", () => {
  expect(check(remove, rule)).toEqual([
    {
      rule: "ignored-value",
      severity: "warning",
      at: expect.any(String),
      text: remove,
      message: "`SecRuleRemoveById 981050` does not remove the rule 981050, which comes later",
      notes: ["mod_security removes the rules that it has read before the line"],
      help: ["move the line after the rule, or after the `Include` of its file"],
      related: [expect.stringContaining("the rule to remove")],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["several ids", ["SecRuleRemoveById 1 981050", rule]],
    ["a range", ["SecRuleRemoveById 981000-981099", rule]],
    ["a range in quotes", ['SecRuleRemoveById "981000-981099"', rule]],
    ["an id in quotes", [remove, rule.replace("981050", "'981050'")]],
    ["an id after other actions", [remove, rule.replace("id:981050,phase:1", "phase:1, id:981050")]],
    ["a SecAction", [remove, 'SecAction "id:981050,phase:1,deny"']],
    ["a virtual host", [host(remove, rule)]],
    ["an id after a value with a comma", [remove, rule.replace("id:981050", "msg:'a, id:1\\', id:2',id:981050")]],
    ["a missing file after the rule", [remove, rule, "IncludeOptional /missing/rules/*.conf"]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toHaveLength(1);
  });
});

test("quotes the line as written, and names the rule", () => {
  expect(check("SecRuleRemoveById 1 981000-981099", rule)).toMatchObject([
    { message: "`SecRuleRemoveById 1 981000-981099` does not remove the rule 981050, which comes later" },
  ]);
});

describe("does not report", () => {
  test.each([
    ["the rule first", [rule, remove]],
    ["a virtual host after the rule", [rule, host(remove)]],
    ["a virtual host before the rule", [host(remove), rule]],
    ["a section of the virtual host", [host(rule, section("Location /", remove).trim())]],
    ["another id", [remove, rule.replace("981050", "981051")]],
    ["an id outside of the range", ["SecRuleRemoveById 1-981049", rule]],
    ["a rule of the server and one of the virtual host", [rule, host(remove, rule)]],
    ["a rule in another file", [remove]],
    ["a missing file before the line", ["Include /missing/rules.conf", remove, rule]],
    ["a missing folder before the line", ["IncludeOptional /missing/rules/*.conf", remove, rule]],
    ["an id in the value of another action", [remove, rule.replace("id:981050", "id:1,msg:'see, id:981050'")]],
    ["an id in a value before the id", [remove, `SecAction "phase:1,nolog,pass,setvar:'tx.x=a, id:981050',id:12"`]],
    ["an id after a quote in a value", [remove, rule.replace("id:981050", "msg:'it\\'s, id:981050',id:1")]],
  ])("%s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});
