import { lchownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  bareFolders,
  foreignLinks,
  linkFiles,
  linkLines,
  linkModules,
  linkOptions,
  linkRequests,
  links,
} from "../support/cases/link-cases.js";
import { CASE_ROOT } from "../support/cases/recorded-cases.js";
import { isRecording } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** The live responses, used in test/server/link-answers.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../server/link-answers.json");

/** Only root may change the owner of links. */
const isRoot = process.getuid?.() === 0;

function writeLinks(folder: string): void {
  for (const path of [...linkFiles, ...Object.keys(links)]) mkdirSync(dirname(join(folder, path)), { recursive: true });
  for (const path of bareFolders) mkdirSync(join(folder, path), { recursive: true });
  for (const path of linkFiles) writeFileSync(join(folder, path), "x\n");
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path));
  if (isRoot) for (const path of foreignLinks) lchownSync(join(folder, path), 12_345, 12_345);
}

async function compare({ folder, ask, errors, ...running }: RunningHttpd): Promise<void> {
  for (const index of linkOptions.keys()) writeLinks(join(folder, "htdocs", String(index)));
  const simulatedServer = simulatedServerOn({ folder, ask, errors, ...running });
  const answers: Record<string, string> = {};
  for (const path of linkRequests) {
    const before = errors().length;
    const { status } = await ask({ path });
    const log =
      errors()
        .slice(before)
        .match(/AH\d{5}: .*/g) ?? [];
    const decision = simulatedServer.answer({ method: "GET", path, host: "127.0.0.1", clientIp: "127.0.0.1" });
    expect({ path, status: decision.status, log: decision.errorLog }).toEqual({ path, status, log });
    for (const { span } of decision.decidedBy)
      expect(decision.trace.some(({ lines }) => lines.some((line) => line.span.start === span.start))).toBe(true);
    answers[path] = [status, ...log].join(" ").replaceAll(folder, CASE_ROOT);
  }
  if (isRecording && isRoot) writeFileSync(recordPath, `${JSON.stringify(answers, undefined, 1)}\n`);
  else if (isRoot) expect(answers).toEqual(JSON.parse(readFileSync(recordPath, "utf8")));
}

test.skipIf(!httpd)(liveTitle("the server follows links as the Options allow, and as recorded"), async () => {
  await withRunningHttpd(linkModules, linkLines, compare);
});
