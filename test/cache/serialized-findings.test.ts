import { expect, test } from "vitest";
import { deserializeFindings, serializeFindings } from "../../src/cache/serialized-findings.js";
import type { Finding } from "../../src/engine/finding.js";
import { sourceFile } from "../../src/text/source.js";

test("restores all parts of a finding, and the text of its cause for any number of lines", () => {
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
  expect([1, 7].map((others) => restored?.findings[0]?.cause?.message(others))).toEqual([
    "ports are open, 1 more",
    "ports are open, 7 more",
  ]);
});
