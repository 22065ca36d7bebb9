import { completePart } from "../../config/complete-part.js";
import type { Directive } from "../../config/model/directive.js";
import { type BudgetExceeded, CurrentStepBudget, StepAllowance, type StepBudget } from "../../regex/budget.js";
import type { RequestModel } from "../../server/model/atoms.js";
import type { FileTree } from "../../server/model/file-tree.js";
import type { AccessCheckOnly } from "../../server/model/simulation-setup.js";
import { omitRefusedLines } from "../../startup/install-config.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { partitionMethods } from "../clients/method-partition.js";
import type { ObservedAnswer } from "../clients/observe.js";
import { type ClientPolicy, explorePolicy, isSamePolicy, type MethodPolicy, PolicyCache } from "../clients/policy.js";
import { budgetFor, type ExplorationBudget } from "../model/budget.js";
import type { ProbedMethods } from "../model/comparison.js";
import type { PartitionExtent, PathClass, PathSide, WalkedPath } from "../model/path-class.js";
import { mapPair, type Pair, pairServers, type ServerPair } from "../model/server-pairs.js";
import { countApplyingLines } from "../paths/applying-sections.js";
import { collectPairPredicates, listCostlyLines } from "../paths/partition-context.js";
import { partitionPaths } from "../paths/path-partition.js";
import { collectServerVariables } from "../paths/project-facts.js";
import type { PairPredicates } from "../paths/server-predicates.js";
import { SymbolicExplorer } from "../requests/explorer.js";
import { compareDefaults, type DefaultOf22 } from "./defaults-of-22.js";
import type { ModelledRequest, PathPartitionResult, RequestClassPolicy } from "./explored-requests.js";
import { HostTemplates, type TemplateInstance } from "./host-templates.js";
import { ObservedSides, type Side } from "./observed-sides.js";
import { processAlike } from "./same-processing.js";

/** Steps for one probe, for each predicate that its result depends on, for each path class, and for each method. */
const STEPS_PER_REQUEST = 200;
const STEPS_PER_OBSERVATION = 5;
/** Characters that the steps of a request include, and characters for each additional step. */
const CHARACTERS_PER_REQUEST = 10_000;
const CHARACTERS_PER_STEP = 10;
const STEPS_PER_CLASS = 20;
/** The part of the steps of an exploration, as a divisor, that it may use for access checks in addition. */
const RESERVE = 4;

/**
 * Explores configurations as installed on their server, without rejected lines.
 *
 * @param shared steps shared with others, besides those of its budget
 * @param followsUnknownPhases whether phases that are not analyzed count as alike if all lines but the access lines are
 */
export function startExploration(
  before: Side,
  after: Side,
  budget: ExplorationBudget,
  shared?: StepBudget,
  followsUnknownPhases = false,
): Exploration {
  const install = (side: Side) => ({ ...side, project: omitRefusedLines(completePart(side.project)) });
  const allowed = budgetFor([before.project, after.project], budget);
  return new Exploration([install(before), install(after)], allowed, shared, followsUnknownPhases);
}

/** Explores all requests to two configurations, or to one under two releases, and computes the policies. */
export class Exploration {
  readonly serverPairs: readonly ServerPair[];
  readonly methods: ProbedMethods;
  /** Lines that may distinguish more methods. */
  readonly unreadMethods: readonly Directive[];
  /** Whether all entry points were resolved to their servers. */
  readonly hasAllServerPairs: boolean;
  /** Whether the shared steps were used up before it started. */
  readonly startedWithoutBudget: boolean;
  /** The hosts explored so far, by the text of their lines without constants. */
  readonly templates: HostTemplates;
  /** Whether both sides pass the same phases after equal access checks, including those that are not analyzed. */
  readonly followsUnknownPhases: boolean;
  /** The defaults of 2.2 that the other side does not keep. */
  private readonly lostDefaults: readonly DefaultOf22[];
  private readonly steps: CurrentStepBudget;
  /** Steps for access checks if those of the budget are used up. */
  private readonly reserve: StepBudget;
  readonly observed: ObservedSides;
  private readonly explorer: SymbolicExplorer;
  private readonly policyCache = new PolicyCache();

