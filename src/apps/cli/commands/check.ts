import { statSync } from "node:fs";
import type { FileAccess } from "../../../config/files/file-access.js";
import { type Finding, fixSafeties, isAtLeast } from "../../../lint/finding.js";
import { measurePhase, Timings } from "../../../lint/runner/timings.js";
import { outputFormats } from "../../../report/formats.js";
import { formatTimings } from "../../../report/text/timings.js";
import { findClosestWord } from "../../../text/closest-word.js";
import { CACHE_FILE } from "../../cache/result-cache.js";
import { runInline, type TaskGenerator } from "../../workers/task.js";
import { chooseWorkerCount, runInWorkers, WorkerFailure } from "../../workers/worker-pool.js";
import { addResult, type CheckResults, countLinesPerFile } from "../check/check-results.js";
import { type CheckRun, type CheckRunFlags, lintPaths } from "../check/lint-paths.js";
import { renderFileList, renderResults, renderSettings } from "../check/render-results.js";
import { runWatch } from "../check/watch.js";
import {
  choiceFlag,
  formatFlag,
  formerFlag,
  listFlag,
  optionalChoiceFlag,
  switchFlag,
  textFlag,
} from "../inputs/flags.js";
import { readStreams } from "../inputs/standard-input.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { ProgressLine } from "../output/progress-line.js";
import { outputStyleOf } from "../output/terminal.js";
import { toOneLine } from "../output/write-output.js";
import { type CheckFlags, listsFiles, sortOrders, statisticsSubjects, validateCheckFlags } from "./check-flags.js";
import { commandNames, defineCommand } from "./command.js";
import { fixFindings, isFixRequested } from "./fix.js";
import {
  colorFlag,
  exitZeroFlag,
  failOnFlag,
  mainFlags,
  outputFlag,
  quietFlag,
  readingFlags,
  releaseFlag,
  severityFlag,
} from "./shared-flags.js";

