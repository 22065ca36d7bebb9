import type { Baseline } from "../baseline/baseline.js";
import type { BaselineFile } from "../baseline/file.js";
import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import type { Sift } from "../engine/lint.js";
import type { PathIgnore, Settings } from "../settings/settings.js";
import { siftBySettings } from "../settings/sift.js";
import type { ChangedLines } from "./changed-lines.js";

/** What decides which findings are told of, and how. */
export interface SiftedBy {
  readonly settings: Settings | undefined;
  readonly baseline: BaselineFile | undefined;
  /** Whether the baseline is written anew: then all that is found is known. */
  readonly isUpdating: boolean;
  readonly changes: ChangedLines | undefined;
  /** Ignores of the settings that kept something quiet. */
  readonly used: Set<PathIgnore>;
  /** Files outside the repository of `changes` with findings that are left out. */
  readonly elsewhere: Set<string>;
}

/** Findings as grave as the settings have them, without those that these ignore, that are known, or that stand on old lines. */
export function siftBy({ settings, baseline, isUpdating, changes, used, elsewhere }: SiftedBy): Sift {
  const bySettings = siftBySettings(settings, (ignore) => used.add(ignore));
  return (findings) => {
    const { told, ignored } = bySettings(findings);
    const { fresh, known } = siftKnown(baseline?.baseline, told, isUpdating);
    const quiet = baseline
      ? known.map((finding): IgnoredFinding => ({ ...finding, by: { kind: "baseline", path: baseline.path } }))
      : [];
    const allIgnored = [...ignored, ...quiet];
    if (changes === undefined) return { kept: fresh, ignored: allIgnored };
    for (const { span } of fresh)
      if (!span.file.realPath.startsWith(`${changes.root}/`)) elsewhere.add(span.file.realPath);
    return { kept: fresh.filter((finding) => changes.has(finding)), ignored: allIgnored };
  };
}

function siftKnown(baseline: Baseline | undefined, findings: readonly Finding[], isUpdating: boolean) {
  if (baseline === undefined) return { fresh: findings, known: [] };
  const sifted = baseline.sift(findings);
  return isUpdating ? { fresh: [], known: findings } : sifted;
}
