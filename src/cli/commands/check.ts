import { statSync } from "node:fs";
import { type Finding, type Severity, severities } from "../../engine/finding.js";
import { compareByLocation, isFirstOccurrence } from "../../engine/run-rules.js";
import { findRuleUrl, readBrowserScript, readRulePage, version } from "../../linter/package-files.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { type Format, formats, type ReportInput, render, statisticsWriters } from "../../report/index.js";
import { findClosestWord } from "../../text/closest-word.js";
import { addResult, type CheckResults, countLinesPerFile } from "../check/check-results.js";
import { type CheckRun, type CheckRunFlags, checkPaths } from "../check/check-run.js";
import { CACHE_FILE } from "../check/result-cache.js";
import { replaceStandardInput } from "../inputs/standard-input.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { type OutputStyle, outputStyleOf, ProgressLine } from "../output/terminal.js";
import { toOneLine } from "../output/write-output.js";
import { runInline, type TaskGenerator } from "../workers/task.js";
import { chooseWorkerCount, runInWorkers, WorkerFailure } from "../workers/worker-pool.js";
import { defineCommand } from "./command.js";
import { type FixFlags, fixFindings, isFixRequested, validateFixFlags } from "./fix.js";
import { addReadingFlags, addResultFlags, defineReleaseFlag, flagGroups, mainFlag } from "./shared-options.js";
import { runWatch } from "./watch.js";

export interface CheckFlags extends CheckRunFlags, FixFlags, OutputStyle {
  readonly stdinFilename?: string | undefined;
  readonly format: Format;
  readonly minSeverity: Severity;
  /** The lowest severity of findings that make the exit code 1. */
  readonly failOn: Severity;
  /** The order of findings within a file. */
  readonly sort: (typeof sortOrders)[number];
  readonly statistics: boolean;
  readonly reportIgnored?: boolean | undefined;
  readonly output?: string | undefined;
  readonly quiet: boolean;
  readonly category?: string | undefined;
  /** Number of threads. */
  readonly jobs?: string | undefined;
}

const sortOrders = ["location", "severity"] as const;

export const checkCommand = defineCommand({
  command: ["check [paths..]", "$0"],
  describe: "say what is wrong (the default command)",
  builder: (command) =>
    addResultFlags(addReadingFlags(command))
      .positional("paths", {
        type: "string",
        array: true,
        describe: "files, folders, or - for standard input",
        defaultDescription: "the servers of the settings, or .",
      })
      .option("main", mainFlag)
      .option("skip-unrecognized", {
        type: "boolean",
        default: false,
        describe: "skip given files that are not httpd configuration, for hooks",
      })
      .option("from", defineReleaseFlag("the release that the configuration comes from: adds the upgrade's rules"))
      .option("format", {
        requiresArg: true,
        choices: formats,
        default: "text" as Format,
        describe: "how findings are written",
      })
      .option("select", { type: "string", array: true, nargs: 1, describe: "only these rules: rule-a,rule-b" })
      .option("disable", { type: "string", array: true, nargs: 1, describe: "all rules but these" })
      .option("min-severity", {
        requiresArg: true,
        choices: severities,
        default: "info" as Severity,
        describe: "findings below it are left out",
      })
      .option("fail-on", {
        requiresArg: true,
        choices: severities,
        default: "warning" as Severity,
        describe: "findings of at least this severity make the exit code 1",
      })
      .option("sort", {
        requiresArg: true,
        choices: sortOrders,
        default: "location" as (typeof sortOrders)[number],
        describe: "order of the findings within a file",
      })
      .option("fix", {
        choices: ["safe", "unsafe"] as const,
        describe: "change the files where that is proved to be safe; --fix=unsafe: elsewhere, too",
      })
      .option("diff", { type: "boolean", default: false, describe: "show what --fix would write, and write nothing" })
      .option("backup-dir", {
        type: "string",
        requiresArg: true,
        describe: "where --fix keeps the old texts (default: `.httpd-lint` beside the main file)",
      })
      .option("statistics", {
        type: "boolean",
        default: false,
        describe: "count findings by rule instead of showing them",
      })
      .option("baseline", {
        type: "string",
        requiresArg: true,
        describe: "a file of findings that are known and stay quiet",
      })
      .option("update-baseline", {
        type: "boolean",
        default: false,
        describe: "write all that is found into the baseline",
      })
      .option("changed-since", {
        type: "string",
        requiresArg: true,
        describe: "a commit of git: only what is found in lines changed since",
      })
      .option("watch", { type: "boolean", default: false, describe: "check again whenever something is changed" })
      .option("jobs", {
        alias: "j",
        type: "string",
        requiresArg: true,
        describe: "so many threads share the work where there are thousands of files",
        defaultDescription: "the processors, at most 8",
      })
      .option("cache", {
        type: "boolean",
        describe: "tell again what was found before, while nothing that was read is changed",
      })
      .option("cache-location", {
        type: "string",
        requiresArg: true,
        describe: `the file that --cache keeps it in (default: ${CACHE_FILE} beside the settings, or here)`,
      })
      .option("report-ignored", { type: "boolean", default: false, describe: "say what is kept quiet, and by what" })
      .option("category", {
        type: "string",
        requiresArg: true,
        describe: "SARIF: keeps several runs of one commit apart",
      })
      .group(["from", "main", "skip-unrecognized", "stdin-filename"], flagGroups.read)
      .group(["select", "disable", "min-severity", "changed-since", "baseline", "update-baseline"], flagGroups.told)
      .group(["report-ignored", "statistics"], flagGroups.told)
      .group(["fix", "diff", "backup-dir"], flagGroups.changed)
      .group(["format", "sort", "output", "category", "color", "quiet", "fail-on", "exit-zero"], flagGroups.written)
      .group(["jobs", "watch", "cache", "cache-location"], flagGroups.run),
  handler(flags, exit) {
    const asked = { ...flags, ...outputStyleOf(flags), paths: flags.paths ?? [] };
    if (!flags.watch) return runCheckInWorkers(asked);
    runWatch(asked, (watch) => runCheck(asked, watch), exit);
    return undefined;
  },
});

