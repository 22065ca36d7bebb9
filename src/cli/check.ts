import { statSync } from "node:fs";
import { type Finding, type Severity, severities } from "../engine/finding.js";
import { byPlace, isNew } from "../engine/lint.js";
import type { FileAccess } from "../project/files.js";
import { type Format, type ReportInput, render, statistics } from "../report/index.js";
import { nearest } from "../text/nearest.js";
import { version } from "../version.js";
import { filesOf } from "./analysed.js";
import { type Checked, checked, type LookFlags } from "./checked.js";
import { oneLine } from "./deliver.js";
import { exitCodes } from "./exit-codes.js";
import { type FixFlags, fixFindings, wantsFixes, wrongFixFlags } from "./fix.js";
import { type Found, gather } from "./found.js";
import { jobsFor } from "./jobs.js";
import { failure, type Outcome } from "./outcome.js";
import { Progress } from "./progress.js";
import { browserScript, rulePage } from "./shipped.js";
import { standardInput } from "./standard-input.js";
import { inThreads, ThreadFailure } from "./threads.js";
import { inThisThread, type Steps } from "./work.js";

export interface CheckFlags extends LookFlags, FixFlags {
  readonly stdinFilename?: string | undefined;
  readonly format: Format;
  readonly minSeverity: Severity;
  readonly statistics: boolean;
  readonly reportIgnored?: boolean | undefined;
  readonly output?: string | undefined;
  readonly quiet: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
  readonly category?: string | undefined;
  /** How many threads share the work. */
  readonly jobs?: string | undefined;
}

type Watch = (access: FileAccess) => FileAccess;
const unwatched: Watch = (access) => access;

/**
 * Says what is wrong with the configurations at the paths.
 *
 * @param watch is shown the files that are read
 */
export function check(flags: CheckFlags, watch = unwatched): Outcome {
  const progress = Progress.onTerminal(flags.quiet);
  return inThisThread(checking(flags, watch, progress), (done, all) => progress.told(done, all));
}

/** The same, where there are many files by several threads; at once where there are not. */
export function checkInThreads(flags: CheckFlags): Outcome | Promise<Outcome> {
  const jobs = jobsFor(flags.jobs);
  if (typeof jobs !== "number") return failure(exitCodes.usage, jobs.failed);
  if (jobs === 1) return check(flags);
  const progress = Progress.onTerminal(flags.quiet);
  const outcome = inThreads(checking(flags, unwatched, progress), jobs, (done, all) => progress.told(done, all));
  if (!(outcome instanceof Promise)) return outcome;
  return outcome.catch((error: unknown) => {
    progress.end();
    if (!(error instanceof ThreadFailure)) throw error;
    return failure(exitCodes.usage, `a thread could not do its work: ${oneLine(error.message)}; use fewer with --jobs`);
  });
}

function* checking(flags: CheckFlags, watch: Watch, progress: Progress): Steps<Outcome> {
  const misused = misuse(flags);
  if (misused !== undefined) return failure(exitCodes.usage, misused);
  const mistyped = mistypedCommand(flags.paths);
  if (mistyped !== undefined) return failure(exitCodes.unreadable, mistyped);
  const input = standardInput(flags);
  if (input && "failed" in input) return failure(input.exitCode, input.failed);
  const paths = flags.paths.map((path) => (path === "-" && input ? input.path : path));

  // Fixes are of what is read now, and standard input is seldom the same.
  const isKept = !wantsFixes(flags) && !flags.updateBaseline && input === undefined;
  const asked = { ...flags, isFixing: wantsFixes(flags), ...(isKept ? {} : { cache: false }) };
  const all = yield* checked(paths, asked, input?.overlay, (access) => progress.watch(watch(access)));
  progress.end();
  if ("failed" in all) return all.failed;
  const threshold = severities.indexOf(flags.minSeverity);
  const isShown = (finding: Finding) => severities.indexOf(finding.severity) <= threshold;
  if (!wantsFixes(flags)) return reported(all, flags, isShown);
  const fixed = fixFindings(all.found.linted, flags, isShown, input?.path);
  const notes = new Set([...all.found.notes, ...fixed.notes]);
  if ("exitCode" in fixed) return { ...fixed, read: [...all.found.files.keys()], notes: [...notes] };
  const left: Found = { ...all.found, findings: [], ignored: [], notes };
  for (const { project, result, asked } of fixed.linted) gather(result, filesOf(project), asked, left);
  const outcome = reported({ ...all, found: left }, flags, isShown);
  if (fixed.text === undefined) return outcome;
  const report = [...outcome.output].join("").trimEnd();
  // The fixed text of standard input may well be meant for the file that it came from.
  return { ...outcome, output: [fixed.text], read: [], notes: [...outcome.notes, ...(report === "" ? [] : [report])] };
}

