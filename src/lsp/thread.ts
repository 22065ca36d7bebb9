import { Worker } from "node:worker_threads";
import type { Answer, Job } from "./jobs.js";

/** A job under way, or one that waits for another to be over. */
interface Asked {
  readonly job: Job;
  readonly key: string;
  readonly done: (answer: Answer | undefined) => void;
}

/** What becomes of a job under way when another with its key comes. */
export type WhenAskedAnew =
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
  private running: Asked | undefined;
  private readonly waiting = new Map<string, Asked>();

  /** @param failed is told of errors in our own code */
  constructor(
    private readonly whenAskedAnew: WhenAskedAnew,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * @param key jobs of one key take each other's place
   * @returns undefined where another job took its place, or the thread failed
   */
  ask(job: Job, key: string): Promise<Answer | undefined> {
    return new Promise((done) => {
      if (this.whenAskedAnew === "give up") this.giveUp(key);
      this.waiting.get(key)?.done(undefined);
      this.waiting.set(key, { job, key, done });
      this.runNext();
    });
  }

  /** Gives up what is done and what waits for a key. */
  giveUp(key: string): void {
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
    const worker = new Worker(new URL("./worker.js", import.meta.url));
    const isOurs = () => worker === this.worker;
    worker.on("message", (answer: Answer) => isOurs() && this.settle(answer));
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

  private settle(answer: Answer | undefined): void {
    const { running } = this;
    this.running = undefined;
    running?.done(answer);
    this.runNext();
  }
}
