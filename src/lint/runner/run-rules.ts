import type { CertificateReader } from "../../config/files/certificate.js";
import { isAboutExpression, isInTemplateLine } from "../../config/model/placeholders.js";
import { type EntryKind, isAssumed, type Project } from "../../config/model/project.js";
import { walkProject } from "../../config/queries/walker.js";
import { isExpansion, isOwnUse } from "../../config/reader/macros.js";
import { describeRejectionEffect, type Related } from "../../config/refusals/refusal.js";
import { isBefore, type Release } from "../../facts/release.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { omitUnreadHtaccess } from "../../server/walk/ignored-htaccess.js";
import { compareTexts } from "../../text/collections.js";
import { sortEdits } from "../../text/edits.js";
import { countLines, lineAt, type SourceFile, type Span } from "../../text/source.js";
import { checkNameOf, type Finding, partsOfText, type Report } from "../finding.js";
import { addHosts } from "../finding-hosts.js";
import { withOwnComments } from "../fix-losses.js";
import { createExposureVisitor } from "../probes/exposure.js";
import { listReportingRules, ScopeProbes } from "../probes/scope-probes.js";
import { listUntriedLines } from "../probes/trials.js";
import { listChecks, noProofs, type Proofs, type RuleCheck, type RuleContext, type RuleDefinition } from "../rule.js";
import { applyIgnores, findIgnoreComments, type SuppressedFinding } from "../suppressions.js";
import { measureVisitor, type Timings } from "./timings.js";

/** The rules, and what they know. */
export interface RuleOptions {
  /** The rules to run. */
  readonly rules: readonly RuleDefinition[];
  /** The names that a comment may ignore; if absent, those of `rules`. */
  readonly ruleIds?: readonly string[];
  readonly from?: Release;
  /**
   * Files by real path that are already for the target version. Rules about the upgrade report nothing that involves
   * them, because the version you upgrade from never ran them. Missing modules are still reported.
   */
  readonly upgraded?: ReadonlySet<string>;
  /** Whether findings that hold for nearly every server are omitted. */
  readonly omitsRoutine?: boolean;
  /** The files of the server. If absent, rules about files on the disk do not report. */
  readonly files?: FileTree;
  /** The time of the analysis; now if absent. */
  readonly now?: Date;
  /** Reads certificates; if absent, rules about them do not report. */
  readonly readCertificates?: CertificateReader;
  /** If absent, nothing is proved, and rules that need a proof do not report. */
  readonly proofs?: Proofs;
  /** Measures the time of each rule. */
  readonly timings?: Timings | undefined;
}

/** The findings of rules. */
export interface LintResult<File = SourceFile> {
  /** Sorted by file and location. */
  readonly findings: readonly Finding<File>[];
  /** Suppressed findings. */
  readonly ignored: readonly SuppressedFinding<File>[];
  readonly files: number;
  readonly lines: number;
  /** The conditional sections whose lines no rule has checked. */
  readonly unchecked: readonly UncheckedSection[];
  /** The modules, by identifier, that are assumed to be loaded because the configuration needs them. */
  readonly assumedModules: readonly string[];
  /** The lines that were not tried, because all trials together have a limit: each the real path and the number of a line. */
  readonly untried: readonly string[];
}

/** A conditional section that no reading of a configuration applies, or a macro that is never used. */
export interface UncheckedSection {
  /** The opening tag as written: `<IfDefine DEBUG>`. */
  readonly tag: string;
  /** The real path of its file. */
  readonly path: string;
  /** The line of the tag, from 1. */
  readonly line: number;
  /** Number of lines in it. */
  readonly lines: number;
  /** Whether the server is known to skip it. */
  readonly isSkippedByServer: boolean;
  /** Whether it was checked for lines that httpd refuses. */
  readonly isCheckedForStart: boolean;
}

/**
 * Runs rules on a project: a single walk drives all rules, and one collector receives every finding.
 *
 * @returns all findings; only comments have suppressed some
 */
