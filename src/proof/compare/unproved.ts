import { lineKeyOf } from "../../config/model/directive.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import type { Unproved } from "../model/comparison.js";
import type { ServerPair } from "../model/server-pairs.js";
import type { Exploration } from "./exploration.js";
import type { PathPartitionResult } from "./explored-requests.js";

/** Advice for parts omitted for lack of steps. */
const budgetRemedy = "anchor path patterns with `^`, or analyze a configuration with fewer hosts";
export const notStartedReason = `the step budget ran out before any request to it was analyzed; ${budgetRemedy}`;
export const incompleteReason = `the step budget ran out before all requests to it were analyzed; ${budgetRemedy}`;
export const tooManyPathClasses =
  "its paths form too many classes to distinguish; this server is not analyzed; anchor path patterns with `^`";
export const moreEntryPoints =
  "only some of the names, addresses and ports of the hosts were analyzed; analyze fewer hosts at a time";

export const outOfStepsReason =
  "earlier comparisons used the whole step budget of this run; make fewer changes, or analyze fewer hosts, at a time";

export const costlyPattern =
  "its pattern multiplies the number of path classes; anchor it with `^`, or analyze a copy of the configuration without it";

/** Finds the lines with the largest patterns of a pair of servers. */
type CostlyLineSource = Pick<Exploration, "findCostlyLines">;

/** Collects the unproved parts, each reason once for each line. */
export class UnprovedReasons {
  private readonly known = new Map<string, Map<string, Unproved>>();
  /** Reasons reported for paths: they hold for each such request and any deciding line. */
  private readonly ofPaths = new Set<string>();

  add(unproved: Unproved): void {
    if (!this.ofPaths.has(unproved.reason)) this.keep(unproved);
  }

  private keep(unproved: Unproved): void {
    const { reason, directive } = unproved;
    const lines = getOrCreate(this.known, reason, () => new Map());
    if (directive === undefined && lines.size > 0) return;
    const line = directive ? lineKeyOf(directive) : "";
    if (lines.has(line)) return;
    // An entry with a line replaces one without.
    if (line !== "") lines.delete("");
    lines.set(line, unproved);
  }

  /**
   * Adds a reason for a server as a whole. The main server does not have a line, so an entry for it would be dropped if
   * others exist.
   */
  addServer(reason: string, { servers }: ServerPair): void {
    const [section] = servers.flatMap((server) => server.section ?? []);
    const text = section ? reason : `the main server: ${reason}`;
    this.add({ reason: text, directive: section, example: undefined });
  }

  /** Adds a reason for all servers. */
  addMoreEntryPoints(isBudgetSpent: boolean): void {
    this.add({ reason: isBudgetSpent ? outOfStepsReason : moreEntryPoints, directive: undefined, example: undefined });
  }

  /** Adds reasons for the path classes of a server pair. */
  addPathClasses(partition: PathPartitionResult, pair: ServerPair, exploration: CostlyLineSource): void {
    if (partition === "out of steps") this.addServer(notStartedReason, pair);
    else if (partition === "too large") this.addServer(tooManyPathClasses, pair);
    if (typeof partition === "string") this.addCostlyLines(pair, exploration);
    else
      for (const {
        reason,
        directive,
        classes: [first],
      } of partition.inexact) {
        this.ofPaths.add(reason);
        this.keep({ reason, directive, example: first && encodeUrlPath(first.path) });
      }
  }

  /** Adds a reason for a server pair that was not fully explored. */
  addIncomplete(pair: ServerPair, exploration: CostlyLineSource): void {
    this.addServer(incompleteReason, pair);
    this.addCostlyLines(pair, exploration);
  }

  /** Adds the lines whose patterns make a server too large to analyze. */
  private addCostlyLines(pair: ServerPair, exploration: CostlyLineSource): void {
    for (const directive of exploration.findCostlyLines(pair))
      this.add({ reason: costlyPattern, directive, example: undefined });
  }

  get all(): readonly Unproved[] {
    return [...this.known.values()].flatMap((lines) => [...lines.values()]);
  }
}
