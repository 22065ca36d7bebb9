import { type Classifier, intersectByteClasses, stateAfter } from "../../regex/automata/classifier.js";
import { bytesOf } from "../../text/source.js";
import type { WalkKind } from "../model/path-class.js";
import { hasWalkEnd, type MappingTarget } from "./mapping-targets.js";
import { fileNameViews } from "./path-predicates.js";

/** A possible object at the end of a walk, with a key that is equal for equal predicate values. */
export interface WalkEnd {
  readonly kind: WalkKind | "backend";
  readonly key: string;
}

/** No text continues this way. */
export const DEAD_STATE = -1;

const SLASH = 0x2f;
const slashBytes = new Uint8Array(256);
slashBytes[SLASH] = 1;

/** An upper bound for the states of a classifier of names. */
const WIDTH = 2 ** 22;
/** Distinguishes known entries from unknown ones. */
const OFFSET = 2;

/** The state of a URL path while it is converted to a file name. */
type State =
  /** In the prefix of the mapping, after this number of characters. */
  | { readonly kind: "in prefix"; readonly length: number }
  | {
      readonly kind: "walking";
      readonly file: number;
      /** The classifier state for the whole name. */
      readonly whole: number;
      /** Whether the file name currently ends in a slash, and whether the URL path does. */
      readonly endsInSlash: boolean;
      readonly pathEndsInSlash: boolean;
      /** Whether nothing has been appended to the target. */
      readonly isAtTarget: boolean;
    }
  /** Directly after the end of the walk. */
  | { readonly kind: "ended"; readonly ends: readonly WalkEnd[]; readonly info?: number; readonly whole: number }
  /** In path info. @property info the classifier output for the name before it */
  | { readonly kind: "in path info"; readonly info: number; readonly whole: number };

type WalkState = State & { readonly kind: "walking" };

/**
 * Reads a URL path as the name of its target file, up to the end of the walk through the file system. States are
 * created on demand. The initial state is 0.
 */
export class WalkAutomaton {
  readonly classOf: Uint8Array;
  private readonly classes: number;
  private readonly states: State[] = [];
  private readonly numbers = new Map<number, number>();
  /** Numbers of the possible objects at the ends of walks. */
  private readonly ends = new Map<string, number>();
  /** The transition for each state and class; 0 if not computed yet. */
  private readonly known: number[] = [];
  /** States after the names of existing directories. */
  private readonly directories: ReadonlySet<number>;

  /**
   * @param names the predicates on the name of the object
   * @param wholeNames the predicates on that name followed by the path info
   * @param indexNames names that may be looked up in a directory
   * @param directories names of existing directories, each of which `names` distinguishes from all others
   */
  constructor(
    private readonly mappingTarget: MappingTarget,
    private readonly names: Classifier,
    private readonly wholeNames: Classifier,
    private readonly indexNames: readonly string[],
    directories: ReadonlySet<string>,
  ) {
    this.directories = new Set([...directories].map((name) => stateAfter(names, name)));
    const { classOf, firsts } = [this.prefixClasses, slashBytes, wholeNames.classOf].reduce(
      (all, each) => intersectByteClasses(all.classOf, each),
      intersectByteClasses(names.classOf, slashBytes),
    );
    this.classOf = classOf;
    this.classes = firsts.length;
    this.numberOf(
      mappingTarget.kind === "constant" || mappingTarget.prefix !== ""
        ? { kind: "in prefix", length: 0 }
        : this.atTarget(),
    );
  }

  /** The current number of states. */
  get size(): number {
    return this.states.length;
  }

  /** The classes of the bytes in the prefix. */
  private get prefixClasses(): Uint8Array {
    const classes = new Uint8Array(256);
    if (this.mappingTarget.kind === "constant") return classes;
    for (const [index, byte] of [...new Set(bytesOf(this.mappingTarget.prefix))].entries()) classes[byte] = index + 1;
    return classes;
  }

  /** Whether the text marks the end of the walk. */
  get hasMark(): boolean {
    return hasWalkEnd(this.mappingTarget);
  }

  /** Reports whether the walk ended in this state. */
  hasJustEnded(number: number): boolean {
    return this.states[number]?.kind === "ended";
  }

  next(number: number, byte: number): number {
    const place = number * this.classes + (this.classOf[byte] ?? 0);
    const known = this.known[place] ?? 0;
    if (known !== 0) return known - OFFSET;
    const to = this.computeNext(number, byte);
    this.known[place] = to + OFFSET;
    return to;
  }

  private computeNext(number: number, byte: number): number {
    const state = this.states[number];
    switch (state?.kind) {
      case "in prefix":
        return this.stepAhead(state.length, byte);
      case "walking":
        return this.numberOf(this.walked(state, byte));
      case "ended":
        if (byte !== SLASH || state.info === undefined) return DEAD_STATE;
        return this.numberOf({ kind: "in path info", info: state.info, whole: this.nextWhole(state.whole, byte) });
      case "in path info":
        return this.numberOf({ ...state, whole: this.nextWhole(state.whole, byte) });
      default:
        return DEAD_STATE;
    }
  }

  private stepAhead(length: number, byte: number): number {
    if (this.mappingTarget.kind === "constant") return 0;
    const { prefix } = this.mappingTarget;
    if (prefix.charCodeAt(length) !== byte) return DEAD_STATE;
    return this.numberOf(length + 1 < prefix.length ? { kind: "in prefix", length: length + 1 } : this.atTarget());
  }

  private nextWhole(whole: number, byte: number): number {
    return this.wholeNames.next(whole, this.wholeNames.classOf[byte] ?? 0);
  }

