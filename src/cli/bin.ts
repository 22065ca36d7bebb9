import { isMainThread } from "node:worker_threads";
import { main } from "./main.js";
import { workAsThread } from "./thread.js";

if (isMainThread) main(process.argv.slice(2), (code) => process.exit(code));
else workAsThread();
