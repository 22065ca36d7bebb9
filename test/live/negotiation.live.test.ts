import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  groupByPath,
  negotiationCases,
  negotiationFiles,
  negotiationLines,
  negotiationModules,
  requestOf,
  servedName,
} from "../support/cases/negotiation-cases.js";
import { isRecording, sampleOf } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import {
  asBob,
  errorsAfter,
  type RunningHttpd,
  simulatedServerOn,
  withRunningHttpd,
} from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

/** The live responses, used in test/server/negotiation-answers.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../server/negotiation-answers.json");

async function compare(running: RunningHttpd): Promise<void> {
  const simulatedServer = simulatedServerOn(running);
  const wrong: unknown[] = [];
  const answers: [string, string][] = [];
  const cases = negotiationCases();
  const paths = new Set(sampleOf([...new Set(cases.map(({ path }) => path))], 4));
  for (const each of cases.filter(({ path }) => paths.has(path))) {
    const { path, method = "GET", headers = {}, isBob } = each;
    const length = running.errors().length;
    const live = await running.ask({ path, method, headers: isBob ? { ...headers, ...asBob } : headers });
    const errorLog = errorsAfter(running, length);
    const served = live.headers["content-location"];
    const decision = simulatedServer.answer(requestOf(each));
    const own = {
      status: decision.status,
      errorLog: decision.errorLog,
      served: served === undefined ? undefined : servedName(decision),
      unknown: decision.unknown,
    };
    const expected = { status: live.status, errorLog, served, unknown: [] };
    if (JSON.stringify(own) !== JSON.stringify(expected)) wrong.push({ each, own, expected });
    const numbers = errorLog.map((line) => line.slice(0, "AH00000".length));
    answers.push([path, [live.status, ...numbers, ...(served === undefined ? [] : [served])].join(" ")]);
  }
  expect(wrong).toEqual([]);
  if (isRecording) writeFileSync(recordPath, `${JSON.stringify(groupByPath(answers), undefined, 1)}\n`);
  else expect(JSON.parse(readFileSync(recordPath, "utf8"))).toMatchObject(groupByPath(answers));
}

describe.skipIf(!httpd)(liveTitle("negotiation by MultiViews and type maps"), () => {
  test("has the results of the live server and the recorded results", async () => {
    await withRunningHttpd(negotiationModules, negotiationLines, compare, negotiationFiles);
  }, 120_000);
});

describe.skipIf(!httpd)(liveTitle("variants of a path with path info"), () => {
  test("are in the directory that is already checked", async () => {
    // With mod_allowmethods, the server repeats every walk except the one to the same directory.
    const modules = ["authn_core", "authz_core", "access_compat", "allowmethods", "mime", "negotiation"];
    const lines = [
      "TypesConfig /dev/null",
      "AddType text/plain txt",
      "<Directory DOCROOT>",
      "AllowOverride All",
      "Options +MultiViews",
      "</Directory>",
    ];
    const files = {
      ...{ "d/.htaccess": "Deny from 127.0.0.1\nSatisfy any\n", "d/a.txt": "x\n", "d/a.html.en": "x\n" },
      "d/sub/b.txt": "x\n",
    };
    const paths = ["/d/a", "/d/a/", "/d/a/more", "/d/a/b/c", "/d/sub/b/more", "/d/none/more"];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const requests = paths.map((path) => ({ path }));
        expect(await findDifferingAnswers(running, requests, { comparesLogs: true })).toEqual([]);
      },
      files,
    );
  });
});