  private atTarget(): State {
    const { mappingTarget } = this;
    const pathEndsInSlash = mappingTarget.kind !== "constant" && mappingTarget.prefix.endsWith("/");
    return { ...this.afterTarget(), pathEndsInSlash, isAtTarget: true };
  }

  private walked(state: WalkState, byte: number): State {
    const isSlash = byte === SLASH;
    const isDoubled = isSlash && state.endsInSlash && this.mappingTarget.kind === "file";
    const file = isDoubled ? state.file : this.names.next(state.file, this.names.classOf[byte] ?? 0);
    const whole = isDoubled ? state.whole : this.nextWhole(state.whole, byte);
    return { kind: "walking", file, whole, endsInSlash: isSlash, pathEndsInSlash: isSlash, isAtTarget: false };
  }

  /** Returns the state for the end of the walk here. */
  ended(number: number): number {
    const state = this.states[number];
    if (this.mappingTarget.kind === "constant" && state?.kind === "in prefix")
      return this.numberOf(this.endOf(this.constant()));
    if (state?.kind !== "walking" || (state.isAtTarget && this.isRootTarget)) return DEAD_STATE;
    return this.numberOf(this.endOf(state));
  }

  private get isRootTarget(): boolean {
    return this.mappingTarget.kind !== "constant" && this.mappingTarget.isRoot;
  }

  /** Returns the state for a single target file: the rest of the path is not part of its name. */
  private constant(): WalkState {
    return { ...this.afterTarget(), pathEndsInSlash: false, isAtTarget: false };
  }

  private afterTarget() {
    const { target } = this.mappingTarget;
    const [file, whole] = [stateAfter(this.names, target), stateAfter(this.wholeNames, target)];
    return { kind: "walking", file, whole, endsInSlash: target.endsWith("/") } as const;
  }

  private endOf({ file, whole, endsInSlash, pathEndsInSlash }: WalkState): State {
    const seen = (view: number, at = file) => this.names.output(at, view);
    const inside = pathEndsInSlash ? this.indexNames.map((name) => this.insideKey(file, whole, name)) : [];
    const ends: WalkEnd[] = [{ kind: "directory", key: [seen(fileNameViews.directory), ...inside].join() }];
    if (endsInSlash || this.directories.has(file)) return { kind: "ended", ends, whole };
    ends.push(
      { kind: "file", key: String(seen(fileNameViews.file)) },
      { kind: "missing", key: String(seen(fileNameViews.missing)) },
    );
    // A file followed by path info is not a level of the walk, and neither is a missing one.
    if (this.mappingTarget.kind === "constant") return { kind: "ended", ends, whole };
    return { kind: "ended", ends, info: seen(fileNameViews.missing), whole };
  }

  /**
   * Returns a key for the files that may be looked up in a directory: any part of their name may be missing or be a
   * file.
   */
  private insideKey(file: number, whole: number, name: string): string {
    const keys = [this.wholeNames.output(stateAfter(this.wholeNames, name, whole), 0)];
    let state = file;
    for (let at = 0; at < name.length; at++) {
      const isSlash = name.charCodeAt(at) === SLASH;
      if (isSlash)
        keys.push(this.names.output(state, fileNameViews.missing), this.names.output(state, fileNameViews.file));
      state = stateAfter(this.names, name.charAt(at), state);
    }
    for (const view of Object.values(fileNameViews)) keys.push(this.names.output(state, view));
    return keys.join(" ");
  }

  /** Returns the possible objects at the end of a text; empty if no text may end here. */
  endsAt(number: number): readonly WalkEnd[] {
    const state = this.states[number];
    if (state?.kind === "ended") return this.withWhole(state.ends, state.whole);
    if (state?.kind === "in path info") {
      const ends = [
        { kind: "file", key: `${state.info} after` } as const,
        { kind: "missing", key: String(state.info) } as const,
      ];
      return this.withWhole(ends, state.whole);
    }
    // A backend's URL only ends where the path does.
    if (state?.kind === "walking" && this.mappingTarget.kind === "backend")
      return [{ kind: "backend", key: String(this.names.output(state.file, 0)) }];
    return [];
  }

  private withWhole(ends: readonly WalkEnd[], whole: number): readonly WalkEnd[] {
    const wholeOutput = this.wholeNames.output(whole, 0);
    return ends.map(({ kind, key }) => ({ kind, key: `${key} ${wholeOutput}` }));
  }

  private numberOf(state: State): number {
    const key = this.keyOf(state);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.states.push(state) - 1;
    this.numbers.set(key, number);
    for (let each = 0; each < this.classes; each++) this.known.push(0);
    return number;
  }

  /** Returns a distinct number for each state. */
  private keyOf(state: State): number {
    switch (state.kind) {
      case "in prefix":
        return state.length * 4;
      case "walking": {
        const { file, whole, endsInSlash, pathEndsInSlash, isAtTarget } = state;
        const flags = (endsInSlash ? 1 : 0) + (pathEndsInSlash ? 2 : 0) + (isAtTarget ? 4 : 0);
        return ((file * WIDTH + whole) * 8 + flags) * 4 + 1;
      }
      case "ended": {
        const text = [...state.ends.map(({ key }) => key), state.info, state.whole].join("|");
        const number = this.ends.get(text) ?? this.ends.size;
        this.ends.set(text, number);
        return number * 4 + 2;
      }
      case "in path info":
        return (state.info * WIDTH + state.whole) * 4 + 3;
    }
  }
}
