import { parentPort } from "node:worker_threads";
import { analyse } from "./analyse.js";
import type { Answer, Job } from "./jobs.js";
import { whoGetsIn } from "./who-gets-in.js";

/** How long paths are gone over for one question. */
const LONGEST_LOOK_MS = 10_000;

// The thread beside the one that talks to the editor: it does one job after the other, each as long as it takes.
parentPort?.on("message", (job: Job) => parentPort?.postMessage(answerTo(job)));

function answerTo(job: Job): Answer {
  switch (job.kind) {
    case "findings":
      return analyse(job.snapshot, job.isProved);
    case "who":
      return { kind: "who", told: whoGetsIn(job.snapshot, job.uri, job.offset, LONGEST_LOOK_MS) };
  }
}
