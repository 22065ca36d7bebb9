import { completePart } from "../../config/complete-part.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type BudgetExceeded, StepAllowance, type StepBudget } from "../../regex/budget.js";
import type { AccessState } from "../../server/access/access-state.js";
import type { RulesTransform } from "../../server/access/merge.js";
import { rulesTransforms } from "../../server/access/upgrade-guide.js";
import { memberFilesOf } from "../../server/file-trees.js";
import { documentRootOf } from "../../server/mapping/url-mapping.js";
import type { Semantics } from "../../server/model/answer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { prepareSimulation } from "../../server/process-request.js";
import { omitRefusedLines } from "../../startup/install-config.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { partitionMethods } from "../clients/method-partition.js";
import { type ClientPolicy, explorePolicy, isSamePolicy, type MethodPolicy, PolicyCache } from "../clients/policy.js";
import { ModelFiles, type ObservedAnswer, type ProbedSide, probe } from "../clients/probe.js";
import { budgetFor, type ExplorationBudget } from "../model/budget.js";
import type { PathClass, PathSide, PathWalk, WalkedPath } from "../model/path-class.js";
import { mapPair, type Pair, pairServers, type ServerPair } from "../model/server-pairs.js";
import { countApplyingLines, fileTreeOfWalk } from "../paths/applying-sections.js";
import { collectPairPredicates, findCostlyLines } from "../paths/partition-context.js";
import { partitionPaths } from "../paths/path-partition.js";
import { collectServerVariables } from "../paths/project-facts.js";
import { SymbolicExplorer } from "../requests/explorer.js";
import type { PathPartitionResult, Probe, RequestClassPolicy } from "./explored-requests.js";
import { HostTemplates, type TemplateInstance } from "./host-templates.js";
import { processAlike } from "./same-processing.js";

/** One of the two compared configurations; its release is the project's. */
export interface Side {
  /** As installed. */
  readonly project: Project;
  readonly semantics: Semantics;
  /** Variables, in lower case, that only lines of this side set, whatever modules are loaded. */
  readonly ownVariables?: Iterable<string>;
  /** Called with each state in which rules are evaluated. */
  readonly watch?: (state: AccessState) => void;
  /**
   * For the first side: whether the other may decide differently in a state in which its rules are evaluated. If a
   * request does not reach such a state, both results are the same, and the other side is not probed. If absent, they
   * may differ in any state, and before.
   */
  readonly mayDiffer?: (state: AccessState) => boolean;
}

/** Steps for one probe, for each predicate that its result depends on, for each path class, and for each method. */
const STEPS_PER_REQUEST = 200;
const STEPS_PER_OBSERVATION = 5;
/** Characters that the steps of a request include, and characters for each additional step. */
const CHARACTERS_PER_REQUEST = 10_000;
const CHARACTERS_PER_STEP = 10;
const STEPS_PER_CLASS = 20;

/**
 * Explores configurations as installed on their server, without rejected lines.
 *
 * @param shared steps shared with others, besides those of its budget
 * @param followsUnknownSteps whether steps that are not analyzed count as alike if all lines but the access lines are
 */
export function startExploration(
  before: Side,
  after: Side,
  budget: ExplorationBudget,
  shared?: StepBudget,
  followsUnknownSteps = false,
): Exploration {
  const install = (side: Side) => ({ ...side, project: omitRefusedLines(completePart(side.project)) });
  const allowed = budgetFor([before.project, after.project], budget);
  return new Exploration([install(before), install(after)], allowed, shared, followsUnknownSteps);
}

/** Explores all requests to two configurations, or to one under two releases, and computes the policies. */
export class Exploration {
  readonly serverPairs: readonly ServerPair[];
  /** The methods used: the last one represents all that no line names. */
  readonly methods: readonly string[];
  /** Lines that may distinguish more methods. */
  readonly unreadMethods: readonly Directive[];
  /** Whether all entry points were resolved to their servers. */
  readonly hasAllServerPairs: boolean;
  /** Whether the shared steps were used up before it started. */
  readonly startedWithoutBudget: boolean;
  /** The hosts explored so far, by the text of their lines without constants. */
  readonly templates: HostTemplates;
  /** Whether both sides take the same steps after equal access checks, including those that are not analyzed. */
  readonly followsUnknownSteps: boolean;
  private readonly steps: StepBudget;
  private readonly probedSides: Pair<ProbedSide>;
  /** Only one if both sides are the same. */
  private readonly distinctSides: readonly ProbedSide[];
  private readonly files: ReadonlySet<string>;
  private readonly explorer: SymbolicExplorer;
  private readonly policyCache = new PolicyCache();
  /** Whether the second side may have a different result for the current probe. */
  private mayDiffer = true;
  /** The current probe. */
  private current: Probe | undefined;

