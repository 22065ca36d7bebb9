import type { Directive } from "../project/directive.js";
import { placeOf } from "./sections-told.js";

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

  add(unproved: Unproved): void {
    const { reason, directive } = unproved;
    const places = this.known.get(reason) ?? new Map<string, Unproved>();
    this.known.set(reason, places);
    if (directive === undefined && places.size > 0) return;
    const place = directive ? placeOf(directive) : "";
    if (places.has(place)) return;
    // A line tells more than none.
    if (place !== "") places.delete("");
    places.set(place, unproved);
  }

  get all(): readonly Unproved[] {
    return [...this.known.values()].flatMap((places) => [...places.values()]);
  }
}
