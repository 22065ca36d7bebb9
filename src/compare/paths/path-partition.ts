import type { Server } from "../../httpd/model/server.js";
import { type Classifier, ProductClassifier, stateAfter, trivialClassifier } from "../../logic/automata/classifier.js";
import { type BudgetExceeded, type StepBudget, unlimitedSteps } from "../../logic/budget.js";
import type { Directive } from "../../project/model/directive.js";
import type { Project } from "../../project/model/project.js";
import { getOrCreate } from "../../text/get-or-create.js";
import { mapPair, type Pair } from "../model/server-pairs.js";
import { applyMapping, type MappingTarget, type PathMapping } from "../predicates/mapping-targets.js";
import type { PathPredicates } from "../predicates/path-predicates.js";
import { collectServerPredicates } from "../predicates/section-predicates.js";
import {
  collectPredicates,
  findSidePredicates,
  listIndexNames,
  type ServerContext,
  type SidePredicates,
} from "../predicates/server-predicates.js";
import { selectAffectedClasses } from "./applying-sections.js";
import { type ClassifiedText, createPartitionContext, type PartitionContext } from "./partition-context.js";
import { AFTER_SLASH, type EquallyMappedPaths, groupByMapping } from "./path-automaton.js";
import {
  AutomatonPathClass,
  type FollowedTarget,
  type InexactPathClasses,
  type PathClass,
  type PathPartition,
  type PathSide,
} from "./path-class.js";
import { ProductAutomaton } from "./product-automaton.js";
import { WalkAutomaton } from "./walk-automaton.js";

export type { PathClass, PathPartition, PathSide } from "./path-class.js";

/**
 * Partitions all URL paths and existing objects into cells that two servers treat alike. A result for one path then
 * holds for its whole cell.
 *
 * Paths are those that `normalPath` returns for requests without unnecessary escapes: they start with a slash, and have
 * no double slashes, no parts that are only dots and no NUL. Names of more than 255 bytes, which no file can have, and
 * symbolic links are excluded. The DocumentRoot exists, and so does the target of an Alias with a slash.
 *
 * @param budget the maximum number of states of an intermediate automaton
 * @param allowance the step budget
 */
export function partitionPaths(
  sides: readonly [PathSide, PathSide],
  budget: number,
  allowance: StepBudget = unlimitedSteps,
): PathPartition | BudgetExceeded {
  return new PathPartitioner(sides, createPartitionContext(sides, budget, allowance)).cells();
}

const noDirectories: ReadonlySet<string> = new Set();

class PathPartitioner {
  private readonly asking: Pair<ServerContext>;
  /** For each side; set once the mapping of paths is known. */
  private asked: readonly SidePredicates[] = [];
  private indexNames: readonly string[] = [];

  constructor(
    private readonly sides: readonly [PathSide, PathSide],
    private readonly cut: PartitionContext,
  ) {
    this.asking = mapPair(sides, (side, index) => this.askingServerOf(side, index));
  }

  private askingServerOf(side: PathSide, index: 0 | 1): ServerContext {
    const { main } = side.server;
    return {
      side,
      main: main && this.predicatesOf(main, side.project),
      own: this.predicatesOf(side.server, side.project),
      leads: this.cut.leads[index],
      files: this.cut.files[index],
    };
  }

  private predicatesOf(server: Server, project: Project): PathPredicates {
    return getOrCreate(this.cut.ofServers, server, () => collectServerPredicates(server, project, this.cut.readings));
  }

  cells(): PathPartition | BudgetExceeded {
    if (this.asking.some(({ main, own }) => main?.isTooLarge || own.isTooLarge)) return "too large";
    const mapping = this.cut.classifiers.servers("mapping", [...this.asking.entries()]);
    const leadings = (path: string) => mapPair(this.asking, ({ leads, side }) => leads.of(path, side.server));
    const led = groupByMapping(mapping, leadings, this.cut.budget, this.cut.steps);
    if (led === "too large") return led;
    const alike = [...new Set(led.values())];
    this.asked = this.asking.map((each, index) =>
      findSidePredicates(
        each,
        alike.flatMap(({ leadings }) => leadings[index] ?? []),
      ),
    );
    const all = this.asked.flatMap(collectPredicates);
    if (all.some(({ isTooLarge }) => isTooLarge)) return "too large";
    this.indexNames = listIndexNames(all);
    return this.cellsOf(alike, led, mapping);
  }

  private cellsOf(
    all: readonly EquallyMappedPaths[],
    led: ReadonlyMap<number, EquallyMappedPaths>,
    mapping: Classifier,
  ): PathPartition | BudgetExceeded {
    const url = new ProductClassifier(this.classifier("url"), mapping, this.cut.steps);
    const cells: AutomatonPathClass[] = [];
    const unknown: InexactPathClasses[] = [];
    const ledAt = (state: number) => led.get(mapping.output(url.partsOf(state)[1], 0));
    for (const each of all) {
      const found = this.cellsIn(each, url, ledAt);
      if (found === "too large") return found;
      cells.push(...found);
      for (const [index, leading] of each.leadings.entries())
        if (leading.uncut && this.isLookedAt(leading, index)) unknown.push({ ...leading.uncut, cells: found });
      for (const cell of found)
        for (const directive of this.elsewhereInside(cell, each, (path) => ledAt(stateAfter(url, path))))
          unknown.push({ reason: "an index file is led elsewhere than its directory", directive, cells: [cell] });
    }
    const uncut = [0, 1].flatMap((side) => this.testsOn(side)).reduce((sum, tests) => sum + tests.uncut.length, 0);
    this.cut.steps.take(uncut * cells.length);
    if (this.cut.steps.isUsedUp) return "too large";
    return { cells, unknown: uniqueReasons([...unknown, ...this.inexactIn(cells)]) };
  }

