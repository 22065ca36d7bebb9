import { readAsGuide } from "../access/decide/upgrade-guide.js";
import type { AccessState } from "../access/model/access-state.js";
import { normalizeMethod } from "../access/model/clients-and-methods.js";
import { keepMergedRules, type RulesTransform } from "../access/rules/merge.js";
import { documentRootOf } from "../httpd/mapping/url-mapping.js";
import type { FileTree } from "../httpd/model/file-tree.js";
import { type BudgetExceeded, StepAllowance, type StepBudget } from "../logic/budget.js";
import type { RequestModel } from "../logic/symbolic/atoms.js";
import { assumeServer } from "../project/assumed-server.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import { relocateProject } from "../project/queries/install-root.js";
import { memberFilesOf } from "../simulate/inputs/file-trees.js";
import { omitRefusedLines } from "../simulate/inputs/refused-lines.js";
import type { Reading } from "../simulate/model/decision.js";
import { prepareSimulation } from "../simulate/process-request.js";
import { encodeUrlPath } from "../text/escaping.js";
import { budgetFor, type SurveyBudget } from "./model/budget.js";
import { mapPair, type Pair, pairServers, type ServerPair } from "./model/server-pairs.js";
import { countApplyingLines, fileTreeOfWalk } from "./paths/applying-sections.js";
import { type PathClass, type PathPartition, partitionPaths } from "./paths/path-partition.js";
import { collectServerVariables } from "./predicates/project-facts.js";
import { partitionMethods } from "./symbolic/method-partition.js";
import { type ClientPolicy, type MethodPolicy, PolicyCache, PolicyExplorer } from "./symbolic/policy.js";
import { ModelFiles, type ProbedSide, type ProbeResult, type ProbeTarget, probe } from "./symbolic/probe.js";

/** One of the two compared configurations; its release is the project's. */
export interface Side {
  /** As installed. */
  readonly project: Project;
  readonly reading: Reading;
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
/** The steps of a request include so many characters that patterns and expansions go through; so many more take a step. */
const CHARACTERS_PER_REQUEST = 10_000;
const CHARACTERS_PER_STEP = 10;
const STEPS_PER_CELL = 20;

/** A set of requests: paths of one class, by one method, to servers that the same requests reach on both sides. */
export interface ExplorationPart {
  readonly pair: ServerPair;
  readonly cell: PathClass;
  readonly target: ProbeTarget;
  /** Existing files on each side. */
  readonly known: Pair<FileTree>;
}

/** The access policy of a part. */
export interface PartPolicy {
  readonly part: ExplorationPart;
  readonly policy: ClientPolicy | BudgetExceeded;
}

/** The path classes of a server pair; "out of steps" if the steps of the exploration are used up. */
export type ExploredClasses = PathPartition | BudgetExceeded | "out of steps";

/** Receives the results of an exploration, in order. */
export interface ExplorationVisitor {
  pair(pair: ServerPair, cells: ExploredClasses): void;
  /** Receives the policies of one of the pair's cells, for each method. */
  cell(policies: readonly PartPolicy[], cell: PathClass): void;
  /** Called when the steps are used up; the pair's remaining cells are not explored. */
  breakOff(pair: ServerPair): void;
}

/**
 * Explores configurations as installed on their server, without rejected lines.
 *
 * @param shared steps shared with others, besides those of its budget
 */
export function startExploration(before: Side, after: Side, budget: SurveyBudget, shared?: StepBudget): Exploration {
  const taken = (side: Side) => ({ ...side, project: omitRefusedLines(relocateProject(assumeServer(side.project))) });
  return new Exploration([taken(before), taken(after)], budgetFor([before.project, after.project], budget), shared);
}

/** Explores all requests to two configurations, or to one under two releases, and computes the policies. */
export class Exploration {
  readonly pairs: readonly ServerPair[];
  /** The methods used: the last one represents all that no line names. */
  readonly methods: readonly string[];
  /** Lines that may distinguish more methods. */
  readonly unreadMethods: readonly Directive[];
  /** Whether all entry points were resolved to their servers. */
  readonly hasAllPairs: boolean;
  /** Whether the shared steps were used up before it started. */
  readonly isSpentBefore: boolean;
  private readonly steps: StepBudget;
  private readonly asked: Pair<ProbedSide>;
  /** Only one if both sides are the same. */
  private readonly askers: readonly ProbedSide[];
  private readonly files: ReadonlySet<string>;
  private readonly policies: PolicyExplorer;
  private readonly places = new PolicyCache();
  /** Whether the second side may have a different result for the current probe. */
  private isOpen = true;

  constructor(
    readonly sides: Pair<Side>,
    private readonly budget: SurveyBudget,
    shared?: StepBudget,
  ) {
    this.steps = new StepAllowance(budget.steps, shared);
    this.isSpentBefore = this.steps.isUsedUp;
    const projects = sides.map(({ project }) => project);
    const ownVariables = collectServerVariables(projects);
    this.asked = mapPair(sides, (side) => prepareSide(this.watchSide(side), ownVariables));
    const { pairs, isWhole } = pairServers(
      mapPair(this.asked, ({ setup }) => setup),
      this.steps,
    );
    this.pairs = pairs;
    this.hasAllPairs = isWhole;
    const { all, unread } = partitionMethods(projects);
    this.methods = all;
    this.unreadMethods = unread;
    this.files = new Set(projects.flatMap((project) => [...memberFilesOf(project)]));
    this.policies = new PolicyExplorer({ ...budget, allowance: this.steps });
    const [one, other] = sides;
    const isOne = one.project === other.project && one.reading === other.reading;
    this.askers = isOne ? this.asked.slice(0, 1) : this.asked;
  }