export const checkCommand = defineCommand({
  describe: "Report problems",
  arguments: {
    paths: {
      type: "string",
      array: true,
      value: "PATH…",
      describe: "Files, directories, or - for standard input (default: servers in .httpd-lint.json, or .)",
    },
  },
  flags: {
    ...readingFlags,
    // `upgrade` and `compare` call the target version so.
    release: { ...readingFlags.release, alias: ["to"] },
    from: releaseFlag("Version you upgrade from; adds the upgrade rules"),
    main: mainFlags.main,
    "skip-unrecognized": switchFlag(
      "Input",
      "Skip given files that are excluded or not httpd configuration, for hooks",
    ),
    exclude: listFlag("Input", "PATTERN", "Leave out these paths of directories, as .gitignore does"),
    "no-ignore": switchFlag("Input", "Also check files in directories that Git ignores"),
    "stdin-filename": mainFlags["stdin-filename"],
    select: listFlag("Rules", "RULE,…", "Run only these rules or groups"),
    "extend-select": listFlag("Rules", "RULE,…", "Run these rules in addition to the default ones"),
    disable: listFlag("Rules", "RULE,…", "Disable these rules or groups"),
    "min-severity": severityFlag("Rules", "info", "Least severity to report: error, warning or info (default: info)"),
    "changed-since": textFlag("Rules", "COMMIT", "Report only lines changed since this Git commit"),
    baseline: textFlag("Rules", "FILE", "Suppress the known findings in this file"),
    "update-baseline": switchFlag("Rules", "Write all findings to the baseline"),
    "no-suppressions": switchFlag("Rules", "Also report findings that comments, `ignores` or a baseline suppress"),
    fix: optionalChoiceFlag(
      "Changes",
      fixSafeties,
      "Apply fixes that are proved not to change access; =unsafe: all fixes",
    ),
    diff: switchFlag("Changes", "Show what --fix would change, without writing"),
    "backup-dir": textFlag(
      "Changes",
      "DIR",
      "Directory for the originals (default: .httpd-lint next to the main file)",
    ),
    verbose: switchFlag("Output", "Show all findings, hosts and lines of a repeated finding"),
    format: formatFlag(outputFormats.check),
    sort: {
      ...choiceFlag("Output", sortOrders.join("|"), sortOrders, "Order of findings within a file (default: location)"),
      default: sortOrders[0],
    },
    "list-files": switchFlag("Output", "List the files that are checked, and how each is placed, as text or json"),
    "show-settings": switchFlag("Output", "Show the settings that apply, and what sets each, as text or json"),
    statistics: optionalChoiceFlag(
      "Output",
      statisticsSubjects,
      "Count findings by rule, as text or json; =reference: report recommendations of the CIS benchmark",
    ),
    by: formerFlag(choiceFlag("Output", statisticsSubjects.join("|"), statisticsSubjects, "Subject of --statistics")),
    "report-ignored": switchFlag("Output", "List suppressed findings, and what suppresses them"),
    output: outputFlag,
    report: listFlag("Output", "FORMAT=FILE", "Also write the result in another format to a file"),
    category: textFlag("Output", "NAME", "SARIF, comment: separate several runs on one commit"),
    "source-url": textFlag("Output", "URL", "Comment: address of this directory at the checked commit, for links"),
    color: colorFlag,
    quiet: quietFlag,
    "fail-on": failOnFlag,
    "exit-zero": exitZeroFlag,
    jobs: {
      ...textFlag(
        "Performance",
        "NUMBER",
        "Threads for many files (default: for 20,000, one per processor, at most 8)",
      ),
      alias: "j",
    },
    cache: {
      group: "Performance",
      value: "[=FILE]",
      type: "string",
      valueIfOmitted: "",
      describe: `Keep results, and use them again while all input is the same (FILE: ${CACHE_FILE} by .httpd-lint.json, or here)`,
    },
    "cache-location": formerFlag(textFlag("Performance", "FILE", "Cache file")),
    watch: switchFlag("Performance", "Check again when a file changes"),
    timings: switchFlag("Performance", "Show on standard error where the time goes, by phase and rule"),
  },
  handler(flags, exit) {
    const { statistics, by, cache, cacheLocation } = flags;
    const runFlags: CheckFlags = {
      ...flags,
      ...outputStyleOf(flags),
      paths: flags.paths ?? [],
      statistics: statistics && (by ?? statistics),
      cache: cacheLocation ?? cache,
    };
    if (!flags.watch) return runCheckInThreads(runFlags);
    const runOnce = (watch: AccessWatcher) => {
      const progress = ProgressLine.onTerminal(flags.quiet);
      return runInline(check(runFlags, watch, progress), (done, all) => progress.update(done, all));
    };
    runWatch(runFlags, runOnce, exit);
    return undefined;
  },
});

type AccessWatcher = (access: FileAccess) => FileAccess;
const unrecorded: AccessWatcher = (access) => access;

/** Checks many files with several threads; runs synchronously if there are few. */
function runCheckInThreads(flags: CheckFlags): CommandResult | Promise<CommandResult> {
  const countWorkers = chooseWorkerCount(flags.jobs);
  if (!countWorkers.ok) return createFailure(exitCodes.usage, countWorkers.error);
  const progress = ProgressLine.onTerminal(flags.quiet);
  const outcome = runInWorkers(check(flags, unrecorded, progress), countWorkers.value, (done, all) =>
    progress.update(done, all),
  );
  if (!(outcome instanceof Promise)) return outcome;
  return outcome.catch((error: unknown) => {
    progress.end();
    if (!(error instanceof WorkerFailure)) throw error;
    return createFailure(
      exitCodes.usage,
      `a thread failed: ${toOneLine(error.message)}; use fewer threads with --jobs`,
    );
  });
}

/**
 * Checks the configurations at the paths.
 *
 * @param watch observes the files read
 */
