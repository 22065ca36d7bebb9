import { type Steps, unbounded } from "../logic/budget.js";
import { type Classifier, indifferent, refined, sideBySide, stateBehind } from "../logic/classifier.js";
import { AT_OR_BELOW, literalPaths } from "../logic/literal-paths.js";

/** What is asked of texts at and below a folder, by what it asks. */
export interface FolderTests {
  /** Without a slash at its end. */
  readonly folder: string;
  readonly tests: ReadonlyMap<string, Classifier>;
}

/**
 * Asks of a text what is asked at the folders that it lies in, and nothing of what is asked elsewhere. So folders side by
 * side add up, where tests that are asked of all texts would multiply.
 */
export function withinFolders(all: readonly FolderTests[], allowance: Steps = unbounded): Classifier {
  const areas = areasOf(all, allowance);
  return areas.length === 0 ? indifferent : new WithinFolders(areas);
}

/** Texts of which the same is asked: those in a folder, but for what lies in one further in. */
class Area {
  private made: Classifier | undefined;
  private readonly known = new Map<string, number>();

  /** @param tests those of the folders above it among them */
  constructor(
    readonly folder: string,
    readonly tests: ReadonlyMap<string, Classifier>,
    private readonly allowance: Steps = unbounded,
  ) {}

  /** Made when a text comes there: many are made for folders that no path of a host leads to. */
  get classifier(): Classifier {
    this.made ??= sideBySide([...this.tests.values()], this.allowance);
    return this.made;
  }

  /** The state behind a folder's name. */
  behind(folder: string): number {
    const state = this.known.get(folder) ?? stateBehind(this.classifier, folder);
    this.known.set(folder, state);
    return state;
  }
}

/** One for each folder that asks something which those above it do not. */
function areasOf(all: readonly FolderTests[], allowance: Steps): readonly Area[] {
  const asked = new Map<string, Map<string, Classifier>>();
  for (const { folder, tests } of all) {
    if (tests.size === 0) continue;
    const there = asked.get(folder) ?? new Map<string, Classifier>();
    asked.set(folder, there);
    for (const [key, test] of tests) there.set(key, test);
  }
  const areas = new Map<string, Area>();
  for (const [folder, own] of [...asked].sort(([a], [b]) => a.length - b.length)) {
    const above = areaAbove(folder, areas)?.tests ?? new Map<string, Classifier>();
    const tests = new Map([...above, ...own]);
    if (tests.size > above.size) areas.set(folder, new Area(folder, tests, allowance));
  }
  return [...areas.values()];
}

function areaAbove(folder: string, areas: ReadonlyMap<string, Area>): Area | undefined {
  for (let end = folder.lastIndexOf("/"); end >= 0; end = folder.lastIndexOf("/", end - 1)) {
    const found = areas.get(folder.slice(0, end));
    if (found) return found;
    if (end === 0) break;
  }
  return undefined;
}

class WithinFolders implements Classifier {
  readonly classOf: Uint8Array;
  readonly classes: number;
  private readonly firsts: readonly number[];
  /** Tells which folder a text is in. */
  private readonly places: Classifier;
  /** By what that says; elsewhere nothing is asked. */
  private readonly areas = new Map<number, Area>();
  private readonly elsewhere = new Area("", new Map());
  /** Of each state: that of the place, and that of what is asked in its area. */
  private readonly at: number[] = [];
  private readonly inside: number[] = [];
  private readonly numbers: Map<number, number>[] = [];
  private readonly outputs = new Map<Area, Map<number, number>>();
  private outputCount = 0;

  constructor(areas: readonly Area[]) {
    this.places = literalPaths({ paths: areas.map(({ folder }) => folder) });
    for (const area of areas)
      this.areas.set(this.places.output(stateBehind(this.places, area.folder), AT_OR_BELOW), area);
    const divisions = new Set(areas.flatMap(({ tests }) => [...tests.values()].map(({ classOf }) => classOf)));
    let { classOf, firsts } = refined(this.places.classOf, this.places.classOf);
    for (const each of divisions) ({ classOf, firsts } = refined(classOf, each));
    this.classOf = classOf;
    this.firsts = firsts;
    this.classes = firsts.length;
    this.numberOf(0, this.areaAt(0).behind(""));
  }

  private areaAt(place: number): Area {
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
    // The text is the name of the one, or was that of the other and goes on beside it.
    const isThere = to !== this.elsewhere && place === stateBehind(this.places, to.folder);
    return this.numberOf(place, isThere ? to.behind(to.folder) : step(to.behind(from.folder)));
  }

  output(state: number, view: number): number {
    const area = this.areaAt(this.at[state] ?? 0);
    const known = this.outputs.get(area) ?? new Map<number, number>();
    this.outputs.set(area, known);
    const inside = area.classifier.output(this.inside[state] ?? 0, view);
    const number = known.get(inside) ?? this.outputCount++;
    known.set(inside, number);
    return number;
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