export function runRules(configuration: Project, options: RuleOptions): LintResult {
  const project = omitUnreadHtaccess(configuration);
  const isUpgrade = isBefore(options.from, "2.4");
  const rules = options.rules
    .flatMap(listChecks)
    .filter((rule) => (!rule.upgradeOnly || isUpgrade) && canRunOn(rule, project.kind));
  const activeRuleIds = [...new Set(rules.flatMap(({ id, variant = id }) => [id, variant]))];
  const ruleIds = options.ruleIds ?? activeRuleIds;
  const { proofs = noProofs, now = new Date(), timings } = options;
  const read = new Set(project.htaccess);
  const unreadHtaccess = configuration.htaccess.filter((file) => !read.has(file));
  let collector = new FindingCollector(rules);
  const reports = rules.map(() => 0);
  const running = rules.map((rule, index) => {
    const report = (finding: Report) => {
      reports[index] = (reports[index] ?? 0) + 1;
      timings?.countReport(rule.id);
      collector.accept(rule, finding);
    };
    const context: RuleContext = {
      project,
      unreadHtaccess,
      release: project.release,
      from: options.from,
      ruleIds,
      activeRuleIds,
      proofs,
      files: options.files,
      now,
      readCertificates: options.readCertificates,
      report,
    };
    const visitor = timings
      ? measureVisitor(
          rule.id,
          timings.runRule(rule.id, () => rule.check(context)),
          timings,
        )
      : rule.check(context);
    return { visitor, context, index };
  });
  const exposures = running.flatMap(({ visitor: { exposure }, context, index }) => {
    const scope = exposure && createExposureVisitor(exposure, context);
    return scope ? [{ visitor: { scope }, index }] : [];
  });
  const probes = new ScopeProbes(
    running.flatMap(({ visitor, context }) => listReportingRules(visitor.probe, context)),
    project,
  );
  const walking = [...running, ...exposures];
  walkProject(project, [...walking.map(({ visitor }) => visitor), probes.visitor], (each) =>
    each === undefined ? collector.reports : (reports[walking[each]?.index ?? -1] ?? 0),
  );
  probes.check();

  collector.omitUpgraded(options.upgraded ?? noPaths);
  if (options.omitsRoutine) collector.omitRoutine();

  const trees = uniqueTrees(project);
  const { kept, ignored, outcome } = applyIgnores(collector.findings(), trees.flatMap(findIgnoreComments));
  collector = new FindingCollector(rules);
  for (const { visitor } of running) visitor.ignores?.(outcome);
  return {
    findings: addHosts([...kept, ...collector.findings()].sort(compareByLocation), project),
    ignored,
    files: trees.length,
    lines: trees.reduce((sum, tree) => sum + countLines(tree.source), 0),
    unchecked: [],
    assumedModules: project.modules.listAssumed(),
    untried: listUntriedLines({ project, files: options.files }).map(
      ({ span: { file, start } }) => `${file.realPath}:${lineAt(file, start)}`,
    ),
  };
}

/** Reports whether a rule can run on a configuration of some kind, entirely or in part. */
function canRunOn({ needsWholeServer: need }: RuleCheck, kind: EntryKind): boolean {
  return kind === "server" || need === undefined || need.part !== undefined;
}

