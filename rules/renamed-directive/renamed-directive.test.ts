import { describe, expect, test } from "vitest";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { renamedDirective } from "./renamed-directive.js";

const moving: Given = { from: "2.2" };
const seen = (text: string, given: Given = moving) => findingsOf([renamedDirective], text, given);

test.each([
  ["MaxClients", "MaxRequestWorkers"],
  ["maxrequestsperchild", "MaxConnectionsPerChild"],
])("%s is %s now, and the fix writes that", (old, name) => {
  const text = `<IfModule prefork.c>\n    ${old} 256\n</IfModule>\n${old} 256\n`;
  expect(seen(text)).toMatchObject([
    {
      severity: "info",
      at: `4:1-4:${1 + old.length}`,
      text: old,
      message: expect.stringMatching(new RegExp(`^\`${old}\` was renamed to \`${name}\` in 2\\.4$`, "i")),
      notes: ["2.4 still accepts the old name", "2.2 does not know the new name"],
      help: [`use \`${name}\``],
    },
  ]);
  const [finding] = lintText([renamedDirective], text, moving);
  expect(finding?.fix).toMatchObject({ safety: "safe", edits: [{ text: name }] });
  expect(seen(text.replaceAll(old, name))).toEqual([]);
});

describe("does not report", () => {
  test.each<[string, string, Given]>([
    ["no upgrade is meant", "MaxClients 256\n", {}],
    ["2.2 reads it", "MaxClients 256\n", { ...moving, release: "2.2" }],
    ["the new name", "MaxRequestWorkers 256\n", moving],
    ["a guard for the old release", "<IfVersion < 2.4>\nMaxClients 256\n</IfVersion>\n", moving],
    ["another name that begins alike", "MaxSpareThreads 75\n", moving],
  ])("%s", (_, text, given) => {
    expect(seen(text, given)).toEqual([]);
  });
});
