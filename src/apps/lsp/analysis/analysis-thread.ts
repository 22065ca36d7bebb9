import type { Worker } from "node:worker_threads";
import { startShippedScript } from "../../shipped-files.js";
import type { AnalysisJob, JobResult } from "../job.js";

/** A running or queued job. */
interface PendingJob {
  readonly job: AnalysisJob;
  readonly key: string;
  readonly done: (answer: JobResult | undefined) => void;
}

/** The treatment of a running job when another with the same key arrives. */
export type RepeatPolicy =
  /** Finishes the running job first. */
  | "finish"
  /** Cancels the running job: its answer is no longer needed. */
  | "give up";

/**
 * A worker thread for long analyses. It runs one job at a time and keeps only the latest queued job of each key. It
 * starts on the first job, and restarts on the next job after a failure.
 */
export class AnalysisThread {
  private worker: Worker | undefined;
  private running: PendingJob | undefined;
  private readonly waiting = new Map<string, PendingJob>();

  /** @param failed is called with internal errors */
  constructor(
    private readonly repeatPolicy: RepeatPolicy,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * @param key a new job replaces the queued job with the same key
   * @returns undefined if another job replaced it, or the thread failed
   */
  submit(job: AnalysisJob, key: string): Promise<JobResult | undefined> {
    return new Promise((done) => {
      if (this.repeatPolicy === "give up") this.cancel(key);
      this.waiting.get(key)?.done(undefined);
      this.waiting.set(key, { job, key, done });
      this.runNext();
    });
  }

  /** Cancels the running and the queued job of a key. */
  cancel(key: string): void {
    this.waiting.get(key)?.done(undefined);
    this.waiting.delete(key);
    if (this.running?.key !== key) return;
    void this.worker?.terminate();
    this.worker = undefined;
    this.settle(undefined);
  }

  private runNext(): void {
    const [next] = this.waiting.values();
    if (this.running || next === undefined) return;
    this.waiting.delete(next.key);
    this.running = next;
    this.worker ??= this.start();
    this.worker.postMessage(next.job);
  }

  private start(): Worker {
    const worker = startShippedScript("worker.js");
    const isCurrent = () => worker === this.worker;
    worker.on("message", (answer: JobResult) => isCurrent() && this.settle(answer));
    worker.on("error", (error) => {
      if (!isCurrent()) return;
      this.worker = undefined;
      this.failed(error);
      this.settle(undefined);
    });
    // The thread must not keep the process alive after the editor disconnects.
    worker.unref();
    return worker;
  }

  private settle(answer: JobResult | undefined): void {
    const { running } = this;
    this.running = undefined;
    running?.done(answer);
    this.runNext();
  }
}
