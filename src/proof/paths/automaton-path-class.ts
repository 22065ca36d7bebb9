import type { Directive } from "../../config/model/directive.js";
import type { Automaton } from "../../regex/automata/automaton.js";
import type { PathClass, PathSide, PathWalk, WalkedPath } from "../model/path-class.js";
import { findApplyingSections } from "./applying-sections.js";
import { applyMapping, hasWalkEnd, type MappingTarget, type PathMapping } from "./mapping-targets.js";
import { type FoundPathClass, type PathClassTexts, WALK_END_MARK } from "./product-automaton.js";

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
    private readonly mappings: readonly PathMapping[],
  ) {
    const { path, walks } = this.walkedIn(found.text);
    this.path = path;
    this.walks = walks;
  }

  walkedIn(text: string): WalkedPath {
    const { followed, found } = this;
    const { path, marks } = removeMarks(text, this.hasNumberedMarks);
    const walks = this.sides.map((_, side) => {
      const index = followed.findIndex(({ of }) => of.includes(side));
      const mappingTarget = followed[index]?.mappingTarget;
      const kind = found.ends[index]?.kind;
      if (mappingTarget === undefined || kind === undefined || kind === "backend") return undefined;
      const walked = marks.get(marks.size > 1 ? index : 0) ?? path.length;
      return { walked, kind, filename: applyMapping(mappingTarget, path.slice(0, walked)).replace(/\/$/, "") };
    });
    return { path, walks };
  }

  get hasNumberedMarks(): boolean {
    return this.followed.filter(({ mappingTarget }) => hasWalkEnd(mappingTarget)).length > 1;
  }

  get paths(): Automaton {
    return this.texts.automaton(this.found.states);
  }

  get sections(): readonly (readonly Directive[])[] {
    this.applying ??= this.sides.map((side, index) =>
      findApplyingSections(side, this.path, this.mappings[index]?.mappingTarget, this.walks[index]),
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
