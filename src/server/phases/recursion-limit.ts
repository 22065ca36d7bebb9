import { findSetting } from "../model/config-layer.js";
import type { RequestContext } from "../model/simulation-setup.js";

/** If LimitInternalRecursion is unlimited, the server continues until it fails. */
const MAX_RECURSION = 100;

/** The kinds of nested requests that are counted (server/core.c `ap_is_recursion_limit_exceeded`). */
const recursionKinds = {
  redirects: { code: "AH00124", counted: "internal redirects", position: 0 },
  subrequests: { code: "AH00125", counted: "subrequest nesting levels", position: 1 },
} as const;

export interface RecursionLimit {
  readonly max: number;
  readonly code: "AH00124" | "AH00125";
  /** The server's message when the limit is exceeded. */
  readonly errorMessage: string;
}

/** Returns the limit for nested requests; a single number applies to both kinds. */
export function recursionLimitOf({ server }: RequestContext, kind: keyof typeof recursionKinds): RecursionLimit {
  const { code, counted, position } = recursionKinds[kind];
  const words = findSetting(server.layers, "limitinternalrecursion")?.arguments ?? [];
  const limit = Number.parseInt((words[position] ?? words[0])?.value ?? "10", 10);
  const advice =
    "Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.";
  const errorMessage = `${code}: Request exceeded the limit of ${limit} ${counted} due to probable configuration error. ${advice}`;
  return { max: limit || MAX_RECURSION, code, errorMessage };
}
