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

/** The end of the walk through the file system for a path. */
export interface PathWalk {
  /**
   * The number of characters of the path that lead through the file system: up to the file, the directory, or the first
   * missing name. The rest is path info.
   */
  readonly walked: number;
  readonly kind: WalkKind;
  /** The absolute name of the existing or missing object, without a trailing slash. */
  readonly filename: string;
}

/** A URL path and the existing objects in the file system. */
export interface WalkedPath {
  /** As normalized by the server, one character per byte. */
  readonly path: string;
  /**
   * The walk of each side; undefined if it does not lead to a file, or to one that is not tracked. Both are equal if
   * they lead to the same file.
   */
  readonly walks: readonly (PathWalk | undefined)[];
}

/**
 * A class of URL paths and existing objects that each side treats alike. A shortest and simplest path represents it.
 */
export interface PathClass extends WalkedPath {
  /**
   * All paths of the class, with a NUL where the walk ends. If the sides lead to different files there are two marks,
   * each followed by the number of its side, 1 or 2.
   */
  readonly paths: Automaton;
  /** Returns the walked path that one of its texts represents. */
  walkedIn(text: string): WalkedPath;
  /** The sections for paths and files that apply on each side, in order. */
  readonly sections: readonly (readonly Directive[])[];
}

/** A reason why cells are inexact: paths of one cell may have different results. */
export interface InexactPathClasses {
  readonly reason: string;
  readonly directive: Directive;
  readonly cells: readonly PathClass[];
}

export interface PathPartition {
  readonly cells: readonly PathClass[];
  readonly unknown: readonly InexactPathClasses[];
}

/** A mapping target and the sides that use it. */
export interface FollowedTarget {
  readonly mappingTarget: MappingTarget;
  readonly of: readonly number[];
}

/** The paths for which an automaton ends in given states. */
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

/** Removes the marks of a path and returns their positions by number. */
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
