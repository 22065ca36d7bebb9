import { getOrCreate } from "../text/collections.js";
import { applyEdits, type Edit } from "../text/edits.js";
import type { Result } from "../text/result.js";
import { lineAt, type SourceFile, type Span } from "../text/source.js";
import { type Finding, type Severity, severities } from "./finding.js";

/** The result of applying fixes. */
export interface AppliedFixes {
  /** The new contents of each changed file, by real path; binary strings, as they were read. */
  readonly texts: ReadonlyMap<string, string>;
  readonly applied: readonly Finding[];
  /** Findings whose fix must wait for another pass, because it overlaps with an applied one or with itself. */
  readonly postponed: readonly Finding[];
}

/**
 * Applies the fixes of findings, each completely or not at all, to the contents in which they were found. Of
 * overlapping fixes the first is applied; linting the new contents shows what remains.
 *
 * @param isWanted which fixes to apply
 */
export function applyFixes(findings: readonly Finding[], isWanted: (finding: Finding) => boolean): AppliedFixes {
  const taken = new Map<string, { readonly file: SourceFile; readonly edits: Edit[] }>();
  const applied: Finding[] = [];
  const postponed: Finding[] = [];
  for (const finding of findings) {
    const edits = finding.fix?.edits ?? [];
    // Text from a macro expansion is not part of a file.
    if (edits.length === 0 || edits.some(({ span }) => "macro" in span.file) || !isWanted(finding)) continue;
    const isMet = (edit: Edit) => taken.get(edit.span.file.realPath)?.edits.some((other) => editsOverlap(edit, other));
    if (edits.some(isMet) || hasOverlaps(edits)) {
      postponed.push(finding);
      continue;
    }
    applied.push(finding);
    for (const edit of edits) {
      const { file } = edit.span;
      getOrCreate(taken, file.realPath, () => ({ file, edits: [] })).edits.push(edit);
    }
  }
  const texts = new Map([...taken].map(([path, { file, edits }]) => [path, applyEdits(file.text, edits)]));
  return { texts, applied, postponed };
}

function hasOverlaps(edits: readonly Edit[]): boolean {
  return edits.some((edit, index) =>
    edits
      .slice(0, index)
      .some((other) => other.span.file.realPath === edit.span.file.realPath && editsOverlap(edit, other)),
  );
}

/** Reports whether two edits of a file overlap, or insert at the same position. */
function editsOverlap({ span: a }: Edit, { span: b }: Edit): boolean {
  return a.start === b.start || (a.start < b.end && b.start < a.end);
}

/** Contents of files by real path; binary strings. */
export type Texts = ReadonlyMap<string, string>;

/** A finding whose fix was not applied. */
export interface RejectedFix {
  readonly finding: Finding;
  /** As a clause. */
  readonly why: string;
}

/** The reason to reject some fixes that are applied together. */
export interface Objection {
  /** As a clause. */
  readonly why: string;
  /** Returns whether a fix is rejected whichever others are applied; if absent, any of them may be the cause. */
  readonly appliesTo?: (finding: Finding) => boolean;
}

/** Configurations with replaced contents. */
export interface Fixable<Self> {
  /** Findings with a requested fix, in a deterministic order. */
  readonly findings: readonly Finding[];
  /** Returns the state with the contents that result from the fixes, or an objection. */
  with(texts: Texts, applied: readonly Finding[]): Result<Self, Objection>;
}

export interface FixPassesResult<T> {
  readonly fixed: T;
  /** Number of fixes applied. */
  readonly applied: number;
  readonly rejected: readonly RejectedFix[];
  /** Findings left after the last pass. */
  readonly remaining: readonly Finding[];
}

const MAX_PASSES = 10;
/** Maximum number of sets of fixes tried: the result depends only on this. */
const MAX_TRIALS = 200;

/**
 * Applies fixes until none is left. Overlapping fixes wait for the next pass. If a combination of fixes is rejected,
 * searches for the fixes that are not.
 */
export function fixInPasses<T extends Fixable<T>>(start: T): FixPassesResult<T> {
  const trials = new Trials();
  let now = start;
  let applied = 0;
  let held = new Map<Finding, string>();
  const open = () => now.findings.filter((finding) => !held.has(finding));
  for (let passes = 0; passes < MAX_PASSES && open().length > 0; passes++) {
    const pass = new Pass(now, trials);
    pass.take(open());
    if (pass.applied.length === 0) {
      held = new Map([...held, ...pass.rejected]);
      if (pass.rejected.size === 0) for (const finding of open()) held.set(finding, "its own edits overlap");
      continue;
    }
    now = pass.now;
    trials.keep(pass.texts, pass.applied);
    applied += pass.applied.length;
    // The reason to reject a fix may be gone now.
    held = new Map();
  }
  const rejected = [...held].map(([finding, why]) => ({ finding, why }));
  return { fixed: now, applied, rejected, remaining: open() };
}