type AccessWatcher = (access: FileAccess) => FileAccess;
const unwatched: AccessWatcher = (access) => access;

/**
 * Checks the configurations at the paths.
 *
 * @param watch observes the files read
 */
export function runCheck(flags: CheckFlags, watch = unwatched): CommandResult {
  const progress = ProgressLine.onTerminal(flags.quiet);
  return runInline(checkInBatches(flags, watch, progress), (done, all) => progress.update(done, all));
}

/** Checks many files with several threads; runs synchronously if there are few. */
function runCheckInWorkers(flags: CheckFlags): CommandResult | Promise<CommandResult> {
  const jobs = chooseWorkerCount(flags.jobs);
  if (typeof jobs !== "number") return createFailure(exitCodes.usage, jobs.failed);
  if (jobs === 1) return runCheck(flags);
  const progress = ProgressLine.onTerminal(flags.quiet);
  const outcome = runInWorkers(checkInBatches(flags, unwatched, progress), jobs, (done, all) =>
    progress.update(done, all),
  );
  if (!(outcome instanceof Promise)) return outcome;
  return outcome.catch((error: unknown) => {
    progress.end();
    if (!(error instanceof WorkerFailure)) throw error;
    return createFailure(
      exitCodes.usage,
      `a thread could not do its work: ${toOneLine(error.message)}; use fewer with --jobs`,
    );
  });
}

function* checkInBatches(
  flags: CheckFlags,
  watch: AccessWatcher,
  progress: ProgressLine,
): TaskGenerator<CommandResult> {
  const misused = findMisuse(flags);
  if (misused !== undefined) return createFailure(exitCodes.usage, misused);
  const mistyped = findMistypedCommand(flags.paths);
  if (mistyped !== undefined) return createFailure(exitCodes.unreadable, mistyped);
  const input = replaceStandardInput(flags);
  if (input && "failed" in input) return createFailure(input.exitCode, input.failed);
  const paths = flags.paths.map((path) => (path === "-" && input ? input.path : path));

  // Fixes need a fresh read, and standard input is seldom the same.
  const isKept = !isFixRequested(flags) && !flags.updateBaseline && input === undefined;
  const asked = { ...flags, isFixing: isFixRequested(flags), ...(isKept ? {} : { cache: false }) };
  const all = yield* checkPaths(paths, asked, input?.overlay, (access) => progress.watch(watch(access)));
  progress.end();
  if ("failed" in all) return all.failed;
  const isShown = (finding: Finding) => isAtLeast(finding, flags.minSeverity);
  if (!isFixRequested(flags)) return reportResults(all, flags, isShown);
  const fixed = fixFindings(all.found.linted, flags, isShown, input?.path);
  const notes = new Set([...all.found.notes, ...fixed.notes]);
  if ("exitCode" in fixed) return { ...fixed, read: [...all.found.files.keys()], notes: [...notes] };
  const left: CheckResults = { ...all.found, findings: [], ignored: [], notes };
  for (const { project, result, requestedFiles } of fixed.linted)
    addResult(result, countLinesPerFile(project), requestedFiles, left);
  const outcome = reportResults({ ...all, found: left }, flags, isShown);
  if (fixed.text === undefined) return outcome;
  const report = [...outcome.output].join("").trimEnd();
  // The fixed text of standard input may be redirected to its original file.
  return { ...outcome, output: [fixed.text], read: [], notes: [...outcome.notes, ...(report === "" ? [] : [report])] };
}

