import type { ExitCode } from "./exit-codes.js";

/** What a command did: its result for standard output, notes for standard error, and how it ended. */
export interface Outcome {
  readonly output: Iterable<string | Buffer>;
  readonly notes: readonly string[];
  readonly exitCode: ExitCode;
  /** The files of the configuration that were read, by real path: a result may not take the place of one. */
  readonly read?: readonly string[];
}

/** A command that could not do its work, in one line for the operator. */
export function failure(exitCode: ExitCode, message: string): Outcome {
  return { output: [], notes: [`httpd-lint: ${message}`], exitCode };
}
