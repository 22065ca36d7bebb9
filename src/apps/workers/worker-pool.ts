import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { measurePhase, type TimingRecord } from "../../lint/runner/timings.js";
import type { Result } from "../../text/result.js";
import { startShippedScript } from "../shipped-files.js";
import { startThread } from "../threads.js";
import {
  countFiles,
  type LintTask,
  type ProgressCounter,
  runBatchInline,
  type TaskBatch,
  type TaskGenerator,
  type TaskResult,
  type WorkerSession,
} from "./task.js";

/** The failure of a worker thread for any reason. */
export class WorkerFailure extends Error {}

/** The first argument of this program in a thread. */
export const THREAD_ARGUMENT = "--thread-of-httpd-lint";

/** Messages to and from a worker thread. */
export interface WorkerRequest {
  readonly task: LintTask;
}
export type WorkerResponse =
  | { readonly done: TaskResult; readonly timings?: TimingRecord | undefined }
  | { readonly error: { readonly message: string; readonly stack: string } };

/**
 * Runs all steps, distributing their work to threads. Results are taken in task order, so they do not depend on the
 * number or speed of the threads.
 *
 * @param countWorkers returns the number of threads for a number of files
 * @param onProgress is called after each completed task
 * @param script the script that threads run; default: this program
 * @returns synchronously if no step needs threads
 */
export function runInWorkers<T>(
  steps: TaskGenerator<T>,
  countWorkers: WorkerCounter,
  onProgress: ProgressCounter,
  script?: URL,
): T | Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const work = step.value;
    const threads = Math.min(countWorkers(countFiles(work.tasks)), work.tasks.length);
    if (threads > 1) {
      const done = new WorkerPool(work, onProgress).runOn(threads, script);
      return done.then(() => runInWorkers(steps, countWorkers, onProgress, script));
    }
    runBatchInline(work, onProgress);
  }
}

/** Work distributed to threads. */
class WorkerPool {
  private next = 0;
  private taken = 0;
  private done = 0;
  private readonly all: number;
  private readonly outOfOrder = new Map<number, TaskResult>();

  constructor(
    private readonly work: TaskBatch,
    private readonly onProgress: ProgressCounter,
  ) {
    this.all = countFiles(work.tasks);
  }

  async runOn(threads: number, script: URL | undefined): Promise<void> {
    const { session, timings } = this.work;
    const phase = timings?.enter("wait");
    if (timings) timings.threads = Math.max(timings.threads, threads);
    this.onProgress(0, this.all);
    const workers: Worker[] = [];
    try {
      await new Promise<void>((resolve, reject) => {
        for (let count = 0; count < threads; count++) {
          const options = { workerData: session satisfies WorkerSession, argv: [THREAD_ARGUMENT] };
          const worker = script ? startThread(script, options) : startShippedScript("httpd-lint.js", options);
          workers.push(worker);
          this.attachWorker(worker, resolve, reject);
        }
      });
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
      if (phase) timings?.enter(phase);
    }
  }

  private attachWorker(worker: Worker, resolve: () => void, reject: (error: Error) => void): void {
    let at = this.assignNext(worker);
    worker.on("message", (message: WorkerResponse) => {
      if ("error" in message) {
        reject(Object.assign(new Error(message.error.message), { stack: message.error.stack }));
        return;
      }
      const { timings } = this.work;
      if (message.timings) timings?.add(message.timings);
      try {
        measurePhase(timings, "lint", () => this.addResult(at, message.done));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (this.taken === this.work.tasks.length) resolve();
      else at = this.assignNext(worker);
    });
    worker.on("error", (error: Error) => reject(new WorkerFailure(error.message)));
    worker.on("exit", (code) => reject(new WorkerFailure(`it ended with ${code}`)));
  }

  private assignNext(worker: Worker): number {
    const task = this.work.tasks[this.next];
    if (task === undefined) return this.next;
    worker.postMessage({ task } satisfies WorkerRequest);
    return this.next++;
  }

  private addResult(at: number, done: TaskResult): void {
    const { tasks, addResult } = this.work;
    this.outOfOrder.set(at, done);
    this.done += tasks[at]?.length ?? 0;
    this.onProgress(this.done, this.all);
    for (let ready = this.outOfOrder.get(this.taken); ready; ready = this.outOfOrder.get(this.taken)) {
      const next = tasks[this.taken];
      this.outOfOrder.delete(this.taken++);
      if (next) addResult(ready, next);
    }
  }
}

/** Returns the number of threads for a number of files. */
export type WorkerCounter = (files: number) => number;

/**
 * Number of files from which threads are worth their start: each loads the program, compiles it again while it runs,
 * and reads the main files. The main thread restores the findings.
 */
export const MIN_FILES_FOR_THREADS = 20_000;
/** Maximum number of threads by default: each holds a server's main files in memory. */
const MAX_DEFAULT_WORKERS = 8;
const MAX_WORKERS = 256;

/** Returns how many threads to use. @param requested the value of `--jobs`; if absent, one for each processor */
export function chooseWorkerCount(requested: string | undefined): Result<WorkerCounter, string> {
  if (requested === undefined) {
    const max = Math.min(availableParallelism(), MAX_DEFAULT_WORKERS);
    return { ok: true, value: (files) => (files < MIN_FILES_FOR_THREADS ? 1 : max) };
  }
  const jobs = /^\d+$/.test(requested) ? Number(requested) : 0;
  if (jobs >= 1 && jobs <= MAX_WORKERS) return { ok: true, value: () => jobs };
  return { ok: false, error: `invalid value \`${requested}\` for --jobs: expected a number from 1 to ${MAX_WORKERS}` };
}
