import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SimulatedServer } from "../../src/server/answer.js";
import type { Request } from "../../src/server/model/request.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { isRecording, sampleOf } from "../support/depth.js";
import { type AnsweringServer, answeringServers, parseRequest } from "../support/httpd/answering-servers.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** The live responses, used in test/server/recorded-answers.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../server/recorded-answers.json");

interface LiveRequest {
  readonly url: string;
  readonly host: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly user?: string;
}

/** Returns the server's response with its error log message numbers, and the simulator's decision. */
async function answerBoth(
  running: RunningHttpd,
  simulatedServer: SimulatedServer,
  { url, host, headers = {}, method = "GET", user }: LiveRequest,
) {
  const before = running.errors().length;
  const sent = await running.ask({ path: url, method, headers: { Host: host, ...headers } });
  const written = errorsAfter(running, before);
  const live = [sent.status, ...written].join(" ");
  const [path = "", query] = url.split(/\?(.*)/s);
  const request: Request = {
    ...{ method, path, host, headers, clientIp: "127.0.0.1" },
    ...(query === undefined ? {} : { query }),
    ...(user === undefined ? {} : { user }),
  };
  const { status, unknown, errorLog } = simulatedServer.answer(request);
  return { live, simulated: [status, ...errorLog, ...unknown].join(" ") };
}

/** Returns the server's response to each case of a sample, and the differences from the simulator. */
async function answersOf(running: RunningHttpd, { cases, where }: AnsweringServer) {
  const simulatedServer = simulatedServerOn(running);
  const answers = new Map<number, Readonly<Record<string, string>>>();
  const wrong: unknown[] = [];
  for (const [index, { lines, requests }] of sampleOf([...cases.entries()], 6)) {
    const { host, below } = where(index);
    const own: Record<string, string> = {};
    for (const request of requests) {
      const { url, headers, ...rest } = parseRequest(request);
      const { live, simulated } = await answerBoth(running, simulatedServer, {
        url: below + url,
        ...rest,
        host: headers["Host"] ?? host,
        headers,
      });
      if (live !== simulated) wrong.push({ index, lines, request, live, simulated });
      own[request] = live.replaceAll(running.folder, CASE_ROOT);
    }
    answers.set(index, own);
  }
  return { answers, wrong };
}

describe.skipIf(!httpd)(liveTitle("the running server returns the decided answers"), () => {
  test.each(answeringServers.map((each) => [each.title, each] as const))(
    "%s, which are also the recorded answers",
    async (title, server) => {
      const run = async (running: RunningHttpd) => {
        const { answers, wrong } = await answersOf(running, server);
        expect(wrong).toEqual([]);
        const recorded: Record<string, readonly unknown[]> = JSON.parse(readFileSync(recordPath, "utf8"));
        if (isRecording)
          writeFileSync(
            recordPath,
            `${JSON.stringify({ ...recorded, [title]: [...answers.values()] }, undefined, 1)}\n`,
          );
        else for (const [index, own] of answers) expect(own).toEqual(recorded[title]?.[index]);
      };
      await withRunningHttpd(server.modules, server.lines, run, server.files);
    },
  );
});
