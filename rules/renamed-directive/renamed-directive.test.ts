import { describe, expect, test } from "vitest";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { renamedDirective } from "./renamed-directive.js";

const upgrade: Given = { from: "2.2" };
const check = (text: string, given: Given = upgrade) => findingsOf([renamedDirective], text, given);

test.each([
  ["MaxClients", "MaxRequestWorkers"],
  ["maxrequestsperchild", "MaxConnectionsPerChild"],
])("reports %s, with a fix that uses %s", (old, name) => {
  const text = `<IfVersion < 2.4>\n    ${old} 256\n</IfVersion>\n${old} 256\n`;
  expect(check(text)).toMatchObject([
    {
      severity: "info",
      at: `4:1-4:${1 + old.length}`,
      text: old,
      message: expect.stringMatching(new RegExp(`^\`${old}\` was renamed to \`${name}\` in 2\\.4$`, "i")),
      notes: ["2.4 still accepts the old name", "2.2 does not know the new name"],
      help: [`use \`${name}\``],
    },
  ]);
  const [finding] = lintText([renamedDirective], text, upgrade);
  expect(finding?.fix).toMatchObject({ safety: "safe", edits: [{ text: name }] });
  expect(check(text.replaceAll(old, name))).toEqual([]);
});

describe("does not report", () => {
  test.each<[string, string, Given]>([
    ["an old name without an upgrade", "MaxClients 256\n", {}],
    ["an old name for 2.2", "MaxClients 256\n", { ...upgrade, release: "2.2" }],
    ["the new name", "MaxRequestWorkers 256\n", upgrade],
    ["a conditional section for the old release", "<IfVersion < 2.4>\nMaxClients 256\n</IfVersion>\n", upgrade],
    ["another name with the same beginning", "MaxSpareThreads 75\n", upgrade],
  ])("%s", (_, text, given) => {
    expect(check(text, given)).toEqual([]);
  });
});
