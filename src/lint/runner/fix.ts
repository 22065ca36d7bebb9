import type { Project } from "../../config/model/project.js";
import { compare } from "../../proof/compare/compare.js";
import { createRunSteps, defaultBudget, type SharedSteps } from "../../proof/model/budget.js";
import type { ConfigComparison, Unproved } from "../../proof/model/comparison.js";
import { describeRequest } from "../../server/model/request.js";
import { countBy, findFirstBeyond } from "../../text/collections.js";
import type { Edit } from "../../text/edits.js";
import { memoize } from "../../text/memoize.js";
import type { Result } from "../../text/result.js";
import { lineAt, toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import { type Fixable, type FixPassesResult, fixInPasses, type Objection, type Texts } from "../apply-fixes.js";
import type { Finding } from "../finding.js";
import { findLostLines } from "../stated-access.js";
import type { LintSession } from "./lint.js";
import { findNewError } from "./new-errors.js";
import { compareByLocation, isFirstOccurrence } from "./run-rules.js";

/** The fixes to apply. */
export interface FixOptions {
  /** `safe`: only proved ones; `unsafe`: all. */
  readonly safety: "safe" | "unsafe";
  readonly isWanted: (finding: Finding) => boolean;
  readonly mayChange: (path: string) => boolean;
}

/**
 * Applies the fixes of findings, in passes, to configurations that may share files. No fix may introduce a problem or
 * an error, and each must make its finding disappear. A safe fix must also be proved: the server answers every request
 * as before. For a fragment, or a `.htaccess` file whose server is unknown, nothing can be proved, and the rule's own
 * classification counts.
 */
export function fix(linted: readonly LintSession[], options: FixOptions): FixPassesResult<FixedConfigurations> {
  const steps = createRunSteps(linted.map(({ project }) => project));
  return fixInPasses(new FixedConfigurations(linted, linted, new Map(), options, steps));
}

/** Configurations with some fixes applied. */
export class FixedConfigurations implements Fixable<FixedConfigurations> {
  constructor(
    private readonly before: readonly LintSession[],
    readonly linted: readonly LintSession[],
    /** The files that differ from those on disk. */
    readonly texts: Texts,
    private readonly options: FixOptions,
    /** For the proofs of all attempts. */
    private readonly steps: SharedSteps,
    /** The fixed findings. */
    readonly applied: readonly Finding[] = [],
  ) {}

  get findings(): readonly Finding[] {
    const all = this.linted
      .flatMap(({ result }) => result.findings)
      .filter((finding) => this.isWanted(finding) && this.isConsented(finding));
    return all.sort(compareByLocation).filter(isFirstOccurrence);
  }

  private isWanted(finding: Finding): boolean {
    const { edits = [], safety } = finding.fix ?? {};
    if (edits.length === 0 || edits.some(({ span }) => "macro" in span.file)) return false;
    return (this.options.safety === "unsafe" || safety === "safe") && this.options.isWanted(finding);
  }

  /**
   * Returns whether a fix deletes only access control lines that a fix in the first report deletes. What appears later
   * was not shown to the user before.
   */
  private isConsented({ fix }: Finding): boolean {
    if (this.linted === this.before) return true;
    const lost = findLostLines(fix?.edits ?? []);
    if (lost.length === 0) return true;
    const named = linesLostBy(this.before);
    return lost.every(({ text }) => named.has(text));
  }

  with(texts: Texts, applied: readonly Finding[]): Result<FixedConfigurations, Objection> {
    const [other] = [...texts.keys()].filter((path) => !this.options.mayChange(path));
    if (other !== undefined)
      return object(`it also changes \`${other}\`; add that file to the paths`, isChanging(other));
    const all = new Map([...this.texts, ...texts]);
    const linted: LintSession[] = [];
    for (const [index, current] of this.linted.entries()) {
      const isOther = [...current.project.files.values()].some(({ source }) => texts.has(source.realPath));
      const tried = isOther ? this.tryFixes(this.before[index] ?? current, current, all, applied) : undefined;
      if (tried?.ok === false) return tried;
      linted.push(tried?.value ?? current);
    }
    const done = [...this.applied, ...applied];
    return { ok: true, value: new FixedConfigurations(this.before, linted, all, this.options, this.steps, done) };
  }

  private tryFixes(
    before: LintSession,
    current: LintSession,
    texts: Texts,
    applied: readonly Finding[],
  ): Result<LintSession, Objection> {
    const next = current.reload(texts);
    if (next === undefined) return object("the fixed configuration cannot be read");
    const isProofWanted = this.options.safety === "safe" && next.project.kind === "server";
    const why =
      findNewProblem(current, next) ?? findNewError(current, next, applied) ?? findRemaining(current, next, applied);
    if (why !== undefined) return object(why);
    const unproved = isProofWanted ? findEquivalenceFailure(before.project, next.project, this.steps) : undefined;
    if (unproved) return { ok: false, error: unproved };
    const lost = this.options.safety === "safe" ? findLostLines(applied.flatMap(editsOf)) : [];
    const [line] = lost;
    if (line) return object(`together with other fixes it deletes ${quoteText(line.text)}`);
    const hidden = this.options.safety === "safe" ? findHiddenFinding(current, next, applied) : undefined;
    return hidden === undefined ? { ok: true, value: next } : object(hidden);
  }
}

function object(why: string, appliesTo?: Objection["appliesTo"]): Result<never, Objection> {
  return { ok: false, error: { why, ...(appliesTo ? { appliesTo } : {}) } };
}

/** Returns the access control lines that the fixes of the reported findings delete or replace. */
const linesLostBy = memoize((linted: readonly LintSession[]): ReadonlySet<string> => {
  const findings = linted.flatMap(({ result }) => result.findings);
  return new Set(findings.flatMap((finding) => findLostLines(editsOf(finding)).map(({ text }) => text)));
});

function editsOf({ fix }: Finding): readonly Edit[] {
  return fix?.edits ?? [];
}

function isChanging(path: string): (finding: Finding) => boolean {
  return ({ fix }) => (fix?.edits ?? []).some(({ span }) => span.file.realPath === path);
}

/** Returns a new problem that prevents a file from being read as intended. */
function findNewProblem(current: LintSession, next: LintSession): string | undefined {
  // The lines of a problem move with the fixes, but not what it says.
  const keyOf = ({ code, problem, span }: Project["problems"][number]) => `${code} ${problem} ${span.file.realPath}`;
  const known = countBy(current.project.problems, keyOf);
  const found = findFirstBeyond(next.project.problems, keyOf, known);
  return found && `the fixed configuration has a new problem: ${found.problem}`;
}

/** Returns an objection if a fixed finding is reported again. */
function findRemaining(current: LintSession, next: LintSession, applied: readonly Finding[]): string | undefined {
  const keyOf = ({ rule, span, cause, message }: Finding) => `${rule} ${span.file.realPath} ${cause?.key ?? message}`;
  const known = countBy(current.unproved.findings, keyOf);
  const own = current.unproved.findings.filter((finding) =>
    applied.some((each) => compareByLocation(each, finding) === 0),
  );
  const ownKeys = new Set(own.map(keyOf));
  for (const finding of own) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) - 1);
  const left = next.unproved.findings.filter((finding) => ownKeys.has(keyOf(finding)));
  return findFirstBeyond(left, keyOf, known) && "the finding would remain";
}

