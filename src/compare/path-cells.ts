import { Automata } from "../logic/automata.js";
import type { TooLarge } from "../logic/budget.js";
import { type Classifier, indifferent, Pairing, stateBehind } from "../logic/classifier.js";
import { nicestOfClasses } from "../logic/texts.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { documentRootOf } from "../scope/mapping.js";
import { canonicalPath } from "../scope/section-index.js";
import type { Server } from "../scope/servers.js";
import { isPathEnd, NO_PATH, PLACES, placeBehind, SLASHED, START } from "./normal-paths.js";
import { Cell, type PathCell, type PathCells, type PathSide, type Read, type UncutCells } from "./path-cell.js";
import { type Lead, type Leading, Leads, leadsTo } from "./path-leads.js";
import { PathTests } from "./path-tests.js";
import { directoriesThere } from "./project-facts.js";
import { Region } from "./region.js";
import { testsOfFiles, testsOfServer } from "./section-tests.js";
import { concernedBy } from "./sections-in-force.js";
import { Readings, TextTests, tellingApart } from "./text-tests.js";
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
 */
export function pathCells(sides: readonly [PathSide, PathSide], budget: number): PathCells | TooLarge {
  return new Cutter(sides, cutFor(sides, budget)).cells();
}

/** What all pairs of servers of two configurations have in common. */
interface Cut {
  readonly readings: Readings;
  readonly budget: number;
  readonly leads: readonly Leads[];
  readonly ofFiles: readonly PathTests[];
  /** Those that are there on both sides: what leads to their `.htaccess` files. */
  readonly directories: ReadonlySet<string>;
  readonly ofServers: WeakMap<Server, PathTests>;
  /** Classifiers for what the main servers ask, by what of it. */
  readonly ofMains: Map<string, Classifier>;
}

const cuts = new WeakMap<Project, WeakMap<Project, Cut>>();

function cutFor([{ project: a }, { project: b }]: readonly [PathSide, PathSide], budget: number): Cut {
  const withA = cuts.get(a) ?? new WeakMap<Project, Cut>();
  cuts.set(a, withA);
  const known = withA.get(b);
  if (known?.budget === budget) return known;
  const readings = new Readings(new Automata(budget));
  const made: Cut = {
    ...{ readings, budget, ofServers: new WeakMap(), ofMains: new Map() },
    leads: [new Leads(a), new Leads(b)],
    ofFiles: [a, b].map((project) => testsOfFiles(project.htaccess, project, readings)),
    directories: new Set([...directoriesThere(a)].filter((path) => directoriesThere(b).has(path))),
  };
  withA.set(b, made);
  return made;
}

const none: ReadonlySet<string> = new Set();

/** Paths that both sides lead by the same lines. */
interface LedAlike {
  readonly number: number;
  readonly leadings: readonly Leading[];
}

class Cutter {
  /** Of each side: what is asked at the level of the main server and in `.htaccess` files, and what the host asks. */
  private readonly common: readonly (readonly PathTests[])[];
  private readonly own: readonly PathTests[];
  private readonly fixed: readonly TextTests[];
  private readonly indexNames: readonly string[];
  private readonly isTooLarge: boolean;

  constructor(
    private readonly sides: readonly [PathSide, PathSide],
    private readonly cut: Cut,
  ) {
    this.common = sides.map(({ project, server: { main } }, index) => [
      ...(main ? [this.testsOf(main, project)] : []),
      cut.ofFiles[index] ?? new PathTests(cut.readings),
    ]);
    this.own = sides.map(({ project, server }) => this.testsOf(server, project));
    const all = [...this.common.flat(), ...this.own];
    this.isTooLarge = all.some((each) => each.isTooLarge);
    this.indexNames = indexNamesIn(all);
    this.fixed = sides.map((_, index) => this.fixedOf(index));
  }

  /** Where the walk to a file comes by what is asked for beside it, it tells of that. */
  private fixedOf(index: number): TextTests {
    const fixed = new TextTests();
    const side = this.sides[index];
    const all = [...(this.common[index] ?? []), this.own[index]];
    const paths = new Set(all.flatMap((each) => [...(each?.fixedPaths ?? [])]));
    const files = new Set(all.flatMap((each) => [...(each?.fixedFiles ?? [])]));
    if (side === undefined || paths.size + files.size === 0) return fixed;
    const root = documentRootOf(side.server, side.project);
    const found = [...files].map((file) => file.replaceAll("%{DOCUMENT_ROOT}", root));
    for (const path of paths) {
      const lead = this.cut.leads[index]?.of(path, side.server).lead;
      if (lead && lead.kind !== "backend") found.push(leadsTo(lead, path));
    }
    for (const file of found) {
      const plain = canonicalPath(file) ?? "";
      for (const each of [plain, ...this.indexNames.map((name) => `${plain}/${name}`)])
        for (let end = each.length; end > 0; end = each.lastIndexOf("/", end - 1)) {
          fixed.paths.add(each.slice(0, end));
          fixed.texts.add(each.slice(0, end));
        }
    }
    return fixed;
  }

  private testsOf(server: Server, project: Project): PathTests {
    const known = this.cut.ofServers.get(server) ?? testsOfServer(server, project, this.cut.readings);
    this.cut.ofServers.set(server, known);
    return known;
  }

