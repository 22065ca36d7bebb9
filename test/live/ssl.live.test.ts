import { readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { modulesBesideSsl, sslCases, sslOrders, sslRequests, sslSections } from "../support/cases/ssl-cases.js";
import { isRecording } from "../support/depth.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { asBob, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { scratchFolder } from "../support/programs/scratch-folder.js";

/** The live responses, for test/server/ssl-answers.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../server/ssl-answers.json");

const certified = scratchFolder();
const isCertified = makeCertificate(join(certified.path, "key.pem"), join(certified.path, "cert.pem"));
afterAll(certified.dispose);

/** Compares the server's response to each case with the simulator's decision. */
async function answersOf(running: RunningHttpd, port: number) {
  const { folder, ask, errors } = running;
  const simulatedServer = simulatedServerOn(running);
  const throughTls = { port, rejectUnauthorized: false };
  const answers: Record<string, string>[] = [];
  for (const [index, lines] of sslCases.entries()) {
    const own: Record<string, string> = {};
    for (const { scheme, isUser, title } of sslRequests) {
      const path = `/${index}/x.txt`;
      const headers = isUser ? asBob : {};
      const before = errors().length;
      const status =
        scheme === "http"
          ? (await ask({ path, headers })).status
          : await statusOf({ ...throughTls, path, headers }, httpsRequest);
      const written = errors().slice(before);
      const live = { status, log: written.match(/AH\d{5}: .*/g) ?? [] };
      const request = { method: "GET", path, scheme, host: "127.0.0.1", clientIp: "127.0.0.1" };
      const decision = simulatedServer.answer(isUser ? { ...request, user: "bob" } : request);
      const simulated = { status: decision.status, log: decision.errorLog };
      expect({ lines, title, ...simulated }).toEqual({ lines, title, ...live });
      own[title] = [live.status, ...live.log].join(" ").replaceAll(folder, CASE_ROOT);
    }
    answers.push(own);
  }
  return answers;
}

test.skipIf(!httpd || !isCertified).each(sslOrders)(
  liveTitle("the answers of mod_ssl equal those of the simulator, with %s, and the recorded answers"),
  async (title, first) => {
    const port = await freePort();
    const lines = [
      ...[`Listen 127.0.0.1:${port}`, `<VirtualHost *:${port}>`, "SSLEngine on"],
      ...["cert", "key"].map(
        (name) => `SSLCertificate${name === "key" ? "Key" : ""}File ${certified.path}/${name}.pem`,
      ),
      ...["</VirtualHost>", "LogLevel ssl:error"],
      ...sslSections,
    ];
    const run = async (running: RunningHttpd) => {
      const answers = await answersOf(running, port);
      const recorded: Record<string, unknown> = JSON.parse(readFileSync(recordPath, "utf8"));
      if (!isRecording) expect(answers).toEqual(recorded[title]);
      else writeFileSync(recordPath, `${JSON.stringify({ ...recorded, [title]: answers }, undefined, 1)}\n`);
    };
    await withRunningHttpd([...first, ...modulesBesideSsl], lines, run, { "x.txt": "x\n" });
  },
);
