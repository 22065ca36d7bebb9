import type { Directive } from "../project/directive.js";
import type { Request } from "../scope/request.js";

/** What a release answers. */
export interface ProvedAnswer {
  readonly status: number;
  readonly class: "allowed" | "401" | "403" | "500";
  /** The lines that decide. */
  readonly decidedBy: readonly Directive[];
}

/** A request that stands for all that the same lines decide on either side, and differently. */
export interface ProvedDifference {
  readonly request: Request;
  /** What must be so that the request does not tell: files that are there, and clauses. */
  readonly given: { readonly files: ReadonlyMap<string, string>; readonly terms: ReadonlySet<string> };
  readonly before: ProvedAnswer;
  readonly after: ProvedAnswer;
}

/** What the move to the release that reads a configuration changes. */
export interface ProvedUpgrade {
  readonly differences: readonly ProvedDifference[];
  /** What could not be proved, as clauses, each with the line that it comes from. */
  readonly unproved: readonly {
    readonly reason: string;
    readonly directive: Directive | undefined;
    /** Of what was not read is told where that is. */
    readonly isUnread?: true;
  }[];
}

/** What is so of all requests. It is proved when a rule asks for it, and only then. */
export interface Proofs {
  /** What the release that the configuration comes from answers otherwise; undefined where none is named. */
  upgrade(): ProvedUpgrade | undefined;
  /** Whether it is proved that every request is answered alike without some lines. */
  changesNothing(without: ReadonlySet<Directive>): boolean;
}

/** Where nobody proves anything. */
export const noProofs: Proofs = { upgrade: () => undefined, changesNothing: () => false };
