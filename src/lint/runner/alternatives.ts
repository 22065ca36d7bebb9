import { listAppliedSections, textOfTag } from "../../config/alternatives.js";
import type { Branch, Project, ReadConfig } from "../../config/model/project.js";
import { installConfig } from "../../startup/install-config.js";
import { containsSpan, lineAt, type Span } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import type { Finding } from "../finding.js";
import type { RuleDefinition } from "../rule.js";
import type { RuleGroup } from "../rule-groups.js";
import type { SuppressedFinding } from "../suppressions.js";
import {
  compareByLocation,
  isFirstOccurrence,
  type LintResult,
  type RuleOptions,
  runRules,
  type UncheckedSection,
} from "./run-rules.js";

/**
 * Adds the findings in the conditional sections that a configuration skips. Each section is checked in a reading in which
 * it applies, without proofs; a note names its condition. If a known server would need other modules for it, findings are at
 * most warnings. On a large server, only the lines are reported then that httpd would refuse, and the sections are listed as
 * unchecked: a second check by all rules takes too long.
 */
export function addAlternatives(all: LintResult, { read }: Project, options: RuleOptions): LintResult {
  const { readings, unread } = read.alternatives();
  const found = { ...all, findings: read.modulesAreKnown ? all.findings : all.findings.filter(isOfOneServer(read)) };
  const isLarge = countLines(read) > MAX_LINES_FOR_ALL_RULES;
  const unchecked = [
    ...unread.flatMap((branch) => describeUnchecked(branch, read.modulesAreKnown)),
    ...readings.flatMap(({ branches, isOfOtherServer }) =>
      isOfOtherServer && isLarge ? branches.flatMap((branch) => describeUnchecked(branch, true, true)) : [],
    ),
  ];
  if (readings.length === 0) return unchecked.length === 0 ? found : { ...found, unchecked };
  const findings: Finding[] = [];
  // What is wrong whether the condition holds or not needs no second finding.
  const known = new Set(found.findings.map(keyOf));
  const ignored: SuppressedFinding[] = [];
  const { from, proofs, upgraded, rules, ...rest } = options;
  const startRules = new Set(rules.filter(isAboutStart).map(({ id }) => id));
  for (const { config, branches: own, isOfOtherServer } of readings) {
    // An upgrade keeps neither the lines for the old release nor those for another one.
    const upgrade = from !== undefined && config.release === read.release ? { from } : {};
    const more = runRules(installConfig(config), {
      ...rest,
      ...upgrade,
      rules: isOfOtherServer ? rules.filter(isLarge ? isAboutStart : mayFitOtherServer) : rules,
    });
    const isRead = ({ source }: { source: Span["file"] }) => read.files.has(source.path);
    const isNew = new Set([...config.files.values()].filter((each) => !isRead(each)).map(({ source }) => source));
    const branchOf = ({ span }: Finding) => (isNew.has(span.file) ? own[0] : findBranch(span, own));
    for (const finding of more.findings.filter(isOfOneServer(config))) {
      if (known.has(keyOf(finding))) continue;
      const branch = branchOf(finding);
      const toShown = startRules.has(finding.rule) ? toPossibleError : toPossibleMistake;
      const shown = isOfOtherServer ? toShown(finding, config) : finding;
      if (branch && shown) findings.push({ ...shown, notes: [...(shown.notes ?? []), describeCondition(branch)] });
    }
    ignored.push(...more.ignored.filter((finding) => branchOf(finding) !== undefined));
  }
  // A comment that ignores a finding in one reading is of use.
  const isOfUse = ({ span }: Finding) =>
    ignored.some(({ by }) => by.kind === "comment" && containsSpan(by.comment.span, span));
  findings.push(...found.findings.filter((finding) => !isOfUse(finding)));
  ignored.push(...found.ignored);
  const unique = <T extends Finding>(all: T[]) => all.sort(compareByLocation).filter(isFirstOccurrence);
  return { ...found, findings: unique(findings), ignored: unique(ignored), unchecked };
}