  constructor(
    readonly sides: Pair<Side>,
    private readonly budget: ExplorationBudget,
    shared?: StepBudget,
    followsUnknownPhases = false,
  ) {
    const [{ project: a }, { project: b }] = sides;
    this.followsUnknownPhases = followsUnknownPhases && processAlike(a, b);
    this.lostDefaults = compareDefaults(a, b).lost;
    this.steps = new CurrentStepBudget(new StepAllowance(budget.steps, shared));
    this.reserve = new StepAllowance(budget.steps / RESERVE);
    this.startedWithoutBudget = this.steps.isUsedUp;
    const projects = mapPair(sides, ({ project }) => project);
    const ownVariables = new Set([
      ...collectServerVariables(projects),
      ...sides.flatMap((side) => [...(side.ownVariables ?? [])]),
    ]);
    this.observed = new ObservedSides(sides, ownVariables);
    const { pairs, isComplete } = pairServers(
      mapPair(this.observed.prepared, ({ setup }) => setup),
      this.steps,
    );
    this.serverPairs = pairs;
    this.hasAllServerPairs = isComplete;
    const { unread, ...methods } = partitionMethods(projects);
    this.methods = methods;
    this.unreadMethods = unread;
    this.templates = new HostTemplates(projects, ({ servers }) => this.predicatesOf(servers));
    this.explorer = new SymbolicExplorer({ ...budget, allowance: this.steps });
  }

  /**
   * Computes the policies for the access check of a path, one for each method that they distinguish: no later phase counts.
   *
   * @param accessCheck the file that the path is mapped to, with path info, if not as the sides map it
   */
  *exploreAccessChecks(
    pair: ServerPair,
    { path, walks }: WalkedPath,
    accessCheck: AccessCheckOnly,
  ): Generator<MethodPolicy> {
    const knownFiles = mapPair(this.sides, (_, side) => this.observed.knownFilesOf(pair, walks[side], side));
    const done: MethodPolicy[] = [];
    for (const method of this.methods.all) {
      this.steps.take(STEPS_PER_CLASS + done.length);
      if (done.some((each) => isSamePolicy(method, each.method, each.policy))) continue;
      const request = { ...pair.entryPoints[0], method, path: encodeUrlPath(path) };
      const policy = this.policyOf({ target: request, walks, accessCheck }, knownFiles, 0);
      done.push({ method, policy });
      yield { method, policy };
    }
  }

  /** Reports whether a default that the other side does not keep may matter after a check of access. */
  usesLostDefault(check: ObservedAnswer): boolean {
    return this.lostDefaults.some(({ isUsedAfter }) => isUsedAfter?.(check));
  }

  /** Runs a task with the steps that are kept for access checks if all others are used up. */
  withReserve<T>(task: () => T): T {
    const { of } = this.steps;
    if (of.isUsedUp) this.steps.of = this.reserve;
    const result = task();
    this.steps.of = of;
    return result;
  }

  /** Whether the steps are used up. */
  get isOutOfSteps(): boolean {
    return this.steps.isUsedUp;
  }

  /**
   * Partitions the URL paths of a server pair into path classes. Files come first; directories, which may have an index
   * file, come later.
   *
   * @param extent how far the servers treat the paths of a class alike
   */
  pathClassesOf({ servers }: ServerPair, extent: PartitionExtent = "answer"): PathPartitionResult {
    if (this.steps.isUsedUp) return "out of steps";
    const partition = partitionPaths(this.pathSidesOf(servers), this.budget.states, this.steps, extent);
    if (this.steps.isUsedUp) return "out of steps";
    if (partition === "too large") return partition;
    return { ...partition, classes: partition.classes.toSorted((a, b) => rankOf(a) - rankOf(b)) };
  }

