import type { Server } from "../../httpd/model/server.js";
import type { Automaton } from "../../logic/automata/automaton.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { applyMapping, hasWalkEnd, type MappingTarget, type PathMapping } from "../predicates/mapping-targets.js";
import { findApplyingSections } from "./applying-sections.js";
import { type FoundPathClass, type PathClassTexts, WALK_END_MARK } from "./product-automaton.js";
import type { WalkKind } from "./walk-automaton.js";

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
export interface PathClass extends WalkedPath {
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
export interface InexactPathClasses {
  readonly reason: string;
  readonly directive: Directive;
  readonly cells: readonly PathClass[];
}

export interface PathPartition {
  readonly cells: readonly PathClass[];
  readonly unknown: readonly InexactPathClasses[];
}

/** A lead with the sides that follow it. */
export interface FollowedTarget {
  readonly mappingTarget: MappingTarget;
  readonly of: readonly number[];
}

/** The paths that a region ends in some states for. */
export class AutomatonPathClass implements PathClass {
  readonly path: string;
  readonly walks: readonly (PathWalk | undefined)[];
  private applying: PathClass["sections"] | undefined;

  constructor(
    private readonly sides: readonly PathSide[],
    private readonly texts: PathClassTexts,
    private readonly found: FoundPathClass,
    private readonly followed: readonly FollowedTarget[],
    private readonly leadings: readonly PathMapping[],
  ) {
    const { path, walks } = this.walkedIn(found.text);
    this.path = path;
    this.walks = walks;
  }

  walkedIn(text: string): WalkedPath {
    const { followed, found } = this;
    const { path, marks } = removeMarks(
      text,
      followed.filter(({ mappingTarget }) => hasWalkEnd(mappingTarget)).length > 1,
    );
    const walks = this.sides.map((_, side) => {
      const index = followed.findIndex(({ of }) => of.includes(side));
      const lead = followed[index]?.mappingTarget;
      const kind = found.ends[index]?.kind;
      if (lead === undefined || kind === undefined || kind === "backend") return undefined;
      const walked = marks.get(marks.size > 1 ? index : 0) ?? path.length;
      return { walked, kind, filename: applyMapping(lead, path.slice(0, walked)).replace(/\/$/, "") };
    });
    return { path, walks };
  }

  get paths(): Automaton {
    return this.texts.automaton(this.found.states);
  }

  get sections(): readonly (readonly Directive[])[] {
    this.applying ??= this.sides.map((side, index) =>
      findApplyingSections(side, this.path, this.leadings[index]?.mappingTarget, this.walks[index]),
    );
    return this.applying;
  }
}

/** A path without its marks, and where they stand, by their number. */
function removeMarks(
  text: string,
  isNumbered: boolean,
): { readonly path: string; readonly marks: ReadonlyMap<number, number> } {
  const marks = new Map<number, number>();
  let path = "";
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== WALK_END_MARK) path += text.charAt(at);
    else if (isNumbered) marks.set(Number(text.charAt(++at)) - 1, path.length);
    else marks.set(0, path.length);
  }
  return { path, marks };
}
