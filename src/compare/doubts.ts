import { type Directive, lineOf } from "../project/directive.js";
import { sentPath } from "../text/sent-path.js";
import type { ServerPair } from "./server-pairs.js";
import type { SurveyedCells } from "./survey.js";

/** What could not be proved. */
export interface Unproved {
  /** As a clause. */
  readonly reason: string;
  /** Where it comes from; undefined where it is the size. */
  readonly directive: Directive | undefined;
  /** A request that is concerned. */
  readonly example: string | undefined;
}

/** What could not be proved, each reason once for each line. */
export class Doubts {
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
    const line = directive ? lineOf(directive) : "";
    if (lines.has(line)) return;
    // A line tells more than none.
    if (line !== "") lines.delete("");
    lines.set(line, unproved);
  }

  /** Of a server as a whole. */
  addServer(reason: string, { servers }: ServerPair): void {
    const [section] = servers.flatMap((server) => server.section ?? []);
    this.add({ reason, directive: section, example: undefined });
  }

  /** Of the kinds of paths of a pair of servers. */
  addCells(cells: SurveyedCells, pair: ServerPair): void {
    if (cells === "too many") this.addServer("there is more than is gone through here", pair);
    else if (cells === "too large") this.addServer("its paths are of more kinds than can be told apart", pair);
    else
      for (const {
        reason,
        directive,
        cells: [first],
      } of cells.unknown) {
        this.ofPaths.add(reason);
        this.keep({ reason, directive, example: first && sentPath(first.path) });
      }
  }

  get all(): readonly Unproved[] {
    return [...this.known.values()].flatMap((lines) => [...lines.values()]);
  }
}
