import { type Directive, lineKeyOf } from "../project/model/directive.js";
import { encodeUrlPath } from "../text/escaping.js";
import type { ExploredClasses } from "./exploration.js";
import type { ServerPair } from "./model/server-pairs.js";

/** What could not be proved. */
export interface Unproved {
  /** As a clause. */
  readonly reason: string;
  /** Where it comes from; undefined where it is the size. */
  readonly directive: Directive | undefined;
  /** A request that is concerned. */
  readonly example: string | undefined;
  /** It comes of what was not read, of which a check tells where that is. */
  readonly isUnread?: true;
}

/** What is left out for want of steps. */
const budgetRemedy = "anchor patterns of paths with `^`, or look at it in a configuration with fewer hosts";
export const notStartedReason = `no request to it was gone through, since that takes more steps than were left: nothing is known of it; ${budgetRemedy}`;
export const incompleteReason = `not all requests to it were gone through, since that takes more steps than were left: nothing is known of the rest; ${budgetRemedy}`;
export const tooManyPathClasses =
  "its paths are of more kinds than can be told apart, so nothing is known of it; anchor patterns of paths with `^`";
export const moreEntryPoints =
  "the names, addresses and ports of its hosts are more than were gone through, so nothing is known of the rest; look at fewer hosts at a time";

export const outOfStepsReason =
  "nothing was gone through, since what was compared before took all steps of this run; make fewer changes, or look at fewer hosts, at a time";

/** What could not be proved, each reason once for each line. */
export class UnprovedReasons {
  private readonly known = new Map<string, Map<string, Unproved>>();
  /** Reasons told of paths: the same is so of each request for them, whichever line decides. */
  private readonly ofPaths = new Set<string>();

  add(unproved: Unproved): void {
    if (!this.ofPaths.has(unproved.reason)) this.keep(unproved);
  }

  private keep(unproved: Unproved): void {
    const { reason, directive } = unproved;
    const lines = this.known.get(reason) ?? new Map<string, Unproved>();
    this.known.set(reason, lines);
    if (directive === undefined && lines.size > 0) return;
    const line = directive ? lineKeyOf(directive) : "";
    if (lines.has(line)) return;
    // A line tells more than none.
    if (line !== "") lines.delete("");
    lines.set(line, unproved);
  }

  /** Of a server as a whole. The main one has no line, and would not be told of beside others. */
  addServer(reason: string, { servers }: ServerPair): void {
    const [section] = servers.flatMap((server) => server.section ?? []);
    const told = section ? reason : `the main server: ${reason}`;
    this.add({ reason: told, directive: section, example: undefined });
  }

  /** Of all servers. */
  addMoreEntryPoints(isSpentBefore: boolean): void {
    this.add({ reason: isSpentBefore ? outOfStepsReason : moreEntryPoints, directive: undefined, example: undefined });
  }

  /** Of the kinds of paths of a pair of servers. */
  addPathClasses(cells: ExploredClasses, pair: ServerPair): void {
    if (cells === "out of steps") this.addServer(notStartedReason, pair);
    else if (cells === "too large") this.addServer(tooManyPathClasses, pair);
    else
      for (const {
        reason,
        directive,
        cells: [first],
      } of cells.unknown) {
        this.ofPaths.add(reason);
        this.keep({ reason, directive, example: first && encodeUrlPath(first.path) });
      }
  }

  /** Of a pair of servers that was not gone through to its end. */
  addIncomplete(pair: ServerPair): void {
    this.addServer(incompleteReason, pair);
  }

  get all(): readonly Unproved[] {
    return [...this.known.values()].flatMap((lines) => [...lines.values()]);
  }
}
