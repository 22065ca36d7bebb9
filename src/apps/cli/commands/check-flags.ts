import { resolve } from "node:path";
import type { Severity } from "../../../lint/finding.js";
import { type Format, fileListWriters, hasStatistics } from "../../../report/index.js";
import type { CheckRunFlags } from "../check/lint-paths.js";
import { parseReportRequest } from "../check/render-results.js";
import type { OutputStyle } from "../output/terminal.js";
import { toOneLine } from "../output/write-output.js";
import { type FixFlags, isFixRequested, validateFixFlags } from "./fix.js";

export interface CheckFlags extends CheckRunFlags, FixFlags, OutputStyle {
  readonly stdinFilename?: string | undefined;
  readonly format: Format;
  readonly minSeverity: Severity;
  /** The lowest severity of findings that make the exit code 1. */
  readonly failOn: Severity;
  /** The order of findings within a file. */
  readonly sort: (typeof sortOrders)[number];
  /** What is counted instead of listing the findings. */
  readonly statistics?: (typeof statisticsSubjects)[number] | undefined;
  /** The former spelling of its value. */
  readonly by?: (typeof statisticsSubjects)[number] | undefined;
  readonly reportIgnored?: boolean | undefined;
  readonly output?: string | undefined;
  /** More reports, each as `FORMAT=FILE`. */
  readonly report?: readonly string[] | undefined;
  /** How often `-q` was given. */
  readonly quiet: number;
  readonly category?: string | undefined;
  /** The web address of the working directory at the checked commit. */
  readonly sourceUrl?: string | undefined;
  /** Whether text shows all repetitions of a finding in full. */
  readonly verbose?: boolean | undefined;
  /** Whether to show where the time goes. */
  readonly timings?: boolean | undefined;
  /** Number of threads. */
  readonly jobs?: string | undefined;
}

export const statisticsSubjects = ["rule", "reference"] as const;
export const sortOrders = ["location", "severity"] as const;

/** Returns an error for incompatible flags. */
export function validateCheckFlags(flags: CheckFlags): string | undefined {
  const { statistics, reportIgnored, updateBaseline, changedSince, format, paths } = flags;
  const isCount = statistics !== undefined;
  if (isCount && !hasStatistics(format)) return `--statistics supports the formats text and json, not ${format}`;
  if (flags.sourceUrl !== undefined && !isWebAddress(flags.sourceUrl))
    return `invalid address \`${toOneLine(flags.sourceUrl)}\` for --source-url: expected one with http or https`;
  if (flags.listFiles && flags.showSettings)
    return "--list-files and --show-settings cannot be used together; use only one of them";
  const listing = flags.listFiles ? "--list-files" : flags.showSettings ? "--show-settings" : undefined;
  const misuse = listing && findListMisuse(listing, flags);
  if (misuse !== undefined) return misuse;
  const targets = new Set(flags.output === undefined ? [] : [resolve(flags.output)]);
  for (const request of flags.report ?? []) {
    const parsed = parseReportRequest(request);
    if (!parsed.ok) return parsed.error;
    const target = resolve(parsed.value.path);
    if (targets.has(target))
      return `two results for the file \`${toOneLine(parsed.value.path)}\`; name another file for --report`;
    targets.add(target);
  }
  if (flags.report !== undefined && isCount) return "--report cannot be used with --statistics; use only one of them";
  if (flags.by !== undefined && !isCount) return "--by needs --statistics; use --statistics=reference";
  if (statistics === "reference" && isFixRequested(flags))
    return "--statistics=reference cannot be used with --fix or --diff; run --fix first";
  if (reportIgnored && (isCount || !formatsWithSuppressed.includes(format)))
    return isCount
      ? "--report-ignored cannot be used with --statistics"
      : `--report-ignored supports the formats text, json, sarif and junit, not ${format}`;
  const suppressing = findSuppressingFlag(flags);
  if (flags.noSuppressions && suppressing)
    return `--no-suppressions reports all findings and cannot be used with ${suppressing}; use only one of them`;
  if (updateBaseline && changedSince !== undefined)
    return "--update-baseline records all findings, but --changed-since omits most; use only one of them";
  if (updateBaseline && paths.includes("-"))
    return "--update-baseline needs files and cannot read standard input; name the file";
  if (isFixRequested(flags) && updateBaseline)
    return "--update-baseline cannot be used with --fix or --diff; run --fix first, then --update-baseline";
  if (isFixRequested(flags) && changedSince !== undefined)
    return "--changed-since cannot be used with --fix or --diff, because fixes move lines; use only one of them";
  return validateFixFlags(flags);
}

/** Returns the name of a flag in use that needs suppressed findings, or that must not change their lines. */
function findSuppressingFlag(flags: CheckFlags): string | undefined {
  const { baseline, updateBaseline, reportIgnored } = flags;
  if (updateBaseline) return "--update-baseline";
  if (baseline !== undefined) return "--baseline";
  if (reportIgnored) return "--report-ignored";
  return isFixRequested(flags) ? "--fix or --diff" : undefined;
}

/** Reports whether a text is an address that a browser opens as a page: others, such as `javascript:`, may run code. */
function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//i.test(text);
}

/** Reports whether a format supports `--list-files` and `--show-settings`. */
export function listsFiles(format: Format): format is keyof typeof fileListWriters {
  return Object.hasOwn(fileListWriters, format);
}

/** Returns an error for flags that a flag which checks nothing cannot be used with. */
function findListMisuse(listing: string, flags: CheckFlags): string | undefined {
  if (!listsFiles(flags.format)) return `${listing} supports the formats text and json, not ${flags.format}`;
  const others = [
    ["--statistics", flags.statistics !== undefined],
    ["--report-ignored", flags.reportIgnored],
    ["--report", flags.report !== undefined],
    ["--fix or --diff", isFixRequested(flags)],
    ["--update-baseline", flags.updateBaseline],
  ] as const;
  const [name] = others.find(([, isUsed]) => isUsed) ?? [];
  return name && `${listing} checks nothing and cannot be used with ${name}; use only one of them`;
}

/** The formats that can represent suppressed findings. */
const formatsWithSuppressed: readonly Format[] = ["text", "json", "sarif", "junit"];
