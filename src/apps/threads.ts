import {
  isMainThread,
  type MessagePort,
  parentPort,
  Worker,
  type WorkerOptions,
  workerData,
} from "node:worker_threads";

// The build loads this file at the first call: Node's module for threads takes a twentieth of a start.

/** The connection of a thread to its parent thread. */
export interface ThreadConnection<Data> {
  readonly port: MessagePort;
  /** The value that the parent passed at the start. */
  readonly data: Data;
}

/** Starts a script in a thread. */
export function startThread(script: URL, options: WorkerOptions): Worker {
  return new Worker(script, options);
}

/** Returns the connection of this thread; undefined in the main thread. */
export function connectThread<Data>(): ThreadConnection<Data> | undefined {
  return isMainThread || parentPort === null ? undefined : { port: parentPort, data: workerData };
}
