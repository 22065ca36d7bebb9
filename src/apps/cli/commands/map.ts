import type { FileAccess } from "../../../config/files/file-access.js";
import { FileRecorder } from "../../../config/files/file-snapshot.js";
import type { Directive } from "../../../config/model/directive.js";
import { isSince, type Release } from "../../../facts/release.js";
import { accessMap } from "../../../proof/compare/access-map.js";
import { defaultBudget } from "../../../proof/model/budget.js";
import { type ExpectedRequest, expectAnswer, renderCurlCommands } from "../../../report/answers/sent-request.js";
import { renderMapJson } from "../../../report/comparisons/map-json.js";
import { listMapBlocks, type MapReport, renderMapText } from "../../../report/comparisons/map-report.js";
import { describeUpgraded } from "../../../report/comparisons/migration-notes.js";
import { type OutputFormat, outputFormats, type Renderers } from "../../../report/formats.js";
import { renderMapPage } from "../../../report/html/map-page.js";
import { findFilesFor24 } from "../../../server/access/lines-of-24.js";
import { SimulatedServer } from "../../../server/answer.js";
import type { Semantics } from "../../../server/model/answer.js";
import { DEFAULT_CLIENT_IP } from "../../../server/request/request-parser.js";
import { fromReadable } from "../../../text/source.js";
import { readBrowserScript } from "../../package-files.js";
import { formatFlag, switchFlag } from "../inputs/flags.js";
import {
  collectProofAssumptions,
  describeMissingFiles,
  type LoadedServer,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type CommandResult, createFailure, type ExitCode, exitCodes } from "../output/command-result.js";
import { ProgressLine } from "../output/progress-line.js";
import { defineCommand } from "./command.js";
import { embedServer } from "./embedded-server.js";
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
  filesFlag,
  findCurlConflict,
  inputFlags,
  mainFlags,
  readingFlag,
  releaseFlag,
  resultFlags,
} from "./shared-flags.js";

interface MapFlags extends Omit<ServerFlags, "release">, ReportFlags {
  /** The only release to show; both if omitted. */
  readonly release?: Release | undefined;
  readonly reading: Semantics;
  readonly curl: boolean;
  readonly format: OutputFormat<"map">;
}

export const mapCommand = defineCommand({
  describe: "Show who can access what, under 2.2 and 2.4",
  arguments: { entry: entryArgument },
  flags: {
    ...inputFlags,
    reading: readingFlag,
    ...mainFlags,
    ...assumptionFlags,
    release: releaseFlag("Show only this version (default: each that starts with the configuration)"),
    files: filesFlag("HTML: files that exist on the server"),
    format: formatFlag(outputFormats.map),
    ...resultFlags,
    curl: curlFlag,
    verbose: switchFlag("Output", "Show all servers, and all hosts of each"),
  },
  handler: (flags) => withServer(flags, runMap),
});

function exitCodeOf(isUnknown: boolean, starts: boolean): ExitCode {
  if (!starts) return exitCodes.findings;
  return isUnknown ? exitCodes.unknown : exitCodes.clean;
}

/** Returns a line that shows that a configuration is for 2.4, at least in a file; undefined if 2.4 does not read it. */
function findLineFor24(servers: readonly LoadedServer[]): Directive | undefined {
  const [line] = servers.filter(isOf24).flatMap(({ project }) => [...findFilesFor24(project).values()]);
  return line;
}

function isOf24({ project }: LoadedServer): boolean {
  return isSince(project.release, "2.4");
}

/** Shows the access map, under 2.2 and 2.4 side by side. */
function runMap(flags: MapFlags): CommandResult {
  const conflict = findCurlConflict(flags);
  if (conflict !== undefined) return createFailure(exitCodes.usage, conflict);
  const recording = flags.format === "html" ? new FileRecorder() : undefined;
  const wrapAccess = recording && ((access: FileAccess) => recording.wrap(access));
  const flagsFor = (release: Release) => ({ ...flags, release, wrapAccess });
  const readings =
    flags.release === undefined ? ([flagsFor("2.2"), flagsFor("2.4")] as const) : ([flagsFor(flags.release)] as const);
  return runServerCommand(flags, readings, (servers) => mapServers(flags, servers, recording), "unanswering");
}

/** Yields a request to each scope of a map, with the answer under the newest version that the map shows. */
function* listMappedRequests(
  { map }: MapReport,
  servers: readonly LoadedServer[],
  reading: Semantics,
): Generator<ExpectedRequest> {
  const server = servers.at(-1);
  if (server === undefined) return;
  const simulatedServer = new SimulatedServer(server.project, server.files, reading);
  for (const { entryPoints, scopes } of map.servers)
    for (const { examples, methods } of scopes) {
      const [method = "GET", path] = [methods[0], examples[0]];
      if (path === undefined) continue;
      const request = { ...entryPoints[0], method, path: fromReadable(path), clientIp: DEFAULT_CLIENT_IP };
      yield expectAnswer(simulatedServer.answer(request));
    }
}

/** @param recording the files read, to be embedded in a page */
function mapServers(flags: MapFlags, all: readonly LoadedServer[], recording: FileRecorder | undefined): ServerReport {
  // A server that does not start, or fails every request, has no access to show. If none answers, all are shown as
  // if they were corrected.
  const starting = all.filter(({ startup }) => startup.length === 0);
  // What 2.2 would do with a configuration for 2.4 says nothing about its server.
  const newer = starting.length < all.length ? findLineFor24(all) : undefined;
  const shown = newer ? all.filter(isOf24) : starting.length > 0 ? starting : all;
  const sides = shown.map(({ project }) => ({ project, semantics: flags.reading }));
  const [first, second] = sides;
  if (first === undefined) throw new Error("no server to map");
  const mapped: MapReport = {
    map: ProgressLine.onTerminal(flags.quiet).run((onProgress) => accessMap(first, second, defaultBudget, onProgress)),
    releases: shown.map(({ project }) => project.release),
    startup: all.map(({ project, startup }) => ({ release: project.release, findings: startup })),
    assumptions: collectProofAssumptions(...shown),
  };
  const style = textStyleOf(flags);
  const page = () => {
    const about = { reading: flags.reading, base: style.base };
    const data = recording && embedServer(shown, recording, mapped.map, about);
    const simulator = data && { simulator: { script: readBrowserScript("map"), data } };
    return renderMapPage({ mapped, base: style.base, entry: flags.entry, ...simulator });
  };
  const renderers: Renderers<"map", () => Iterable<string>> = {
    text: () =>
      flags.curl ? renderCurlCommands(listMappedRequests(mapped, shown, flags.reading)) : renderMapText(mapped, style),
    json: () => renderMapJson(mapped, style.base),
    html: page,
    markdown: documentRenderers(
      { title: "Access map", subject: flags.entry },
      (options) => listMapBlocks(mapped, options),
      style,
    ).markdown,
  };
  const omitted =
    newer && all.length > 1 ? [`httpd-lint: ${describeUpgraded(newer, style.base)}; the map omits 2.2`] : [];
  return {
    pieces: renderers[flags.format](),
    notes: [...describeMissingFiles(shown), ...omitted],
    exitCode: exitCodeOf(
      mapped.map.unknown.length > 0,
      shown.some((each) => starting.includes(each)) || flags.exitZero,
    ),
  };
}
