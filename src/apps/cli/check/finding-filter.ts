import { join } from "node:path";
import { parsePatch } from "diff";
import { realPathOf } from "../../../config/main-files.js";
import type { Finding } from "../../../lint/finding.js";
import type { SuppressionFilter } from "../../../lint/runner/filter-findings.js";
import { compareByLocation, type LintResult } from "../../../lint/runner/run-rules.js";
import type { SuppressedFinding } from "../../../lint/suppressions.js";
import type { Result } from "../../../text/result.js";
import { rangeOf, type Span } from "../../../text/source.js";
import type { Baseline } from "../../baseline/baseline.js";
import type { BaselineFile } from "../../baseline/baseline-file.js";
import { createSettingsFilter } from "../../settings/apply-settings.js";
import type { PathIgnore, Settings } from "../../settings/settings.js";
import { openGit } from "../inputs/git.js";

/** The filters that select findings and set their severity. */
export interface FindingFilterOptions {
  readonly settings: Settings | undefined;
  readonly baseline: BaselineFile | undefined;
  /** Whether the baseline is being rewritten: then all findings count as known. */
  readonly isUpdating: boolean;
  readonly changes: ChangedLines | undefined;
  /** Ignores in the configuration file that suppressed a finding. */
  readonly used: Set<PathIgnore>;
  /** Files outside the repository of `changes` whose findings are omitted. */
  readonly elsewhere: Set<string>;
}

/**
 * Returns a filter that sets the configured severities and drops findings that are ignored, known, or on unchanged
 * lines.
 */
export function createFindingFilter({
  settings,
  baseline,
  isUpdating,
  changes,
  used,
  elsewhere,
}: FindingFilterOptions): SuppressionFilter {
  const bySettings = createSettingsFilter(settings, (ignore) => used.add(ignore));
  return (findings) => {
    const { reported, ignored } = bySettings(findings);
    const { fresh, known } = filterKnown(baseline?.baseline, reported, isUpdating);
    const quiet = baseline
      ? known.map((finding): SuppressedFinding => ({ ...finding, by: { kind: "baseline", path: baseline.path } }))
      : [];
    const allIgnored = [...ignored, ...quiet];
    if (changes === undefined) return { kept: fresh, ignored: allIgnored };
    for (const { span } of fresh)
      if (!span.file.realPath.startsWith(`${changes.root}/`)) elsewhere.add(span.file.realPath);
    return { kept: fresh.filter((finding) => changes.has(finding)), ignored: allIgnored };
  };
}

/** Returns a result with the findings that comments suppress among the others, in order. */
export function withoutComments<Result extends LintResult>(found: Result): Result {
  if (found.ignored.length === 0) return found;
  const shown = found.ignored.map(({ by: _, ...finding }): Finding => finding);
  return { ...found, findings: [...found.findings, ...shown].sort(compareByLocation), ignored: [] };
}

function filterKnown(baseline: Baseline | undefined, findings: readonly Finding[], isUpdating: boolean) {
  if (baseline === undefined) return { fresh: findings, known: [] };
  const result = baseline.takeNew(findings);
  return isUpdating ? { fresh: [], known: findings } : result;
}

/** The lines in a repository that differ from a commit. */
export interface ChangedLines {
  /** The folder of the repository, with links resolved. */
  readonly root: string;
  /** Reports whether a finding, or one of its related locations, is on a changed line. */
  has(finding: Finding): boolean;
}

/**
 * Returns the changes in the work tree since a commit: committed, staged or neither. All lines of an untracked file are
 * new.
 *
 * @param folder a folder of the repository
 * @param revision anything that names a commit
 */
export function readChangedLines(revision: string, folder: string): Result<ChangedLines, string> {
  const git = openGit(folder);
  const top = git("rev-parse", "--show-toplevel");
  if (!top.ok) return { ok: false, error: `--changed-since failed: ${top.error}` };
  const root = realPathOf(top.value.trimEnd()) ?? top.value.trimEnd();
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
  if (!commit.ok)
    return {
      ok: false,
      error: `\`${revision}\` of --changed-since is not a commit in the repository \`${root}\`; fetch it first, or see \`git log\``,
    };
  // If git's configuration moves the work tree, different configuration applies there.
  const atRoot = openGit(root);
  const diff = atRoot(...plainDiff, commit.value.trim(), "--");
  const others = atRoot("ls-files", "--others", "-z");
  if (!diff.ok) return { ok: false, error: `--changed-since failed: ${diff.error}` };
  if (!others.ok) return { ok: false, error: `--changed-since failed: ${others.error}` };
  return {
    ok: true,
    value: createChangedLines(
      root,
      parseDiff(root, diff.value),
      new Set(others.value.split("\0").map((name) => join(root, name))),
    ),
  };
}

/** Independent of the user's git configuration: custom prefixes, colours and external programs would break parsing. */
const plainDiff = [
  ...["-c", "core.quotePath=true", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--text"],
  ...["--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules"],
];

interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the new lines of each file, by path. */
function parseDiff(root: string, diff: string): ReadonlyMap<string, readonly LineRange[]> {
  return new Map(
    parsePatch(diff).map(({ newFileName = "", hunks }) => [
      join(root, newFileName.replace(/^b\//, "")),
      hunks.map(({ newStart, newLines }) => ({ first: newStart, last: newStart + newLines - 1 })),
    ]),
  );
}

function createChangedLines(
  root: string,
  changes: ReadonlyMap<string, readonly LineRange[]>,
  untracked: ReadonlySet<string>,
): ChangedLines {
  const isChanged = (span: Span) => {
    if (untracked.has(span.file.realPath)) return true;
    const ranges = changes.get(span.file.realPath);
    if (ranges === undefined) return false;
    const { start, end } = rangeOf(span);
    return ranges.some(({ first, last }) => first <= end.line && start.line <= last);
  };
  return { root, has: ({ span, related }) => isChanged(span) || related.some((other) => isChanged(other.span)) };
}
