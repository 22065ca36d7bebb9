import { allRules } from "../../../../rules/index.js";
import { openEntry } from "../../../config/read-entry.js";
import type { RuleDefinition } from "../../../lint/rule.js";
import { memoize } from "../../../text/memoize.js";
import { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { ThreadConnection } from "../../threads.js";
import type { AnalysisTask, ServerSession, StandaloneSession, TaskResult, WorkerSession } from "../../workers/task.js";
import type { WorkerRequest, WorkerResponse } from "../../workers/worker-pool.js";
import { type ConfigSource, type ConfigSourceSpec, openConfigSource } from "../inputs/config-source.js";
import { StandaloneFileLinter } from "./analysis.js";
import { runTask, ServerLinter } from "./chunks.js";

/** Runs tasks one after the other as messages arrive. */
export function runWorker({ port, data }: ThreadConnection<WorkerSession>): void {
  let perform: ((task: AnalysisTask) => TaskResult) | undefined;
  port.on("message", ({ task }: WorkerRequest) => {
    // The main thread frees the memory and reports errors.
    port.postMessage(
      performTask(() => {
        perform ??= createTaskRunner(data);
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
    return { error: { message, stack } };
  }
}

/** Returns a function that runs the tasks of a session, using only the session's own data. */
function createTaskRunner(session: WorkerSession): (task: AnalysisTask) => TaskResult {
  const severities = new Map(session.rules);
  const rules = allRules.flatMap((rule) => {
    const severity = severities.get(rule.id);
    return severity === undefined ? [] : [{ ...rule, severity }];
  });
  return "main" in session ? createServerRunner(session, rules) : createStandaloneRunner(session, rules);
}

function createServerRunner(
  session: ServerSession,
  rules: readonly RuleDefinition[],
): (task: AnalysisTask) => TaskResult {
  const { spec, main, files, own } = session;
  const reading = openSource(spec);
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

function createStandaloneRunner(
  session: StandaloneSession,
  rules: readonly RuleDefinition[],
): (task: AnalysisTask) => TaskResult {
  const { files, readings, readingOf } = session;
  // A thread reads the files of some servers only.
  const sourceOf = memoize(openSource);
  const linter = new StandaloneFileLinter(rules, (number) => {
    const [path, spec] = [files[number], readings[readingOf[number] ?? -1]];
    if (path === undefined || spec === undefined) throw new Error("a task names a file that its session does not have");
    return { path, reading: sourceOf(spec) };
  });
  return (task) => runTask(task, session, linter);
}

function openSource(spec: ConfigSourceSpec): ConfigSource {
  const reading = openConfigSource(spec);
  if ("failed" in reading) throw new Error(reading.failed);
  return reading;
}
