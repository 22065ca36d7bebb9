import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type LintTask, runInline, type TaskGenerator } from "../../../src/apps/workers/task.js";
import {
  chooseWorkerCount,
  MIN_FILES_FOR_THREADS,
  runInWorkers,
  WorkerFailure,
} from "../../../src/apps/workers/worker-pool.js";
import { testFolder } from "../../support/programs/test-folder.js";

const { at } = testFolder();

/** Writes the code of a thread that runs a statement for each task. */
function writeThread(statement: string): URL {
  const path = at("thread.cjs");
  writeFileSync(
    path,
    `const { parentPort, workerData } = require("node:worker_threads");
const firstOf = (task) => workerData.files[task[0]];
const done = (task) => parentPort.postMessage({ done: task.map((number) => ({ ok: false, error: workerData.files[number] })) });
parentPort.on("message", ({ task }) => { ${statement} });`,
  );
  return pathToFileURL(path);
}

const files = ["1", "1'", "2", "2'", "3", "3'", "4", "4'", "5", "5'", "6", "6'"];
const tasks: readonly LintTask[] = [0, 2, 4, 6, 8, 10].map((number) => [number, number + 1]);

function* steps(): TaskGenerator<readonly string[]> {
  const received: string[] = [];
  const reading = { flags: { release: "2.4" }, from: undefined, main: undefined, overlay: undefined } as const;
  yield {
    session: { sources: [reading], sourceOf: files.map(() => 0), rules: [], files },
    tasks,
    runInline: (task) => task.map((number) => ({ ok: false, error: files[number] ?? "" })),
    addResult(done) {
      for (const each of done) if (!each.ok) received.push(each.error);
    },
  };
  return received;
}

test("returns results in the order of the tasks", async () => {
  const delayed = writeThread("setTimeout(() => done(task), 60 / Number(firstOf(task)));");
  const progress: string[] = [];
  expect(
    await runInWorkers(
      steps(),
      () => 3,
      (done, all) => progress.push(`${done} of ${all}`),
      delayed,
    ),
  ).toEqual(files);
  expect(progress).toEqual(["0 of 12", "2 of 12", "4 of 12", "6 of 12", "8 of 12", "10 of 12", "12 of 12"]);
  expect(runInline(steps(), () => undefined)).toEqual(files);
});

test.each([
  ["ends", 'if (firstOf(task) === "4") process.exit(3); else done(task);', "it ended with 3"],
  ["throws an unexpected error", 'if (firstOf(task) === "4") throw new Error("lost"); else done(task);', "lost"],
])(
  "the work fails if a thread %s",
  async (_, statement, why) => {
    const failed = Promise.resolve(
      runInWorkers(
        steps(),
        () => 2,
        () => undefined,
        writeThread(statement),
      ),
    );
    await expect(failed).rejects.toThrow(WorkerFailure);
    await expect(failed).rejects.toThrow(why);
  },
  60_000,
);

test("an internal error in a thread is thrown with its message", async () => {
  const throws = writeThread('parentPort.postMessage({ error: { message: "broken", stack: "there" } });');
  const failed = Promise.resolve(
    runInWorkers(
      steps(),
      () => 2,
      () => undefined,
      throws,
    ),
  );
  await expect(failed).rejects.toThrow("broken");
  await expect(failed).rejects.not.toThrow(WorkerFailure);
});

test("runs tasks without shared work at once", () => {
  // biome-ignore lint/correctness/useYield: the generator has no tasks
  function* none(): TaskGenerator<string> {
    return "done";
  }
  expect(
    runInWorkers(
      none(),
      () => 3,
      () => undefined,
    ),
  ).toBe("done");
});

test("uses threads only for many files, unless their number is set", () => {
  const [automatic, two] = [chooseWorkerCount(undefined), chooseWorkerCount("2")];
  if (!automatic.ok || !two.ok) throw new Error("the number of threads was rejected");
  expect(automatic.value(MIN_FILES_FOR_THREADS - 1)).toBe(1);
  expect(automatic.value(MIN_FILES_FOR_THREADS)).toBe(Math.min(availableParallelism(), 8));
  expect(two.value(1)).toBe(2);
});

test("one thread means the current thread", () => {
  const broken = writeThread("process.exit(1);");
  const one = () => 1;
  expect(runInWorkers(steps(), one, () => undefined, broken)).toEqual(files);
});
