import type { Finding, Severity } from "../../src/lint/finding.js";
import type { SimpleRule } from "../../src/lint/rule.js";
import type { SuppressedFinding } from "../../src/lint/suppressions.js";
import { type Format, type ReportInput, render } from "../../src/report/index.js";
import { fromReadable, type SourceFile, type Span } from "../../src/text/source.js";

/** Returns the first position of some words in a file. */
export function at(file: SourceFile, words: string): Span {
  const bytes = fromReadable(words);
  const start = file.text.indexOf(bytes);
  if (start < 0) throw new Error(`no ${JSON.stringify(words)} in ${file.path}`);
  return { file, start, end: start + bytes.length };
}

/** Creates a finding with defaults for irrelevant properties. */
export function finding(span: Span, other: Partial<Finding> = {}): Finding {
  return { rule: "old-access-control", severity: "error", message: "it is wrong", span, related: [], ...other };
}

/** Creates a finding that a comment suppresses, with a reason. */
export function ignoredFinding(span: Span, reason = ""): SuppressedFinding {
  const covers = { start: span.start, end: span.end };
  const comment = { rules: ["old-access-control"], reason, reach: "line", span, covers, isMisplaced: false } as const;
  return { ...finding(span), by: { kind: "comment", comment } };
}

/** Creates a rule with defaults for irrelevant properties. */
export function rule(id: string, severity: Severity = "error", other: Partial<SimpleRule> = {}): SimpleRule {
  return {
    id,
    title: `Title of ${id}`,
    group: "access",
    severity,
    description: `What \`${id}\` finds.`,
    help: "What to do about it.",
    check: () => ({}),
    ...other,
  };
}

/** Renders a complete report of findings. */
export function renderReport(format: Format, findings: readonly Finding[], other: Partial<ReportInput> = {}): string {
  const input = { findings, ignored: [], files: 1, lines: 10, rules: [rule("old-access-control")], version: "1.2.3" };
  return [...render(format, { ...input, base: "/srv", ...other })].join("");
}
