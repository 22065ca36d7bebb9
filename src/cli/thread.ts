import { parentPort, workerData } from "node:worker_threads";
import { performer } from "./performer.js";
import type { FromThread, ToThread } from "./threads.js";
import type { Done, Session, Task } from "./work.js";

/** Does one task after the other, as it is told to. */
export function workAsThread(): void {
  let perform: ((task: Task) => Done) | undefined;
  parentPort?.on("message", ({ task }: ToThread) => {
    // Its memory is another's to free, and what goes wrong is another's to tell.
    parentPort?.postMessage(
      answerTo(() => {
        const session: Session = workerData;
        perform ??= performer(session);
        return perform(task);
      }),
    );
  });
}

function answerTo(perform: () => Done): FromThread {
  try {
    return { done: perform() };
  } catch (error) {
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    return { threw: { message, stack } };
  }
}
