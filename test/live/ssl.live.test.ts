import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { diskAccess } from "../../src/project/disk.js";
import { loadProject } from "../../src/project/load.js";
import { Decider } from "../../src/simulate/decide.js";
import { diskFiles } from "../../src/simulate/file-trees.js";
import { freePorts } from "../support/asked-httpd.js";
import { CASE_ROOT } from "../support/cases.js";
import { httpd, liveTitle } from "../support/httpd.js";
import { asBob, type RunningHttpd, withRunningHttpd } from "../support/running-httpd.js";
import { modulesBesideSsl, sslAsked, sslCases, sslOrders, sslSections } from "../support/ssl-cases.js";

/** The live answers, for test/simulate/ssl-answers.test.ts; HTTPD_LINT_RECORD=1 writes them anew. */
const recordPath = join(import.meta.dirname, "../simulate/ssl-answers.json");

function askTls(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    httpsRequest({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

const certified = certificate();

/** A key and a certificate for it, where there is something to make them with. */
function certificate(): { readonly folder: string; readonly isMade: boolean } {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  const { status } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=x.test"],
    ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")],
  ]);
  return { folder, isMade: status === 0 };
}

/** What the server answers to each case, held against what is said here. */
async function answersOf({ folder, ask, errors }: RunningHttpd, port: number) {
  const access = diskAccess();
  const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server" });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const decider = new Decider(loaded.project, diskFiles(access));
  const answers: Record<string, string>[] = [];
  for (const [index, lines] of sslCases.entries()) {
    const own: Record<string, string> = {};
    for (const { scheme, isUser, title } of sslAsked) {
      const path = `/${index}/x.txt`;
      const headers = isUser ? asBob : {};
      const before = errors().length;
      const status = scheme === "http" ? (await ask({ path, headers })).status : await askTls(port, path, headers);
      const written = errors().slice(before);
      const live = { status, log: written.match(/AH\d{5}: .*/g) ?? [] };
      const asked = { method: "GET", path, scheme, host: "127.0.0.1", clientIp: "127.0.0.1" };
      const decision = decider.decide(isUser ? { ...asked, user: "bob" } : asked);
      const here = { status: decision.status, log: decision.errorLog };
      expect({ lines, title, ...here }).toEqual({ lines, title, ...live });
      own[title] = [live.status, ...live.log].join(" ").replaceAll(folder, CASE_ROOT);
    }
    answers.push(own);
  }
  return answers;
}

afterAll(() => rmSync(certified.folder, { recursive: true, force: true }));

test.skipIf(!httpd || !certified.isMade).each(sslOrders)(
  liveTitle("the checks of mod_ssl, with %s, and as recorded"),
  async (title, first) => {
    const [port] = await freePorts();
    const lines = [
      ...[`Listen 127.0.0.1:${port}`, `<VirtualHost *:${port}>`, "SSLEngine on"],
      ...["cert", "key"].map(
        (name) => `SSLCertificate${name === "key" ? "Key" : ""}File ${certified.folder}/${name}.pem`,
      ),
      ...["</VirtualHost>", "LogLevel ssl:error"],
      ...sslSections,
    ];
    const run = async (running: RunningHttpd) => {
      const answers = await answersOf(running, port ?? 0);
      const recorded: Record<string, unknown> = JSON.parse(readFileSync(recordPath, "utf8"));
      if (process.env["HTTPD_LINT_RECORD"] !== "1") expect(answers).toEqual(recorded[title]);
      else writeFileSync(recordPath, `${JSON.stringify({ ...recorded, [title]: answers }, undefined, 1)}\n`);
    };
    await withRunningHttpd([...first, ...modulesBesideSsl], lines, run, { "x.txt": "x\n" });
  },
);
