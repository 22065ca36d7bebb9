/**
 * Judges findings one by one with the running server, and prints a JSON line for each: its verdict, and what the server
 * answered. A finding without an experiment must be judged by reading.
 *
 *     unshare -n npm run -s live:findings -- FOLDER FINDINGS
 *
 * FINDINGS is the output of `check --format json`, which ran in FOLDER. Needs root, for the addresses of the clients.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { clientIps, runTrials, trialOf } from "./judged/access-experiments.js";
import { byReading, type JudgedFinding, SourceLines, type Verdict } from "./judged/judged-finding.js";
import { startExperiments } from "./judged/start-experiments.js";
import { tlsExperiments } from "./judged/tls-experiments.js";

const [folder = ".", list = ""] = process.argv.slice(2);
const { findings }: { readonly findings: readonly JudgedFinding[] } = JSON.parse(readFileSync(list, "utf8"));

spawnSync("ip", ["link", "set", "lo", "up"]);
for (const address of clientIps) spawnSync("ip", ["addr", "add", `${address}/32`, "dev", "lo"]);

await whileInScratchFolder(async (scratch) => {
  const verdicts = new Map<JudgedFinding, Verdict>();
  const trials = [];
  for (const finding of findings) {
    const source = new SourceLines(folder, finding.path);
    const experiment = startExperiments[finding.rule] ?? tlsExperiments[finding.rule];
    if (experiment) verdicts.set(finding, await experiment(finding, source, startFolder(scratch)));
    else {
      const trial = trialOf(finding, source);
      if (typeof trial === "string") verdicts.set(finding, byReading(trial));
      else trials.push(trial);
    }
  }
  for (const [finding, verdict] of trials.length === 0 ? [] : await runTrials(trials, scratch))
    verdicts.set(finding, verdict);
  for (const finding of findings) {
    const { rule, path, start, message } = finding;
    process.stdout.write(`${JSON.stringify({ rule, path, line: start.line, message, ...verdicts.get(finding) })}\n`);
  }
});

function startFolder(scratch: string): string {
  const path = join(scratch, "start");
  mkdirSync(path, { recursive: true });
  return path;
}
