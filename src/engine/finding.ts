import type { Request } from "../httpd/model/request.js";
import type { Related } from "../project/model/problems.js";
import type { Edit } from "../text/edits.js";
import type { Span } from "../text/source.js";

/**
 * error: the server will not start, a request answers 500, or somebody gets in who should not; warning: it answers
 * otherwise than it reads; info: advice.
 */
export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

/** `safe` only where it is proved that no decision changes. */
export interface Fix {
  readonly title: string;
  readonly safety: "safe" | "unsafe";
  /** Sorted, not overlapping. */
  readonly edits: readonly Edit[];
}

/**
 * What is wrong with several lines at once, such as a module that is missing: told at the first of them. A line that is
 * ignored, or of which a more specific rule speaks, is none of them. Fixes of one title are one fix.
 */
export interface RootCause {
  /** The same for all lines with this cause. */
  readonly key: string;
  /** Whether findings of other rules with this key have the same cause. */
  readonly isAnyRules?: boolean;
  /** The module that is missing, by its identifier, where that is the cause. */
  readonly module?: string;
  /** The message at the first line, where there are so many others. */
  readonly message: (others: number) => string;
  /** What is said at the others. */
  readonly also: string;
}

/** A request that shows what a finding says. */
export interface Witness {
  readonly request: Request;
  /** The sections and lines that lead to its answer, in the order in which the server comes to them. */
  readonly steps: readonly Related[];
}

/** Something that a rule found. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** One line: what is wrong, why it matters, what to do; the configuration's own text in backticks. */
  readonly message: string;
  readonly span: Span;
  readonly related: readonly Related[];
  /** Facts beside the message, such as what the finding assumes about files that are not known. One sentence each. */
  readonly notes?: readonly string[];
  /** Where else its cause is found, beyond what `related` shows of that: for programs, which can go through hundreds. */
  readonly additionalLocations?: readonly Related[];
  readonly fix?: Fix;
  readonly cause?: RootCause;
  /** Modules, by identifier, that the finding has loaded: what is told of their absence elsewhere is told by it. */
  readonly supplies?: readonly string[];
  readonly witness?: Witness;
}

/** What a rule reports; the engine adds the rest. */
export type Report = Pick<Finding, "message" | "span"> & {
  readonly severity?: Severity;
  readonly related?: readonly Related[];
  readonly notes?: readonly string[];
  readonly fix?: Fix;
  readonly cause?: RootCause;
  readonly supplies?: readonly string[];
  readonly witness?: Witness;
};
