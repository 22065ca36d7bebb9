import { type Directive, lineKeyOf } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Classifier, ProductClassifier } from "../../regex/automata/classifier.js";
import { AutomatonAlgebra } from "../../regex/automata/operations.js";
import { CurrentStepBudget, type StepBudget } from "../../regex/budget.js";
import type { Server } from "../../server/model/server.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import type { PartitionExtent, PathSide } from "../model/path-class.js";
import type { Pair } from "../model/server-pairs.js";
import { classifyByFolder, type FolderPredicates } from "./folder-predicates.js";
import { classifyByHandler } from "./handler-extensions.js";
import { MappingTargets } from "./mapping-targets.js";
import type { PathPredicates } from "./path-predicates.js";
import { findExistingDirectories } from "./project-facts.js";
import { collectServerPredicates } from "./section-predicates.js";
import {
  collectPredicates,
  HtaccessPredicates,
  type PairPredicates,
  type SidePredicates,
} from "./server-predicates.js";
import { buildProductClassifier, ClassifierCache, TextPredicates } from "./text-predicates.js";

/** The shared state of all server pairs of two configurations. */
export interface PartitionContext {
  readonly extent: PartitionExtent;
  readonly classifierCache: ClassifierCache;
  readonly budget: number;
  readonly steps: CurrentStepBudget;
  readonly mappingTargets: Pair<MappingTargets>;
  readonly files: Pair<HtaccessPredicates>;
  /** Directories that exist on both sides: those on the way to their `.htaccess` files. */
  readonly directories: ReadonlySet<string>;
  readonly ofServers: WeakMap<Server, PathPredicates>;
  readonly classifiers: ServerClassifiers;
}

const knownContextsWith: Readonly<Record<PartitionExtent, (a: Project) => WeakMap<Project, PartitionContext>>> = {
  answer: memoize((_a: Project) => new WeakMap<Project, PartitionContext>()),
  "access check": memoize((_a: Project) => new WeakMap<Project, PartitionContext>()),
};

/**
 * Returns the cached context of two configurations, which explorations share. @param allowance the step budget of the
 * current exploration
 */
export function createPartitionContext(
  [{ project: a }, { project: b }]: readonly [PathSide, PathSide],
  budget: number,
  allowance: StepBudget,
  extent: PartitionExtent = "answer",
): PartitionContext {
  const withA = knownContextsWith[extent](a);
  const known = withA.get(b);
  // State that was built when steps ran out is incomplete.
  if (known?.budget === budget && !known.steps.isUsedUp) {
    known.steps.of = allowance;
    return known;
  }
  const steps = new CurrentStepBudget(allowance);
  const classifierCache = new ClassifierCache(new AutomatonAlgebra(budget, steps), steps);
  const made: PartitionContext = {
    ...{ extent, classifierCache, budget, steps, ofServers: new WeakMap(), classifiers: new ServerClassifiers(steps) },
    mappingTargets: [new MappingTargets(a), new MappingTargets(b)],
    files: [new HtaccessPredicates(a, classifierCache, extent), new HtaccessPredicates(b, classifierCache, extent)],
    directories: new Set([...findExistingDirectories(a)].filter((path) => findExistingDirectories(b).has(path))),
  };
  withA.set(b, made);
  return made;
}

/** Returns the predicates of a server's own lines, collected once. */
export function serverPredicatesOf(server: Server, project: Project, context: PartitionContext): PathPredicates {
  return getOrCreate(context.ofServers, server, () =>
    collectServerPredicates(server, project, context.classifierCache, context.extent),
  );
}

/** Returns all predicates that requests to a pair of servers may depend on. */
export function collectPairPredicates(sides: Pair<PathSide>, budget: number, allowance: StepBudget): PairPredicates {
  const context = createPartitionContext(sides, budget, allowance);
  const all = sides.map(({ server, project }, index) => {
    const files = context.files[index];
    return {
      main: server.main && serverPredicatesOf(server.main, project, context),
      own: serverPredicatesOf(server, project, context),
      files: files ? files.of(files.all) : [],
    };
  });
  const common = all.flatMap(({ main, files }) => [...(main ? [main] : []), ...files.map(({ tests }) => tests)]);
  return { common, own: all.map(({ own }) => own), handlers: all.flatMap(handlersOf) };
}

