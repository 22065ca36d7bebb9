import { dropHidingFixes } from "../apply-fixes.js";
import type { Finding } from "../finding.js";
import { nameLostLines } from "../fix-losses.js";
import { dropSuppliedFindings, mergeRepeatedCauses } from "../root-causes.js";
import type { SuppressedFinding } from "../suppressions.js";
import type { LintResult } from "./run-rules.js";

/** Partitions findings, in order, into reported and suppressed ones; may change the severity of the reported ones. */
export type SuppressionFilter = (findings: readonly Finding[]) => {
  readonly kept: readonly Finding[];
  readonly ignored: readonly SuppressedFinding[];
};

/** Which findings are wanted. */
export interface FindingFilters {
  /** Files by real path: only findings in them, or about lines in them, are reported. */
  readonly only?: ReadonlySet<string>;
  /** Filters the findings that no comment suppresses, before lines with one cause are merged. */
  readonly suppress?: SuppressionFilter;
}

/** Filters the findings of rules, and merges lines with one cause. */
export function filterFindings(found: LintResult, { only, suppress }: FindingFilters): LintResult {
  const isRequested = ({ span, covers = [] }: Finding) =>
    only === undefined || [span, ...covers].some(({ file }) => only.has(file.realPath));
  const requested = only === undefined ? found.findings : found.findings.filter(isRequested);
  const { kept, ignored } = suppress?.(requested) ?? { kept: requested, ignored: [] };
  return {
    ...found,
    findings: mergeRepeatedCauses(dropSuppliedFindings(dropHidingFixes(kept))).map(nameLostLines),
    ignored: [...found.ignored.filter(isRequested), ...ignored],
  };
}
