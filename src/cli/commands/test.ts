import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readFoundFile, readNamedFile } from "../../project/files/file-content.js";
import { renderTests, type TestFormat, type TestResult } from "../../report/decisions/test-results.js";
import { joinIntoChunks } from "../../report/index.js";
import { Decider, type Decision } from "../../simulate/decide.js";
import type { Reading, Verdict } from "../../simulate/model/decision.js";
import { EXPECTATIONS_FILE, type ExpectedResult, parseExpectations } from "../inputs/expectations.js";
import { collectFilesRead, loadServer, maskServerVariables, type ServerFlags } from "../inputs/load-server.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { textStyleOf } from "./explain.js";

export interface TestFlags extends ServerFlags {
  /** The expectations file given as an argument. */
  readonly file?: string | undefined;
  /** The expectations file that the configuration file names. */
  readonly expectations?: string | undefined;
  readonly reading: Reading;
  readonly format: TestFormat;
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

/** Checks requests against their expected results. */
export function runTest(flags: TestFlags): CommandResult {
  const named = flags.file;
  const file = named ?? flags.expectations ?? expectationsBeside(flags.entry);
  if (file === undefined)
    return createFailure(exitCodes.usage, `FILE is missing: there is no \`${EXPECTATIONS_FILE}\` here or beside ENTRY`);
  const confine = flags.expectations === undefined ? flags.confine : flags.bySettings?.within;
  const read = parseExpectations(file, named === undefined ? readFoundFile(file, confine) : readNamedFile(named));
  if ("unreadable" in read) return createFailure(exitCodes.unreadable, read.unreadable);
  if ("failed" in read) return createFailure(exitCodes.usage, read.failed);
  const server = loadServer(flags);
  if ("failed" in server) return server.failed;
  const { project, files, startup, notes, assumptions } = server;
  const decider = new Decider(project, files, flags.reading);
  const tested = read.expectations.map(({ name, request, expected }): TestResult => {
    const decision = decider.decide(request);
    return { name, request, expected: String(expected), decision, result: resultOf(expected, decision) };
  });
  const input = { tested, startup, release: project.release, reading: flags.reading, assumptions };
  const exitCode = exitCodeOf(tested, startup.length > 0);
  return {
    output: joinIntoChunks(maskServerVariables(renderTests(flags.format, input, textStyleOf(flags)), [server])),
    read: collectFilesRead(server),
    notes,
    exitCode: exitCode === exitCodes.findings && flags.exitZero ? exitCodes.clean : exitCode,
  };
}

/** Returns the default expectations file: in the working directory, else next to the configuration. */
function expectationsBeside(entry: string): string | undefined {
  const folders = [".", resolve(entry), dirname(resolve(entry))];
  return folders.map((folder) => join(folder, EXPECTATIONS_FILE)).find((path) => existsSync(path));
}

/** Compares the possible results with the expected one: either all or none of them must match. */
function resultOf(expected: ExpectedResult, decision: Decision): TestResult["result"] {
  const { alternatives, class: decided } = decision;
  if (alternatives.length === 0 && decided === "unknown") return "unknown";
  const answers = alternatives.length > 0 ? alternatives : [decision];
  const met = answers.filter((answer) => isMet(expected, answer)).length;
  if (met === answers.length) return "passed";
  return met === 0 ? "failed" : "unknown";
}

function isMet(expected: ExpectedResult, { status, class: decided }: Verdict): boolean {
  if (expected === "allowed") return decided === "allowed";
  return expected === "refused" ? decided === "401" || decided === "403" : status === expected;
}

function exitCodeOf(tested: readonly TestResult[], isRefused: boolean): CommandResult["exitCode"] {
  if (isRefused || tested.some(({ result }) => result === "failed")) return exitCodes.findings;
  return tested.some(({ result }) => result === "unknown") ? exitCodes.unknown : exitCodes.clean;
}
