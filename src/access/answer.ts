import type { Directive } from "../project/directive.js";

/** What access control makes of a request. */
export interface Answer {
  /** Undefined where it lets the request pass. */
  readonly status: 401 | 403 | 405 | 426 | 500 | undefined;
  /** The numbers of the messages in the error log that tell of the decision, in their order: `AH01797`. */
  readonly log: readonly string[];
  /** The lines that decide. */
  readonly by: readonly Directive[];
  /** Who was authenticated on the way. */
  readonly user?: string;
}

export const passed: Answer = { status: undefined, log: [], by: [] };