  /** Returns the lines that cause most of the path classes of a pair. */
  findCostlyLines({ servers }: ServerPair): readonly Directive[] {
    return listCostlyLines(this.predicatesOf(servers));
  }

  private predicatesOf(servers: ServerPair["servers"]): PairPredicates {
    return collectPairPredicates(this.pathSidesOf(servers), this.budget.states, this.steps);
  }

  private pathSidesOf(servers: ServerPair["servers"]): Pair<PathSide> {
    return mapPair(servers, (server, side) => ({ project: this.sides[side].project, server }));
  }

  /**
   * Yields the policies for the paths of a class, one for each method.
   *
   * @param runs the maximum number of models probed for each method, if it is lower than that of the budget
   */
  *policiesOf(pair: ServerPair, pathClass: PathClass, runs?: number): Generator<RequestClassPolicy> {
    const knownFiles = mapPair(this.sides, (_, side) => this.observed.knownFilesOf(pair, pathClass.walks[side], side));
    const path = encodeUrlPath(pathClass.path);
    const cached = this.policyCache.find(pair, pathClass);
    const done: MethodPolicy[] = [];
    const lines = countApplyingLines(pair.servers, pathClass);
    for (const [index, method] of this.methods.all.entries()) {
      const target = { ...pair.entryPoints[0], method, path };
      const same = cached ? cached[index] : done.find((each) => isSamePolicy(method, each.method, each.policy));
      this.steps.take(STEPS_PER_CLASS + done.length);
      const policy = same?.policy ?? this.policyOf({ target, walks: pathClass.walks }, knownFiles, lines, runs);
      done.push({ method, policy });
      yield { requests: { pair, pathClass, target, knownFiles }, policy };
    }
    if (cached === undefined) this.policyCache.store(pair, pathClass, done);
  }

  private policyOf(
    request: Omit<ModelledRequest, "model">,
    knownFiles: Pair<FileTree>,
    lines: number,
    runs?: number,
  ): ClientPolicy | BudgetExceeded {
    this.observed.useFiles(knownFiles, request.walks);
    const probe = (model: RequestModel) => {
      const results = this.observed.observe({ ...request, model });
      const observations = results.reduce((sum, each) => sum + each.observations.length, 0);
      this.steps.take(results.length * (STEPS_PER_REQUEST + lines) + observations * STEPS_PER_OBSERVATION);
      for (const { charactersRead } of results) this.steps.take(stepsOfReading(charactersRead));
      return results;
    };
    return explorePolicy(this.explorer, probe, runs);
  }

  /** Repeats a request of a representative at a host that is alike, with the constants of that host. */
  repeatRequest({ target, walks, model, accessCheck }: ModelledRequest, { pair, renaming }: TemplateInstance): void {
    const renamed = mapPair(this.sides, (_, side) => renaming.walk(walks[side]));
    const known = mapPair(renamed, (walk, side) => this.observed.knownFilesOf(pair, walk, side));
    this.observed.useFiles(known, renamed);
    this.steps.take(STEPS_PER_REQUEST);
    const file = accessCheck?.target;
    this.observed.observe({
      target: renaming.request(target, pair.entryPoints[0]),
      walks: renamed,
      model: renaming.model(model),
      accessCheck: accessCheck && { ...accessCheck, target: file === undefined ? undefined : renaming.text(file) },
    });
  }
}

const ranks = { file: 0, directory: 1, missing: 2 } as const;

function rankOf({ walks: [walk] }: PathClass): number {
  return walk ? ranks[walk.kind] : 0;
}

function stepsOfReading(characters: number): number {
  return Math.ceil(Math.max(0, characters - CHARACTERS_PER_REQUEST) / CHARACTERS_PER_STEP);
}
