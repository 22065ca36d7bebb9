import { describe, expect, test } from "vitest";
import { findRefusals } from "../../src/startup/validate.js";
import { load } from "../support/projects.js";

function refusals(lines: readonly string[], given: { kind?: "fragment" } = {}): (string | undefined)[][] {
  const setup = given.kind ? { kind: given.kind } : ({ kind: "server", modules: ["unique_id", "security2"] } as const);
  const project = load({ "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` }, setup);
  return findRefusals(project).startup.map(({ server, remedy }) => [server, remedy]);
}

const noAction = "ModSecurity: No action id present within the rule";
const hint = "add `id:10001` to its actions; each rule needs a number of its own";
const noActions = "ModSecurity: Rules must have at least id action";
const repeated = "ModSecurity: Found another rule with the same id";

describe("a rule of mod_security", () => {
  test.each([
    [['SecRule ARGS "@rx a" "phase:1,deny"'], [[noAction, hint]]],
    [["SecRuleEngine Off", 'SecRule ARGS "a" "deny,msg:\'id:7, x\'"'], [[noAction, hint]]],
    [['SecAction "nolog,pass"'], [[noAction, hint]]],
    [['SecRule ARGS "a"'], [[noActions, "add `id:10001` as its action; each rule needs a number of its own"]]],
    [
      ['SecRule ARGS "a" "id:10001,chain"', 'SecRule ARGS "b" "t:none"', 'SecRule ARGS "c" "deny"'],
      [[noAction, "add `id:10002` to its actions; each rule needs a number of its own"]],
    ],
    [
      ['SecRule ARGS "a" "id:1,deny"', "SecRuleRemoveById 1", 'SecAction "id:1,pass"'],
      [[repeated, "use another number, such as `id:10001`"]],
    ],
    [["<Location /a>", 'SecRule ARGS "a" "deny"', "</Location>"], [[noAction, hint]]],
  ])("is refused: %j", (lines, expected) => {
    expect(refusals(lines)).toEqual(expected);
  });

  test.each([
    [['SecRule ARGS "a" "id:1,deny"', 'SecRule ARGS "a" "id:2,deny"']],
    [['SecRule ARGS "a" "deny,id:\'77\'"', 'SecRule ARGS "a" "phase:2, ID:78, deny"']],
    [['SecRule ARGS "a" "id:1,chain,deny"', 'SecRule ARGS "b"']],
    [['SecRule ARGS "a" "id:1,chain,deny"', 'SecRule ARGS "b" "t:none,chain"', 'SecRule ARGS "c" "t:none"']],
    [['SecDefaultAction "phase:1,deny"', "SecMarker END"]],
    [['SecRule ARGS "a" "id:${ID},deny"']],
    [["<IfModule foo_module>", 'SecRule ARGS "a" "deny"', "</IfModule>"]],
    [['SecRule ARGS "a" "id:1,deny"', "<Location /b>", 'SecRule ARGS "a" "id:1,deny"', "</Location>"]],
    [['SecRule ARGS "a" "id:1,deny"', "<VirtualHost *:80>", 'SecRule ARGS "a" "id:1,deny"', "</VirtualHost>"]],
    [['SecRule ARGS "a" "id:5,id:6,deny"', 'SecRule ARGS "b" "id:5,deny"']],
  ])("is accepted: %j", (lines) => {
    expect(refusals(lines)).toEqual([]);
  });

  test("is refused in a file on its own", () => {
    expect(refusals(['SecRule ARGS "a" "deny"'], { kind: "fragment" })).toEqual([[noAction, hint]]);
  });
});
