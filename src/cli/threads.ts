import { Worker } from "node:worker_threads";
import { type Done, type Session, type Steps, sizeOf, type Task, type Work } from "./work.js";

/** Whatever it was that kept a thread from doing its work. */
export class ThreadFailure extends Error {}

/** What a thread is told, and what it tells. */
export interface ToThread {
  readonly task: Task;
}
export type FromThread =
  | { readonly done: Done }
  | { readonly threw: { readonly message: string; readonly stack: string } };

/** The file that a thread runs. */
const program = () => new URL("./httpd-lint.js", import.meta.url);

/**
 * Goes through all steps, with what work there is shared out to threads. What they come to is taken in the order of the
 * tasks: it does not hang on how many there are, nor on which is faster.
 *
 * @param told hears of each task that is done
 * @param script what threads run
 * @returns at once where there is no such work
 */
export function inThreads<T>(
  steps: Steps<T>,
  jobs: number,
  told: (done: number, all: number) => void,
  script?: URL,
): T | Promise<T> {
  const first = steps.next();
  return first.done ? first.value : goneThrough(steps, first.value, jobs, told, script ?? program());
}

async function goneThrough<T>(
  steps: Steps<T>,
  first: Work,
  jobs: number,
  told: (done: number, all: number) => void,
  script: URL,
): Promise<T> {
  for (let work = first; ; ) {
    await new SharedOut(work, told).by(Math.min(jobs, work.tasks.length), script);
    const next = steps.next();
    if (next.done) return next.value;
    work = next.value;
  }
}

/** Work that is shared out. */
class SharedOut {
  private next = 0;
  private taken = 0;
  private done = 0;
  private readonly all: number;
  private readonly early = new Map<number, Done>();

  constructor(
    private readonly work: Work,
    private readonly told: (done: number, all: number) => void,
  ) {
    this.all = work.tasks.reduce((sum, task) => sum + sizeOf(task), 0);
  }

  async by(threads: number, script: URL): Promise<void> {
    const { session, tasks } = this.work;
    if (tasks.length === 0) return;
    this.told(0, this.all);
    const workers: Worker[] = [];
    try {
      await new Promise<void>((resolve, reject) => {
        for (let count = 0; count < threads; count++) {
          const worker = new Worker(script, { workerData: session satisfies Session });
          workers.push(worker);
          this.run(worker, resolve, reject);
        }
      });
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }

  private run(worker: Worker, resolve: () => void, reject: (error: Error) => void): void {
    let at = this.giveNext(worker);
    worker.on("message", (message: FromThread) => {
      if ("threw" in message) {
        reject(Object.assign(new Error(message.threw.message), { stack: message.threw.stack }));
        return;
      }
      try {
        this.take(at, message.done);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (this.taken === this.work.tasks.length) resolve();
      else at = this.giveNext(worker);
    });
    worker.on("error", (error: Error) => reject(new ThreadFailure(error.message)));
    worker.on("exit", (code) => reject(new ThreadFailure(`it ended with ${code}`)));
  }

  private giveNext(worker: Worker): number {
    const task = this.work.tasks[this.next];
    if (task === undefined) return this.next;
    worker.postMessage({ task } satisfies ToThread);
    return this.next++;
  }

  private take(at: number, done: Done): void {
    const { tasks, take } = this.work;
    this.early.set(at, done);
    const task = tasks[at];
    if (task) this.done += sizeOf(task);
    this.told(this.done, this.all);
    for (let ready = this.early.get(this.taken); ready; ready = this.early.get(this.taken)) {
      const next = tasks[this.taken];
      this.early.delete(this.taken++);
      if (next) take(ready, next);
    }
  }
}