/** What is told of what was found. */
function reported(all: Checked, flags: CheckFlags, isShown: (finding: Finding) => boolean): Outcome {
  const findings = all.found.findings.filter(isShown).sort(byPlace).filter(isNew);
  const result = reportOf(findings, all, flags);
  const isCount = flags.statistics && isCounted(flags.format);
  const output = isCount ? [statistics[flags.format](result)] : render(flags.format, result);
  const exitCode = findings.length > 0 && !flags.exitZero ? exitCodes.findings : exitCodes.clean;
  return { output, read: [...all.found.files.keys()], notes: [...all.found.notes], exitCode };
}

function reportOf(findings: readonly Finding[], { found, rules, unused }: Checked, flags: CheckFlags): ReportInput {
  return {
    findings,
    ignored: found.ignored.sort(byPlace).filter(isNew),
    files: found.files.size,
    lines: [...found.files.values()].reduce((sum, lines) => sum + lines, 0),
    rules,
    version,
    base: process.cwd(),
    colour: flags.colour,
    reportIgnored: flags.reportIgnored === true,
    unusedIgnores: unused,
    ...(flags.width === undefined ? {} : { width: flags.width }),
    ...(flags.category === undefined ? {} : { category: flags.category }),
    ...(flags.format === "html" ? { rulePageOf: rulePage, script: browserScript("check") } : {}),
  };
}

/** Flags that do not go together. */
function misuse(flags: CheckFlags): string | undefined {
  const { statistics: isCount, reportIgnored, updateBaseline, changedSince, format, paths } = flags;
  if (isCount && !isCounted(format)) return `--statistics is written as text or json, not as ${format}`;
  if (reportIgnored && (isCount || !writesIgnored.includes(format)))
    return `--report-ignored is written as text, json, sarif or junit, not ${isCount ? "with --statistics" : `as ${format}`}`;
  if (updateBaseline && changedSince !== undefined)
    return "--update-baseline takes all that is found, and --changed-since leaves most of it out; leave one of them out";
  if (updateBaseline && paths.includes("-"))
    return "--update-baseline takes what is in the files, and standard input is none; name the file";
  if (wantsFixes(flags) && updateBaseline)
    return "--update-baseline takes what is found in the files as they are; run --fix first, then --update-baseline";
  if (wantsFixes(flags) && changedSince !== undefined)
    return "--changed-since tells lines by their numbers, and a fix moves them; leave one of them out";
  return wrongFixFlags(flags);
}

/** The formats that have a place for what is kept quiet. */
const writesIgnored: readonly Format[] = ["text", "json", "sarif", "junit"];

/** Whether `--statistics` can be written so. */
function isCounted(format: Format): format is keyof typeof statistics {
  return Object.hasOwn(statistics, format);
}

const commands = [
  ...["check", "resolve", "explain", "test", "compare", "map", "upgrade", "migrate", "rules", "init", "lsp"],
  "completion",
];

/** A first word that is no path and almost a command: any other word is one, too, of the default command. */
function mistypedCommand([first = ""]: readonly string[]): string | undefined {
  const near = /^[a-z]+$/i.test(first) ? nearest(first, commands) : undefined;
  if (near === undefined || statSync(first, { throwIfNoEntry: false })) return undefined;
  return `\`${first}\` is no command, and no such path is there; did you mean \`httpd-lint ${near}\`?`;
}
