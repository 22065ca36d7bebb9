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

/** Runs tasks one after the other as messages arrive. */
export function runWorker(): void {
  let perform: ((task: AnalysisTask) => TaskResult) | undefined;
  parentPort?.on("message", ({ task }: WorkerRequest) => {
    // The main thread frees the memory and reports errors.
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

/** Returns a function that runs the tasks of a session, using only the session's own data. */
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

/** Analyzes files, each on its own. */
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

/** The findings of a file analyzed on its own. */
export interface LoneFileFindings {
  readonly examined: RawLintResult;
  /** The number of lines of each file read, by real path. */
  readonly files: ReadonlyMap<string, number>;
}

/** Returns the findings of a file, analyzing it again if the result could not be represented as plain values. */
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
