import {
  type Classifier,
  intersectByteClasses,
  productOf,
  stateAfter,
  trivialClassifier,
} from "../../regex/automata/classifier.js";
import { AT_OR_BELOW, buildPathTrie } from "../../regex/automata/path-trie.js";
import { type StepBudget, unlimitedSteps } from "../../regex/budget.js";
import { getOrCreate } from "../../text/collections.js";

/** The predicates on texts at and below a folder, by key. */
export interface FolderPredicates {
  /** Without a trailing slash. */
  readonly folder: string;
  readonly tests: ReadonlyMap<string, Classifier>;
}

/**
 * Returns a classifier that tests a text only with the predicates of the folders it is in. Sibling folders then add up,
 * while predicates on all texts would multiply.
 */
export function classifyByFolder(all: readonly FolderPredicates[], allowance: StepBudget = unlimitedSteps): Classifier {
  const areas = areasOf(all, allowance);
  return areas.length === 0 ? trivialClassifier : new FolderClassifier(areas);
}

/** Texts with the same predicates: those in a folder, except for those in nested areas. */
class FolderArea {
  private made: Classifier | undefined;
  private readonly known = new Map<string, number>();

  /** @param tests includes those of the folders above */
  constructor(
    readonly folder: string,
    readonly tests: ReadonlyMap<string, Classifier>,
    private readonly allowance: StepBudget = unlimitedSteps,
  ) {}

  /** The classifier, created on first use: no path of a host leads to many of these folders. */
  get classifier(): Classifier {
    this.made ??= productOf([...this.tests.values()], this.allowance);
    return this.made;
  }

  /** Returns the state after a folder's name. */
  afterFolder(folder: string): number {
    return getOrCreate(this.known, folder, () => stateAfter(this.classifier, folder));
  }
}

/** Returns one area for each folder that adds predicates to those above it. */
function areasOf(all: readonly FolderPredicates[], allowance: StepBudget): readonly FolderArea[] {
  const byFolder = new Map<string, Map<string, Classifier>>();
  for (const { folder, tests } of all) {
    if (tests.size === 0) continue;
    const there = byFolder.get(folder) ?? new Map<string, Classifier>();
    byFolder.set(folder, there);
    for (const [key, test] of tests) there.set(key, test);
  }
  const areas = new Map<string, FolderArea>();
  for (const [folder, own] of [...byFolder].sort(([a], [b]) => a.length - b.length)) {
    const above = enclosingArea(folder, areas)?.tests ?? new Map<string, Classifier>();
    const tests = new Map([...above, ...own]);
    if (tests.size > above.size) areas.set(folder, new FolderArea(folder, tests, allowance));
  }
  return [...areas.values()];
}

function enclosingArea(folder: string, areas: ReadonlyMap<string, FolderArea>): FolderArea | undefined {
  for (let end = folder.lastIndexOf("/"); end >= 0; end = folder.lastIndexOf("/", end - 1)) {
    const found = areas.get(folder.slice(0, end));
    if (found) return found;
    if (end === 0) break;
  }
  return undefined;
}

class FolderClassifier implements Classifier {
  readonly classOf: Uint8Array;
  readonly classes: number;
  private readonly firsts: readonly number[];
  /** Classifies a text by its folder. */
  private readonly places: Classifier;
  /** Areas by the output of `places`; elsewhere there are no predicates. */
  private readonly areas = new Map<number, FolderArea>();
  private readonly elsewhere = new FolderArea("", new Map());
  /** For each state: the state of `places`, and the state within its area. */
  private readonly at: number[] = [];
  private readonly inside: number[] = [];
  private readonly numbers: Map<number, number>[] = [];
  private readonly outputs = new Map<FolderArea, Map<number, number>>();
  private outputCount = 0;

  constructor(areas: readonly FolderArea[]) {
    this.places = buildPathTrie({ paths: areas.map(({ folder }) => folder) });
    for (const area of areas)
      this.areas.set(this.places.output(stateAfter(this.places, area.folder), AT_OR_BELOW), area);
    const divisions = new Set(areas.flatMap(({ tests }) => [...tests.values()].map(({ classOf }) => classOf)));
    let { classOf, firsts } = intersectByteClasses(this.places.classOf, this.places.classOf);
    for (const each of divisions) ({ classOf, firsts } = intersectByteClasses(classOf, each));
    this.classOf = classOf;
    this.firsts = firsts;
    this.classes = firsts.length;
    this.numberOf(0, this.areaAt(0).afterFolder(""));
  }

  private areaAt(place: number): FolderArea {
    return this.areas.get(this.places.output(place, AT_OR_BELOW)) ?? this.elsewhere;
  }

  next(state: number, byteClass: number): number {
    const byte = this.firsts[byteClass] ?? 0;
    const before = this.at[state] ?? 0;
    const place = this.places.next(before, this.places.classOf[byte] ?? 0);
    const [from, to] = [this.areaAt(before), this.areaAt(place)];
    const { classifier } = to;
    const step = (inside: number) => classifier.next(inside, classifier.classOf[byte] ?? 0);
    if (from === to) return this.numberOf(place, step(this.inside[state] ?? 0));
    // The text is either the folder name of the new area, or it continues past that of the old one.
    const isSameFolder = to !== this.elsewhere && place === stateAfter(this.places, to.folder);
    return this.numberOf(place, isSameFolder ? to.afterFolder(to.folder) : step(to.afterFolder(from.folder)));
  }

  output(state: number, view: number): number {
    const area = this.areaAt(this.at[state] ?? 0);
    const known = getOrCreate(this.outputs, area, () => new Map());
    const inside = area.classifier.output(this.inside[state] ?? 0, view);
    return getOrCreate(known, inside, () => this.outputCount++);
  }

  private numberOf(place: number, inside: number): number {
    const there = this.numbers[place] ?? new Map<number, number>();
    this.numbers[place] = there;
    const known = there.get(inside);
    if (known !== undefined) return known;
    this.at.push(place);
    const number = this.inside.push(inside) - 1;
    there.set(inside, number);
    return number;
  }
}
