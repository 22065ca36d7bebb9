import type { Automaton } from "../logic/automaton.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Server } from "../scope/server.js";
import { hasMark, type Lead, type Leading, leadsTo } from "./path-leads.js";
import { type FoundCell, MARK, type RegionTexts } from "./region.js";
import { sectionsFor } from "./sections-in-force.js";
import type { WalkKind } from "./walk-reader.js";

/** One side of a comparison: a server of a configuration under a release. */
export interface PathSide {
  readonly project: Project;
  readonly server: Server;
}

/** Where the walk through the file system for a path ends. */
export interface PathWalk {
  /**
   * How many characters of the path lead through the file system: up to the file, the directory, or the first name that is
   * missing. What follows is path info.
   */
  readonly walked: number;
  readonly kind: WalkKind;
  /** The name of what is there or missing, absolute, without a slash at its end. */
  readonly filename: string;
}

/** A URL path, with what exists in the file system. */
export interface WalkedPath {
  /** As the server normalises it, a character a byte. */
  readonly path: string;
  /**
   * The walk of each side; undefined where it leads to no file, or to one that is not told. The same where both lead to the
   * same file.
   */
  readonly walks: readonly (PathWalk | undefined)[];
}

/** URL paths, with what exists in the file system, of which each side asks the same. A shortest and nicest stands for all. */
export interface PathCell extends WalkedPath {
  /**
   * All of them, with a NUL where the walk ends. Where the sides lead to different files there are two, each with the number
   * of its side behind it, 1 or 2.
   */
  readonly paths: Automaton;
  /** What one of its texts stands for. */
  walkedIn(text: string): WalkedPath;
  /** The sections for paths and files that apply on each side, in their order. */
  readonly sections: readonly (readonly Directive[])[];
}

/** What keeps cells from being exact: paths of one may be answered differently. */
export interface UncutCells {
  readonly reason: string;
  readonly directive: Directive;
  readonly cells: readonly PathCell[];
}

export interface PathCells {
  readonly cells: readonly PathCell[];
  readonly unknown: readonly UncutCells[];
}

/** A lead with the sides that follow it. */
export interface Followed {
  readonly lead: Lead;
  readonly of: readonly number[];
}

/** The paths that a region ends in some states for. */
export class Cell implements PathCell {
  readonly path: string;
  readonly walks: readonly (PathWalk | undefined)[];
  private applying: PathCell["sections"] | undefined;

  constructor(
    private readonly sides: readonly PathSide[],
    private readonly texts: RegionTexts,
    private readonly found: FoundCell,
    private readonly followed: readonly Followed[],
    private readonly leadings: readonly Leading[],
  ) {
    const { path, walks } = this.walkedIn(found.text);
    this.path = path;
    this.walks = walks;
  }

  walkedIn(text: string): WalkedPath {
    const { followed, found } = this;
    const { path, marks } = unmarked(text, followed.filter(({ lead }) => hasMark(lead)).length > 1);
    const walks = this.sides.map((_, side) => {
      const index = followed.findIndex(({ of }) => of.includes(side));
      const lead = followed[index]?.lead;
      const kind = found.ends[index]?.kind;
      if (lead === undefined || kind === undefined || kind === "backend") return undefined;
      const walked = marks.get(marks.size > 1 ? index : 0) ?? path.length;
      return { walked, kind, filename: leadsTo(lead, path.slice(0, walked)).replace(/\/$/, "") };
    });
    return { path, walks };
  }

  get paths(): Automaton {
    return this.texts.automaton(this.found.states);
  }

  get sections(): readonly (readonly Directive[])[] {
    this.applying ??= this.sides.map((side, index) =>
      sectionsFor(side, this.path, this.leadings[index]?.lead, this.walks[index]),
    );
    return this.applying;
  }
}

/** A path without its marks, and where they stand, by their number. */
function unmarked(
  text: string,
  isNumbered: boolean,
): { readonly path: string; readonly marks: ReadonlyMap<number, number> } {
  const marks = new Map<number, number>();
  let path = "";
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== MARK) path += text.charAt(at);
    else if (isNumbered) marks.set(Number(text.charAt(++at)) - 1, path.length);
    else marks.set(0, path.length);
  }
  return { path, marks };
}
