import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { type VersionCase, versionCases, versionModules } from "../support/cases/version-cases.js";
import { isRecording } from "../support/depth.js";
import { type InstalledHttpd, listInstalledHttpds, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** The answers by version, case and request, used in test/server/versions.test.ts; HTTPD_LINT_RECORD=1 adds to them. */
const recordPath = join(import.meta.dirname, "../server/version-answers.json");

type Answers = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** Returns the status of an answer, its Location, and the numbers of the messages in the error log. */
async function answerTo(running: RunningHttpd, request: string): Promise<string> {
  const [first = "", path = first] = request.split(" ");
  const host = path === first ? "x.test" : first;
  const before = running.errors().length;
  const answer = await running.ask({ path, headers: { Host: host } }).catch(() => undefined);
  if (answer === undefined) return "none";
  const { status, headers } = answer;
  const codes = errorsAfter(running, before).map((line) => /^AH\d+/.exec(line)?.[0] ?? "");
  const location = headers.location === undefined ? [] : [headers.location];
  return [status, ...location, ...codes].join(" ").trim().replaceAll(running.folder, CASE_ROOT);
}

async function answersOf(installed: InstalledHttpd, { modules = [], lines, files = {}, requests }: VersionCase) {
  const isShared = (name: string) => existsSync(join(installed.modules, `mod_${name}.so`));
  const answers: Record<string, string> = {};
  const run = async (running: RunningHttpd) => {
    for (const request of requests) answers[request] = await answerTo(running, request);
  };
  // Servers of their sources have no user by default.
  const own = ["User nobody", "Group nogroup", ...lines];
  await withRunningHttpd([...versionModules, ...modules].filter(isShared), own, run, files, {}, installed);
  return answers;
}

const installed = listInstalledHttpds();

describe.skipIf(installed.length === 0)(liveTitle("servers of several versions"), () => {
  test.each(installed.map((each) => [each.version, each] as const))(
    "%s returns the recorded answers",
    async (version, each) => {
      const found: Record<string, Readonly<Record<string, string>>> = {};
      for (const versionCase of versionCases) found[versionCase.title] = await answersOf(each, versionCase);
      const recorded: Answers = JSON.parse(readFileSync(recordPath, "utf8"));
      if (isRecording)
        writeFileSync(recordPath, `${JSON.stringify({ ...recorded, [version]: found }, undefined, 1)}\n`);
      else if (recorded[version]) expect(found).toEqual(recorded[version]);
    },
    60_000,
  );
});
