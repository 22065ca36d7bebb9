import { readFileSync } from "node:fs";
import { SimulatedServer } from "../../src/server/answer.js";
import type { Answer } from "../../src/server/model/answer.js";
import { findRefusals } from "../../src/startup/validate.js";
import { type Case, loadCase, type RecordedRequest } from "../support/cases/recorded-cases.js";

/** A difference between a case file and the simulator. */
export interface Disagreement {
  readonly id: string;
  readonly request: RecordedRequest | undefined;
  readonly expected: string;
  readonly actual: string;
}

export interface Result {
  readonly passed: number;
  readonly disagreements: readonly Disagreement[];
}

/** Messages about the decision. Other messages are not compared. */
const decisionCodes = new Set(["AH01797", "AH01630", "AH01631", "AH01629", "AH01627", "AH00027", "AH00028"]);

/** Reads the cases of a file, one per line. */
export function readCases(path: string): Case[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Case => JSON.parse(line));
}

/** Decides all requests of some cases and compares the results with the recordings. */
export function conform(cases: readonly Case[]): Result {
  let passed = 0;
  const disagreements: Disagreement[] = [];
  for (const each of cases) {
    const { project, files } = loadCase(each);
    if (each.startup !== undefined) {
      const actual = startupOf(project);
      if (actual !== undefined && agrees(each.startup, actual)) passed++;
      else
        disagreements.push({
          id: each.id,
          request: undefined,
          expected: each.startup,
          actual: actual?.text ?? "it starts",
        });
      continue;
    }
    const simulatedServer = new SimulatedServer(project, files);
    for (const request of each.requests) {
      const decision = simulatedServer.answer(request);
      const expected = answerText(classOf(request.status), each.release === "2.4" ? request.log : []);
      const actual = answerText(decision.class, each.release === "2.4" ? decision.log : []);
      if (expected === actual) passed++;
      else disagreements.push({ id: each.id, request, expected, actual: actual + why(decision) });
    }
  }
  return { passed, disagreements };
}

function why({ unknown }: Answer): string {
  return unknown.length === 0 ? "" : ` (${unknown.join("; ")})`;
}

function classOf(status: number): string {
  return status === 401 || status === 403 || status === 500 ? String(status) : "allowed";
}

function answerText(decided: string, log: readonly string[]): string {
  return [decided, ...[...new Set(log)].filter((code) => decisionCodes.has(code)).sort()].join(" ");
}

interface Startup {
  readonly text: string;
  readonly code: string;
  readonly line: number | undefined;
  readonly message: string;
}

function startupOf(project: Parameters<typeof findRefusals>[0]): Startup | undefined {
  const [first] = findRefusals(project).startup;
  if (first === undefined) return undefined;
  const line = first.logNumber === "AH01624" ? undefined : lineOf(first.span.file.text, first.directive.line.end - 1);
  return {
    text: `${first.logNumber ?? "AH00526"} line ${line}: ${first.server}`,
    code: first.logNumber ?? "AH00526",
    line,
    message: first.server,
  };
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function agrees(recorded: string, actual: Startup): boolean {
  const line = /on line (\d+) of/.exec(recorded)?.[1];
  const isNamed = recorded.includes(actual.message) || recorded.includes(actual.code);
  return isNamed && (line === undefined || Number(line) === actual.line);
}
