import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type AnalysisTask, runInline, type TaskGenerator } from "../../src/cli/workers/task.js";
import {
  chooseWorkerCount,
  MIN_FILES_FOR_THREADS,
  runInWorkers,
  WorkerFailure,
} from "../../src/cli/workers/worker-pool.js";
import { testFolder } from "../support/programs/test-folder.js";

const { at } = testFolder();

/** Returns the code of a thread: later tasks finish sooner. */
function threadThat(does: string): URL {
  const path = at("thread.cjs");
  writeFileSync(
    path,
    `const { parentPort, workerData } = require("node:worker_threads");
const firstOf = (task) => workerData.files[task[0]];
const done = (task) => parentPort.postMessage({ done: task.map((number) => ({ unreadable: workerData.files[number] })) });
parentPort.on("message", ({ task }) => { ${does} });`,
  );
  return pathToFileURL(path);
}

const files = ["1", "1'", "2", "2'", "3", "3'", "4", "4'", "5", "5'", "6", "6'"];
const tasks: readonly AnalysisTask[] = [0, 2, 4, 6, 8, 10].map((number) => [number, number + 1]);

function* steps(): TaskGenerator<readonly string[]> {
  const taken: string[] = [];
  const how = { flags: { release: "2.4" }, from: undefined, main: undefined, overlay: undefined } as const;
  yield {
    session: { readings: [how], readingOf: files.map(() => 0), rules: [], files },
    tasks,
    runInline: (task) => task.map((number) => ({ unreadable: files[number] ?? "" })),
    addResult(done) {
      for (const each of done) if ("unreadable" in each) taken.push(each.unreadable);
    },
  };
  return taken;
}

test("returns results in the order of the tasks", async () => {
  const late = threadThat("setTimeout(() => done(task), 60 / Number(firstOf(task)));");
  const told: string[] = [];
  expect(
    await runInWorkers(
      steps(),
      () => 3,
      (done, all) => told.push(`${done} of ${all}`),
      late,
    ),
  ).toEqual(files);
  expect(told).toEqual(["0 of 12", "2 of 12", "4 of 12", "6 of 12", "8 of 12", "10 of 12", "12 of 12"]);
  expect(runInline(steps(), () => undefined)).toEqual(files);
});

test.each([
  ["ends", 'if (firstOf(task) === "4") process.exit(3); else done(task);', "it ended with 3"],
  ["fails where nobody expects it", 'if (firstOf(task) === "4") throw new Error("lost"); else done(task);', "lost"],
])(
  "nothing comes of the work where a thread %s",
  async (_, does, why) => {
    const failed = Promise.resolve(
      runInWorkers(
        steps(),
        () => 2,
        () => undefined,
        threadThat(does),
      ),
    );
    await expect(failed).rejects.toThrow(WorkerFailure);
    await expect(failed).rejects.toThrow(why);
  },
  60_000,
);

test("an error of ours in a thread is ours", async () => {
  const throws = threadThat('parentPort.postMessage({ error: { message: "broken", stack: "there" } });');
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
  // biome-ignore lint/correctness/useYield: there is none
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

test("uses threads for many files only, unless their number is given", () => {
  const [usual, two] = [chooseWorkerCount(undefined), chooseWorkerCount("2")];
  if ("failed" in usual || "failed" in two) throw new Error("the number of threads was rejected");
  expect(usual(MIN_FILES_FOR_THREADS - 1)).toBe(1);
  expect(usual(MIN_FILES_FOR_THREADS)).toBe(Math.min(availableParallelism(), 8));
  expect(two(1)).toBe(2);
});

test("one thread is this one", () => {
  const broken = threadThat("process.exit(1);");
  const one = () => 1;
  expect(runInWorkers(steps(), one, () => undefined, broken)).toEqual(files);
});
