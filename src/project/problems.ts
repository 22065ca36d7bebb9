import type { Span } from "../text/source.js";

/** What kept a file from being read as it was meant. The server stops at the first of them; we read on. */
export interface Problem {
  readonly kind: /** Sections, quoting, line length: the text itself is wrong. */
    | "syntax"
    /** A file that an Include names cannot be had. */
    | "include"
    /** Macro, Use, Define, ServerRoot, LoadModule: the server refuses to read on. */
    | "refused"
    /** `${X}` without a value: stays as it is, and the server warns (AH00111). */
    | "undefined-variable"
    /** Accepted by the server only as things stand. */
    | "fragile";
  /** One line for the operator: what is wrong, why it matters, what to do. */
  readonly message: string;
  readonly span: Span;
  readonly related: readonly Related[];
  /** The server's own words, where it refuses. */
  readonly server?: string;
}

/** A further place that explains a finding. */
export interface Related {
  readonly message: string;
  readonly span: Span;
}

/** What becomes of a file that the server refuses, in words for an operator. */
export function refusalConsequence(inHtaccess: boolean): string {
  return inHtaccess ? "every request below answers 500" : "the server does not start";
}