export function* check(flags: CheckFlags, watch: AccessWatcher, progress: ProgressLine): TaskGenerator<CommandResult> {
  if (!flags.timings) return yield* checkPaths(flags, watch, progress, undefined);
  // Only the first run includes the start of the program.
  const timings = watch === unrecorded ? new Timings("start", 0) : new Timings("prepare", performance.now());
  timings.enter("prepare");
  const result = yield* checkPaths(flags, watch, progress, timings);
  return measurePhase(timings, "render", () => {
    const output = [...result.output];
    const reports = (result.reports ?? []).map((report) => ({ ...report, output: [...report.output] }));
    return { ...result, output, reports, timings: formatTimings(timings) };
  });
}

/** The pipeline of `check`: lints the paths, fixes findings if requested, and renders those that are left. */
function* checkPaths(
  flags: CheckFlags,
  watch: AccessWatcher,
  progress: ProgressLine,
  timings: Timings | undefined,
): TaskGenerator<CommandResult> {
  const misused = validateCheckFlags(flags);
  if (misused !== undefined) return createFailure(exitCodes.usage, misused);
  const mistyped = findMistypedCommand(flags.paths);
  if (mistyped !== undefined) return createFailure(exitCodes.unreadable, mistyped);
  const streams = readStreams(flags);
  if (streams && !streams.ok) return streams.error;
  const input = streams?.value;
  const paths = input?.paths ?? flags.paths;

  // Fixes and recommendations need a fresh read, and standard input is seldom the same.
  const isKept =
    !flags.listFiles &&
    !flags.showSettings &&
    !isFixRequested(flags) &&
    !flags.updateBaseline &&
    input === undefined &&
    flags.statistics !== "reference";
  const runFlags: CheckRunFlags = {
    ...flags,
    isFixing: isFixRequested(flags),
    ...(isKept ? {} : { cache: false }),
    // While files are watched, the watcher handles Ctrl+C.
    ...(watch !== unrecorded ? {} : { runWithProgress: (compute) => progress.run(compute) }),
  };
  const all = yield* lintPaths(paths, runFlags, input?.overlay, (access) => progress.watch(watch(access)), timings);
  progress.end();
  if (!all.ok) return all.error;
  if (flags.listFiles && listsFiles(flags.format)) return renderFileList(all.value, flags.format);
  if (flags.showSettings && listsFiles(flags.format)) return renderSettings(all.value, flags.format);
  const isShown = (finding: Finding) => isAtLeast(finding, flags.minSeverity);
  const render = (results: CheckRun) => measurePhase(timings, "render", () => renderResults(results, flags, isShown));
  if (!isFixRequested(flags)) return render(all.value);
  const fixed = measurePhase(timings, "fix", () => fixFindings(all.value.found.linted, flags, isShown, input?.stdin));
  const notes = new Set([...all.value.found.notes, ...fixed.notes]);
  if ("exitCode" in fixed) return { ...fixed, read: [...all.value.found.files.keys()], notes: [...notes] };
  const left: CheckResults = { ...all.value.found, findings: [], ignored: [], notes };
  for (const { project, result, requestedFiles } of fixed.linted)
    addResult(result, countLinesPerFile(project), requestedFiles, left);
  const outcome = render({ ...all.value, found: left });
  if (fixed.text === undefined) return { ...outcome, output: joinOutput(fixed.patch ?? [], outcome.output) };
  const report = [...outcome.output].join("").trimEnd();
  // The fixed text of standard input may be redirected to its original file.
  return { ...outcome, output: [fixed.text], read: [], notes: [...outcome.notes, ...(report === "" ? [] : [report])] };
}

/** Returns the output of a command after something else. Its chunks are computed when they are written. */
function* joinOutput(first: readonly Buffer[], rest: CommandResult["output"]): Generator<string | Buffer> {
  yield* first;
  if (first.length > 0) yield "\n";
  yield* rest;
}

/**
 * Returns a first argument that is not a path and resembles a command name. Any other word is a path for the default
 * command.
 */
function findMistypedCommand([first = ""]: readonly string[]): string | undefined {
  const near = /^[a-z]+$/i.test(first) ? findClosestWord(first, commandNames) : undefined;
  if (near === undefined || statSync(first, { throwIfNoEntry: false })) return undefined;
  return `\`${first}\` is not a command, and no such path exists; did you mean \`httpd-lint ${near}\`?`;
}
