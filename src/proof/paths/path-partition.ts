import type { Directive } from "../../config/model/directive.js";
import { type Classifier, ProductClassifier, stateAfter, trivialClassifier } from "../../regex/automata/classifier.js";
import { type BudgetExceeded, type StepBudget, unlimitedSteps } from "../../regex/budget.js";
import type { InexactPathClasses, PartitionExtent, PathClass, PathPartition, PathSide } from "../model/path-class.js";
import { mapPair, type Pair } from "../model/server-pairs.js";
import { reasonFor } from "../model/unproved-reasons.js";
import { selectAffectedClasses } from "./applying-sections.js";
import { AutomatonPathClass, type FollowedTarget } from "./automaton-path-class.js";
import { applyMapping, type MappingTarget, type PathMapping } from "./mapping-targets.js";
import {
  type ClassifiedText,
  createPartitionContext,
  type PartitionContext,
  serverPredicatesOf,
} from "./partition-context.js";
import { AFTER_SLASH, type EquallyMappedPaths, groupByMapping, PathStateGraph } from "./path-automaton.js";
import type { PathPredicates } from "./path-predicates.js";
import { ProductAutomaton, type UrlStates } from "./product-automaton.js";
import {
  collectPredicates,
  findSidePredicates,
  listIndexNames,
  type ServerContext,
  type SidePredicates,
} from "./server-predicates.js";
import { WalkAutomaton } from "./walk-automaton.js";

/**
 * Partitions all URL paths and existing objects into path classes that two servers treat alike. A result for one path then
 * holds for its whole class.
 *
 * Paths are those that `normalizePath` returns for requests without unnecessary escapes: they start with a slash, and have
 * no double slashes, no parts that are only dots and no NUL. Names of more than 255 bytes, which no file can have, and
 * symbolic links are excluded. The DocumentRoot exists, and so does the target of an Alias with a slash.
 *
 * @param budget the maximum number of states of an intermediate automaton
 * @param allowance the step budget
 * @param extent how far the servers treat the paths of a class alike
 */
export function partitionPaths(
  sides: readonly [PathSide, PathSide],
  budget: number,
  allowance: StepBudget = unlimitedSteps,
  extent: PartitionExtent = "answer",
): PathPartition | BudgetExceeded {
  const context = createPartitionContext(sides, budget, allowance, extent);
  const servers = mapPair(sides, (side, index) => contextOf(side, index, context));
  if (servers.some(({ main, own }) => main?.isTooLarge || own.isTooLarge)) return "too large";
  const mapping = context.classifiers.servers("mapping", [...servers.entries()]);
  const mappingsOf = (path: string) =>
    mapPair(servers, ({ mappingTargets, side }) => mappingTargets.of(path, side.server));
  const groupByOutput = groupByMapping(mapping, mappingsOf, context.budget, context.steps);
  if (groupByOutput === "too large") return groupByOutput;
  const groups = [...new Set(groupByOutput.values())];
  const predicates = mapPair(servers, (each, index) =>
    findSidePredicates(
      each,
      groups.flatMap(({ mappings }) => mappings[index] ?? []),
    ),
  );
  if (predicates.flatMap(collectPredicates).some(({ isTooLarge }) => isTooLarge)) return "too large";
  return new PathPartitioner(sides, context, predicates).partition(groups, groupByOutput, mapping);
}

function contextOf(side: PathSide, index: 0 | 1, context: PartitionContext): ServerContext {
  const { main } = side.server;
  return {
    side,
    main: main && serverPredicatesOf(main, side.project, context),
    own: serverPredicatesOf(side.server, side.project, context),
    mappingTargets: context.mappingTargets[index],
    files: context.files[index],
  };
}

const noDirectories: ReadonlySet<string> = new Set();

/** Partitions the paths of two servers by their mappings and the predicates on paths and files. */
class PathPartitioner {
  private readonly indexNames: readonly string[];

  constructor(
    private readonly sides: readonly [PathSide, PathSide],
    private readonly context: PartitionContext,
    private readonly predicates: Pair<SidePredicates>,
  ) {
    this.indexNames = listIndexNames(predicates.flatMap(collectPredicates));
  }

