import { lineAt } from "../text/position.js";
import type { Span } from "../text/source.js";
import { type Finding, type Severity, severities } from "./finding.js";

/**
 * Takes the fix off each finding that would delete a line with a finding of higher severity. Its deletion may make that
 * finding go away while its cause stays.
 */
export function withoutHidingFixes(findings: readonly Finding[]): readonly Finding[] {
  if (!findings.some(({ fix }) => fix)) return findings;
  const gravest = gravestByLine(findings);
  return findings.map((finding) => {
    if (!deletesGraver(finding, gravest)) return finding;
    const { fix, ...rest } = finding;
    return rest;
  });
}

type Lines = Map<number, number>;

/** The highest severity on each line, by file: 0 is an error. */
function gravestByLine(findings: readonly Finding[]): ReadonlyMap<string, Lines> {
  const files = new Map<string, Lines>();
  for (const { severity, span, related } of findings) {
    if (severity === "info") continue;
    for (const { file, start } of [span, ...related.map((each) => each.span)]) {
      const lines = files.get(file.realPath) ?? new Map<number, number>();
      const line = lineAt(file, start);
      lines.set(line, Math.min(lines.get(line) ?? severities.length, rankOf(severity)));
      files.set(file.realPath, lines);
    }
  }
  return files;
}

function deletesGraver({ fix, severity }: Finding, gravest: ReadonlyMap<string, Lines>): boolean {
  return (fix?.edits ?? []).some(({ span, text }) => {
    const lines = gravest.get(span.file.realPath);
    if (lines === undefined || text.trim() !== "") return false;
    return deletedLines(span).some((line) => (lines.get(line) ?? severities.length) < rankOf(severity));
  });
}

function rankOf(severity: Severity): number {
  return severities.indexOf(severity);
}

/** The lines of which a deletion leaves nothing but white space. */
function deletedLines({ file, start, end }: Span): readonly number[] {
  const { text } = file;
  const before = text.slice(0, start).split("\n").at(-1) ?? "";
  const isToEnd = text[end - 1] === "\n";
  const feed = text.indexOf("\n", end);
  const behind = isToEnd ? "" : text.slice(end, feed < 0 ? text.length : feed);
  const first = lineAt(file, start) + (before.trim() === "" ? 0 : 1);
  const last = lineAt(file, Math.max(start, end - 1)) - (behind.trim() === "" ? 0 : 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