  /** Runs the exploration once for all readers. */
  visit(readers: readonly ExplorationVisitor[]): void {
    for (const pair of this.pairs) {
      const cells = this.cellsOf(pair);
      for (const reader of readers) reader.pair(pair, cells);
      if (cells !== "too large" && cells !== "out of steps") this.visitCells(pair, cells, readers);
    }
  }

  private visitCells(pair: ServerPair, { cells }: PathPartition, readers: readonly ExplorationVisitor[]): void {
    for (const cell of cells) {
      const policies = [...this.policiesOf(pair, cell)];
      if (this.steps.isUsedUp) {
        for (const reader of readers) reader.breakOff(pair);
        return;
      }
      for (const reader of readers) reader.cell(policies, cell);
    }
  }

  /**
   * Returns the path classes of a server pair. Files come first; directories, which may have an index file, come later.
   */
  cellsOf({ servers }: ServerPair): ExploredClasses {
    if (this.steps.isUsedUp) return "out of steps";
    const sides = mapPair(servers, (server, side) => ({ project: this.asked[side].setup.project, server }));
    const cells = partitionPaths(sides, this.budget.states, this.steps);
    if (this.steps.isUsedUp) return "out of steps";
    if (cells === "too large") return cells;
    return { ...cells, cells: cells.cells.toSorted((a, b) => rankOf(a) - rankOf(b)) };
  }

  /** Yields the policies for the paths of a cell, for each method. */
  *policiesOf(pair: ServerPair, cell: PathClass): Generator<PartPolicy> {
    const known = mapPair(this.asked, (_, side) => this.filesOf(pair, cell, side));
    const path = encodeUrlPath(cell.path);
    const alike = this.places.find(pair, cell);
    const made: MethodPolicy[] = [];
    const lines = countApplyingLines(pair.servers, cell);
    for (const [index, method] of this.methods.entries()) {
      const target = { ...pair.entryPoints[0], method, path };
      const same = alike ? alike[index] : made.find((each) => samePolicy(method, each.method, each.policy));
      this.steps.take(STEPS_PER_CELL + made.length);
      const policy = same?.policy ?? this.policyOf(target, cell, known, lines);
      made.push({ method, policy });
      yield { part: { pair, cell, target, known }, policy };
    }
    if (alike === undefined) this.places.store(pair, cell, made);
  }

  private policyOf(
    target: ProbeTarget,
    { walks }: PathClass,
    known: Pair<FileTree>,
    lines: number,
  ): ClientPolicy | BudgetExceeded {
    mapPair(this.asked, ({ files }, side) => files.takeFrom(known[side], walks[side]?.filename));
    return this.policies.of((situation) => {
      const asked = this.probeModel(situation, target);
      const observations = asked.reduce((sum, { seen }) => sum + seen.length, 0);
      this.steps.take(asked.length * (STEPS_PER_REQUEST + lines) + observations * STEPS_PER_OBSERVATION);
      for (const { charactersRead } of asked) this.steps.take(stepsOfReading(charactersRead));
      return asked;
    });
  }

  /** Returns the probe result of each side, or only of the first if the others are known to be the same. */
  private probeModel(situation: RequestModel, target: ProbeTarget): readonly ProbeResult[] {
    this.isOpen = this.sides[0].mayDiffer === undefined;
    const asked: ProbeResult[] = [];
    for (const side of this.askers) {
      if (asked.length === 0 || this.isOpen) asked.push(probe(situation, target, side));
    }
    return asked;
  }

  private watchSide(side: Side): Side {
    const { mayDiffer, watch } = side;
    if (mayDiffer === undefined) return side;
    const heed = (state: AccessState) => {
      watch?.(state);
      this.isOpen ||= mayDiffer(state);
    };
    return { ...side, watch: heed };
  }

  /**
   * Returns the files at a path, as far as they follow from the cell and the lines that name password files and
   * document roots.
   */
  private filesOf({ servers }: ServerPair, cell: PathClass, side: 0 | 1): FileTree {
    const walked = fileTreeOfWalk(cell.walks[side]);
    const root = `${documentRootOf(servers[side], this.asked[side].setup.project)}/`;
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
export function prepareSide({ project, reading, watch }: Side, ownVariables: ReadonlySet<string>): ProbedSide {
  const files = new ModelFiles();
  const read = reading === "guide" ? readAsGuide : keepMergedRules;
  const watched: RulesTransform = (rules, state) => {
    watch?.(state);
    return read(rules, state);
  };
  const setup = prepareSimulation(project, files, watch ? watched : read);
  return { setup: { ...setup, files: files.besideWalks }, files, ownVariables };
}

/** Reports whether the policy of one method also holds for another: no recorded predicate distinguishes them. */
function samePolicy(method: string, other: string, policy: ClientPolicy | BudgetExceeded): boolean {
  if (policy === "too large") return false;
  return policy.parts.every(({ asked }) =>
    asked.every(
      ({ methods }) =>
        methods !== "all" &&
        (normalizeMethod(method) === normalizeMethod(other) ||
          !(methods.has(normalizeMethod(method)) || methods.has(normalizeMethod(other)))),
    ),
  );
}

const ranks = { file: 0, directory: 1, missing: 2 } as const;

function rankOf({ walks: [walk] }: PathClass): number {
  return walk ? ranks[walk.kind] : 0;
}

function stepsOfReading(characters: number): number {
  return Math.ceil(Math.max(0, characters - CHARACTERS_PER_REQUEST) / CHARACTERS_PER_STEP);
}
