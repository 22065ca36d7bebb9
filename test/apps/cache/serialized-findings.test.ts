import { expect, test } from "vitest";
import { deserializeFindings, serializeFindings } from "../../../src/apps/cache/serialized-findings.js";
import type { Finding } from "../../../src/lint/finding.js";
import { sourceFile } from "../../../src/text/source.js";

test("restores all parts of a finding, and the message of its cause for any number of lines", () => {
  const file = sourceFile("/a.conf", "Listen 80\n");
  const finding: Finding = {
    ...{ rule: "r", severity: "warning", span: { file, start: 0, end: 6 }, related: [] },
    ...{ message: "port is open", notes: ["clients connect"], help: ["close it"], label: "this port" },
    cause: { key: "k", also: "here, too", message: (others) => ({ message: `ports are open, ${others} more` }) },
  };
  const examined = { findings: [finding], ignored: [], files: 1, lines: 1 };
  const kept = serializeFindings(examined, () => true);
  const restored = kept && deserializeFindings(JSON.parse(JSON.stringify(kept)), new Map([[file.path, file]]));
  const { cause: _, ...parts } = finding;
  expect(restored?.findings).toMatchObject([parts]);
  expect([1, 7].map((others) => restored?.findings[0]?.cause?.message?.(others))).toEqual([
    "ports are open, 1 more",
    "ports are open, 7 more",
  ]);
});

test("restores the message of a cause that counts all lines", () => {
  const cause = { key: "k", also: "here, too", message: (others: number) => `deprecated, in ${others + 1} sections` };
  const finding: Finding = { rule: "r", severity: "info", message: "deprecated", span, related: [], cause };
  const kept = serializeFindings({ findings: [finding], ignored: [], files: 1, lines: 2 }, () => true);
  const restored = kept && deserializeFindings(JSON.parse(JSON.stringify(kept)), new Map([[file.path, file]]));
  expect([1, 7].map((others) => restored?.findings[0]?.cause?.message?.(others))).toEqual([
    "deprecated, in 2 sections",
    "deprecated, in 8 sections",
  ]);
});

const file = sourceFile("/srv/a.conf", "Order deny,allow\nDeny from all\n");
const span = { file, start: 0, end: 5 };

test("a finding keeps all its parts as plain values", () => {
  const parts: Omit<Finding, "rule" | "severity" | "message" | "span"> = {
    label: "a label",
    effect: "500",
    notes: ["a fact"],
    help: ["do this"],
    isAboutServer: true,
    related: [{ message: "set here", span }],
    fix: { title: "Delete this line", safety: "safe", edits: [{ span, text: "" }] },
    cause: { key: "x", also: "this, too" },
    supplies: ["a_module"],
    references: { cis: ["8.1"] },
  };
  const findings: readonly Finding[] = [
    { rule: "a", severity: "error", message: "a header", span, ...parts },
    { rule: "b", severity: "info", message: "no more than a header", span, related: [] },
  ];
  const plain = serializeFindings({ findings, ignored: [], files: 1, lines: 2 }, () => true);
  if (plain === undefined) throw new Error("not plain");
  const again = deserializeFindings(JSON.parse(JSON.stringify(plain)), new Map([[file.path, file]]));
  expect(again?.findings).toEqual(findings);
});