  constructor(
    readonly sides: Pair<Side>,
    private readonly budget: ExplorationBudget,
    shared?: StepBudget,
    followsUnknownSteps = false,
  ) {
    const [{ project: a }, { project: b }] = sides;
    this.followsUnknownSteps = followsUnknownSteps && processAlike(a, b);
    this.steps = new StepAllowance(budget.steps, shared);
    this.startedWithoutBudget = this.steps.isUsedUp;
    const projects = sides.map(({ project }) => project);
    const ownVariables = new Set([
      ...collectServerVariables(projects),
      ...sides.flatMap((side) => [...(side.ownVariables ?? [])]),
    ]);
    this.probedSides = mapPair(sides, (side) => prepareSide(this.watchSide(side), ownVariables));
    const { pairs, isComplete } = pairServers(
      mapPair(this.probedSides, ({ setup }) => setup),
      this.steps,
    );
    this.serverPairs = pairs;
    this.hasAllServerPairs = isComplete;
    const { all, unread } = partitionMethods(projects);
    this.methods = all;
    this.unreadMethods = unread;
    this.files = new Set(projects.flatMap((project) => [...memberFilesOf(project)]));
    this.templates = new HostTemplates(
      this.probedSides.map(({ setup: { project } }) => project),
      ({ servers }) => collectPairPredicates(this.pathSidesOf(servers), budget.states, this.steps),
    );
    this.explorer = new SymbolicExplorer({ ...budget, allowance: this.steps });
    const [one, other] = sides;
    const isSameSide = one.project === other.project && one.semantics === other.semantics;
    this.distinctSides = isSameSide ? this.probedSides.slice(0, 1) : this.probedSides;
  }

  /**
   * Computes the policies for the access check of a path, one for each method: no later step counts.
   *
   * @param target the file that the path is mapped to, with path info; undefined if the sides map it
   */
  *exploreAccessChecks(
    pair: ServerPair,
    { path, walks }: WalkedPath,
    target: string | undefined,
  ): Generator<ClientPolicy | BudgetExceeded> {
    const knownFiles = mapPair(this.probedSides, (_, side) => this.knownFilesOf(pair, walks[side], side));
    for (const method of this.methods) {
      this.steps.take(STEPS_PER_CLASS);
      const request = { ...pair.entryPoints[0], method, path: encodeUrlPath(path) };
      yield this.explorePolicy({ target: request, walks, accessCheck: { target } }, knownFiles, 0);
    }
  }

  /** Whether the steps are used up. */
  get isOutOfSteps(): boolean {
    return this.steps.isUsedUp;
  }

  /**
   * Partitions the URL paths of a server pair into path classes. Files come first; directories, which may have an index
   * file, come later.
   */
  partitionPaths({ servers }: ServerPair): PathPartitionResult {
    if (this.steps.isUsedUp) return "out of steps";
    const partition = partitionPaths(this.pathSidesOf(servers), this.budget.states, this.steps);
    if (this.steps.isUsedUp) return "out of steps";
    if (partition === "too large") return partition;
    return { ...partition, classes: partition.classes.toSorted((a, b) => rankOf(a) - rankOf(b)) };
  }

  /** Returns the lines that cause most of the path classes of a pair. */
  findCostlyLines({ servers }: ServerPair): readonly Directive[] {
    return findCostlyLines(this.pathSidesOf(servers), this.budget.states, this.steps);
  }

  private pathSidesOf(servers: ServerPair["servers"]): Pair<PathSide> {
    return mapPair(servers, (server, side) => ({ project: this.probedSides[side].setup.project, server }));
  }

  /** Computes the policies for the paths of a class, one for each method. */
  *explorePolicies(pair: ServerPair, pathClass: PathClass): Generator<RequestClassPolicy> {
    const knownFiles = mapPair(this.probedSides, (_, side) => this.knownFilesOf(pair, pathClass.walks[side], side));
    const path = encodeUrlPath(pathClass.path);
    const cached = this.policyCache.find(pair, pathClass);
    const done: MethodPolicy[] = [];
    const lines = countApplyingLines(pair.servers, pathClass);
    for (const [index, method] of this.methods.entries()) {
      const target = { ...pair.entryPoints[0], method, path };
      const same = cached ? cached[index] : done.find((each) => isSamePolicy(method, each.method, each.policy));
      this.steps.take(STEPS_PER_CLASS + done.length);
      const policy = same?.policy ?? this.explorePolicy({ target, walks: pathClass.walks }, knownFiles, lines);
      done.push({ method, policy });
      yield { requests: { pair, pathClass, target, knownFiles }, policy };
    }
    if (cached === undefined) this.policyCache.store(pair, pathClass, done);
  }

