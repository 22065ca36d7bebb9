import { applyEdits, type Edit } from "../text/edits.js";
import { lineAt, type SourceFile, type Span } from "../text/source.js";
import { type Finding, type Severity, severities } from "./finding.js";

/** What became of fixes. */
export interface AppliedFixes {
  /** The new text of each file that changed, by real path; binary strings, as they were read. */
  readonly texts: ReadonlyMap<string, string>;
  readonly applied: readonly Finding[];
  /** Findings whose fix has to wait for another pass, since it meets one that was applied, or itself. */
  readonly postponed: readonly Finding[];
}

/**
 * Applies the fixes of findings, each as a whole or not at all, to the texts that they were found in. Of fixes that meet, the
 * one that stands first is applied; what becomes of the others is seen by linting the new texts.
 *
 * @param isWanted which fixes to apply
 */
export function applyFixes(findings: readonly Finding[], isWanted: (finding: Finding) => boolean): AppliedFixes {
  const taken = new Map<string, { readonly file: SourceFile; readonly edits: Edit[] }>();
  const applied: Finding[] = [];
  const postponed: Finding[] = [];
  for (const finding of findings) {
    const edits = finding.fix?.edits ?? [];
    // What a macro put in place is no text of a file.
    if (edits.length === 0 || edits.some(({ span }) => "macro" in span.file) || !isWanted(finding)) continue;
    const isMet = (edit: Edit) => taken.get(edit.span.file.realPath)?.edits.some((other) => editsOverlap(edit, other));
    if (edits.some(isMet) || hasOverlaps(edits)) {
      postponed.push(finding);
      continue;
    }
    applied.push(finding);
    for (const edit of edits) {
      const { file } = edit.span;
      const inFile = taken.get(file.realPath) ?? { file, edits: [] };
      inFile.edits.push(edit);
      taken.set(file.realPath, inFile);
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

/** Whether two edits of a file touch the same text, or put theirs in the same place. */
function editsOverlap({ span: a }: Edit, { span: b }: Edit): boolean {
  return a.start === b.start || (a.start < b.end && b.start < a.end);
}

/** Texts of files by real path; binary strings. */
export type Texts = ReadonlyMap<string, string>;

/** A finding whose fix was not applied. */
export interface RejectedFix {
  readonly finding: Finding;
  /** As a clause. */
  readonly why: string;
}

/** What speaks against some fixes that are applied together. */
export interface Objection {
  /** As a clause. */
  readonly why: string;
  /** Those against which it speaks whichever others are applied; absent: it may be any one of them. */
  readonly appliesTo?: (finding: Finding) => boolean;
}

/** Configurations as they are with some texts in place. */
export interface Fixable<Self> {
  /** Those with a fix that is wanted; sorted, and the same each time. */
  readonly findings: readonly Finding[];
  /** The same with these texts in place, which are what fixes come to; or what speaks against it. */
  with(texts: Texts, applied: readonly Finding[]): Self | Objection;
}

export interface FixPassesResult<T> {
  readonly fixed: T;
  /** How many fixes were applied. */
  readonly applied: number;
  readonly rejected: readonly RejectedFix[];
  /** What there was still to do after the last pass. */
  readonly remaining: readonly Finding[];
}

const MAX_PASSES = 10;
/** So many sets of fixes are tried: the outcome hangs on nothing but this. */
const MAX_TRIALS = 200;

/**
 * Applies fixes until there is nothing left to do. Fixes that meet wait for the next pass. Where something speaks against
 * fixes that are applied together, those are found that it does not speak against.
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
      if (pass.rejected.size === 0)
        for (const finding of open()) held.set(finding, "its own changes lie over each other");
      continue;
    }
    now = pass.now;
    trials.keep(pass.texts, pass.applied);
    applied += pass.applied.length;
    // What spoke against a fix may be gone now.
    held = new Map();
  }
  const heldBack = [...held].map(([finding, why]) => ({ finding, why }));
  return { fixed: now, applied, rejected: heldBack, remaining: open() };
}

/** Fixes applied to the same texts, none of which meets another. */
class Pass<T extends Fixable<T>> {
  applied: readonly Finding[] = [];
  texts: Texts = new Map();
  readonly rejected = new Map<Finding, string>();

  constructor(
    public now: T,
    private readonly trials: Trials,
    private readonly start = now,
  ) {}

  /** Applies those that can be, beside those that were applied before. */
  take(findings: readonly Finding[]): void {
    const before = new Set(this.applied);
    const { texts, applied } = applyFixes([...before, ...findings], () => true);
    const fresh = applied.filter((finding) => !before.has(finding));
    if (fresh.length === 0) return;
    const tried = this.trials.objection(texts) ?? this.start.with(texts, applied);
    if (!("why" in tried)) {
      this.now = tried;
      this.applied = applied;
      this.texts = texts;
      return;
    }
    const { why, appliesTo = () => fresh.length === 1 } = tried;
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

/** What was tried before, and the texts that came of it. */
class Trials {
  private count = 0;
  /** Texts that files had, by their paths. */
  private readonly knownTexts = new Map<string, Set<string>>();
  /** The rules whose fixes changed a file. */
  private readonly rules = new Map<string, Set<string>>();

  objection(texts: Texts): Objection | undefined {
    this.count++;
    if (this.count > MAX_TRIALS)
      return { why: "too many fixes are held back to try the others one by one", appliesTo: () => true };
    const [back] = [...texts].find(([path, text]) => this.knownTexts.get(path)?.has(text)) ?? [];
    if (back === undefined) return undefined;
    const rules = [...(this.rules.get(back) ?? [])].map((rule) => `\`${rule}\``).join(", ");
    return { why: `it takes back what fixes of ${rules} did, and these would take it back again` };
  }

  keep(texts: Texts, applied: readonly Finding[]): void {
    for (const { rule, fix } of applied)
      for (const { span } of fix?.edits ?? []) {
        const { realPath, text } = span.file;
        this.knownTexts.set(realPath, (this.knownTexts.get(realPath) ?? new Set()).add(text));
        this.rules.set(realPath, (this.rules.get(realPath) ?? new Set()).add(rule));
      }
    for (const [path, text] of texts) this.knownTexts.get(path)?.add(text);
  }
}

/**
 * Takes the fix off each finding that would delete a line with a finding of higher severity. Its deletion may make that
 * finding go away while its cause stays.
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

/** The highest severity on each line, by file: 0 is an error. */
function findHighestSeverities(findings: readonly Finding[]): ReadonlyMap<string, SeverityByLine> {
  const files = new Map<string, SeverityByLine>();
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
