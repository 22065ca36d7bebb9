import { lineKeyOf } from "../../config/model/directive.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import type { Unproved } from "../model/comparison.js";
import type { ServerPair } from "../model/server-pairs.js";
import {
  adviceOnPattern,
  helpForReason,
  reasonFor,
  type UnprovedPart,
  type UnprovedReason,
  type UnprovedUse,
  wordsOfReason,
} from "../model/unproved-reasons.js";
import type { Exploration } from "./exploration.js";
import type { PathPartitionResult } from "./explored-requests.js";

/** Finds the lines with the largest patterns of a pair of servers. */
type CostlyLineSource = Pick<Exploration, "findCostlyLines">;

/** Collects the unproved parts, each reason once for each line. */
export class UnprovedReasons {
  private readonly known = new Map<UnprovedReason, Map<string, UnprovedPart>>();
  /** Reasons reported for paths: they hold for each such request and any deciding line. */
  private readonly ofPaths = new Set<UnprovedReason>();

  constructor(private readonly use: UnprovedUse) {}

  add(unproved: UnprovedPart): void {
    if (!this.ofPaths.has(unproved.reason)) this.keep(unproved);
  }

  /** Adds a part if no other has its reason. */
  addFirst(unproved: UnprovedPart): void {
    if (!this.known.has(unproved.reason)) this.add(unproved);
  }

  private keep(unproved: UnprovedPart): void {
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
  addServer(reason: UnprovedReason, { servers }: ServerPair): void {
    const [section] = servers.flatMap((server) => server.section ?? []);
    const located = section ? reason : reasonFor("main-server", reason);
    this.add({ reason: located, directive: section, example: undefined });
  }

  /** Adds a reason for all servers. */
  addMoreEntryPoints(isBudgetSpent: boolean): void {
    const reason = reasonFor(isBudgetSpent ? "out-of-steps" : "more-entry-points");
    this.add({ reason, directive: undefined, example: undefined });
  }

  /** Adds reasons for the path classes of a server pair. */
  addPathClasses(partition: PathPartitionResult, pair: ServerPair, exploration: CostlyLineSource): void {
    if (partition === "out of steps") this.addServer(reasonFor("not-started"), pair);
    else if (partition === "too large") this.addServer(reasonFor("too-many-path-classes"), pair);
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
    this.addServer(reasonFor("incomplete"), pair);
    this.addCostlyLines(pair, exploration);
  }

  /** Adds the lines whose patterns make a server too large to analyze. */
  private addCostlyLines(pair: ServerPair, exploration: CostlyLineSource): void {
    for (const directive of exploration.findCostlyLines(pair))
      this.add({
        reason: reasonFor("costly-pattern", reasonFor(adviceOnPattern(directive))),
        directive,
        example: undefined,
      });
  }

  /** The collected parts, with the words of their reasons. */
  get all(): readonly Unproved[] {
    return [...this.known.values()].flatMap((lines) =>
      [...lines.values()].map((part) => {
        const help = helpForReason(part.reason, this.use);
        return { ...part, reason: wordsOfReason(part.reason), ...(help.length > 0 ? { help } : {}) };
      }),
    );
  }
}
