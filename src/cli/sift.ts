import type { Baseline } from "../baseline/baseline.js";
import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import type { Sift } from "../engine/lint.js";
import { type MatchedIgnore, pathIgnores } from "../settings/path-ignores.js";
import type { PathIgnore, Settings } from "../settings/settings.js";
import type { ChangedLines } from "./changed-lines.js";
import type { BaselineFile } from "./known-findings.js";
import { realPathOf } from "./targets.js";

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
  const ignoreOf = matcherOf(settings);
  return (findings) => {
    const ignored: IgnoredFinding[] = [];
    const told = findings
      .map((finding) => rated(finding, settings))
      .filter((finding) => {
        const match = ignoreOf?.(finding.rule, finding.span.file.realPath);
        if (match === undefined) return true;
        used.add(match.ignore);
        ignored.push({ ...finding, by: ignoredBy(match, settings?.path ?? "") });
        return false;
      });
    const { fresh, known } = siftKnown(baseline?.baseline, told, isUpdating);
    if (baseline)
      for (const finding of known) ignored.push({ ...finding, by: { kind: "baseline", path: baseline.path } });
    if (changes === undefined) return { kept: fresh, ignored };
    for (const { span } of fresh)
      if (!span.file.realPath.startsWith(`${changes.root}/`)) elsewhere.add(span.file.realPath);
    return { kept: fresh.filter((finding) => changes.has(finding)), ignored };
  };
}

function matcherOf(settings: Settings | undefined): ReturnType<typeof pathIgnores> | undefined {
  if (settings === undefined || settings.ignores.length === 0) return undefined;
  return pathIgnores(settings, realPathOf(settings.directory) ?? settings.directory);
}

/** A rule that weighs its findings itself is overruled, too. */
function rated(finding: Finding, settings: Settings | undefined): Finding {
  const level = settings?.rules.get(finding.rule);
  return level === undefined || level === "off" ? finding : { ...finding, severity: level };
}

function ignoredBy({ ignore, glob }: MatchedIgnore, path: string): IgnoredFinding["by"] {
  return { kind: "settings", path, glob, reason: ignore.reason ?? "" };
}

function siftKnown(baseline: Baseline | undefined, findings: readonly Finding[], isUpdating: boolean) {
  if (baseline === undefined) return { fresh: findings, known: [] };
  const sifted = baseline.sift(findings);
  return isUpdating ? { fresh: [], known: findings } : sifted;
}
