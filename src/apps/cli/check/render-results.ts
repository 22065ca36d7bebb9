import { allRules } from "../../../../rules/index.js";
import { type Finding, isAtLeast, severities } from "../../../lint/finding.js";
import { compareByLocation, isFirstOccurrence } from "../../../lint/runner/run-rules.js";
import {
  type Format,
  fileListWriters,
  formats,
  hasStatistics,
  type ReportInput,
  recommendationWriters,
  render,
  settingsListWriters,
  statisticsWriters,
} from "../../../report/index.js";
import { quoteShellWord } from "../../../text/escaping.js";
import type { Result } from "../../../text/result.js";
import { findRuleUrl, readBrowserScript, readRulePage, version } from "../../package-files.js";
import { shortenPath } from "../../short-path.js";
import type { CheckFlags } from "../commands/check-flags.js";
import { type CommandResult, exitCodes, type ReportFile } from "../output/command-result.js";
import { toOneLine } from "../output/write-output.js";
import type { CheckRun } from "./lint-paths.js";

/** Returns the report for the results of a run. */
export function renderResults(all: CheckRun, flags: CheckFlags, isShown: (finding: Finding) => boolean): CommandResult {
  const sorted = all.found.findings.filter(isShown).sort(compareByLocation).filter(isFirstOccurrence);
  const findings = flags.sort === "severity" ? sorted.sort(compareBySeverity) : sorted;
  const result = createReportInput(findings, all, flags);
  const output =
    flags.statistics && hasStatistics(flags.format)
      ? [renderStatistics(result, all, flags.statistics, flags.format)]
      : render(flags.format, result);
  const isFailed = !flags.exitZero && findings.some((finding) => isAtLeast(finding, flags.failOn));
  const exitCode = isFailed ? exitCodes.findings : exitCodes.clean;
  const notes = [...all.found.notes, ...describeOldConfiguration(findings, all, flags)];
  return { output, reports: listReports(findings, all, flags), read: [...all.found.files.keys()], notes, exitCode };
}

/** Returns the list of the files of a run. */
export function renderFileList({ found: { placed, files, notes } }: CheckRun, format: "text" | "json"): CommandResult {
  const list = { version, base: process.cwd(), files: placed.files(), excluded: placed.excluded(files) };
  const output = [fileListWriters[format](list)];
  return { output, read: [...files.keys()], notes: [...notes], exitCode: exitCodes.clean };
}

/** Returns the settings of a run. */
export function renderSettings({ found }: CheckRun, format: keyof typeof settingsListWriters): CommandResult {
  const list = { version, base: process.cwd(), servers: [...found.shownSettings.values()] };
  const output = [settingsListWriters[format](list)];
  return { output, read: [...found.files.keys()], notes: [...found.notes], exitCode: exitCodes.clean };
}

/** Returns the reports for other files, without the colors of a terminal. */
function listReports(findings: readonly Finding[], all: CheckRun, flags: CheckFlags): readonly ReportFile[] {
  return (flags.report ?? []).flatMap((request) => {
    const requested = parseReportRequest(request);
    if (!requested.ok) return [];
    const { format, path } = requested.value;
    const plain = { ...flags, format, colour: false, hyperlinks: false, width: undefined };
    return { path, output: render(format, createReportInput(findings, all, plain)) };
  });
}

/** Parses the value of `--report`: a format and a file. */
export function parseReportRequest(
  request: string,
): Result<{ readonly format: Format; readonly path: string }, string> {
  const [, name = request, path = ""] = /^(.*?)=(.*)$/s.exec(request) ?? [];
  const format = formats.find((each) => each === name);
  if (format !== undefined && path !== "") return { ok: true, value: { format, path } };
  if (format !== undefined) return { ok: false, error: `--report needs a file: --report ${format}=FILE` };
  return {
    ok: false,
    error: `invalid format \`${toOneLine(name)}\` for --report: expected one of ${formats.join(", ")}`,
  };
}

function renderStatistics(
  result: ReportInput,
  { found: { evidence } }: CheckRun,
  subject: CheckFlags["statistics"],
  format: keyof typeof statisticsWriters,
): string {
  return subject === "reference"
    ? recommendationWriters[format]({ ...result, allRules, evidence })
    : statisticsWriters[format](result);
}

/** Returns a note on `upgrade` for a configuration that is obviously for 2.2. */
function describeOldConfiguration(
  findings: readonly Finding[],
  { found, rules }: CheckRun,
  { paths }: CheckFlags,
): readonly string[] {
  const ids = new Set(rules.flatMap(({ id, impliesRelease }) => (impliesRelease === "2.2" ? [id] : [])));
  const removed = findings.find(({ rule }) => ids.has(rule));
  // With --from, the findings are already about the upgrade.
  const isUpgrade = rules.some(({ id, upgradeOnly }) => upgradeOnly && found.ran.has(id));
  if (removed === undefined || isUpgrade) return [];
  const entry = paths.includes("-") ? "-" : quoteShellWord(shortenPath(removed.span.file.realPath));
  return [
    `httpd-lint: this configuration is for 2.2; run \`httpd-lint upgrade ${entry}\` to list everything that 2.4 breaks or changes`,
  ];
}

/** Compares findings by file and severity; the sort is stable. */
function compareBySeverity(a: Finding, b: Finding): number {
  const [one, other] = [a.span.file.realPath, b.span.file.realPath];
  if (one !== other) return one < other ? -1 : 1;
  return severities.indexOf(a.severity) - severities.indexOf(b.severity);
}

function createReportInput(
  findings: readonly Finding[],
  { found, rules, unused }: CheckRun,
  flags: CheckFlags,
): ReportInput {
  return {
    findings,
    ignored: found.ignored.sort(compareByLocation).filter(isFirstOccurrence),
    files: found.files.size,
    lines: [...found.files.values()].reduce((sum, lines) => sum + lines, 0),
    rules,
    version,
    base: process.cwd(),
    colour: flags.colour,
    hyperlinks: flags.hyperlinks,
    helpUri: (rule) => findRuleUrl(rule, process.env),
    reportIgnored: flags.reportIgnored === true,
    isVerbose: flags.verbose === true,
    omitsSummary: flags.quiet > 0,
    unusedIgnores: unused,
    unchecked: [...found.unchecked.values()],
    unreadCommands: [...found.unread.values()],
    assumedModules: [...found.assumedModules].toSorted(),
    untriedCount: found.untried.size,
    ...(flags.width === undefined ? {} : { width: flags.width }),
    ...(flags.category === undefined ? {} : { category: flags.category }),
    ...(flags.sourceUrl === undefined ? {} : { sourceUrl: flags.sourceUrl }),
    ...(flags.format === "html" ? { rulePageOf: readRulePage, script: readBrowserScript("check") } : {}),
  };
}