  /** Returns the predicates that make some cells inexact. */
  private inexactIn(cells: readonly AutomatonPathClass[]): readonly InexactPathClasses[] {
    return this.sides.flatMap((side, index) =>
      this.testsOn(index).flatMap(({ uncut }) =>
        uncut.map(({ reason, directive, concerns }) => {
          const isConcerned = selectAffectedClasses(directive, side, index, this.indexNames);
          const of = cells.filter((cell) => (concerns?.(cell.path) ?? true) && isConcerned(cell));
          return { reason, directive, cells: of };
        }),
      ),
    );
  }

  private testsOn(index: number): readonly PathPredicates[] {
    const asked = this.asked[index];
    return asked ? collectPredicates(asked) : [];
  }

  private classifier(text: ClassifiedText, of: readonly number[] = [0, 1]): Classifier {
    const asked = [...this.asked.entries()].filter(([index]) => of.includes(index));
    return this.cut.classifiers.all(text, asked);
  }

  /**
   * Returns the lines that map index files of a cell outside their directories, by the rest of the path. A line for a
   * longer path maps a single file, which is distinguished anyway.
   */
  private elsewhereInside(
    { path, walks }: PathClass,
    alike: EquallyMappedPaths,
    ledAt: (path: string) => EquallyMappedPaths | undefined,
  ): readonly Directive[] {
    if (!path.endsWith("/") || !walks.some((walk) => walk?.kind === "directory")) return [];
    return this.indexNames.flatMap((name) => {
      const inside = ledAt(path + name);
      if (inside === undefined || inside === alike) return [];
      return inside.leadings.flatMap(({ mappingTarget, by, key, uncut }, index) => {
        if (by === undefined || key === alike.leadings[index]?.key) return [];
        const isTold =
          mappingTarget === undefined
            ? uncut === undefined
            : mappingTarget.kind !== "file" || mappingTarget.prefix.length > path.length;
        return isTold ? [] : [by];
      });
    });
  }

  /** Reports whether a mapping is relevant: the URL of a backend request counts only if some line reads it. */
  private isLookedAt({ isOfBackend }: PathMapping, index: number): boolean {
    if (!isOfBackend) return true;
    return this.testsOn(index).some(({ backend }) => !backend.isEmpty);
  }

  private cellsIn(
    alike: EquallyMappedPaths,
    url: ProductClassifier,
    ledAt: (state: number) => EquallyMappedPaths | undefined,
  ): readonly AutomatonPathClass[] | BudgetExceeded {
    const urlOutput = (state: number) => {
      const [own] = url.partsOf(state);
      return `${url.first.output(own, 0)} ${ledAt(state)?.number}`;
    };
    const followed = this.followedBy(alike.leadings);
    const readers = followed.map((each) => this.readerOf(each));
    const region = new ProductAutomaton(
      url,
      readers,
      (state, place, isDirectory) => {
        if (ledAt(state) !== alike) return undefined;
        if (!isDirectory) return urlOutput(state);
        if (place !== AFTER_SLASH) return `${urlOutput(state)} bare`;
        const inside = this.indexNames.map((name) => urlOutput(stateAfter(url, name, state)));
        return [urlOutput(state), ...inside].join("/");
      },
      this.cut.budget,
      this.cut.steps,
    );
    const found = region.cells();
    if (found === "too large") return found;
    const texts = region.texts();
    return found.map((each) => new AutomatonPathClass(this.sides, texts, each, followed, alike.leadings));
  }

  private followedBy(leadings: readonly PathMapping[]): readonly FollowedTarget[] {
    const [a, b] = leadings.map((each) => each.mappingTarget);
    if (a && b && a.kind !== "backend" && b.kind !== "backend") {
      const one = mergeTargets(a, b);
      if (one) return [{ mappingTarget: one, of: [0, 1] }];
    }
    return [a, b].flatMap((lead, index) => (lead ? [{ mappingTarget: lead, of: [index] }] : []));
  }

  private readerOf({ mappingTarget, of }: FollowedTarget): WalkAutomaton {
    const isBackend = mappingTarget.kind === "backend";
    const names = this.classifier(isBackend ? "backend" : "file", of);
    const whole = isBackend ? trivialClassifier : this.classifier("whole", of);
    const directories = isBackend ? noDirectories : this.directoriesOn(of);
    return new WalkAutomaton(mappingTarget, names, whole, this.indexNames, directories);
  }

  /** Returns the existing ones among the directories that requests may reach. */
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

/** Merges entries with the same line and reason, if they concern any cell. */
function uniqueReasons(unknown: readonly InexactPathClasses[]): readonly InexactPathClasses[] {
  const found: { reason: string; directive: Directive; cells: Set<PathClass> }[] = [];
  for (const { reason, directive, cells } of unknown) {
    const known = found.find((each) => each.reason === reason && each.directive === directive);
    if (known) for (const cell of cells) known.cells.add(cell);
    else if (cells.length > 0) found.push({ reason, directive, cells: new Set(cells) });
  }
  return found.map((each) => ({ ...each, cells: [...each.cells] }));
}

/** Returns a common target if both sides map to the same file. */
function mergeTargets(a: MappingTarget, b: MappingTarget): MappingTarget | undefined {
  if (a.kind === "constant" || b.kind === "constant") return a.kind === b.kind && a.target === b.target ? a : undefined;
  const [short, long] = a.prefix.length <= b.prefix.length ? [a, b] : [b, a];
  if (!long.prefix.startsWith(short.prefix)) return undefined;
  return applyMapping(short, long.prefix) === applyMapping(long, long.prefix) ? short : undefined;
}
