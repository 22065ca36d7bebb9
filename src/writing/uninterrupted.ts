const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs something to its end whoever interrupts: that what is being put in place is all there when the operator is back at
 * the prompt. Signals that somebody listens to end no process, and nobody is told of them before `run` returns.
 */
export function uninterrupted<T>(run: () => T): T {
  const listen = () => {};
  for (const signal of interruptions) process.on(signal, listen);
  try {
    return run();
  } finally {
    for (const signal of interruptions) process.off(signal, listen);
  }
}
