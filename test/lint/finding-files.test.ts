import { expect, test } from "vitest";
import type { Finding } from "../../src/lint/finding.js";
import { numberFiles, restoreFiles } from "../../src/lint/finding-files.js";
import { sourceFile } from "../../src/text/source.js";

const file = sourceFile("/srv/a.conf", "Order deny,allow\nDeny from all\n");
const span = { file, start: 0, end: 5 };
const counts = { files: 1, lines: 1, unchecked: [], assumedModules: [], untried: [] };

test("findings are the same after they were text, with all their parts", () => {
  const parts: Omit<Finding, "rule" | "severity" | "message" | "span"> = {
    label: "a label",
    effect: "500",
    notes: ["a fact"],
    help: ["do this"],
    isAboutServer: true,
    hosts: ["a.example"],
    related: [{ message: "set here", span }],
    additionalLocations: [{ message: "and here", span }],
    fix: { title: "Delete this line", safety: "safe", edits: [{ span, text: "" }] },
    cause: { key: "x", also: "this, too", header: { before: "a header, in ", one: "2", several: "", countsAll: true } },
    supplies: ["a_module"],
    covers: [span],
    witness: {
      request: { method: "GET", path: "/", clientIp: "192.0.2.1", headers: {} },
      steps: [{ message: "a step", span }],
    },
    references: { cis: ["8.1"] },
  };
  const findings: readonly Finding[] = [
    { rule: "a", severity: "error", message: "a header", span, ...parts },
    { rule: "b", severity: "info", message: "no more than a header", span, related: [] },
  ];
  const covers = { start: 0, end: 5 };
  const comment = { rules: ["a"], reason: "ours", reach: "line", span, covers, isMisplaced: false } as const;
  const ignored = findings.map((finding) => ({ ...finding, by: { kind: "comment", comment } as const }));
  const numbered = numberFiles({ findings, ignored, ...counts }, () => true);
  if (numbered === undefined) throw new Error("a file was not read");
  expect(JSON.stringify(numbered)).not.toContain(file.text);
  const text: typeof numbered = JSON.parse(JSON.stringify(numbered));
  expect(restoreFiles(text, new Map([[file.path, file]]))).toEqual({ findings, ignored, ...counts });
});

test("findings in a file that was not read from its path, or is missing now, are not passed on", () => {
  const found = {
    findings: [{ rule: "a", severity: "error", message: "m", span, related: [] } as const],
    ignored: [],
    ...counts,
  };
  expect(numberFiles(found, () => false)).toBeUndefined();
  const numbered = numberFiles(found, () => true);
  expect(numbered && restoreFiles(numbered, new Map())).toBeUndefined();
});
