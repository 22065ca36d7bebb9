import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { type AnsweringServer, answeringServers, parseRequest } from "../support/httpd/answering-servers.js";
import { RECORDED_DOCUMENTS, recordedServer } from "../support/httpd/recorded-server.js";

/** The responses of 2.4, recorded and verified against the running server by test/live/recorded-answers.live.test.ts. */
const recorded: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded-answers.json"), "utf8"),
);

function deciderOf({ modules, lines, files }: AnsweringServer): SimulatedServer {
  const contents = Object.fromEntries(
    Object.entries(files).map(([path, content]) => [`${RECORDED_DOCUMENTS}/${path}`, content]),
  );
  const present = createListedFiles([...Object.keys(contents), `${CASE_ROOT}/users`, "/etc/hostname", "/tmp/"]);
  return new SimulatedServer(recordedServer(modules, lines, contents), present);
}

describe.each(answeringServers.map((each) => [each.title, each] as const))("%s", (title, server) => {
  const simulatedServer = deciderOf(server);
  const answers = recorded[title] ?? [];

  test("has recorded results for each case", () => {
    expect(answers.map((own) => Object.keys(own))).toEqual(server.cases.map(({ requests }) => [...new Set(requests)]));
  });

  test.each(server.cases.map(({ lines, requests }, index) => [index, lines.join(" / "), requests] as const))(
    "%i: %s",
    (index, _, requests) => {
      const { host, below } = server.where(index);
      const here = requests.map((text) => {
        const { url, headers, ...parts } = parseRequest(text);
        const [path = "", query] = `${below}${url}`.split(/\?(.*)/s);
        const sent = { Host: host, ...headers };
        const request = { ...parts, path, host: sent.Host, headers: sent, clientIp: "127.0.0.1" };
        const { status, errorLog, unknown } = simulatedServer.answer(
          query === undefined ? request : { ...request, query },
        );
        return [text, [status, ...errorLog, ...unknown].join(" ")];
      });
      expect(Object.fromEntries(here)).toEqual(answers[index]);
    },
  );
});