  partition(
    all: readonly EquallyMappedPaths[],
    groupByOutput: ReadonlyMap<number, EquallyMappedPaths>,
    mapping: Classifier,
  ): PathPartition | BudgetExceeded {
    const url = new ProductClassifier(this.classifier("url"), mapping, this.context.steps);
    const classes: AutomatonPathClass[] = [];
    const inexact: InexactPathClasses[] = [];
    const groupAt = (state: number) => groupByOutput.get(mapping.output(url.partsOf(state)[1], 0));
    const graph = PathStateGraph.of(url, this.context.budget, this.context.steps);
    for (const each of all) {
      const found = this.partitionGroup(each, url, groupAt, graph);
      if (found === "too large") return found;
      classes.push(...found);
      for (const [index, pathMapping] of each.mappings.entries())
        if (pathMapping.inexact && this.isRelevant(pathMapping, index))
          inexact.push({
            ...pathMapping.inexact,
            classes: found,
            ...(pathMapping.unknown ? { unknown: pathMapping.unknown } : {}),
          });
      for (const pathClass of found)
        for (const directive of this.findSeparateIndexMappings(pathClass, each, (path) =>
          groupAt(stateAfter(url, path)),
        ))
          inexact.push({
            reason: reasonFor("index-target"),
            directive,
            classes: [pathClass],
            unknown: "later phases",
          });
    }
    const inexactCount = [0, 1]
      .flatMap((side) => this.predicatesOn(side))
      .reduce((sum, tests) => sum + tests.inexact.length, 0);
    this.context.steps.take(inexactCount * classes.length);
    if (this.context.steps.isUsedUp) return "too large";
    return {
      classes,
      inexact: uniqueReasons([...inexact, ...this.inexactIn(classes)]),
      readsBackends: [0, 1].some((side) => this.readsBackends(side)),
      partitionFiles: () => this.partitionFiles(),
    };
  }

  private partitionFiles(): readonly AutomatonPathClass[] | BudgetExceeded {
    const { budget, steps } = this.context;
    const mappingTarget: MappingTarget = { kind: "file", prefix: "", target: "", isRoot: true };
    const followed = { mappingTarget, of: [0, 1] };
    const readers = [this.readerOf(followed)];
    const anyUrl = { classifier: trivialClassifier, isLive: () => true, keyOf: () => "" };
    const product = new ProductAutomaton(anyUrl, readers, budget, steps);
    const found = product.findClasses();
    if (found === "too large") return found;
    const texts = product.texts();
    return found.map((each) => new AutomatonPathClass(this.sides, texts, each, [followed], []));
  }

  /** Returns the predicates that make some path classes inexact. */
  private inexactIn(classes: readonly AutomatonPathClass[]): readonly InexactPathClasses[] {
    return this.sides.flatMap((side, index) =>
      this.predicatesOn(index).flatMap(({ inexact }) =>
        inexact
          .filter((each) => this.isRelevant(each, index))
          .map(({ reason, directive, concerns, isAfterAccess, isOfRules }) => {
            const isConcerned = selectAffectedClasses(directive, side, index, this.indexNames);
            const of = classes.filter((pathClass) => (concerns?.(pathClass.path) ?? true) && isConcerned(pathClass));
            const unknown = isAfterAccess ? "later phases" : isOfRules ? "any target" : undefined;
            return { reason, directive, classes: of, ...(unknown ? { unknown } : {}) };
          }),
      ),
    );
  }

  private predicatesOn(index: number): readonly PathPredicates[] {
    const predicates = this.predicates[index];
    return predicates ? collectPredicates(predicates) : [];
  }

  private classifier(text: ClassifiedText, of: readonly number[] = [0, 1]): Classifier {
    const predicates = [...this.predicates.entries()].filter(([index]) => of.includes(index));
    return this.context.classifiers.all(text, predicates);
  }

  /**
   * Returns the lines that map index files of a path class outside their directories, by the rest of the path. A line for a
   * longer path maps a single file, which is distinguished anyway.
   */
  private findSeparateIndexMappings(
    { path, walks }: PathClass,
    group: EquallyMappedPaths,
    groupAt: (path: string) => EquallyMappedPaths | undefined,
  ): readonly Directive[] {
    if (!path.endsWith("/") || !walks.some((walk) => walk?.kind === "directory")) return [];
    return this.indexNames.flatMap((name) => {
      const inside = groupAt(path + name);
      if (inside === undefined || inside === group) return [];
      return inside.mappings.flatMap(({ mappingTarget, by, key, inexact }, index) => {
        if (by === undefined || key === group.mappings[index]?.key) return [];
        const isDistinguished =
          mappingTarget === undefined
            ? inexact === undefined
            : mappingTarget.kind !== "file" || mappingTarget.prefix.length > path.length;
        return isDistinguished ? [] : [by];
      });
    });
  }