/** The most lines named as the cause of a large analysis. */
const MAX_COSTLY_LINES = 3;

/** Returns the lines with the largest patterns, which cause most of the path classes of a pair of servers. */
export function listCostlyLines({ common, own }: PairPredicates): readonly Directive[] {
  const sizes = [...common, ...own].flatMap(({ costlyPatterns }) => [...costlyPatterns].filter(isDistinguishing));
  const byLine = new Map(
    sizes.sort(([, a], [, b]) => a - b).map(([directive, size]) => [lineKeyOf(directive), { directive, size }]),
  );
  const largest = [...byLine.values()].sort((a, b) => (a.size === b.size ? 0 : b.size - a.size));
  return largest.slice(0, MAX_COSTLY_LINES).map(({ directive }) => directive);
}

/** Reports whether a pattern neither matches every path nor none. */
function isDistinguishing([, size]: readonly [Directive, number]): boolean {
  return size > 2;
}

/** The texts that predicates read. */
export type ClassifiedText = "url" | "mapping" | "file" | "whole" | "backend";

/** The predicates of the servers themselves, without `.htaccess` files. */
export type ServerPredicates = Pick<SidePredicates, "main" | "own">;

/** Builds classifiers for the predicates of servers; the main servers' part is built once for all hosts. */
class ServerClassifiers {
  /** By text and the sides with a main server. */
  private readonly ofMains = new Map<string, Classifier>();

  constructor(private readonly allowance: StepBudget) {}

  /** @param of the sides in question, each with its number */
  servers(text: ClassifiedText, of: readonly (readonly [number, ServerPredicates])[]): Classifier {
    return this.pair(this.mains(text, of), this.classifierFor(of.map(([, { own }]) => own[text])));
  }

  all(text: ClassifiedText, of: readonly (readonly [number, SidePredicates])[]): Classifier {
    const fixed = text === "file" ? of.map(([, each]) => each.fixed) : [];
    const ofFiles = of.flatMap(([, { files }]) => files.map(({ tests }) => tests[text]));
    const own = [...of.map(([, each]) => each.own[text]), ...fixed];
    const mains = this.mains(text, of);
    if (text !== "file" && text !== "whole") return this.pair(mains, this.classifierFor([...own, ...ofFiles]));
    // A `.htaccess` file, or a handler of a Directory, tests the names of files below its folder only, unless other requests
    // are redirected there.
    const inFolders = classifyByFolder(
      of.flatMap(([, side]) => {
        const ofFiles = side.files.map(({ folder, tests }) => ({ folder, tests: tests[text].others }));
        const all = text === "file" ? [...ofFiles, ...handlersOf(side)] : ofFiles;
        return side.redirects ? all.map(({ tests }) => ({ folder: "", tests })) : all;
      }),
      this.allowance,
    );
    return this.pair(this.pair(mains, this.classifierFor([...own, ...ofFiles.map(literalsOf)])), inFolders);
  }

  private pair(first: Classifier, second: Classifier): Classifier {
    return new ProductClassifier(first, second, this.allowance);
  }

  private classifierFor(tests: readonly TextPredicates[]): Classifier {
    return buildProductClassifier(tests, this.allowance);
  }

  private mains(text: ClassifiedText, of: readonly (readonly [number, ServerPredicates])[]): Classifier {
    const mains = of.flatMap(([side, { main }]) => (main ? [{ side, main }] : []));
    const key = [text, ...mains.map(({ side }) => side)].join();
    return getOrCreate(this.ofMains, key, () =>
      this.classifierFor(mains.map(({ main }: { readonly main: PathPredicates }) => main[text])),
    );
  }
}

/** Returns the predicates on the handlers of files by extension. */
function handlersOf(side: Pick<SidePredicates, "main" | "own" | "files">): readonly FolderPredicates[] {
  return classifyByHandler(collectPredicates(side).flatMap(({ handlerLines }) => handlerLines));
}

function literalsOf({ paths, texts }: TextPredicates): TextPredicates {
  const literals = new TextPredicates();
  for (const path of paths) literals.paths.add(path);
  for (const text of texts) literals.texts.add(text);
  return literals;
}
