import { type Steps, type TooLarge, unbounded } from "../logic/budget.js";
import { type Classifier, indifferent, Pairing, stateBehind } from "../logic/classifier.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Server } from "../scope/server.js";
import type { AskedText } from "./asked-classifiers.js";
import { type Cut, cutFor } from "./cut.js";
import { type LedAlike, ledAlike } from "./led-alike.js";
import { SLASHED } from "./normal-paths.js";
import { Cell, type Followed, type PathCell, type PathCells, type PathSide, type UncutCells } from "./path-cell.js";
import { type Lead, type Leading, leadsTo } from "./path-leads.js";
import type { PathTests } from "./path-tests.js";
import { Region } from "./region.js";
import { testsOfServer } from "./section-tests.js";
import { concernedBy } from "./sections-in-force.js";
import { type AskingServer, allOf, indexNamesIn, type SideTests, sideTests } from "./side-tests.js";
import { ofBoth, type Two } from "./two.js";
import { WalkReader } from "./walk-reader.js";

export type { PathCell, PathCells, PathSide } from "./path-cell.js";

/**
 * Cuts all URL paths, with what exists in the file system, into cells of which two servers ask the same, so that what holds
 * of one path holds of all in its cell.
 *
 * Paths are those that `normalPath` gives for requests that are sent without escapes that are not needed: they start with a
 * slash, and have no doubled slashes, no parts that are only dots and no NUL. Left out are names of more than 255 bytes,
 * which no file can have, and symbolic links. The DocumentRoot is there, and so is what an Alias leads to with a slash.
 *
 * @param budget the most states of an automaton on the way
 * @param allowance what the steps are taken from
 */
export function pathCells(
  sides: readonly [PathSide, PathSide],
  budget: number,
  allowance: Steps = unbounded,
): PathCells | TooLarge {
  return new Cutter(sides, cutFor(sides, budget, allowance)).cells();
}

const none: ReadonlySet<string> = new Set();

class Cutter {
  private readonly asking: Two<AskingServer>;
  /** Of each side; known when it is known where paths lead. */
  private asked: readonly SideTests[] = [];
  private indexNames: readonly string[] = [];

  constructor(
    private readonly sides: readonly [PathSide, PathSide],
    private readonly cut: Cut,
  ) {
    this.asking = ofBoth(sides, (side, index) => this.askingOf(side, index));
  }

  private askingOf(side: PathSide, index: 0 | 1): AskingServer {
    const { main } = side.server;
    return {
      side,
      main: main && this.testsOf(main, side.project),
      own: this.testsOf(side.server, side.project),
      leads: this.cut.leads[index],
      files: this.cut.files[index],
    };
  }

  private testsOf(server: Server, project: Project): PathTests {
    const known = this.cut.ofServers.get(server) ?? testsOfServer(server, project, this.cut.readings);
    this.cut.ofServers.set(server, known);
    return known;
  }

  cells(): PathCells | TooLarge {
    if (this.asking.some(({ main, own }) => main?.isTooLarge || own.isTooLarge)) return "too large";
    const mapping = this.cut.classifiers.servers("mapping", [...this.asking.entries()]);
    const leadings = (path: string) => ofBoth(this.asking, ({ leads, side }) => leads.of(path, side.server));
    const led = ledAlike(mapping, leadings, this.cut.budget, this.cut.steps);
    if (led === "too large") return led;
    const alike = [...new Set(led.values())];
    this.asked = this.asking.map((each, index) =>
      sideTests(
        each,
        alike.flatMap(({ leadings }) => leadings[index] ?? []),
      ),
    );
    const all = this.asked.flatMap(allOf);
    if (all.some(({ isTooLarge }) => isTooLarge)) return "too large";
    this.indexNames = indexNamesIn(all);
    return this.cellsOf(alike, led, mapping);
  }

  private cellsOf(
    all: readonly LedAlike[],
    led: ReadonlyMap<number, LedAlike>,
    mapping: Classifier,
  ): PathCells | TooLarge {
    const url = new Pairing(this.classifier("url"), mapping, this.cut.steps);
    const cells: Cell[] = [];
    const unknown: UncutCells[] = [];
    const ledAt = (state: number) => led.get(mapping.output(url.partsOf(state)[1], 0));
    for (const each of all) {
      const found = this.cellsIn(each, url, ledAt);
      if (found === "too large") return found;
      cells.push(...found);
      for (const [index, leading] of each.leadings.entries())
        if (leading.uncut && this.isLookedAt(leading, index)) unknown.push({ ...leading.uncut, cells: found });
      for (const cell of found)
        for (const directive of this.elsewhereInside(cell, each, (path) => ledAt(stateBehind(url, path))))
          unknown.push({ reason: "an index file is led elsewhere than its directory", directive, cells: [cell] });
    }
    const uncut = [0, 1].flatMap((side) => this.testsOn(side)).reduce((sum, tests) => sum + tests.uncut.length, 0);
    this.cut.steps.take(uncut * cells.length);
    if (this.cut.steps.isUsedUp) return "too large";
    return { cells, unknown: onceEach([...unknown, ...this.uncutIn(cells)]) };
  }

