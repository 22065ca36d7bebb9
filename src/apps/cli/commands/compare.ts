import { otherLineOf, type Release } from "../../../facts/release.js";
import type { Finding } from "../../../lint/finding.js";
import { compare as compareSides } from "../../../proof/compare/compare.js";
import { findUncomparedChanges } from "../../../proof/compare/uncompared-changes.js";
import { defaultBudget } from "../../../proof/model/budget.js";
import type { ConfigComparison, Difference } from "../../../proof/model/comparison.js";
import { type ExpectedRequest, renderCurlCommands } from "../../../report/answers/sent-request.js";
import { renderComparisonJson } from "../../../report/comparisons/comparison-json.js";
import {
  type ComparisonReport,
  listComparison,
  renderComparisonText,
} from "../../../report/comparisons/comparison-report.js";
import {
  listLogComparison,
  type RequestComparison,
  RequestComparisonCounts,
  renderLogComparisonJson,
  renderLogComparisonText,
} from "../../../report/comparisons/log-comparison.js";
import { type OutputFormat, outputFormats, type Renderers } from "../../../report/formats.js";
import { describeFailure } from "../../../report/text/failure-words.js";
import { SimulatedServer } from "../../../server/answer.js";
import type { Semantics } from "../../../server/model/answer.js";
import { isHostHeader } from "../../../server/request/request-parser.js";
import { installConfig } from "../../../startup/install-config.js";
import type { Result } from "../../../text/result.js";
import { hostDefaults, readLoggedRequests } from "../inputs/access-log.js";
import { formatFlag, switchFlag, textFlag } from "../inputs/flags.js";
import {
  collectAssumptions,
  collectProofAssumptions,
  describeMissingFiles,
  type LoadedServer,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type LogLine, openLog } from "../inputs/log-lines.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { ProgressLine } from "../output/progress-line.js";
import { defineCommand } from "./command.js";
import {
  documentRenderers,
  type ReportFlags,
  runServerCommand,
  type ServerReport,
  textStyleOf,
  withServer,
} from "./server-command.js";
import {
  assumptionFlags,
  curlFlag,
  entryArgument,
  findCurlConflict,
  inputFlags,
  mainFlags,
  readingFlag,
  releaseFlag,
  resultFlags,
} from "./shared-flags.js";

interface CompareFlags extends Omit<ServerFlags, "release">, ReportFlags {
  /** If omitted, `entry` is compared with itself under the other release. */
  readonly after?: string | undefined;
  readonly curl: boolean;
  /** The release under which both are read. */
  readonly release?: Release | undefined;
  readonly from?: Release | undefined;
  readonly to?: Release | undefined;
  /** An access log whose requests are evaluated on both sides. */
  readonly requests?: string | undefined;
  /** The host of the requests in a log that does not name it. */
  readonly host?: string | undefined;
  readonly reading: Semantics;
  readonly format: OutputFormat<"compare">;
}

type CompareRenderers = Renderers<"compare", () => Iterable<string>>;

export const compareCommand = defineCommand({
  describe: "Prove that two configurations make the same access decisions",
  arguments: {
    before: entryArgument,
    after: { type: "string", describe: "Configuration to compare with (default: BEFORE under the other version)" },
  },
  flags: {
    ...inputFlags,
    reading: readingFlag,
    ...mainFlags,
    ...assumptionFlags,
    release: releaseFlag("Version of both, with AFTER (default: 2.4)"),
    from: releaseFlag("Version of BEFORE (default: 2.2 without AFTER)"),
    to: releaseFlag("Version of AFTER (default: 2.4)"),
    requests: textFlag("Request", "LOG", "Compare only the requests of an access log, or - for standard input"),
    host: textFlag("Request", "HOST[:PORT]", "Host of the requests in LOG that name none"),
    format: formatFlag(outputFormats.compare),
    ...resultFlags,
    curl: curlFlag,
    verbose: switchFlag("Output", "Show all hosts, all affected requests and all differences"),
  },
  handler: ({ before, ...otherFlags }) => withServer({ ...otherFlags, entry: before }, runCompare),
});