/** Returns the report for the results. */
function reportResults(all: CheckRun, flags: CheckFlags, isShown: (finding: Finding) => boolean): CommandResult {
  const sorted = all.found.findings.filter(isShown).sort(compareByLocation).filter(isFirstOccurrence);
  const findings = flags.sort === "severity" ? sorted.sort(compareBySeverity) : sorted;
  const result = createReportInput(findings, all, flags);
  const isCount = flags.statistics && hasStatistics(flags.format);
  const output = isCount ? [statisticsWriters[flags.format](result)] : render(flags.format, result);
  const isFailed = !flags.exitZero && findings.some((finding) => isAtLeast(finding, flags.failOn));
  const exitCode = isFailed ? exitCodes.findings : exitCodes.clean;
  return { output, read: [...all.found.files.keys()], notes: [...all.found.notes], exitCode };
}

function isAtLeast({ severity }: Finding, least: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(least);
}

/** Compares findings by file and severity; sorting keeps their order otherwise. */
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
    unusedIgnores: unused,
    ...(flags.width === undefined ? {} : { width: flags.width }),
    ...(flags.category === undefined ? {} : { category: flags.category }),
    ...(flags.format === "html" ? { rulePageOf: readRulePage, script: readBrowserScript("check") } : {}),
  };
}

/** Returns an error for incompatible flags. */
function findMisuse(flags: CheckFlags): string | undefined {
  const { statistics: isCount, reportIgnored, updateBaseline, changedSince, format, paths } = flags;
  if (isCount && !hasStatistics(format)) return `--statistics is written as text or json, not as ${format}`;
  if (reportIgnored && (isCount || !formatsWithSuppressed.includes(format)))
    return `--report-ignored is written as text, json, sarif or junit, not ${isCount ? "with --statistics" : `as ${format}`}`;
  if (updateBaseline && changedSince !== undefined)
    return "--update-baseline takes all that is found, and --changed-since leaves most of it out; leave one of them out";
  if (updateBaseline && paths.includes("-"))
    return "--update-baseline takes what is in the files, and standard input is none; name the file";
  if (isFixRequested(flags) && updateBaseline)
    return "--update-baseline takes what is found in the files as they are; run --fix first, then --update-baseline";
  if (isFixRequested(flags) && changedSince !== undefined)
    return "--changed-since tells lines by their numbers, and a fix moves them; leave one of them out";
  return validateFixFlags(flags);
}

/** The formats that can represent suppressed findings. */
const formatsWithSuppressed: readonly Format[] = ["text", "json", "sarif", "junit"];

/** Reports whether a format supports `--statistics`. */
function hasStatistics(format: Format): format is keyof typeof statisticsWriters {
  return Object.hasOwn(statisticsWriters, format);
}

const commands = [
  ...["check", "resolve", "explain", "test", "compare", "map", "upgrade", "migrate", "rules", "init", "lsp"],
  "completion",
];

/**
 * Returns a first argument that is not a path and resembles a command name. Any other word is a path for the default
 * command.
 */
function findMistypedCommand([first = ""]: readonly string[]): string | undefined {
  const near = /^[a-z]+$/i.test(first) ? findClosestWord(first, commands) : undefined;
  if (near === undefined || statSync(first, { throwIfNoEntry: false })) return undefined;
  return `\`${first}\` is no command, and no such path is there; did you mean \`httpd-lint ${near}\`?`;
}
