import type { Result } from "../../../text/result.js";

/** Exit codes, the same for every command and format. */
export const exitCodes = {
  /** No findings at or above the threshold. */
  clean: 0,
  /** Findings. */
  findings: 1,
  /** Invalid usage or configuration file. */
  usage: 2,
  /** Unreadable input. */
  unreadable: 3,
  /** An internal error. */
  internal: 4,
  /** The result depends on unknown facts. */
  unknown: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The result of a command: output for standard output, notes for standard error, and the exit code. */
export interface CommandResult {
  readonly output: Iterable<string | Buffer>;
  readonly notes: readonly string[];
  readonly exitCode: ExitCode;
  /** The configuration files read, by real path: the output must not overwrite one. */
  readonly read?: readonly string[];
  /** The same result in other formats, for files. */
  readonly reports?: readonly ReportFile[];
  /** Where the time went, for standard error. */
  readonly timings?: readonly string[];
}

/** A result in a format, and the file for it. */
export interface ReportFile {
  readonly path: string;
  readonly output: CommandResult["output"];
}

/** Returns the outcome of a failed command, with a one-line message for the operator. */
export function createFailure(exitCode: ExitCode, message: string): CommandResult {
  return { output: [], notes: [`httpd-lint: ${message}`], exitCode };
}

/** Returns a failed operation whose error is what the command then returns. */
export function failWith(exitCode: ExitCode, message: string): Result<never, CommandResult> {
  return { ok: false, error: createFailure(exitCode, message) };
}