/** Non-overlapping fixes applied to the same contents. */
class Pass<T extends Fixable<T>> {
  applied: readonly Finding[] = [];
  texts: Texts = new Map();
  readonly rejected = new Map<Finding, string>();

  constructor(
    public now: T,
    private readonly trials: Trials,
    private readonly start = now,
  ) {}

  /** Applies fixes in addition to those applied before, as far as possible. */
  take(findings: readonly Finding[]): void {
    const before = new Set(this.applied);
    const { texts, applied } = applyFixes([...before, ...findings], () => true);
    const fresh = applied.filter((finding) => !before.has(finding));
    if (fresh.length === 0) return;
    const known = this.trials.objection(texts);
    const tried = known ? { ok: false as const, error: known } : this.start.with(texts, applied);
    if (tried.ok) {
      this.now = tried.value;
      this.applied = applied;
      this.texts = texts;
      return;
    }
    const { why, appliesTo = () => fresh.length === 1 } = tried.error;
    const [out, left] = [fresh.filter(appliesTo), fresh.filter((finding) => !appliesTo(finding))];
    for (const finding of out) this.rejected.set(finding, why);
    if (out.length > 0) this.take(left);
    else for (const half of splitInHalf(fresh)) this.take(half);
  }
}

function splitInHalf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)];
}

/** The earlier attempts and the resulting contents. */
class Trials {
  private count = 0;
  /** Earlier contents of files, by path. */
  private readonly knownTexts = new Map<string, Set<string>>();
  /** The rules whose fixes changed a file. */
  private readonly rules = new Map<string, Set<string>>();

  objection(texts: Texts): Objection | undefined {
    this.count++;
    if (this.count > MAX_TRIALS)
      return { why: "too many fixes were rejected to try the others one by one", appliesTo: () => true };
    const [back] = [...texts].find(([path, text]) => this.knownTexts.get(path)?.has(text)) ?? [];
    if (back === undefined) return undefined;
    const rules = [...(this.rules.get(back) ?? [])].map((rule) => `\`${rule}\``).join(", ");
    return { why: `it reverts fixes of ${rules}, which would revert it again` };
  }

  keep(texts: Texts, applied: readonly Finding[]): void {
    for (const { rule, fix } of applied)
      for (const { span } of fix?.edits ?? []) {
        const { realPath, text } = span.file;
        getOrCreate(this.knownTexts, realPath, () => new Set()).add(text);
        getOrCreate(this.rules, realPath, () => new Set()).add(rule);
      }
    for (const [path, text] of texts) this.knownTexts.get(path)?.add(text);
  }
}

/**
 * Removes the fix from each finding that would delete a line with a finding of higher severity. Its deletion may make
 * that finding disappear while its cause stays.
 */
export function dropHidingFixes(findings: readonly Finding[]): readonly Finding[] {
  if (!findings.some(({ fix }) => fix)) return findings;
  const gravest = findHighestSeverities(findings);
  return findings.map((finding) => {
    if (!deletesMoreSevere(finding, gravest)) return finding;
    const { fix, ...rest } = finding;
    return rest;
  });
}

type SeverityByLine = Map<number, number>;

/** Returns the highest severity on each line, by file: 0 is an error. */
function findHighestSeverities(findings: readonly Finding[]): ReadonlyMap<string, SeverityByLine> {
  const files = new Map<string, SeverityByLine>();
  for (const { severity, span, related } of findings) {
    if (severity === "info") continue;
    for (const { file, start } of [span, ...related.map((each) => each.span)]) {
      const lines = getOrCreate(files, file.realPath, () => new Map());
      const line = lineAt(file, start);
      lines.set(line, Math.min(lines.get(line) ?? severities.length, rankOf(severity)));
    }
  }
  return files;
}

function deletesMoreSevere({ fix, severity }: Finding, gravest: ReadonlyMap<string, SeverityByLine>): boolean {
  return (fix?.edits ?? []).some(({ span, text }) => {
    const lines = gravest.get(span.file.realPath);
    if (lines === undefined || text.trim() !== "") return false;
    return deletedLines(span).some((line) => (lines.get(line) ?? severities.length) < rankOf(severity));
  });
}

function rankOf(severity: Severity): number {
  return severities.indexOf(severity);
}

/** Returns the lines of which a deletion leaves only white space. */
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
