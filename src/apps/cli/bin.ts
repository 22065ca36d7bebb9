import { isDeferred } from "../shipped-files.js";
import { connectThread } from "../threads.js";
import type { WorkerSession } from "../workers/task.js";
import { THREAD_ARGUMENT } from "../workers/worker-pool.js";
import { runWorker } from "./check/worker.js";
import { main } from "./main.js";

// For a startup snapshot.
export { prepare } from "./preparation.js";
export { main };

if (!isDeferred) {
  const [, , ...args] = process.argv;
  const thread = args[0] === THREAD_ARGUMENT ? connectThread<WorkerSession>() : undefined;
  if (thread) runWorker(thread);
  else main(args, (code) => process.exit(code));
}
