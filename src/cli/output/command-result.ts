/** What the command's exit code says; the same for every command and format. */
export const exitCodes = {
  /** Nothing at or above the threshold. */
  clean: 0,
  /** Findings. */
  findings: 1,
  /** Wrong usage or settings. */
  usage: 2,
  /** Input that cannot be read. */
  unreadable: 3,
  /** A fault of ours. */
  internal: 4,
  /** The answer hangs on what is not known. */
  unknown: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What a command did: its result for standard output, notes for standard error, and how it ended. */
export interface CommandResult {
  readonly output: Iterable<string | Buffer>;
  readonly notes: readonly string[];
  readonly exitCode: ExitCode;
  /** The files of the configuration that were read, by real path: a result may not take the place of one. */
  readonly read?: readonly string[];
}

/** A command that could not do its work, in one line for the operator. */
export function createFailure(exitCode: ExitCode, message: string): CommandResult {
  return { output: [], notes: [`httpd-lint: ${message}`], exitCode };
}
