import { Worker } from "node:worker_threads";
import type { AnalysisJob, JobResult } from "../job.js";

/** A job under way, or one that waits for another to be over. */
interface PendingJob {
  readonly job: AnalysisJob;
  readonly key: string;
  readonly done: (answer: JobResult | undefined) => void;
}

/** What becomes of a job under way when another with its key comes. */
export type RepeatPolicy =
  /** It is finished first. */
  | "finish"
  /** It is given up: nobody needs the answer any more. */
  | "give up";

/**
 * A thread for what takes long: one job after the other, of those with one key only the latest. It is started when it is
 * first asked; one that fails is started anew for the next job.
 */
export class AnalysisThread {
  private worker: Worker | undefined;
  private running: PendingJob | undefined;
  private readonly waiting = new Map<string, PendingJob>();

  /** @param failed is told of errors in our own code */
  constructor(
    private readonly repeatPolicy: RepeatPolicy,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * @param key jobs of one key take each other's place
   * @returns undefined where another job took its place, or the thread failed
   */
  submit(job: AnalysisJob, key: string): Promise<JobResult | undefined> {
    return new Promise((done) => {
      if (this.repeatPolicy === "give up") this.cancel(key);
      this.waiting.get(key)?.done(undefined);
      this.waiting.set(key, { job, key, done });
      this.runNext();
    });
  }

  /** Gives up what is done and what waits for a key. */
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
    const worker = new Worker(new URL("../worker.js", import.meta.url));
    const isOurs = () => worker === this.worker;
    worker.on("message", (answer: JobResult) => isOurs() && this.settle(answer));
    worker.on("error", (error) => {
      if (!isOurs()) return;
      this.worker = undefined;
      this.failed(error);
      this.settle(undefined);
    });
    // What the thread does is no reason to stay when the editor has gone.
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
