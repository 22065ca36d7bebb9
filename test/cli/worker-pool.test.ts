import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type AnalysisTask, runInline, type TaskGenerator } from "../../src/cli/workers/task.js";
import { runInWorkers, WorkerFailure } from "../../src/cli/workers/worker-pool.js";
import { testFolder } from "../support/programs/test-folder.js";

const { at } = testFolder();

/** Returns the code of a thread: later tasks finish sooner. */
function threadThat(does: string): URL {
  const path = at("thread.cjs");
  writeFileSync(
    path,
    `const { parentPort } = require("node:worker_threads");
const done = (task) => parentPort.postMessage({ done: { kind: "alone", each: task.paths.map((path) => ({ unreadable: path })) } });
parentPort.on("message", ({ task }) => { ${does} });`,
  );
  return pathToFileURL(path);
}

const tasks: readonly AnalysisTask[] = [1, 2, 3, 4, 5, 6].map((number) => ({ paths: [`${number}`, `${number}'`] }));

function* steps(): TaskGenerator<readonly string[]> {
  const taken: string[] = [];
  const how = { flags: { release: "2.4" }, from: undefined, main: undefined, overlay: undefined } as const;
  yield {
    session: { how, rules: [] },
    tasks,
    runInline: (task) => ({
      kind: "alone",
      each: "paths" in task ? task.paths.map((path) => ({ unreadable: path })) : [],
    }),
    addResult(done) {
      if (done.kind === "alone") for (const each of done.each) if ("unreadable" in each) taken.push(each.unreadable);
    },
  };
  return taken;
}

const wanted = ["1", "1'", "2", "2'", "3", "3'", "4", "4'", "5", "5'", "6", "6'"];

test("what threads come to is taken in the order of the tasks, whoever is first", async () => {
  const late = threadThat("setTimeout(() => done(task), 60 / Number(task.paths[0]));");
  const told: string[] = [];
  expect(await runInWorkers(steps(), 3, (done, all) => told.push(`${done} of ${all}`), late)).toEqual(wanted);
  expect(told).toEqual(["0 of 12", "2 of 12", "4 of 12", "6 of 12", "8 of 12", "10 of 12", "12 of 12"]);
  expect(runInline(steps(), () => undefined)).toEqual(wanted);
});

test.each([
  ["ends", 'if (task.paths[0] === "4") process.exit(3); else done(task);', "it ended with 3"],
  ["fails where nobody expects it", 'if (task.paths[0] === "4") throw new Error("lost"); else done(task);', "lost"],
])(
  "nothing comes of the work where a thread %s",
  async (_, does, why) => {
    const failed = Promise.resolve(runInWorkers(steps(), 2, () => undefined, threadThat(does)));
    await expect(failed).rejects.toThrow(WorkerFailure);
    await expect(failed).rejects.toThrow(why);
  },
  60_000,
);

test("an error of ours in a thread is ours", async () => {
  const throws = threadThat('parentPort.postMessage({ threw: { message: "broken", stack: "there" } });');
  const failed = Promise.resolve(runInWorkers(steps(), 2, () => undefined, throws));
  await expect(failed).rejects.toThrow("broken");
  await expect(failed).rejects.not.toThrow(WorkerFailure);
});

test("what takes no work that is shared out is there at once", () => {
  // biome-ignore lint/correctness/useYield: there is none
  function* none(): TaskGenerator<string> {
    return "done";
  }
  expect(runInWorkers(none(), 3, () => undefined)).toBe("done");
});
