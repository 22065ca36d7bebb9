import { expect, test } from "vitest";
import { deserializeFindings, serializeFindings } from "../../src/cache/serialized-findings.js";
import type { Finding } from "../../src/engine/finding.js";
import { sourceFile } from "../../src/text/source.js";

const file = sourceFile("/srv/a.conf", "Order deny,allow\nDeny from all\n");
const span = { file, start: 0, end: 5 };

test("a finding keeps all its parts as plain values", () => {
  const parts: Omit<Finding, "rule" | "severity" | "message" | "span"> = {
    label: "a label",
    notes: ["a fact"],
    help: ["do this"],
    isAboutServer: true,
    related: [{ message: "set here", span }],
    fix: { title: "Delete this line", safety: "safe", edits: [{ span, text: "" }] },
    cause: { key: "x", also: "this, too" },
    supplies: ["a_module"],
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