/**
 * Returns an error or warning about access that disappears although no decision changes: its cause is still there.
 * Findings are counted by rule and file, because fixes change lines and messages.
 */
function findHiddenFinding(current: LintSession, next: LintSession, applied: readonly Finding[]): string | undefined {
  const keyOf = ({ rule, span }: Finding) => `${rule} ${span.file.realPath}`;
  const isOwn = (finding: Finding) => applied.some((each) => compareByLocation(each, finding) === 0);
  const ofAccess = (linted: LintSession) =>
    linted.result.findings.filter(({ rule, severity }) => severity !== "info" && linted.accessRules.has(rule));
  const hidden = findFirstBeyond(
    ofAccess(current).filter((finding) => !isOwn(finding)),
    keyOf,
    countBy(ofAccess(next), keyOf),
  );
  return hidden && `it would hide a finding of \`${hidden.rule}\`, although access does not change`;
}

/** Returns the reason why it is not proved that a server answers every request as before. */
function findEquivalenceFailure(before: Project, next: Project, steps: SharedSteps): Objection | undefined {
  const { verdict, differences, unproved } = compareProjects(before, next, steps);
  if (verdict === "equivalent") return undefined;
  const [difference] = differences;
  if (difference)
    return {
      why: `it changes ${describeRequest(difference.request)} from ${difference.before.class} to ${difference.after.class}`,
    };
  // Further attempts could not be proved either.
  if (steps.isUsedUp)
    return {
      why: `it is not proved to keep all access decisions: ${describeUnproved(unproved)}`,
      appliesTo: () => true,
    };
  const own = compareWithItself(before);
  if (own.verdict === "equivalent")
    return { why: `it is not proved to keep all access decisions: ${describeUnproved(unproved)}` };
  const files = new Set([...before.files.values()].map(({ source }) => source.realPath));
  return {
    why: `its effect on access is not proved: ${describeUnproved(own.unproved)}`,
    appliesTo: ({ fix }) => (fix?.edits ?? []).some(({ span }) => files.has(span.file.realPath)),
  };
}

function compareProjects(before: Project, next: Project, steps?: SharedSteps): ConfigComparison {
  return compare({ project: before, semantics: "server" }, { project: next, semantics: "server" }, defaultBudget, {
    steps,
  });
}

/** If a server is not even proved equivalent to itself, no fix is. */
const compareWithItself = memoize((project: Project) => compareProjects(project, project));

function describeUnproved([first]: readonly Unproved[]): string {
  if (first === undefined) return "the proof exceeds its limit of steps";
  const { reason, directive } = first;
  if (directive === undefined) return reason;
  const { file, start } = directive.span;
  return `${reason} (${toReadable(file.path)}:${lineAt(file, start)})`;
}