  /** What some sides ask of one kind of text: the part of the main servers is made once for all hosts. */
  private classifier(
    of: (tests: PathTests) => TextTests,
    name: string,
    indexes: readonly number[] = [0, 1],
  ): Classifier {
    const key = [name, ...indexes, ...indexes.map((index) => this.sides[index]?.server.main !== undefined)].join();
    const shared =
      this.cut.ofMains.get(key) ?? tellingApart(indexes.flatMap((index) => (this.common[index] ?? []).map(of)));
    this.cut.ofMains.set(key, shared);
    const own = indexes.flatMap((index) => this.own[index] ?? []).map(of);
    const fixed = name === "file" ? indexes.flatMap((index) => this.fixed[index] ?? []) : [];
    return new Pairing(shared, tellingApart([...own, ...fixed]));
  }

  cells(): PathCells | TooLarge {
    if (this.isTooLarge) return "too large";
    const mapping = this.classifier((tests) => tests.mapping, "mapping");
    const url = new Pairing(
      this.classifier((tests) => tests.url, "url"),
      mapping,
    );
    const led = this.ledAlike(mapping);
    if (led === "too large") return led;
    const cells: Cell[] = [];
    const unknown: UncutCells[] = [];
    const ledAt = (state: number) => led.get(mapping.output(url.partsOf(state)[1], 0));
    for (const each of new Set(led.values())) {
      const found = this.cellsIn(each, url, ledAt);
      if (found === "too large") return found;
      cells.push(...found);
      for (const [index, leading] of each.leadings.entries())
        if (leading.uncut && this.isLookedAt(leading, index)) unknown.push({ ...leading.uncut, cells: found });
      for (const cell of found)
        for (const directive of this.elsewhereInside(cell, each, (path) => ledAt(stateBehind(url, path))))
          unknown.push({ reason: "an index file is led elsewhere than its directory", directive, cells: [cell] });
    }
    for (const [index, side] of this.sides.entries())
      for (const tests of [...(this.common[index] ?? []), this.own[index]])
        for (const { reason, directive, concerns } of tests?.uncut ?? []) {
          const isConcerned = concernedBy(directive, side, index, this.indexNames);
          const of = cells.filter((cell) => (concerns?.(cell.path) ?? true) && isConcerned(cell));
          unknown.push({ reason, directive, cells: of });
        }
    return { cells, unknown: onceEach(unknown) };
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
    return [...(this.common[index] ?? []), this.own[index]].some((tests) => tests && !tests.backend.isEmpty);
  }

  /** The paths of each output of what is asked for mapping, by one of them. */
  private ledAlike(mapping: Classifier): ReadonlyMap<number, LedAlike> | TooLarge {
    const paths = pathsByOutput(mapping, this.cut.budget);
    if (paths === "too large") return paths;
    const byOutput = new Map<number, LedAlike>();
    const byKey = new Map<string, LedAlike>();
    for (const [output, path] of paths) {
      const leadings = this.sides.map(({ server }, index) => this.cut.leads[index]?.of(path, server));
      const both = leadings.filter((each) => each !== undefined);
      const key = both.map((each) => each.key).join("; ");
      const alike = byKey.get(key) ?? { number: byKey.size, leadings: both };
      byKey.set(key, alike);
      byOutput.set(output, alike);
    }
    return byOutput;
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
    const readers = this.readersFor(alike.leadings);
    const region = new Region(
      url,
      readers.map(({ reader }) => reader),
      (state, place, isDirectory) => {
        if (ledAt(state) !== alike) return undefined;
        if (!isDirectory) return urlOutput(state);
        if (place !== SLASHED) return `${urlOutput(state)} bare`;
        const inside = this.indexNames.map((name) => urlOutput(stateBehind(url, name, state)));
        return [urlOutput(state), ...inside].join("/");
      },
      this.cut.budget,
    );
    const found = region.cells();
    if (found === "too large") return found;
    return found.map((each) => new Cell(this.sides, region, each, readers, alike.leadings));
  }

  private readersFor(leadings: readonly Leading[]): readonly Read[] {
    const [a, b] = leadings.map((each) => each.lead);
    if (a && b && a.kind !== "backend" && b.kind !== "backend") {
      const one = oneFile(a, b);
      if (one) return [this.readerOf(one, [0, 1])];
    }
    return [a, b].flatMap((lead, index) => (lead ? [this.readerOf(lead, [index])] : []));
  }

  private readerOf(lead: Lead, of: readonly number[]): Read {
    const names =
      lead.kind === "backend"
        ? this.classifier((tests) => tests.backend, "backend", of)
        : this.classifier((tests) => tests.file, "file", of);
    const whole = lead.kind === "backend" ? indifferent : this.classifier((tests) => tests.whole, "whole", of);
    return {
      lead,
      of,
      reader: new WalkReader(
        lead,
        names,
        whole,
        this.indexNames,
        lead.kind === "backend" ? none : this.cut.directories,
      ),
    };
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

/** For each output a shortest path. */
function pathsByOutput(of: Classifier, budget: number): ReadonlyMap<number, string> | TooLarge {
  const special = nicestOfClasses(of);
  const letters = [...new Set([...special, 0x61, 0x2e, 0x2f])];
  const found = new Map<number, string>();
  const seen = new Set([START]);
  const queue = [{ state: 0, place: START, text: "" }];
  for (const { state, place, text } of queue) {
    if (queue.length > budget) return "too large";
    const output = of.output(state, 0);
    if (isPathEnd(place) && !found.has(output)) found.set(output, text);
    for (const letter of letters) {
      const behind = placeBehind(place, letter);
      if (behind === NO_PATH) continue;
      const to = of.next(state, of.classOf[letter] ?? 0);
      const key = to * PLACES + behind;
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ state: to, place: behind, text: text + String.fromCharCode(letter) });
    }
  }
  return found;
}

function indexNamesIn(all: readonly PathTests[]): readonly string[] {
  return [...new Set(["index.html", ...all.flatMap((each) => [...each.indexNames])])];
}
