import { parentPort } from "node:worker_threads";
import { describeAccess } from "./analysis/access-query.js";
import { analyzeDocuments } from "./analysis/analyze-documents.js";
import type { AnalysisJob, JobResult } from "./job.js";

/** How long paths are gone over for one question. */
const MAX_ACCESS_MS = 10_000;

// The thread beside the one that talks to the editor: it does one job after the other, each as long as it takes.
parentPort?.on("message", (job: AnalysisJob) => parentPort?.postMessage(runJob(job)));

function runJob(job: AnalysisJob): JobResult {
  switch (job.kind) {
    case "findings":
      return analyzeDocuments(job.snapshot, job.isProved);
    case "who":
      return { kind: "who", told: describeAccess(job.snapshot, job.uri, job.offset, MAX_ACCESS_MS) };
  }
}