  /** What lines ask that keeps some cells from being exact. */
  private uncutIn(cells: readonly Cell[]): readonly UncutCells[] {
    return this.sides.flatMap((side, index) =>
      this.testsOn(index).flatMap(({ uncut }) =>
        uncut.map(({ reason, directive, concerns }) => {
          const isConcerned = concernedBy(directive, side, index, this.indexNames);
          const of = cells.filter((cell) => (concerns?.(cell.path) ?? true) && isConcerned(cell));
          return { reason, directive, cells: of };
        }),
      ),
    );
  }

  private testsOn(index: number): readonly PathTests[] {
    const asked = this.asked[index];
    return asked ? allOf(asked) : [];
  }

  private classifier(text: AskedText, of: readonly number[] = [0, 1]): Classifier {
    const asked = [...this.asked.entries()].filter(([index]) => of.includes(index));
    return this.cut.classifiers.all(text, asked);
  }

  /**
   * The lines that lead index files of a cell elsewhere than their directories, to where the rest of the path says. One for a
   * longer path leads a single one, which is told apart anyway.
   */
  private elsewhereInside(
    { path, walks }: PathCell,
    alike: LedAlike,
    ledAt: (path: string) => LedAlike | undefined,
  ): readonly Directive[] {
    if (!path.endsWith("/") || !walks.some((walk) => walk?.kind === "directory")) return [];
    return this.indexNames.flatMap((name) => {
      const inside = ledAt(path + name);
      if (inside === undefined || inside === alike) return [];
      return inside.leadings.flatMap(({ lead, by, key, uncut }, index) => {
        if (by === undefined || key === alike.leadings[index]?.key) return [];
        const isTold =
          lead === undefined ? uncut === undefined : lead.kind !== "file" || lead.prefix.length > path.length;
        return isTold ? [] : [by];
      });
    });
  }

  /** Where a backend is asked, its URL counts only if some line looks at it. */
  private isLookedAt({ isOfBackend }: Leading, index: number): boolean {
    if (!isOfBackend) return true;
    return this.testsOn(index).some(({ backend }) => !backend.isEmpty);
  }

  private cellsIn(
    alike: LedAlike,
    url: Pairing,
    ledAt: (state: number) => LedAlike | undefined,
  ): readonly Cell[] | TooLarge {
    const urlOutput = (state: number) => {
      const [own] = url.partsOf(state);
      return `${url.first.output(own, 0)} ${ledAt(state)?.number}`;
    };
    const followed = this.followedBy(alike.leadings);
    const readers = followed.map((each) => this.readerOf(each));
    const region = new Region(
      url,
      readers,
      (state, place, isDirectory) => {
        if (ledAt(state) !== alike) return undefined;
        if (!isDirectory) return urlOutput(state);
        if (place !== SLASHED) return `${urlOutput(state)} bare`;
        const inside = this.indexNames.map((name) => urlOutput(stateBehind(url, name, state)));
        return [urlOutput(state), ...inside].join("/");
      },
      this.cut.budget,
      this.cut.steps,
    );
    const found = region.cells();
    if (found === "too large") return found;
    const texts = region.texts();
    return found.map((each) => new Cell(this.sides, texts, each, followed, alike.leadings));
  }

  private followedBy(leadings: readonly Leading[]): readonly Followed[] {
    const [a, b] = leadings.map((each) => each.lead);
    if (a && b && a.kind !== "backend" && b.kind !== "backend") {
      const one = oneFile(a, b);
      if (one) return [{ lead: one, of: [0, 1] }];
    }
    return [a, b].flatMap((lead, index) => (lead ? [{ lead, of: [index] }] : []));
  }

  private readerOf({ lead, of }: Followed): WalkReader {
    const isBackend = lead.kind === "backend";
    const names = this.classifier(isBackend ? "backend" : "file", of);
    const whole = isBackend ? indifferent : this.classifier("whole", of);
    const directories = isBackend ? none : this.directoriesOn(of);
    return new WalkReader(lead, names, whole, this.indexNames, directories);
  }

  /** Those that are there, of the ones that requests may come by. */
  private directoriesOn(of: readonly number[]): ReadonlySet<string> {
    const found = new Set<string>();
    for (const index of of)
      for (const { folder } of this.asked[index]?.files ?? [])
        for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) {
          const directory = folder.slice(0, end);
          if (this.cut.directories.has(directory)) found.add(directory);
        }
    return found;
  }
}

/** What is said of a line for the same reason is said once, if of any cell. */
function onceEach(unknown: readonly UncutCells[]): readonly UncutCells[] {
  const found: { reason: string; directive: Directive; cells: Set<PathCell> }[] = [];
  for (const { reason, directive, cells } of unknown) {
    const known = found.find((each) => each.reason === reason && each.directive === directive);
    if (known) for (const cell of cells) known.cells.add(cell);
    else if (cells.length > 0) found.push({ reason, directive, cells: new Set(cells) });
  }
  return found.map((each) => ({ ...each, cells: [...each.cells] }));
}

/** A lead for both, where they come to the same file. */
function oneFile(a: Lead, b: Lead): Lead | undefined {
  if (a.kind === "constant" || b.kind === "constant") return a.kind === b.kind && a.target === b.target ? a : undefined;
  const [short, long] = a.prefix.length <= b.prefix.length ? [a, b] : [b, a];
  if (!long.prefix.startsWith(short.prefix)) return undefined;
  return leadsTo(short, long.prefix) === leadsTo(long, long.prefix) ? short : undefined;
}
