import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  spellingFiles,
  spellingLines,
  spellingMethods,
  spellingModules,
  spellingModulesFirst,
  spellingPaths,
} from "../support/cases/spelling-cases.js";
import { isRecording, sampleOf } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** The live responses, used in test/server/spelling-answers.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../server/spelling-answers.json");

/** Compares a sample of paths, and returns the statuses of each path, by method. */
async function compare(running: RunningHttpd): Promise<Readonly<Record<string, string>>> {
  const simulatedServer = simulatedServerOn(running);
  const wrong: unknown[] = [];
  const answers: Record<string, string> = {};
  for (const path of sampleOf(spellingPaths, 4)) {
    const statuses: number[] = [];
    for (const method of spellingMethods) {
      const length = running.errors().length;
      const { status } = await running.ask({ path, method });
      const errorLog = errorsAfter(running, length);
      const [bare = "", query] = path.split("?");
      const request = { path: bare, method, clientIp: "127.0.0.1", ...(query === undefined ? {} : { query }) };
      const decision = simulatedServer.answer(request);
      const own = { status: decision.status, errorLog: decision.errorLog, unknown: decision.unknown };
      const expected = { status, errorLog, unknown: [] };
      if (JSON.stringify(own) !== JSON.stringify(expected)) wrong.push({ path, method, own, expected });
      statuses.push(status);
    }
    answers[path] = statuses.join(" ");
  }
  expect(wrong).toEqual([]);
  return answers;
}

describe.skipIf(!httpd)(liveTitle("request paths that misspell file names"), () => {
  test("have the results of the live server and the recorded results", async () => {
    const answers: Record<string, Readonly<Record<string, string>>> = {};
    for (const [order, modules] of Object.entries({ last: spellingModules, first: spellingModulesFirst }))
      await withRunningHttpd(
        modules,
        spellingLines,
        async (running) => {
          answers[order] = await compare(running);
        },
        spellingFiles,
      );
    if (isRecording) writeFileSync(recordPath, `${JSON.stringify(answers, undefined, 1)}\n`);
    else expect(JSON.parse(readFileSync(recordPath, "utf8"))).toMatchObject(answers);
  }, 120_000);
});
