import { type Automaton, minimize } from "../../regex/automata/automaton.js";
import { type Classifier, intersectByteClasses } from "../../regex/automata/classifier.js";
import { representativeBytes } from "../../regex/automata/shortest-texts.js";
import type { BudgetExceeded, StepBudget } from "../../regex/budget.js";
import { INVALID_PATH, isPathEnd, nextPathState, PATH_START, PATH_STATES } from "./path-automaton.js";
import { DEAD_STATE, type WalkAutomaton, type WalkEnd } from "./walk-automaton.js";

/** The byte in a text that marks the end of a walk; it does not occur in URL paths. */
export const WALK_END_MARK = 0;
/** The first tag byte after a mark. If two files are walked to, the tag identifies the walk. */
const FIRST_SIDE_TAG = 0x31;

/** The URL paths of an automaton, by the states of a classifier. */
export interface UrlStates {
  readonly classifier: Classifier;
  /** Reports whether a state is before, or at, a path of the automaton. */
  readonly isLive: (state: number) => boolean;
  /**
   * Returns a key for the properties of the URL path only; undefined if the path belongs to another automaton.
   *
   * @param isDirectory whether a directory is found: then a trailing slash and the possible index files count
   */
  readonly keyOf: (state: number, place: number, isDirectory: boolean) => string | undefined;
}

/** Paths with the same properties. */
export interface FoundPathClass {
  readonly key: string;
  /** A shortest path, with its marks. */
  readonly text: string;
  /** The object at the end of each reader's walk. */
  readonly ends: readonly WalkEnd[];
  readonly states: readonly number[];
}

/** Steps per transition: it takes a small part of a microsecond, and most of its memory is free after the exploration. */
const STEPS_PER_TRANSITION = 1;

/** An upper bound for the states of each component. */
const WIDTH = 2 ** 16;

/**
 * Explores all URL paths with the same mapping and their targets: a product automaton of the URL path predicates and
 * the file predicates.
 */
export class ProductAutomaton {
  /**
   * For each state: the state of the URL classifier, the position within the path, and whether the tag of a side must
   * follow.
   */
  private readonly urls: number[] = [];
  private readonly places: number[] = [];
  private readonly tags: number[] = [];
  /** States of each reader. */
  private readonly walks: readonly [number[], number[]] = [[], []];
  /** State numbers by URL classifier state, then by walk states. */
  private readonly numbers: Map<number, number>[] = [];
  /** For each state: its predecessor, and the byte that leads from there. */
  private readonly predecessors: number[] = [0];
  private readonly letters: number[] = [0];
  private readonly transitions: number[] = [];
  private readonly classifier: Classifier;
  private readonly classOf: Uint8Array;
  private readonly bytes: readonly number[];
  private readonly marked: readonly number[];
  private readonly width: number;

  /**
   * @param readers at most two
   * @param budget the maximum number of states
   * @param allowance the step budget
   */
  constructor(
    private readonly url: UrlStates,
    private readonly readers: readonly WalkAutomaton[],
    private readonly budget: number,
    private readonly allowance: StepBudget,
  ) {
    this.classifier = url.classifier;
    const special = new Uint8Array(256);
    for (const [index, byte] of [WALK_END_MARK, 0x2e, 0x2f, FIRST_SIDE_TAG, FIRST_SIDE_TAG + 1].entries())
      special[byte] = index + 1;
    const divisions = [special, ...readers.map(({ classOf }) => classOf)];
    this.classOf = divisions.reduce((all, each) => intersectByteClasses(all, each).classOf, url.classifier.classOf);
    this.bytes = representativeBytes({ classOf: this.classOf });
    this.width = readers.length > 1 ? WIDTH : 1;
    this.marked = readers.flatMap((reader, index) => (reader.hasMark ? [index] : []));
  }

  findClasses(): readonly FoundPathClass[] | BudgetExceeded {
    const found = new Map<string, FoundPathClass & { readonly states: number[] }>();
    this.numberOf(0, PATH_START, 0, 0, 0);
    for (let number = 0; number < this.urls.length; number++) {
      if (this.urls.length > this.budget || this.readers.some(({ size }) => size >= WIDTH)) return "too large";
      this.allowance.take(this.bytes.length * STEPS_PER_TRANSITION);
      if (this.allowance.isUsedUp) return "too large";
      for (const { key, ends } of this.endsAt(number)) {
        const pathClass = found.get(key);
        if (pathClass) pathClass.states.push(number);
        else found.set(key, { key, ends, text: this.textTo(number), states: [number] });
      }
      for (const byte of this.bytes) {
        const to = this.next(number, byte);
        this.transitions.push(to);
        if (to < this.predecessors.length) continue;
        this.predecessors.push(number);
        this.letters.push(byte);
      }
    }
    return [...found.values()];
  }

