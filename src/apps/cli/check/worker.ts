import { allRules } from "../../../../rules/index.js";
import { openServer } from "../../../config/read-config.js";
import { toReadOptions } from "../../../config/read-entry.js";
import { keepVariants, type RuleDefinition } from "../../../lint/rule.js";
import { measurePhase, Timings } from "../../../lint/runner/timings.js";
import { memoize } from "../../../text/memoize.js";
import { DependencyRecorder } from "../../cache/dependency-recorder.js";
import type { ThreadConnection } from "../../threads.js";
import type { LintTask, ServerSession, StandaloneSession, TaskResult, WorkerSession } from "../../workers/task.js";
import type { WorkerRequest, WorkerResponse } from "../../workers/worker-pool.js";
import { type ConfigSource, type ConfigSourceSpec, openConfigSource } from "../inputs/config-source.js";
import { runTask, ServerLinter } from "./chunks.js";
import { LoneFileLinter } from "./lint-unit.js";

/** Runs tasks one after the other as messages arrive. */
export function runWorker({ port, data }: ThreadConnection<WorkerSession>): void {
  const timings = data.isTimed ? new Timings("prepare", performance.now()) : undefined;
  let perform: ((task: LintTask) => TaskResult) | undefined;
  port.on("message", ({ task }: WorkerRequest) => {
    timings?.enter("prepare");
    const response = performTask(() => {
      perform ??= createTaskRunner(data, timings);
      return perform(task);
    });
    timings?.enter("wait");
    // The main thread frees the memory and reports errors.
    port.postMessage("done" in response && timings ? { ...response, timings: timings.drain() } : response);
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
function createTaskRunner(session: WorkerSession, timings: Timings | undefined): (task: LintTask) => TaskResult {
  const running = new Map(session.rules.map((each) => [each.id, each]));
  const rules = allRules.flatMap((rule) => {
    const run = running.get(rule.id);
    const kept = run && keepVariants(rule, (variant) => run.variants.includes(variant));
    return kept ? [{ ...kept, severity: run.severity }] : [];
  });
  return "main" in session
    ? createServerRunner(session, rules, timings)
    : createLoneFileRunner(session, rules, timings);
}

function createServerRunner(
  session: ServerSession,
  rules: readonly RuleDefinition[],
  timings: Timings | undefined,
): (task: LintTask) => TaskResult {
  const { spec, main, files, own } = session;
  const source = openSource(spec);
  const recorder = own && new DependencyRecorder(own);
  const access = recorder?.wrap(source.access) ?? source.access;
  const opened = measurePhase(timings, "read", () =>
    openServer(...toReadOptions(main, { ...source.load, access, kind: "server" })),
  );
  if (!opened.ok) throw new Error(opened.error);
  const linter = new ServerLinter(opened.value, files, rules, undefined, timings);
  return (task) => {
    const done = runTask(task, session, linter);
    if (recorder === undefined) return done;
    return done.map((chunk) => (chunk.ok ? { ok: true, value: { ...chunk.value, answers: recorder.drain() } } : chunk));
  };
}

function createLoneFileRunner(
  session: StandaloneSession,
  rules: readonly RuleDefinition[],
  timings: Timings | undefined,
): (task: LintTask) => TaskResult {
  const { files, sources, sourceOf } = session;
  // A thread reads the files of some servers only.
  const openOnce = memoize(openSource);
  const fileOf = (number: number) => {
    const [path, spec] = [files[number], sources[sourceOf[number] ?? -1]];
    if (path === undefined || spec === undefined) throw new Error("a task names a file that its session does not have");
    return { path, source: openOnce(spec) };
  };
  const linter = new LoneFileLinter(rules, fileOf, timings);
  return (task) => runTask(task, session, linter);
}

function openSource(spec: ConfigSourceSpec): ConfigSource {
  const source = openConfigSource(spec);
  if (!source.ok) throw new Error(source.error);
  return source.value;
}
