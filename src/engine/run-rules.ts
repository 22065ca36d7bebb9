import type { Release } from "../directives/directives.js";
import { omitUnreadHtaccess } from "../httpd/walk/ignored-htaccess.js";
import type { Related } from "../project/model/problems.js";
import { type EntryKind, isAssumed, type Project } from "../project/model/project.js";
import { walkProject } from "../project/queries/walker.js";
import { isExpansion } from "../project/reader/macros.js";
import { sortEdits } from "../text/edits.js";
import { countLines, lineAt, type Span } from "../text/source.js";
import { dropHidingFixes } from "./apply-fixes.js";
import type { Finding, Report } from "./finding.js";
import { dropSuppliedFindings, mergeRepeatedCauses } from "./root-causes.js";
import { noProofs, type Proofs, type RuleDefinition } from "./rule.js";
import { applyIgnores, findIgnoreComments, type SuppressedFinding } from "./suppressions.js";

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
  readonly sift?: SuppressionFilter;
}

/** Findings in their order to those that are told of, as they are told, and those that something keeps quiet. */
export type SuppressionFilter = (findings: readonly Finding[]) => {
  readonly kept: readonly Finding[];
  readonly ignored: readonly SuppressedFinding[];
};

export interface LintResult {
  /** Sorted by file and place, each once; lines with one cause as one. */
  readonly findings: readonly Finding[];
  /** Those that are kept quiet. */
  readonly ignored: readonly SuppressedFinding[];
  readonly files: number;
  readonly lines: number;
}

/** What rules find in a project, wherever it is: all but what is told of it. */
export interface RawLintResult extends Pick<LintResult, "files" | "lines"> {
  /** Sorted by file and place. */
  readonly findings: readonly Finding[];
  /** Those that comments keep quiet. */
  readonly ignored: readonly SuppressedFinding[];
}

/** Runs rules over a project, and tells what they find. */
export function lintProject(configuration: Project, options: LintOptions): LintResult {
  return applyFilters(runRules(configuration, options), options);
}

/** Of what was found that which is asked for and not sifted out, lines with one cause as one. */
export function applyFilters(examined: RawLintResult, { only, sift }: Pick<LintOptions, "only" | "sift">): LintResult {
  const isAsked = ({ span }: Finding) => only === undefined || only.has(span.file.realPath);
  const all = examined.findings.filter(isAsked);
  const sifted = sift?.(all) ?? { kept: all, ignored: [] };
  return {
    ...examined,
    findings: mergeRepeatedCauses(dropSuppliedFindings([...dropHidingFixes(sifted.kept)])),
    ignored: [...examined.ignored.filter(isAsked), ...sifted.ignored],
  };
}

