import { expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import type { Side } from "../../../src/proof/compare/observed-sides.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import { blockOptionsOf, TextLayout } from "../../../src/report/blocks/text-layout.js";
import { renderComparisonText } from "../../../src/report/comparisons/comparison-report.js";
import { listUnproved } from "../../../src/report/comparisons/unproved-blocks.js";
import { loadText } from "../../support/projects.js";

const host = (name: string, from: string) =>
  `<VirtualHost *:80>\nServerName ${name}\n<Location "/x">\nRequire ip ${from}\n</Location>\n</VirtualHost>\n`;
const sideOf = (from: string, names: readonly string[]): Side => ({
  project: loadText(names.map((name) => host(name, from)).join(""), { kind: "server" }),
  semantics: "server",
});

function renderedComparison(names: readonly string[], steps: number): string {
  const comparison = compare(sideOf("10.0.0.1", names), sideOf("10.0.0.2", names), { ...defaultBudget, steps });
  const look = { width: 200, colour: false };
  return [...renderComparisonText({ comparison, titles: ["a", "b"], startup: [[], []], notCompared: [] }, look)].join(
    "",
  );
}

test("the servers that are proved are counted, and the open ones are named with their lines", () => {
  const names = ["a.test", "b.test", "c.test"];
  // Hosts that are alike are explored once.
  const lines = names.map((name) =>
    host(name, "10.0.0.1").replace("<Location", `ErrorDocument 404 ${name}\n<Location`),
  );
  const side: Side = { project: loadText(lines.join(""), { kind: "server" }), semantics: "server" };
  const textOf = (steps: number) => {
    const comparison = compare(side, { ...side }, { ...defaultBudget, steps });
    const report = { comparison, titles: ["a", "b"], startup: [[], []], notCompared: [] } as const;
    return [...renderComparisonText(report, { width: 200, colour: false })].join("");
  };
  const texts = Array.from({ length: 40 }, (_, n) => textOf(1_000 * 1.2 ** n));
  expect(texts.join("\n")).toMatch(/^Proved for 2 of 3 servers\. Not proved for: c\.test \(\S+:15:1\)$/m);
  // Twin: nothing is said by server if all are proved.
  expect(texts.filter((text) => /^equivalent/m.test(text)).join("")).not.toContain("Proved for");
});

test("a host is named if there are others, even omitted ones", () => {
  const names = ["a.test", "b.test", "c.test"];
  expect(renderedComparison(names.slice(0, 1), defaultBudget.steps)).not.toContain("Hosts: a.test");
  const left = Array.from({ length: 40 }, (_, n) => renderedComparison(names, 1_000 * 1.2 ** n));
  const [first] = left.filter((text) => /^different/m.test(text));
  expect(first).toContain("Hosts: a.test");
  expect(first).toContain("before any request to it was analyzed");
});

test("lines that are not analyzed for one reason are listed once, and all of them with --verbose", () => {
  const directive = loadText("A 1\nB 2\nC 3\nD 4\nE 5\n", { kind: "server" }).directives;
  const partsOf = (count: number) =>
    directive.slice(0, count).map((each) => ({
      ...{ reason: "its target depends on the path", help: ["omit this line"], directive: each, example: each.name },
    }));
  const textOf = (count: number, isVerbose = false) => {
    const options = blockOptionsOf({ width: 200, colour: false, isVerbose });
    const parts = [...partsOf(count), { reason: "it is too large", directive: undefined, example: undefined }];
    return new TextLayout({ width: 200, colour: false }).render(listUnproved("Not proved", parts, options));
  };
  const text = [...textOf(5)].join("");
  expect(text.match(/depends on the path/g)).toHaveLength(1);
  expect(text).toMatch(/the same applies to 4 more lines: \S+:2:1, \S+:3:1, \S+:4:1, \S+:5:1$/m);
  expect(text).toContain("it is too large");
  expect([...textOf(5, true)].join("").match(/depends on the path/g)).toHaveLength(5);
  // Twin: two lines are listed as they are.
  expect([...textOf(2)].join("").match(/depends on the path/g)).toHaveLength(2);
});
