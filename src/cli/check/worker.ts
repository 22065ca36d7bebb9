import { parentPort, workerData } from "node:worker_threads";
import { allRules } from "../../../rules/index.js";
import { DependencyRecorder } from "../../cache/dependency-recorder.js";
import { openEntry } from "../../project/load.js";
import { openConfigSource } from "../inputs/config-source.js";
import type { AnalysisTask, TaskResult, WorkerSession } from "../workers/task.js";
import type { WorkerRequest, WorkerResponse } from "../workers/worker-pool.js";
import { StandaloneFileLinter } from "./analysis.js";
import { runTask, ServerLinter } from "./chunks.js";

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
function createTaskRunner(session: WorkerSession): (task: AnalysisTask) => TaskResult {
  const { how, rules: rated, main, files, own } = session;
  const severities = new Map(rated);
  const rules = allRules.flatMap((rule) => {
    const severity = severities.get(rule.id);
    return severity === undefined ? [] : [{ ...rule, severity }];
  });
  const reading = openConfigSource(how);
  if ("failed" in reading) throw new Error(reading.failed);
  if (main === undefined) {
    const linter = new StandaloneFileLinter(files, reading, rules);
    return (task) => runTask(task, session, linter);
  }
  const recorder = own && new DependencyRecorder(own);
  const access = recorder?.wrap(reading.access) ?? reading.access;
  const opened = openEntry(main, { ...reading.load, access, kind: "server" });
  if ("failed" in opened) throw new Error(opened.failed);
  const linter = new ServerLinter(opened, files, rules);
  return (task) => {
    const done = runTask(task, session, linter);
    return recorder ? done.map((chunk) => ({ ...chunk, answers: recorder.drain() })) : done;
  };
}
