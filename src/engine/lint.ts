import type { Release } from "../directives/directives.js";
import { isAssumed } from "../project/assumed-lines.js";
import { isExpansion } from "../project/macros.js";
import type { Related } from "../project/problems.js";
import type { Project } from "../project/project.js";
import { walkProject } from "../project/walk.js";
import { withoutUnreadFiles } from "../scope/unread-files.js";
import { inOrder } from "../text/edits.js";
import { countLines, lineAt } from "../text/position.js";
import type { Span } from "../text/source.js";
import type { Finding, Report } from "./finding.js";
import { withoutHidingFixes } from "./hiding-fixes.js";
import { applyIgnores, type IgnoredFinding, ignoreComments } from "./ignores.js";
import { noProofs, type Proofs } from "./proofs.js";
import type { RuleDefinition } from "./rule.js";
import { withoutRepeatedCauses, withoutSupplied } from "./shared-cause.js";
import { runsOn } from "./whole-server-rules.js";

export interface LintOptions {
  /** The rules to run. */
  readonly rules: readonly RuleDefinition[];
  /** The names that a comment may ignore; those of `rules` where absent. */
  readonly ruleIds?: readonly string[];
  readonly from?: Release;
  /** Files by real path: only what is found in them is told. */
  readonly only?: ReadonlySet<string>;
  /** Absent: nothing is proved, and rules that take a proof are quiet. */
  readonly proofs?: Proofs;
  /** What becomes of the findings that no comment keeps quiet, before lines with one cause are told of as one. */
  readonly sift?: Sift;
}

/** Findings in their order to those that are told of, as they are told, and those that something keeps quiet. */
export type Sift = (findings: readonly Finding[]) => {
  readonly kept: readonly Finding[];
  readonly ignored: readonly IgnoredFinding[];
};

export interface LintResult {
  /** Sorted by file and place, each once; lines with one cause as one. */
  readonly findings: readonly Finding[];
  /** Those that are kept quiet. */
  readonly ignored: readonly IgnoredFinding[];
  readonly files: number;
  readonly lines: number;
}

/** What rules find in a project, wherever it is: all but what is told of it. */
export interface Examined extends Pick<LintResult, "files" | "lines"> {
  /** Sorted by file and place. */
  readonly findings: readonly Finding[];
  /** Those that comments keep quiet. */
  readonly ignored: readonly IgnoredFinding[];
}

/** Runs rules over a project, and tells what they find. */
export function lint(configuration: Project, options: LintOptions): LintResult {
  return told(examine(configuration, options), options);
}

/** Of what was found that which is asked for and not sifted out, lines with one cause as one. */
export function told(examined: Examined, { only, sift }: Pick<LintOptions, "only" | "sift">): LintResult {
  const isAsked = ({ span }: Finding) => only === undefined || only.has(span.file.realPath);
  const all = examined.findings.filter(isAsked);
  const sifted = sift?.(all) ?? { kept: all, ignored: [] };
  return {
    ...examined,
    findings: withoutRepeatedCauses(withoutSupplied([...withoutHidingFixes(sifted.kept)])),
    ignored: [...examined.ignored.filter(isAsked), ...sifted.ignored],
  };
}

/** Runs rules over a project: one walk feeds them all, and every finding passes one gate. */
export function examine(configuration: Project, options: Omit<LintOptions, "only" | "sift">): Examined {
  const project = withoutUnreadFiles(configuration);
  const isUpgrade = options.from === "2.2";
  const rules = options.rules.filter(({ id, upgradeOnly }) => (!upgradeOnly || isUpgrade) && runsOn(id, project.kind));
  const activeRuleIds = rules.map((rule) => rule.id);
  const ruleIds = options.ruleIds ?? activeRuleIds;
  const proofs = options.proofs ?? noProofs;
  let gate = new Gate(rules);
  const visitors = rules.map((rule) => {
    const report = (finding: Report) => gate.accept(rule, finding);
    const { release } = project;
    return rule.check({ project, release, from: options.from, ruleIds, activeRuleIds, proofs, report });
  });
  walkProject(project, visitors, () => gate.reports);
  for (const visitor of visitors) visitor.project?.();

  const trees = uniqueTrees(project);
  const { kept, ignored, outcome } = applyIgnores(gate.findings(), trees.flatMap(ignoreComments));
  gate = new Gate(rules);
  for (const visitor of visitors) visitor.ignores?.(outcome);
  return {
    findings: [...kept, ...gate.findings()].sort(byPlace),
    ignored,
    files: trees.length,
    lines: trees.reduce((sum, tree) => sum + countLines(tree.source), 0),
  };
}

