import type { Numbered } from "./messages.js";

/** The part of a worker that tasks use. */
export interface TaskWorker<Task, Answer> {
  send(task: Numbered<Task>): void;
  /**
   * Sets the only listeners.
   *
   * @param onFailure receives the answer to all tasks that a failure of the worker leaves without one
   */
  receive(onAnswer: (answer: Numbered<Answer>) => void, onFailure: (answer: Answer) => void): void;
  terminate(): void;
}

/** How a lane waits, in milliseconds. */
export interface LaneTimes {
  /** Time before a task starts: further tasks in this time replace it. */
  readonly pause: number;
  /** Time before a running task that is out of date is stopped, with its worker. */
  readonly patience: number;
}

/**
 * Runs one task at a time in a worker, and only the latest one: a new task replaces those before it, and their answers
 * are dropped. The worker starts with the first task.
 */
export class TaskLane<Task, Answer> {
  private worker: TaskWorker<Task, Answer> | undefined;
  private latest = 0;
  private running: { readonly id: number; readonly since: number } | undefined;
  private waiting: Numbered<Task> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly start: () => TaskWorker<Task, Answer>,
    private readonly times: LaneTimes,
    private readonly onAnswer: (answer: Answer) => void,
  ) {}

  /** Runs a task in place of all earlier ones. */
  run(task: Task): void {
    this.cancel();
    this.waiting = { id: this.latest, content: task };
    if (this.times.pause === 0) this.sendWaiting();
    else this.timer = setTimeout(() => this.sendWaiting(), this.times.pause);
  }

  /** Drops the answers of all tasks so far. */
  cancel(): void {
    this.latest++;
    this.waiting = undefined;
    clearTimeout(this.timer);
  }

  /** Sends the waiting task as soon as the worker is free, or stops the worker if it takes too long. */
  private sendWaiting(): void {
    if (this.waiting === undefined) return;
    clearTimeout(this.timer);
    if (this.running !== undefined) {
      const left = this.running.since + this.times.patience - performance.now();
      if (left > 0) {
        this.timer = setTimeout(() => this.sendWaiting(), left);
        return;
      }
      this.worker?.terminate();
      this.worker = undefined;
    }
    const task = this.waiting;
    this.waiting = undefined;
    this.running = { id: task.id, since: performance.now() };
    this.worker ??= this.open();
    this.worker.send(task);
  }

  private open(): TaskWorker<Task, Answer> {
    const worker = this.start();
    const settle = ({ id, content }: Numbered<Answer>) => {
      this.running = undefined;
      if (id === this.latest) this.onAnswer(content);
      else this.sendWaiting();
    };
    worker.receive(
      (answer) => {
        // A worker that was stopped may have sent an answer before.
        if (worker === this.worker && answer.id === this.running?.id) settle(answer);
      },
      (content) => {
        worker.terminate();
        if (worker !== this.worker) return;
        this.worker = undefined;
        if (this.running !== undefined) settle({ id: this.running.id, content });
      },
    );
    return worker;
  }
}

/**
 * Runs tasks in a worker of its own, each with its answer. The worker starts with the first task, and another one with the first
 * task after a failure.
 */
export class TaskQueue<Task, Answer> {
  private worker: TaskWorker<Task, Answer> | undefined;
  private count = 0;
  private readonly pending = new Map<number, (answer: Answer) => void>();

  constructor(private readonly start: () => TaskWorker<Task, Answer>) {}

  request(task: Task): Promise<Answer> {
    this.worker ??= this.open();
    const id = ++this.count;
    const answer = new Promise<Answer>((resolve) => this.pending.set(id, resolve));
    this.worker.send({ id, content: task });
    return answer;
  }

  private open(): TaskWorker<Task, Answer> {
    const worker = this.start();
    worker.receive(
      ({ id, content }) => {
        this.pending.get(id)?.(content);
        this.pending.delete(id);
      },
      (content) => {
        worker.terminate();
        // After its first failure, tasks go to another worker.
        if (worker !== this.worker) return;
        this.worker = undefined;
        for (const resolve of this.pending.values()) resolve(content);
        this.pending.clear();
      },
    );
    return worker;
  }
}
