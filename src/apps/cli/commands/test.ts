import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readFoundFile, readNamedFile } from "../../../config/files/file-content.js";
import { renderCurlCommands, renderHurl } from "../../../report/answers/sent-request.js";
import { renderTests, type TestResult } from "../../../report/answers/test-results.js";
import { type OutputFormat, outputFormats } from "../../../report/formats.js";
import { SimulatedServer } from "../../../server/answer.js";
import type { Answer, Semantics } from "../../../server/model/answer.js";
import { EXPECTATIONS_FILE, type Expectation, type ExpectedResult, parseExpectations } from "../inputs/expectations.js";
import { choiceFlag, formatFlag } from "../inputs/flags.js";
import { collectAssumptions, type LoadedServer, type ServerFlags } from "../inputs/load-server.js";
import type { ServerChoice } from "../inputs/project-settings.js";
import { withChosenRelease } from "../inputs/project-settings.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { defineCommand } from "./command.js";
import { type ReportFlags, runServerCommand, type ServerReport, textStyleOf, withServer } from "./server-command.js";
import {
  curlFlag,
  entryArgument,
  filesFlag,
  findCurlConflict,
  mainFlags,
  readingFlag,
  readingFlags,
  resultFlags,
} from "./shared-flags.js";

interface TestFlags extends ServerFlags, ReportFlags {
  /** The expectations file given as an argument. */
  readonly file?: string | undefined;
  /** The expectations file that the configuration file names. */
  readonly expectations?: string | undefined;
  readonly reading: Semantics;
  readonly curl: boolean;
  /** The program for which the expectations are written. */
  readonly export?: string | undefined;
  readonly format: OutputFormat<"test">;
}

export const testCommand = defineCommand({
  describe: "Check requests against an expectations file",
  arguments: {
    entry: entryArgument,
    file: { type: "string", describe: `Expectations file (default: ${EXPECTATIONS_FILE})` },
  },
  flags: {
    ...readingFlags,
    reading: readingFlag,
    ...mainFlags,
    files: filesFlag("Files that exist on the server"),
    format: formatFlag(outputFormats.test),
    ...resultFlags,
    curl: curlFlag,
    export: choiceFlag("Output", "hurl", ["hurl"], "Write the expectations as a file for hurl, and check nothing"),
  },
  handler: (flags) => withServer(assignArguments(flags), (server) => runTest(withChosenRelease(server))),
});

/**
 * Resolves the arguments: a single one that ends in `.json` is the expectations file, because configuration files do not
 * end so.
 */
function assignArguments<T extends ServerChoice & Pick<TestFlags, "file">>(flags: T): T {
  const { entry, file } = flags;
  if (entry === undefined || file !== undefined || !entry.endsWith(".json")) return flags;
  return { ...flags, entry: undefined, file: entry };
}

/** Checks requests against their expected results. */
function runTest(flags: TestFlags): CommandResult {
  const conflict = findCurlConflict(flags);
  if (conflict !== undefined) return createFailure(exitCodes.usage, conflict);
  const named = flags.file;
  const file = named ?? flags.expectations ?? expectationsBeside(flags.entry);
  if (file === undefined)
    return createFailure(exitCodes.usage, `name FILE: \`${EXPECTATIONS_FILE}\` exists neither here nor next to ENTRY`);
  const confine = flags.expectations === undefined ? flags.confine : flags.bySettings?.within;
  const read = parseExpectations(file, named === undefined ? readFoundFile(file, confine) : readNamedFile(named));
  if (!read.ok) return read.error;
  const expectations = read.value;
  return runServerCommand(flags, [flags], ([server]) => testServer(flags, server, expectations), "unstarted");
}

function testServer(flags: TestFlags, server: LoadedServer, expectations: readonly Expectation[]): ServerReport {
  const { project, files, startup } = server;
  if (flags.curl) return { pieces: renderCurlCommands(expectations.map(toSent)), exitCode: exitCodes.clean };
  if (flags.export !== undefined) return { pieces: renderHurl(expectations.map(toSent)), exitCode: exitCodes.clean };
  const assumptions = collectAssumptions(server);
  const simulatedServer = new SimulatedServer(project, files, flags.reading);
  const tested = expectations.map(({ name, request, expected }): TestResult => {
    const answer = simulatedServer.answer(request);
    return { name, request, expected: String(expected), answer, result: resultOf(expected, answer) };
  });
  const input = { tested, startup, release: project.release, semantics: flags.reading, assumptions };
  const pieces = renderTests(flags.format, input, textStyleOf(flags));
  return { pieces, exitCode: exitCodeOf(tested, startup.length > 0) };
}

function toSent({ name, request, expected }: Expectation) {
  return { name, request, expected: String(expected) };
}

/** Returns the default expectations file: in the working directory, else next to the configuration. */
function expectationsBeside(entry: string): string | undefined {
  const folders = [".", resolve(entry), dirname(resolve(entry))];
  return folders.map((folder) => join(folder, EXPECTATIONS_FILE)).find((path) => existsSync(path));
}

/** Compares the possible results with the expected one: either all or none of them must match. */
function resultOf(expected: ExpectedResult, answer: Answer): TestResult["result"] {
  const { alternatives, class: decided } = answer;
  if (alternatives.length === 0 && decided === "unknown") return "unknown";
  const answers = alternatives.length > 0 ? alternatives : [answer];
  const met = answers.filter((each) => isMet(expected, each)).length;
  if (met === answers.length) return "passed";
  return met === 0 ? "failed" : "unknown";
}

function isMet(
  expected: ExpectedResult,
  { status, class: decided, access }: Pick<Answer, "status" | "class" | "access">,
): boolean {
  // A rejected request, as with 400, and one that fails get no content either.
  if (expected === "allowed") return decided === "allowed" && access !== "rejected" && access !== "error";
  return expected === "refused" ? decided === "401" || decided === "403" : status === expected;
}

function exitCodeOf(tested: readonly TestResult[], isRefused: boolean): CommandResult["exitCode"] {
  if (isRefused || tested.some(({ result }) => result === "failed")) return exitCodes.findings;
  return tested.some(({ result }) => result === "unknown") ? exitCodes.unknown : exitCodes.clean;
}