/** Compares the decisions of two configurations, or of one under two releases, for every request. */
function runCompare(flags: CompareFlags): CommandResult {
  const conflict = findCurlConflict(flags);
  if (conflict !== undefined) return createFailure(exitCodes.usage, conflict);
  const releases = chooseReleases(flags);
  if (!releases.ok) return createFailure(exitCodes.usage, releases.error);
  const { from, to } = releases.value;
  const entries = [flags.entry, flags.after ?? flags.entry] as const;
  if (entries[0] === "-" && entries[1] === "-" && flags.after !== undefined)
    return createFailure(
      exitCodes.usage,
      "BEFORE and AFTER cannot both be standard input; name a file for one of them",
    );
  if (flags.requests === "-" && entries.includes("-"))
    return createFailure(
      exitCodes.usage,
      "a configuration and --requests cannot both be standard input; name a file for one of them",
    );
  const { host } = flags;
  if (host !== undefined && flags.requests === undefined)
    return createFailure(exitCodes.usage, "--host is for the requests of a log; name it with --requests");
  if (host !== undefined && !isHostHeader(host))
    return createFailure(exitCodes.usage, `\`${host}\` of --host is not a valid host`);
  const log = flags.requests === undefined ? undefined : openLog(flags.requests);
  if (log && !log.ok)
    return createFailure(
      exitCodes.unreadable,
      `the log \`${flags.requests}\` of --requests cannot be read: ${log.error}`,
    );
  // The name applies to the side that is standard input.
  const nameOf = (entry: string) => (entry === "-" || !entries.includes("-") ? flags.stdinFilename : undefined);
  const sideAt = (entry: string, release: Release) => ({ ...flags, entry, stdinFilename: nameOf(entry), release });
  return runServerCommand(
    flags,
    [sideAt(entries[0], from), sideAt(entries[1], to)],
    ([before, after = before]) => {
      const titles = flags.after === undefined ? ([from, to] as const) : chooseTitles(entries, releases.value);
      return log
        ? compareLog(flags, titles, log.value, [before, after])
        : compareServers(flags, titles, [before, after]);
    },
    "unanswering",
  );
}

/** Compares the decisions for every request. */
function compareServers(
  flags: CompareFlags,
  titles: readonly [string, string],
  [before, after]: readonly [LoadedServer, LoadedServer],
): ServerReport {
  const sideOf = ({ project }: LoadedServer) => ({ project, semantics: flags.reading });
  const comparison = addStartupFailures(
    ProgressLine.onTerminal(flags.quiet).run((onProgress) =>
      compareSides(sideOf(before), sideOf(after), defaultBudget, { onProgress }),
    ),
    [before.startup, after.startup],
  );
  const notCompared = flags.after === undefined ? [] : findUncomparedChanges(before.project.read, after.project.read);
  const assumptions = collectProofAssumptions(before, after);
  const startup = [before.startup, after.startup] as const;
  const compared: ComparisonReport = { comparison, titles, startup, assumptions, notCompared };
  const style = textStyleOf(flags);
  const renderers: CompareRenderers = {
    text: () =>
      flags.curl ? renderCurlCommands(comparison.differences.map(toSent)) : renderComparisonText(compared, style),
    json: () => renderComparisonJson(compared, style.base),
    ...documentRenderers(headOf(flags, titles), (options) => listComparison(compared, options), style),
  };
  const codes = { equivalent: exitCodes.clean, different: exitCodes.findings, unknown: exitCodes.unknown } as const;
  return {
    pieces: renderers[flags.format](),
    notes: describeMissingFiles([before, after]),
    exitCode: codes[comparison.verdict],
  };
}

/** Returns the title of a report, and what it is about. */
function headOf({ entry, after }: CompareFlags, [before, now]: readonly [string, string]) {
  const title = after === undefined ? `Comparison of ${before} with ${now}` : "Comparison";
  return { title, subject: after === undefined ? entry : `${before} → ${now}` };
}

