import { parentPort, workerData } from "node:worker_threads";
import { defaultRules } from "../../../rules/index.js";
import { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { RuleDefinition } from "../../engine/rule.js";
import type { RawLintResult } from "../../engine/run-rules.js";
import { openEntry } from "../../project/load.js";
import type { EntryKind } from "../../project/model/project.js";
import { type ConfigSource, openConfigSource } from "../inputs/config-source.js";
import {
  type AnalysisTask,
  deserializeResult,
  type LoneFileResult,
  serializeResult,
  type TaskResult,
  type WorkerSession,
} from "../workers/task.js";
import type { WorkerRequest, WorkerResponse } from "../workers/worker-pool.js";
import { analyzeWhole, countLinesPerFile } from "./analysis.js";
import { createChunkedServer, runChunkTask } from "./chunks.js";

/** Does one task after the other, as it is told to. */
export function runWorker(): void {
  let perform: ((task: AnalysisTask) => TaskResult) | undefined;
  parentPort?.on("message", ({ task }: WorkerRequest) => {
    // Its memory is another's to free, and what goes wrong is another's to tell.
    parentPort?.postMessage(
      performTask(() => {
        const session: WorkerSession = workerData;
        perform ??= createTaskRunner(session);
        return perform(task);
      }),
    );
  });
}

function performTask(perform: () => TaskResult): WorkerResponse {
  try {
    return { done: perform() };
  } catch (error) {
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    return { threw: { message, stack } };
  }
}

/** Does the tasks of a session where nothing is known but what it says. */
function createTaskRunner({ how, rules: rated, server, own }: WorkerSession): (task: AnalysisTask) => TaskResult {
  const severities = new Map(rated);
  const rules = defaultRules.flatMap((rule) => {
    const severity = severities.get(rule.id);
    return severity === undefined ? [] : [{ ...rule, severity }];
  });
  const reading = openConfigSource(how);
  if ("failed" in reading) throw new Error(reading.failed);
  if (server === undefined) return (task) => analyzeLoneFiles(task, reading, rules);
  const answers = own && new DependencyRecorder(own);
  const access = answers?.wrap(reading.access) ?? reading.access;
  const opened = openEntry(server.main, { ...reading.load, access, kind: "server" });
  if ("failed" in opened) throw new Error(opened.failed);
  const parts = createChunkedServer(opened, server.files, rules);
  return (task) => {
    const done = runChunkTask(task, parts);
    return answers ? { ...done, answers: answers.drain() } : done;
  };
}

/** What came of files that are looked at each by itself. */
export function analyzeLoneFiles(
  task: AnalysisTask,
  reading: ConfigSource,
  rules: readonly RuleDefinition[],
): Extract<TaskResult, { kind: "alone" }> {
  return {
    kind: "alone",
    each: "paths" in task ? task.paths.map((path) => analyzeLoneFile(path, reading, rules)) : [],
  };
}

function analyzeLoneFile(path: string, reading: ConfigSource, rules: readonly RuleDefinition[]): LoneFileResult {
  const analysed = analyzeWhole({ path, kind: undefined, reading, rules });
  if ("unreadable" in analysed) return analysed;
  const { kind, linted } = analysed;
  return { kind, result: serializeResult(linted.examined, linted.project, () => false) };
}

/** What was found in a file by itself. */
export interface LoneFileFindings {
  readonly examined: RawLintResult;
  /** The files that were read, by real path, with their number of lines. */
  readonly files: ReadonlyMap<string, number>;
}

/** The same of what came of a file, which is looked at anew where that could not be said in plain values. */
export function restoreLoneFileFindings(
  path: string,
  { result }: Extract<LoneFileResult, { kind: EntryKind }>,
  reading: ConfigSource,
  rules: readonly RuleDefinition[],
): LoneFileFindings | { readonly unreadable: string } {
  if (result) return { examined: deserializeResult(result, new Map()), files: new Map(result.lines) };
  const analysed = analyzeWhole({ path, kind: undefined, reading, rules });
  if ("unreadable" in analysed) return analysed;
  return { examined: analysed.linted.examined, files: countLinesPerFile(analysed.linted.project) };
}
