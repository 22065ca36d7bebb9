import { parentPort } from "node:worker_threads";
import { describeAccess } from "./analysis/access-query.js";
import { lintDocuments } from "./analysis/lint-documents.js";
import { describeSections } from "./analysis/section-access.js";
import type { AnalysisJob, JobResult } from "./job.js";

/** Time limit for exploring paths in one request. */
const MAX_ACCESS_MS = 10_000;

// Runs in parallel to the thread that serves the editor, one job at a time.
parentPort?.on("message", (job: AnalysisJob) => parentPort?.postMessage(runJob(job)));

function runJob(job: AnalysisJob): JobResult {
  switch (job.kind) {
    case "findings":
      return lintDocuments(job.snapshot, job.isProved);
    case "sections":
      return { kind: "sections", sections: describeSections(job.snapshot, job.uri, MAX_ACCESS_MS) };
    case "access":
      return { kind: "access", description: describeAccess(job.snapshot, job.uri, job.offset, MAX_ACCESS_MS) };
  }
}
