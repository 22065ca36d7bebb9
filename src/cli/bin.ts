import { isMainThread } from "node:worker_threads";
import { runWorker } from "./check/worker.js";
import { main } from "./main.js";

if (isMainThread) main(process.argv.slice(2), (code) => process.exit(code));
else runWorker();