  private explorePolicy(
    request: Omit<Probe, "model">,
    knownFiles: Pair<FileTree>,
    lines: number,
  ): ClientPolicy | BudgetExceeded {
    mapPair(this.probedSides, ({ files }, side) => files.takeFrom(knownFiles[side], request.walks[side]?.filename));
    return explorePolicy(this.explorer, (model) => {
      this.current = { ...request, model };
      const results = this.probeSides(this.current);
      const observations = results.reduce((sum, each) => sum + each.observations.length, 0);
      this.steps.take(results.length * (STEPS_PER_REQUEST + lines) + observations * STEPS_PER_OBSERVATION);
      for (const { charactersRead } of results) this.steps.take(stepsOfReading(charactersRead));
      return results;
    });
  }

  /** The probe that is made, for functions that watch its states. */
  get currentProbe(): Probe | undefined {
    return this.current;
  }

  /** Repeats a probe of a representative at a host that is alike, with the constants of that host. */
  repeatProbe({ target, walks, model, accessCheck }: Probe, { pair, renaming }: TemplateInstance): void {
    const [first, second] = mapPair(this.probedSides, (_, side) => renaming.walk(walks[side]));
    const renamed = { target: renaming.request(target, pair.entryPoints[0]), walks: [first, second] };
    mapPair(this.probedSides, ({ files }, side) => {
      files.takeFrom(this.knownFilesOf(pair, renamed.walks[side], side), renamed.walks[side]?.filename);
    });
    this.steps.take(STEPS_PER_REQUEST);
    const file = accessCheck?.target;
    this.current = {
      ...renamed,
      model: renaming.model(model),
      accessCheck: accessCheck && { target: file === undefined ? undefined : renaming.text(file) },
    };
    this.probeSides(this.current);
  }

  /** Returns the probe result of each side, or only of the first if the other is known to be the same. */
  private probeSides({ model, target, accessCheck }: Probe): readonly ObservedAnswer[] {
    this.mayDiffer = this.sides[0].mayDiffer === undefined;
    const results: ObservedAnswer[] = [];
    for (const side of this.distinctSides) {
      if (results.length === 0 || this.mayDiffer) results.push(probe(model, target, side, accessCheck));
    }
    return results;
  }

  /** Has a side also report whether the other one may differ. */
  private watchSide(side: Side): Side {
    const { mayDiffer, watch } = side;
    if (mayDiffer === undefined) return side;
    const watchAll = (state: AccessState) => {
      watch?.(state);
      this.mayDiffer ||= mayDiffer(state);
    };
    return { ...side, watch: watchAll };
  }

  /**
   * Returns the files at a path, as far as they follow from the walk to it and the lines that name password files and
   * document roots.
   */
  knownFilesOf({ servers }: ServerPair, walk: PathWalk | undefined, side: 0 | 1): FileTree {
    const walked = fileTreeOfWalk(walk);
    const root = `${documentRootOf(servers[side], this.probedSides[side].setup.project)}/`;
    return {
      kindOf: (path, mayBeFile) => {
        if (this.files.has(path)) return "file";
        const kind = walked.kindOf(path, mayBeFile);
        return kind === "unknown" && root.startsWith(`${path}/`) ? "directory" : kind;
      },
    };
  }
}

/** Prepares a side for probing. */
export function prepareSide({ project, semantics, watch }: Side, ownVariables: ReadonlySet<string>): ProbedSide {
  const files = new ModelFiles();
  const transform = rulesTransforms[semantics];
  const watched: RulesTransform = (rules, state) => {
    watch?.(state);
    return transform(rules, state);
  };
  const setup = prepareSimulation(project, files, watch ? watched : transform);
  return { setup: { ...setup, files: files.outsideWalks }, files, ownVariables };
}

const ranks = { file: 0, directory: 1, missing: 2 } as const;

function rankOf({ walks: [walk] }: PathClass): number {
  return walk ? ranks[walk.kind] : 0;
}

function stepsOfReading(characters: number): number {
  return Math.ceil(Math.max(0, characters - CHARACTERS_PER_REQUEST) / CHARACTERS_PER_STEP);
}
