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