function keyOf({ rule, span, message }: Finding): string {
  return `${rule} ${span.start} ${span.end} ${span.file.realPath} ${message}`;
}

const startGroups: ReadonlySet<RuleGroup> = new Set<RuleGroup>(["syntax", "startup", "upgrade"]);

/** A known server with more lines is not checked a second time by all rules. */
const MAX_LINES_FOR_ALL_RULES = 5000;

function countLines({ files }: ReadConfig): number {
  return [...files.values()].reduce((sum, { source }) => sum + lineAt(source, source.text.length), 0);
}

function isAboutStart({ severity, group }: RuleDefinition): boolean {
  return severity === "error" && startGroups.has(group);
}

/** Reports whether a rule may report lines of another server. */
function mayFitOtherServer({ isAboutServer }: RuleDefinition): boolean {
  return isAboutServer !== true;
}

/** Returns a finding of a rule that is not about the start, in a section that a known server skips. */
function toPossibleMistake(finding: Finding): Finding {
  return finding.severity === "error" ? { ...finding, severity: "warning" } : finding;
}

/**
 * Returns the finding for a line that a known server skips and would refuse. Undefined for one that another server accepts:
 * what a module needs or includes may be installed with it.
 */
function toPossibleError(finding: Finding, { problems }: ReadConfig): Finding | undefined {
  const { effect, severity, cause, span } = finding;
  const isHere = (other: Span) => other.file === span.file && other.start === span.start;
  // A warning is about a line that httpd refuses unless an unknown module defines it.
  if ((effect === undefined && severity !== "warning") || cause?.module !== undefined) return undefined;
  if (problems.some((problem) => problem.kind === "include" && isHere(problem.span))) return undefined;
  // Lines that the server reads have another effect.
  const possible = cause ? { cause: { ...cause, key: `${cause.key} if read` } } : {};
  return { ...finding, severity: "warning", ...possible };
}

/**
 * Returns a filter for findings all of whose lines one server may have: sections for different modules may be meant for
 * different servers.
 */
function isOfOneServer(config: ReadConfig): (finding: Finding) => boolean {
  if (config.guards.length === 0) return () => true;
  const sections = listAppliedSections(config);
  const around = (each: Span) =>
    sections.filter((section) => containsSpan(section.span, each)).map(({ tag }) => textOfTag(tag).toLowerCase());
  return ({ span, related }) => {
    if (related.length === 0) return true;
    const own = around(span);
    return related.every((other) => {
      const others = around(other.span);
      return own.every((each) => others.includes(each)) || others.every((each) => own.includes(each));
    });
  };
}

/** Returns the innermost of some sections that contains a span. */
function findBranch(place: Span, branches: readonly Branch[]): Branch | undefined {
  let inner: Branch | undefined;
  for (const branch of branches) {
    if (!containsSpan(branch.span, place)) continue;
    if (inner === undefined || branch.span.start > inner.span.start) inner = branch;
  }
  return inner;
}

const conditionWords: Readonly<Record<Branch["kind"], (place: string) => string>> = {
  section: (place) => `this applies to servers on which ${place} holds`,
  template: (place) => `this applies if the template takes the lines after ${place}`,
  macro: (place) => `no \`Use\` line in effect uses ${place}; this applies if one does`,
};

function describeCondition({ kind, tag }: Branch): string {
  const place = `${quoteText(textOfTag(tag))} on line ${lineAt(tag.file, tag.start)}`;
  return conditionWords[kind](place);
}

function describeUnchecked(
  { tag, lines }: Branch,
  isSkippedByServer: boolean,
  isCheckedForStart = false,
): readonly UncheckedSection[] {
  if (lines === 0) return [];
  const at = { tag: textOfTag(tag), path: tag.file.realPath, line: lineAt(tag.file, tag.start) };
  return [{ ...at, lines, isSkippedByServer, isCheckedForStart }];
}