  /** Reports whether a mapping is relevant: the URL of a backend request counts only if some line reads it. */
  private isRelevant({ isOfBackend }: { readonly isOfBackend?: boolean }, index: number): boolean {
    return !isOfBackend || this.readsBackends(index);
  }

  private readsBackends(index: number): boolean {
    return this.predicatesOn(index).some(({ backend }) => !backend.isEmpty);
  }

  private partitionGroup(
    group: EquallyMappedPaths,
    url: ProductClassifier,
    groupAt: (state: number) => EquallyMappedPaths | undefined,
    graph: PathStateGraph | undefined,
  ): readonly AutomatonPathClass[] | BudgetExceeded {
    const urlOutput = (state: number) => {
      const [own] = url.partsOf(state);
      return `${url.first.output(own, 0)} ${groupAt(state)?.number}`;
    };
    const followed = this.followedBy(group.mappings);
    const readers = followed.map((each) => this.readerOf(each));
    const live = graph?.statesBefore((state) => groupAt(state) === group);
    const states: UrlStates = {
      classifier: url,
      // Below an Alias, no path leads back to the paths around it.
      isLive: (state) => live === undefined || live[state] === 1,
      keyOf: (state, place, isDirectory) => {
        if (groupAt(state) !== group) return undefined;
        if (!isDirectory) return urlOutput(state);
        if (place !== AFTER_SLASH) return `${urlOutput(state)} bare`;
        const inside = this.indexNames.map((name) => urlOutput(stateAfter(url, name, state)));
        return [urlOutput(state), ...inside].join("/");
      },
    };
    const product = new ProductAutomaton(states, readers, this.context.budget, this.context.steps);
    const found = product.findClasses();
    if (found === "too large") return found;
    const texts = product.texts();
    return found.map((each) => new AutomatonPathClass(this.sides, texts, each, followed, group.mappings));
  }

  private followedBy(mappings: readonly PathMapping[]): readonly FollowedTarget[] {
    const [a, b] = mappings.map((each) => each.mappingTarget);
    if (a && b && a.kind !== "backend" && b.kind !== "backend") {
      const one = mergeTargets(a, b);
      if (one) return [{ mappingTarget: one, of: [0, 1] }];
    }
    return [a, b].flatMap((mappingTarget, index) => (mappingTarget ? [{ mappingTarget, of: [index] }] : []));
  }

  private readerOf({ mappingTarget, of }: FollowedTarget): WalkAutomaton {
    const isBackend = mappingTarget.kind === "backend";
    const names = this.classifier(isBackend ? "backend" : "file", of);
    const fullNames = isBackend ? trivialClassifier : this.classifier("whole", of);
    const directories = isBackend ? noDirectories : this.directoriesOn(of);
    return new WalkAutomaton(mappingTarget, names, fullNames, this.indexNames, directories);
  }

  /** Returns the existing ones among the directories that requests may reach. */
  private directoriesOn(of: readonly number[]): ReadonlySet<string> {
    const found = new Set<string>();
    for (const index of of)
      for (const { folder } of this.predicates[index]?.files ?? [])
        for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) {
          const directory = folder.slice(0, end);
          if (this.context.directories.has(directory)) found.add(directory);
        }
    return found;
  }
}

/** Merges entries with the same line and reason, if they concern any path class. */
function uniqueReasons(inexact: readonly InexactPathClasses[]): readonly InexactPathClasses[] {
  const found: (Limitation & { classes: Set<PathClass> })[] = [];
  for (const { classes, ...limitation } of inexact) {
    const known = found.find((each) => isSameLimitation(each, limitation));
    if (known) for (const pathClass of classes) known.classes.add(pathClass);
    else if (classes.length > 0) found.push({ ...limitation, classes: new Set(classes) });
  }
  return found.map((each) => ({ ...each, classes: [...each.classes] }));
}

type Limitation = Omit<InexactPathClasses, "classes">;

function isSameLimitation(one: Limitation, other: Limitation): boolean {
  return one.reason === other.reason && one.directive === other.directive && one.unknown === other.unknown;
}

/** Returns a common target if both sides map to the same file. */
function mergeTargets(a: MappingTarget, b: MappingTarget): MappingTarget | undefined {
  if (a.kind === "constant" || b.kind === "constant") return a.kind === b.kind && a.target === b.target ? a : undefined;
  const [short, long] = a.prefix.length <= b.prefix.length ? [a, b] : [b, a];
  if (!long.prefix.startsWith(short.prefix)) return undefined;
  return applyMapping(short, long.prefix) === applyMapping(long, long.prefix) ? short : undefined;
}
