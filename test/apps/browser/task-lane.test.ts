import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Numbered } from "../../../src/apps/browser/messages.js";
import { TaskLane, TaskQueue, type TaskWorker } from "../../../src/apps/browser/task-lane.js";

/** A worker that answers on request. */
class FakeWorker implements TaskWorker<string, string> {
  readonly received: Numbered<string>[] = [];
  isTerminated = false;
  private onAnswer: (answer: Numbered<string>) => void = () => {};
  private onFailure: (answer: string) => void = () => {};

  send(task: Numbered<string>): void {
    this.received.push(task);
  }
  receive(onAnswer: (answer: Numbered<string>) => void, onFailure: (answer: string) => void): void {
    this.onAnswer = onAnswer;
    this.onFailure = onFailure;
  }
  terminate(): void {
    this.isTerminated = true;
  }
  /** Answers a task, by default the first. */
  answer(index = 0): void {
    const task = this.received[index];
    if (task) this.onAnswer({ id: task.id, content: `answer to ${task.content}` });
  }
  /** Fails, as after an error that the worker does not catch. */
  fail(): void {
    this.onFailure("failed");
  }
}

let workers: FakeWorker[] = [];
let answers: string[] = [];
const startWorker = () => {
  const worker = new FakeWorker();
  workers.push(worker);
  return worker;
};
const createLane = (pause: number, patience = 500) =>
  new TaskLane<string, string>(startWorker, { pause, patience }, (answer) => answers.push(answer));
const tasksOf = (index: number) => workers[index]?.received.map(({ content }) => content);

beforeEach(() => {
  workers = [];
  answers = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a lane runs the latest task after a pause", () => {
  const lane = createLane(100);
  lane.run("a");
  vi.advanceTimersByTime(50);
  lane.run("b");
  vi.advanceTimersByTime(99);
  expect(workers).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(tasksOf(0)).toEqual(["b"]);
  workers[0]?.answer();
  expect(answers).toEqual(["answer to b"]);
});

test("the answer to an earlier task is dropped, and the next task follows immediately", () => {
  const lane = createLane(0);
  lane.run("a");
  lane.run("b");
  lane.run("c");
  expect(tasksOf(0)).toEqual(["a"]);
  workers[0]?.answer();
  expect(answers).toEqual([]);
  expect(tasksOf(0)).toEqual(["a", "c"]);
  workers[0]?.answer(1);
  expect(answers).toEqual(["answer to c"]);
});

test("an outdated task is stopped after a timeout, and its late answer is dropped", () => {
  const lane = createLane(0, 500);
  lane.run("a");
  vi.advanceTimersByTime(400);
  lane.run("b");
  vi.advanceTimersByTime(99);
  expect(workers).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(workers[0]?.isTerminated).toBe(true);
  expect(tasksOf(1)).toEqual(["b"]);
  workers[0]?.answer();
  expect(answers).toEqual([]);
  workers[1]?.answer();
  expect(answers).toEqual(["answer to b"]);
});

test("the latest task may take any time", () => {
  const lane = createLane(0, 500);
  lane.run("a");
  vi.advanceTimersByTime(60_000);
  expect(workers[0]?.isTerminated).toBe(false);
  workers[0]?.answer();
  expect(answers).toEqual(["answer to a"]);
});

test("after `cancel`, no answer arrives", () => {
  const lane = createLane(0);
  lane.run("a");
  lane.cancel();
  workers[0]?.answer();
  expect(answers).toEqual([]);
  lane.run("b");
  expect(tasksOf(0)).toEqual(["a", "b"]);
  workers[0]?.answer(1);
  expect(answers).toEqual(["answer to b"]);
});

test("a queue answers every task", async () => {
  const queue = new TaskQueue<string, string>(startWorker);
  const all = [queue.request("a"), queue.request("b")];
  workers[0]?.answer(1);
  workers[0]?.answer(0);
  expect(await Promise.all(all)).toEqual(["answer to a", "answer to b"]);
});

test("after a failure of the worker, a queue answers all of its tasks, and starts another worker", async () => {
  const queue = new TaskQueue<string, string>(startWorker);
  const all = [queue.request("a"), queue.request("b"), queue.request("c")];
  workers[0]?.answer(1);
  workers[0]?.fail();
  expect(await Promise.all(all)).toEqual(["failed", "answer to b", "failed"]);
  expect(workers[0]?.isTerminated).toBe(true);
  const next = queue.request("d");
  workers[0]?.fail();
  expect(tasksOf(1)).toEqual(["d"]);
  workers[1]?.answer();
  expect(await next).toBe("answer to d");
});

test("after a failure of the worker, a lane runs the next task in another one", () => {
  const lane = createLane(0);
  lane.run("a");
  workers[0]?.fail();
  expect(answers).toEqual(["failed"]);
  lane.run("b");
  expect(tasksOf(1)).toEqual(["b"]);
  lane.run("c");
  workers[1]?.fail();
  expect([workers[0]?.isTerminated, workers[1]?.isTerminated]).toEqual([true, true]);
  expect(tasksOf(2)).toEqual(["c"]);
  workers[1]?.fail();
  workers[2]?.answer();
  expect(answers).toEqual(["failed", "answer to c"]);
});