/** A file that is reached by two names is one file. */
function uniqueTrees(project: Project) {
  return [...new Map([...project.files.values()].map((tree) => [tree.source.realPath, tree])).values()];
}

/** The one way that a finding takes: shown where the user wrote it, kept once, given up where a better one speaks. */
class Gate {
  /** How many were reported, kept or not. */
  reports = 0;
  private readonly accepted: Finding[] = [];
  /** Those that each rule keeps quiet. */
  private readonly supersedes: ReadonlyMap<string, readonly string[]>;

  constructor(rules: readonly RuleDefinition[]) {
    this.supersedes = new Map(rules.map((rule) => [rule.id, rule.supersedes ?? []]));
  }

  accept(rule: RuleDefinition, report: Report): void {
    this.reports++;
    if (isAssumed(report.span)) return;
    const { message, span, notes, fix, cause, supplies, witness } = report;
    const related = (report.related ?? nothing).filter((each) => !isAssumed(each.span));
    const place = writtenPlace(span);
    const finding: Finding = {
      rule: rule.id,
      severity: report.severity ?? rule.severity,
      message,
      span: place.span,
      related: related.length + place.used.length === 0 ? nothing : [...related, ...place.used].map(whereWritten),
    };
    const extras = [notes, fix, cause, supplies, witness];
    const isPlain = extras.every((each) => each === undefined);
    this.accepted.push(
      isPlain
        ? finding
        : {
            ...finding,
            ...(notes ? { notes } : {}),
            ...(fix ? { fix: { ...fix, edits: inOrder(fix.edits) } } : {}),
            ...(cause ? { cause } : {}),
            ...(supplies ? { supplies } : {}),
            ...(witness ? { witness } : {}),
          },
    );
  }

  findings(): Finding[] {
    const all = this.accepted.sort(byPlace).filter(isNew);
    const kept: Finding[] = [];
    let start = 0;
    for (let first = all[0]; first; first = all[start]) {
      const end = endOfLine(all, start, first.span);
      if (end === start + 1) kept.push(first);
      else for (const finding of this.withoutSuperseded(all.slice(start, end))) kept.push(finding);
      start = end;
    }
    return kept;
  }

  private withoutSuperseded(onLine: readonly Finding[]): readonly Finding[] {
    const quiet = new Set(onLine.flatMap(({ rule }) => this.supersedes.get(rule) ?? []));
    return quiet.size === 0 ? onLine : onLine.filter(({ rule }) => !quiet.has(rule));
  }
}

const nothing: readonly never[] = [];

/** Where the findings end that stand on the line of one; sorted, they stand together. */
function endOfLine(sorted: readonly Finding[], start: number, { file, start: offset }: Span): number {
  const feed = file.text.indexOf("\n", offset);
  let end = start + 1;
  for (let next = sorted[end]?.span; next; next = sorted[end]?.span) {
    if (next.file.realPath !== file.realPath || (feed >= 0 && next.start > feed)) break;
    end++;
  }
  return end;
}

/** Of the same finding only the first counts; sorted, they stand together. */
export function isNew(finding: Finding, index: number, sorted: readonly Finding[]): boolean {
  const before = sorted[index - 1];
  return before === undefined || byPlace(before, finding) !== 0;
}

/** Text that a macro put in place is shown at the macro's own line, with the places of use beside it. */
function writtenPlace(span: Span): { readonly span: Span; readonly used: readonly Related[] } {
  if (!isExpansion(span.file)) return { span, used: nothing };
  const used: Related[] = [];
  let place = span;
  while (isExpansion(place.file)) {
    used.push({ message: `the macro \`${place.file.macro.name}\` is used here`, span: place.file.use });
    place = place.file.origins[lineAt(place.file, place.start) - 1] ?? place.file.use;
  }
  return { span: place, used };
}

function whereWritten(related: Related): Related {
  return { ...related, span: writtenPlace(related.span).span };
}

/** The order of findings: by file and place. */
export function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.span.file.realPath, b.span.file.realPath) ||
    a.span.start - b.span.start ||
    a.span.end - b.span.end ||
    compare(a.rule, b.rule) ||
    compare(a.message, b.message)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