  /** Returns the transitions without the data used to build them, because path classes outlive the exploration. */
  texts(): PathClassTexts {
    const width = this.bytes.length;
    const count = this.urls.length;
    const columns = this.bytes.map((byte) => this.classOf[byte] ?? 0);
    const next = new Int32Array((count + 1) * width).fill(count);
    for (let place = 0; place < this.transitions.length; place++) {
      const to = this.transitions[place] ?? DEAD_STATE;
      if (to !== DEAD_STATE) next[Math.floor(place / width) * width + (columns[place % width] ?? 0)] = to;
    }
    return new PathClassTexts(this.classOf, next, width);
  }

  private endsAt(number: number): { readonly key: string; readonly ends: readonly WalkEnd[] }[] {
    const url = this.urls[number] ?? 0;
    const place = this.places[number] ?? 0;
    if (this.tags[number] === 1 || !isPathEnd(place)) return [];
    let all: WalkEnd[][] = [[]];
    for (const [index, reader] of this.readers.entries()) {
      const ends = reader.endsAt(this.walkOf(number, index));
      if (ends.length === 0) return [];
      all = all.flatMap((before) => ends.map((end) => [...before, end]));
    }
    if (this.url.keyOf(url, place, false) === undefined) return [];
    return all.map((ends) => {
      const key = this.url.keyOf(
        url,
        place,
        ends.some(({ kind }) => kind === "directory"),
      );
      return { key: [key, ...ends.map((end) => `${end.kind} ${end.key}`)].join("; "), ends };
    });
  }

  private walkOf(number: number, reader: number): number {
    return this.walks[reader === 0 ? 0 : 1][number] ?? 0;
  }

  private next(number: number, byte: number): number {
    if (this.tags[number] === 1) return this.tagged(number, byte - FIRST_SIDE_TAG);
    if (byte === WALK_END_MARK) return this.markedAt(number);
    const place = nextPathState(this.places[number] ?? 0, byte);
    if (place === INVALID_PATH) return DEAD_STATE;
    const [one, other] = this.readers;
    const first = one ? one.next(this.walkOf(number, 0), byte) : 0;
    if (first === DEAD_STATE) return DEAD_STATE;
    const second = other ? other.next(this.walkOf(number, 1), byte) : 0;
    if (second === DEAD_STATE) return DEAD_STATE;
    const url = this.classifier.next(this.urls[number] ?? 0, this.classifier.classOf[byte] ?? 0);
    return this.url.isLive(url) ? this.numberOf(url, place, 0, first, second) : DEAD_STATE;
  }

  private markedAt(number: number): number {
    const [only, other] = this.marked;
    if (only === undefined) return DEAD_STATE;
    if (other === undefined) return this.ended(number, only);
    const url = this.urls[number] ?? 0;
    return this.numberOf(url, this.places[number] ?? 0, 1, this.walkOf(number, 0), this.walkOf(number, 1));
  }

  /**
   * Returns the state after the tag of a walk. If both walks end at the same position, the first one is tagged first.
   */
  private tagged(number: number, index: number): number {
    if (!this.marked.includes(index)) return DEAD_STATE;
    if (index === 0 && this.readers[1]?.hasJustEnded(this.walkOf(number, 1))) return DEAD_STATE;
    return this.ended(number, index);
  }

  private ended(number: number, index: number): number {
    const walk = this.readers[index]?.ended(this.walkOf(number, index)) ?? DEAD_STATE;
    if (walk === DEAD_STATE) return DEAD_STATE;
    const [first, second] = index === 0 ? [walk, this.walkOf(number, 1)] : [this.walkOf(number, 0), walk];
    return this.numberOf(this.urls[number] ?? 0, this.places[number] ?? 0, 0, first, second);
  }

  private numberOf(url: number, place: number, tag: number, first: number, second: number): number {
    // Small numbers are fast map keys.
    const at = (url * PATH_STATES + place) * 2 + tag;
    const there = this.numbers[at] ?? new Map<number, number>();
    this.numbers[at] = there;
    const walks = first * this.width + second;
    const known = there.get(walks);
    if (known !== undefined) return known;
    const number = this.urls.push(url) - 1;
    there.set(walks, number);
    this.places.push(place);
    this.tags.push(tag);
    this.walks[0].push(first);
    this.walks[1].push(second);
    return number;
  }

  private textTo(last: number): string {
    let text = "";
    for (let at = last; at !== 0; at = this.predecessors[at] ?? 0)
      text = String.fromCharCode(this.letters[at] ?? 0) + text;
    return text;
  }
}

/** The texts of a product automaton, by their final states. The last state is the sink. */
export class PathClassTexts {
  constructor(
    private readonly classOf: Uint8Array,
    private readonly next: Int32Array,
    private readonly classes: number,
  ) {}

  /** Returns the automaton of the texts that end in given states. */
  automaton(states: readonly number[]): Automaton {
    const { classOf, classes, next } = this;
    const accepting = new Uint8Array(next.length / classes);
    for (const state of states) accepting[state] = 1;
    return minimize({ classOf, classes, next, accepting });
  }
}