/** Returns each file once, even if it is reached by two names. */
function uniqueTrees(project: Project) {
  return [...new Map([...project.files.values()].map((tree) => [tree.source.realPath, tree])).values()];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const noPaths: ReadonlySet<string> = new Set();

/** Collects findings: maps them to where the user wrote the text, removes duplicates, and drops superseded ones. */
class FindingCollector {
  /** Number of reports, kept or not. */
  reports = 0;
  private accepted: Finding[] = [];
  /** Text that belongs to the line of a finding. */
  private readonly engulfed: { readonly by: Finding; readonly text: Span }[] = [];
  /** The rules and variants that each rule or variant supersedes. */
  private readonly supersedes: ReadonlyMap<string, readonly string[]>;
  private readonly upgradeRules: ReadonlySet<string>;

  constructor(rules: readonly RuleCheck[]) {
    this.upgradeRules = new Set(rules.flatMap(({ id, variant = id, upgradeOnly }) => (upgradeOnly ? [variant] : [])));
    this.supersedes = new Map(rules.map(({ id, variant = id, supersedes = none }) => [variant, supersedes]));
  }

  accept(rule: RuleCheck, report: Report): void {
    this.reports++;
    // What an expression of a template becomes is not known.
    if (isAssumed(report.span) || (!rule.isAboutTemplate && isAboutExpression(report.span))) return;
    const { span, isAboutServer, isRoutine, fix, cause, supplies, covers, witness, mayAllow } = report;
    // The references of a rule are those of all its variants.
    const { references = rule.variant === undefined ? undefined : rule.references } = report;
    const { message, effect, help, label, addsLines, changesRelated, notes: ownNotes } = partsOfText(report.message);
    const stated = effect && [describeRejectionEffect(effect)];
    const notes = joinNotes(stated, joinNotes(ownNotes, report.notes));
    const related = (report.related ?? none).filter((each) => !isAssumed(each.span));
    const place = isExpansion(span.file) ? resolveWrittenPlace(span) : { span, used: none };
    // A large fleet has a hundred thousand findings: one object each, without the absent parts.
    const finding: Mutable<Finding> = {
      rule: rule.id,
      severity: report.severity ?? rule.severity,
      message,
      span: place.span,
      related: related.length + place.used.length === 0 ? none : [...related, ...place.used].map(toWrittenRelated),
    };
    if (rule.variant !== undefined) finding.variant = rule.variant;
    if (label) finding.label = label;
    if (effect) finding.effect = effect;
    if (notes) finding.notes = notes;
    if (help) finding.help = help;
    if (addsLines) finding.addsLines = addsLines;
    if (changesRelated) finding.changesRelated = changesRelated;
    if (isAboutServer) finding.isAboutServer = isAboutServer;
    if (isRoutine) finding.isRoutine = isRoutine;
    // What a line of a template becomes is not known, nor how another file quotes a text.
    if (fix && !fix.edits.some((edit) => edit.span.file.isPart || isInTemplateLine(edit.span)))
      finding.fix = { ...fix, edits: withOwnComments(sortEdits(fix.edits)) };
    if (cause) finding.cause = cause;
    if (supplies) finding.supplies = supplies;
    if (covers) finding.covers = covers.map((each) => resolveWrittenPlace(each).span);
    if (witness) finding.witness = witness;
    if (mayAllow) finding.mayAllow = mayAllow;
    if (references) finding.references = references;
    if (report.engulfs) this.engulfed.push({ by: finding, text: report.engulfs });
    this.accepted.push(finding);
  }

  /** Removes the findings about the upgrade that involve one of these files. */
  omitUpgraded(files: ReadonlySet<string>): void {
    if (files.size === 0) return;
    const isIn = ({ span }: Related | Finding) => files.has(span.file.realPath);
    this.keep(
      (each) =>
        each.supplies !== undefined ||
        !this.upgradeRules.has(checkNameOf(each)) ||
        !(isIn(each) || each.related.some(isIn)),
    );
  }

  /** Removes the findings that hold for nearly every server. */
  omitRoutine(): void {
    this.keep(({ isRoutine }) => !isRoutine);
  }

  private keep(isKept: (finding: Finding) => boolean): void {
    this.accepted = this.accepted.filter(isKept);
  }

  findings(): Finding[] {
    const all = this.withoutCovered(
      this.withoutEngulfed(this.accepted.sort(compareByLocation).filter(isFirstOccurrence)),
    );
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

  /** Removes the findings in text that belongs to the line of another finding. */
  private withoutEngulfed(all: readonly Finding[]): readonly Finding[] {
    const { engulfed } = this;
    if (engulfed.length === 0) return all;
    const isInside = (finding: Finding) =>
      engulfed.some(
        ({ by, text: { file, start, end } }) =>
          file.realPath === finding.span.file.realPath &&
          start <= finding.span.start &&
          finding.span.start < end &&
          compareByLocation(by, finding) !== 0,
      );
    return all.filter((each) => !isInside(each));
  }

  /** Removes the findings of superseded rules on other lines that a finding covers. */
  private withoutCovered(all: readonly Finding[]): readonly Finding[] {
    const keyOf = (rule: string, { file, start }: Span) => `${rule} ${start} ${file.realPath}`;
    const covered = new Set<string>();
    for (const finding of all)
      for (const span of finding.covers ?? none)
        for (const superseded of this.supersededBy(finding)) covered.add(keyOf(superseded, span));
    if (covered.size === 0) return all;
    return all.filter(
      (each) => !covered.has(keyOf(each.rule, each.span)) && !covered.has(keyOf(checkNameOf(each), each.span)),
    );
  }

  private withoutSuperseded(onLine: readonly Finding[]): readonly Finding[] {
    const quiet = new Set(onLine.flatMap((each) => this.supersededBy(each)));
    return quiet.size === 0 ? onLine : onLine.filter((each) => !quiet.has(each.rule) && !quiet.has(checkNameOf(each)));
  }

  private supersededBy(finding: Finding): readonly string[] {
    return this.supersedes.get(checkNameOf(finding)) ?? none;
  }
}

const none: readonly never[] = [];

function joinNotes(own: Report["notes"], more: Report["notes"]): Report["notes"] {
  return own && more ? [...own, ...more] : (own ?? more);
}

/** Returns the end of the findings on the same line; sorted findings are adjacent. */
function findEndOfLine(sorted: readonly Finding[], start: number, { file, start: offset }: Span): number {
  const feed = file.text.indexOf("\n", offset);
  let end = start + 1;
  for (let next = sorted[end]?.span; next; next = sorted[end]?.span) {
    if (next.file.realPath !== file.realPath || (feed >= 0 && next.start > feed)) break;
    end++;
  }
  return end;
}

/** Reports whether a finding is the first of its duplicates, which are adjacent in sorted order. */
export function isFirstOccurrence(finding: Finding, index: number, sorted: readonly Finding[]): boolean {
  const before = sorted[index - 1];
  return before === undefined || compareByLocation(before, finding) !== 0;
}

/**
 * Returns the location to report. Text from a macro expansion is reported at the macro's own line, with the uses as
 * related locations.
 */
function resolveWrittenPlace(span: Span): { readonly span: Span; readonly used: readonly Related[] } {
  if (!isExpansion(span.file)) return { span, used: none };
  const used: Related[] = [];
  let place = span;
  while (isExpansion(place.file)) {
    if (!isOwnUse(place.file))
      used.push({ message: `the macro \`${place.file.macro.name}\` is used here`, span: place.file.use });
    place = place.file.origins[lineAt(place.file, place.start) - 1] ?? place.file.use;
  }
  return { span: place, used };
}

function toWrittenRelated(related: Related): Related {
  return { ...related, span: resolveWrittenPlace(related.span).span };
}

/** Compares findings by file and location. */
export function compareByLocation(a: Finding, b: Finding): number {
  return (
    (a.span.file === b.span.file ? 0 : compareTexts(a.span.file.realPath, b.span.file.realPath)) ||
    a.span.start - b.span.start ||
    a.span.end - b.span.end ||
    compareTexts(a.rule, b.rule) ||
    compareTexts(a.message, b.message) ||
    compareTexts(a.label ?? "", b.label ?? "") ||
    compareTexts((a.notes ?? []).join("\n"), (b.notes ?? []).join("\n")) ||
    compareTexts(a.help?.join("\n") ?? "", b.help?.join("\n") ?? "")
  );
}
