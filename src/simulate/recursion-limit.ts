import { settingIn } from "../scope/layer.js";
import type { Run } from "./pass.js";

/** Where LimitInternalRecursion sets no limit, the server goes on until something breaks. */
const MOST = 100;

/** What requests that come out of each other are counted by (server/core.c `ap_is_recursion_limit_exceeded`). */
const kinds = {
  redirects: { code: "AH00124", counted: "internal redirects", position: 0 },
  subrequests: { code: "AH00125", counted: "subrequest nesting levels", position: 1 },
} as const;

export interface RecursionLimit {
  readonly most: number;
  readonly code: "AH00124" | "AH00125";
  /** What the server says where it is exceeded. */
  readonly complaint: string;
}

/** How many requests may come out of each other: one number is for both kinds. */
export function recursionLimit({ server }: Run, kind: keyof typeof kinds): RecursionLimit {
  const { code, counted, position } = kinds[kind];
  const words = settingIn(server.layers, "limitinternalrecursion")?.arguments ?? [];
  const limit = Number.parseInt((words[position] ?? words[0])?.value ?? "10", 10);
  const advice =
    "Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.";
  const complaint = `${code}: Request exceeded the limit of ${limit} ${counted} due to probable configuration error. ${advice}`;
  return { most: limit || MOST, code, complaint };
}