/** Runs rules over a project: one walk feeds them all, and every finding passes one gate. */
export function runRules(configuration: Project, options: Omit<LintOptions, "only" | "sift">): RawLintResult {
  const project = omitUnreadHtaccess(configuration);
  const isUpgrade = options.from === "2.2";
  const rules = options.rules.filter(
    ({ id, upgradeOnly }) => (!upgradeOnly || isUpgrade) && canRunOn(id, project.kind),
  );
  const activeRuleIds = rules.map((rule) => rule.id);
  const ruleIds = options.ruleIds ?? activeRuleIds;
  const proofs = options.proofs ?? noProofs;
  let gate = new FindingCollector(rules);
  const visitors = rules.map((rule) => {
    const report = (finding: Report) => gate.accept(rule, finding);
    const { release } = project;
    return rule.check({ project, release, from: options.from, ruleIds, activeRuleIds, proofs, report });
  });
  walkProject(project, visitors, () => gate.reports);
  for (const visitor of visitors) visitor.project?.();

  const trees = uniqueTrees(project);
  const { kept, ignored, outcome } = applyIgnores(gate.findings(), trees.flatMap(findIgnoreComments));
  gate = new FindingCollector(rules);
  for (const visitor of visitors) visitor.ignores?.(outcome);
  return {
    findings: [...kept, ...gate.findings()].sort(compareByLocation),
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
class FindingCollector {
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
    const related = (report.related ?? noFindings).filter((each) => !isAssumed(each.span));
    const place = resolveWrittenPlace(span);
    const finding: Finding = {
      rule: rule.id,
      severity: report.severity ?? rule.severity,
      message,
      span: place.span,
      related:
        related.length + place.used.length === 0 ? noFindings : [...related, ...place.used].map(toWrittenRelated),
    };
    const extras = [notes, fix, cause, supplies, witness];
    const isPlain = extras.every((each) => each === undefined);
    this.accepted.push(
      isPlain
        ? finding
        : {
            ...finding,
            ...(notes ? { notes } : {}),
            ...(fix ? { fix: { ...fix, edits: sortEdits(fix.edits) } } : {}),
            ...(cause ? { cause } : {}),
            ...(supplies ? { supplies } : {}),
            ...(witness ? { witness } : {}),
          },
    );
  }

  findings(): Finding[] {
    const all = this.accepted.sort(compareByLocation).filter(isFirstOccurrence);
    const kept: Finding[] = [];
    let start = 0;
    for (let first = all[0]; first; first = all[start]) {
      const end = findEndOfLine(all, start, first.span);
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

const noFindings: readonly never[] = [];

/** Where the findings end that stand on the line of one; sorted, they stand together. */
function findEndOfLine(sorted: readonly Finding[], start: number, { file, start: offset }: Span): number {
  const feed = file.text.indexOf("\n", offset);
  let end = start + 1;
  for (let next = sorted[end]?.span; next; next = sorted[end]?.span) {
    if (next.file.realPath !== file.realPath || (feed >= 0 && next.start > feed)) break;
    end++;
  }
  return end;
}

/** Of the same finding only the first counts; sorted, they stand together. */
export function isFirstOccurrence(finding: Finding, index: number, sorted: readonly Finding[]): boolean {
  const before = sorted[index - 1];
  return before === undefined || compareByLocation(before, finding) !== 0;
}

/** Text that a macro put in place is shown at the macro's own line, with the places of use beside it. */
function resolveWrittenPlace(span: Span): { readonly span: Span; readonly used: readonly Related[] } {
  if (!isExpansion(span.file)) return { span, used: noFindings };
  const used: Related[] = [];
  let place = span;
  while (isExpansion(place.file)) {
    used.push({ message: `the macro \`${place.file.macro.name}\` is used here`, span: place.file.use });
    place = place.file.origins[lineAt(place.file, place.start) - 1] ?? place.file.use;
  }
  return { span: place, used };
}

function toWrittenRelated(related: Related): Related {
  return { ...related, span: resolveWrittenPlace(related.span).span };
}

/** The order of findings: by file and place. */
export function compareByLocation(a: Finding, b: Finding): number {
  return (
    compareStrings(a.span.file.realPath, b.span.file.realPath) ||
    a.span.start - b.span.start ||
    a.span.end - b.span.end ||
    compareStrings(a.rule, b.rule) ||
    compareStrings(a.message, b.message)
  );
}

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A rule, or a part of one, that needs the whole server. */
interface WholeServerRule {
  /** Why a part of a server is not enough. */
  readonly reason: string;
  /** The findings of the rule that need it; absent if all do. */
  readonly part?: string;
}

/**
 * The rules that are silent on a fragment, and on a `.htaccess` file that is checked on its own: they report what is
 * missing, and another file of the server may have it. Every other rule runs.
 */
export const wholeServerRules: Readonly<Record<string, WholeServerRule>> = {
  "authentication-incomplete": { reason: "another file may set AuthUserFile, AuthBasicProvider or AuthName" },
  "authtype-without-require": { reason: "another file may set Require for the same requests" },
  "changed-default": { reason: "another file may set the directive" },
  "changed-behaviour": {
    reason: "another file may set it",
    part: "what depends on directives that are missing from the server",
  },
  "modules-to-load": { reason: "another file may load the module" },
  "override-missing": { reason: "another file may set AllowOverride" },
  "refused-at-start": {
    reason: "another file may define the name, and the ServerRoot is not known",
    part: "a macro or provider alias that the file does not define, and an Include of a relative path that does not exist",
  },
  "undefined-variable": { reason: "another file or the environment may define the variable" },
};

/** Whether a rule can run on a configuration of some kind. */
function canRunOn(ruleId: string, kind: EntryKind): boolean {
  if (kind === "server") return true;
  const entry = Object.hasOwn(wholeServerRules, ruleId) ? wholeServerRules[ruleId] : undefined;
  return entry === undefined || entry.part !== undefined;
}
