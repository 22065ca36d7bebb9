import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { listShownMessages, messagesPage } from "../../scripts/pages/messages.js";

const page = readFileSync("docs/messages.md", "utf8");

test("the page of messages is current, and each rule occurs with a message", { timeout: 120_000 }, () => {
  expect(messagesPage(allRules) === page, "docs/messages.md is stale; run `npm run generate`").toBe(true);
  const sections = page.split(/^## /m).slice(1);
  expect(sections.map((section) => section.split("\n", 1)[0])).toEqual(allRules.map(({ id }) => id));
  for (const section of sections) expect(section).toMatch(/```text\n(?:error|warning|info): /);
});

test("no label repeats a note, the message, or another label at its place", { timeout: 120_000 }, () => {
  const repeated = allRules.flatMap((rule) =>
    listShownMessages(rule).flatMap(({ message, label, notes = [], related }) => {
      const labels = [...(label ? [label] : []), ...related.map((each) => each.replace(/^[^:]*:\d+:\d+: /, ""))];
      const same = labels.filter((each) => each === message || notes.includes(each));
      const twice = related.filter((each, index) => related.indexOf(each) !== index);
      return [...same, ...twice].map((each) => `${rule.id}: ${each}`);
    }),
  );
  expect(repeated).toEqual([]);
});
