import type { Directive } from "../../config/model/directive.js";
import type { AccessChange, ShownAnswer } from "../../server/model/answer-class.js";
import type { RequestModel } from "../../server/model/atoms.js";
import type { Request } from "../../server/model/request.js";
import type { TemplateInstance } from "../compare/host-templates.js";
import type { Diagram } from "../requests/bdd.js";
import type { SymbolTable } from "../requests/symbol-table.js";
import type { PathClass, WalkKind } from "./path-class.js";
import type { ServerPair } from "./server-pairs.js";

/** Requests with different results. */
export interface DifferenceRegion {
  readonly pair: ServerPair;
  readonly pathClass: PathClass;
  readonly method: string;
  readonly symbols: SymbolTable;
  /** The clients concerned, as a function in the symbol table. */
  readonly when: Diagram;
  /** Hosts alike up to constants that get the same results, with their constants in the path and the conditions. */
  readonly alike: readonly TemplateInstance[];
}

/** The files on the disk, and the facts that cannot be known. */
export type Assumptions = Pick<RequestModel, "files" | "facts">;

/** Requests with different results that the same lines decide on each side. */
export interface Difference {
  /** One of them, in a form that can be sent. */
  readonly request: Request;
  /** Assumptions for it beyond the request itself. */
  readonly assumptions: Assumptions;
  /** The objects at the path of the request, and at all other paths that its results depend on. */
  readonly files: ReadonlyMap<string, WalkKind>;
  readonly before: ShownAnswer;
  readonly after: ShownAnswer;
  /** A gain if any of the requests gains access, and the example is one of these. */
  readonly change: AccessChange;
  readonly regions: readonly DifferenceRegion[];
  /** Hosts with the same difference, which are alike up to constants. */
  readonly instances: readonly DifferenceInstance[];
}

/** A difference of one host at another, with the constants of that host. */
export interface DifferenceInstance extends Pick<Difference, "request" | "assumptions" | "before" | "after"> {
  readonly pair: ServerPair;
}

/** A part of the comparison that could not be proved. */
export interface Unproved {
  /** As a clause. */
  readonly reason: string;
  /** What the user can do, one imperative sentence each. */
  readonly help?: readonly string[];
  /** The line that causes it; undefined if the size does. */
  readonly directive: Directive | undefined;
  /** An affected request. */
  readonly example: string | undefined;
  /** Set if an unread part of the configuration causes it, which a check reports with its location. */
  readonly isUnread?: true;
}

/** The results of a comparison: `unknown` if no difference was found and something could not be proved. */
export const comparisonVerdicts = ["equivalent", "different", "unknown"] as const;

/** The pairs of servers by what is proved of them. A pair with a difference is in none of the lists. */
export interface ServerProofs {
  /** Both servers of the pair decide every request alike. */
  readonly proved: readonly ServerPair[];
  /** Something about the pair could not be proved. */
  readonly open: readonly ServerPair[];
  /** The number of all pairs. */
  readonly all: number;
}

/** The methods that an exploration probes with. */
export interface ProbedMethods {
  readonly all: readonly string[];
  /** Those that no line names: they represent all other methods. */
  readonly unnamed: readonly string[];
}

export interface ConfigComparison {
  readonly verdict: (typeof comparisonVerdicts)[number];
  readonly differences: readonly Difference[];
  readonly unproved: readonly Unproved[];
  readonly methods: ProbedMethods;
  /** Present if the comparison is proved for some servers, and open for others. */
  readonly byServer?: ServerProofs;
  /** Present if every request is proved that does not lead to the directories of users. */
  readonly provedExcept?: "user-directories";
  /** The requests that the comparison of 2.2 with 2.4 leaves out, each as "with repeated slashes in the path". */
  readonly uncomparedRequests: readonly string[];
  /** Number of explored pairs of servers and of path classes. */
  readonly serverPairs: number;
  readonly pathClasses: number;
}
