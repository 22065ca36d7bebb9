import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { modulesBesideSsl, sslCases, sslOrders, sslRequests, sslSections } from "../support/cases/ssl-cases.js";
import { RECORDED_DOCUMENTS, recordedServer } from "../support/httpd/recorded-server.js";

/** The responses of 2.4, recorded and verified against the running server by test/live/ssl.live.test.ts. */
const recorded: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "ssl-answers.json"), "utf8"),
);

describe.each(sslOrders)("the checks of mod_ssl, with %s", (title, first) => {
  const server = recordedServer([...first, ...modulesBesideSsl], sslSections);
  const simulatedServer = new SimulatedServer(
    server,
    createListedFiles([`${RECORDED_DOCUMENTS}/x.txt`, `${CASE_ROOT}/users`]),
  );

  test.each(sslCases.map((own, index) => [own.join(" / "), index] as const))("%s", (_, index) => {
    const here = sslRequests.map(({ scheme, isUser, title }) => {
      const request = { method: "GET", path: `/${index}/x.txt`, scheme, host: "127.0.0.1", clientIp: "127.0.0.1" };
      const { status, errorLog } = simulatedServer.answer(isUser ? { ...request, user: "bob" } : request);
      return [title, [status, ...errorLog].join(" ")];
    });
    expect(Object.fromEntries(here)).toEqual(recorded[title]?.[index]);
  });
});