/** Returns the example of a difference, with its answers on both sides. */
function toSent({ request, before, after }: Difference): ExpectedRequest {
  return { request, expected: `${before.status} before, ${after.status} after` };
}

/** Compares the results of each request of a log. */
function compareLog(
  flags: CompareFlags,
  titles: readonly [string, string],
  lines: Iterable<LogLine>,
  [before, after]: readonly [LoadedServer, LoadedServer],
): ServerReport {
  const counts = new RequestComparisonCounts();
  const style = textStyleOf(flags);
  const [old, now] = [before, after].map(
    ({ project, files }) =>
      // A part of a server is compared like a server without other parts.
      new SimulatedServer(installConfig(project.read, { part: "closed" }), files, flags.reading),
  );
  const compared = old && now ? compareLogLines(lines, old, now, flags.host) : [];
  const renderers: CompareRenderers = {
    text: () => renderLogComparisonText(compared, counts, style),
    json: () => renderLogComparisonJson(compared, counts, style.base, collectAssumptions(before, after)),
    ...documentRenderers(headOf(flags, titles), (options) => listLogComparison(compared, counts, options), style),
  };
  const failing = [before, after].flatMap(({ startup: [first] }, side) =>
    first ? [`httpd-lint: ${titles[side] ?? ""} ${describeFailure(first)}: ${first.message}`] : [],
  );
  return {
    pieces: renderers[flags.format](),
    notes: failing,
    // Known only after all output is written.
    get exitCode() {
      if (counts.different > 0 || failing.length > 0) return exitCodes.findings;
      if (counts.requests === 0 && counts.unread > 0) return exitCodes.unreadable;
      return counts.unknown > 0 ? exitCodes.unknown : exitCodes.clean;
    },
  };
}

function* compareLogLines(
  lines: Iterable<LogLine>,
  old: SimulatedServer,
  now: SimulatedServer,
  host: string | undefined,
): Generator<RequestComparison> {
  for (const each of readLoggedRequests(lines, host === undefined ? {} : hostDefaults(host)))
    if (!each.ok) yield { line: each.line, failed: each.error };
    else {
      const { line, value } = each;
      const { request } = value;
      const needsHost = old.needsHost(request) || now.needsHost(request);
      yield { line, request, before: old.answer(request), after: now.answer(request), needsHost };
    }
}

/**
 * Returns the two releases. One configuration is compared under both; two are compared under one unless the flags
 * differ.
 */
function chooseReleases({
  after,
  from,
  to,
  release,
}: CompareFlags): Result<{ readonly from: Release; readonly to: Release }, string> {
  if (after !== undefined) return { ok: true, value: { from: from ?? release ?? "2.4", to: to ?? release ?? "2.4" } };
  if (release !== undefined)
    return { ok: false, error: "--release needs two configurations; for one, use --from and --to" };
  const releases = {
    from: from ?? (to === undefined ? "2.2" : otherLineOf(to)),
    to: to ?? (from === undefined ? "2.4" : otherLineOf(from)),
  } as const;
  return releases.from === releases.to
    ? {
        ok: false,
        error: `nothing to compare: BEFORE is compared with itself under ${releases.from}; name AFTER, or two versions with --from and --to`,
      }
    : { ok: true, value: releases };
}

/** Marks the comparison as different if only one side starts: such a server never behaves like one that does not. */
function addStartupFailures(
  comparison: ConfigComparison,
  [before, after]: readonly [readonly Finding[], readonly Finding[]],
): ConfigComparison {
  return (before.length === 0) === (after.length === 0) ? comparison : { ...comparison, verdict: "different" };
}

function chooseTitles(
  [before, after]: readonly [string, string],
  { from, to }: { readonly from: Release; readonly to: Release },
): readonly [string, string] {
  return from === to ? [before, after] : [`${before} (${from})`, `${after} (${to})`];
}
