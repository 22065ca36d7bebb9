import { describe, expect, test } from "vitest";
import { answerClassOf } from "../../src/server/model/answer-class.js";
import { type DifferingPair, linesOf, modulesOf, pairFiles, pairGroups } from "../support/cases/differing-pairs.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Returns the statuses of the server, and checks the known ones of the simulator against them. */
async function statusesOf(pair: DifferingPair, own: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  const lines = ["TypesConfig /dev/null", "LogLevel crit", ...linesOf(pair, own)];
  await withRunningHttpd(
    modulesOf(pair),
    lines,
    async (server) => {
      const simulated = simulatedServerOn(server);
      for (const { path, method = "GET", headers = {}, user, body = "", host = "x.test" } of pair.requests) {
        const authorization = user === undefined ? {} : { Authorization: `Basic ${btoa(`${user}:secret`)}` };
        const { status } = await server.ask({
          path,
          method,
          headers: { ...headers, ...authorization, Host: host },
          body,
        });
        const [sent = "", query] = path.split("?");
        const answer = simulated.answer({
          ...{ method, path: sent, host, clientIp: "127.0.0.1" },
          headers: body === "" ? headers : { ...headers, "Content-Length": String(body.length) },
          ...(query === undefined ? {} : { query }),
          ...(user === undefined ? {} : { user }),
        });
        // What a backend or a program returns is its own affair.
        if (answer.status !== undefined && answer.answeredBy === undefined)
          expect([pair.name, path, user, answer.status]).toEqual([pair.name, path, user, status]);
        statuses.push(status);
      }
    },
    pairFiles,
  );
  return statuses;
}

describe.skipIf(!httpd)(liveTitle("pairs of configurations that differ in a line"), () => {
  describe.each(Object.entries(pairGroups))("%s", (_, pairs) => {
    test.each(pairs)("$name: $verdict", { timeout: 60_000 }, async (pair) => {
      const [before, after] = [await statusesOf(pair, pair.before), await statusesOf(pair, pair.after)];
      const isSame = before.every((status, index) => answerClassOf(status) === answerClassOf(after[index] ?? 0));
      expect([before, after, isSame]).toEqual([before, after, pair.verdict === "equivalent"]);
    });
  });
});
