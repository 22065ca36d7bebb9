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
import type { SurveyBudget } from "./model/budget.js";
import { mapPair, type Pair, pairServers, type ServerPair } from "./model/server-pairs.js";
import { countApplyingLines, fileTreeOfWalk } from "./paths/applying-sections.js";
import { type PathClass, type PathPartition, partitionPaths } from "./paths/path-partition.js";
import { collectServerVariables } from "./predicates/project-facts.js";
import { partitionMethods } from "./symbolic/method-partition.js";
import { type ClientPolicy, type MethodPolicy, PolicyCache, PolicyExplorer } from "./symbolic/policy.js";
import { ModelFiles, type ProbedSide, type ProbeResult, type ProbeTarget, probe } from "./symbolic/probe.js";

/** One of the two that are looked at; its release is the project's. */
export interface Side {
  /** As it is installed. */
  readonly project: Project;
  readonly reading: Reading;
  /** Called with each state that rules are read in. */
  readonly watch?: (state: AccessState) => void;
  /**
   * Of the first: whether the other may decide otherwise in a state that its rules are read in. A request that comes by none
   * such gets the same of both, and the other is not asked. Absent: it may in any, and ahead of them.
   */
  readonly mayDiffer?: (state: AccessState) => boolean;
}

/** What is asked about takes so many steps, and what the answer hangs on so many more; so does each kind of paths, and each method. */
const STEPS_PER_REQUEST = 200;
const STEPS_PER_LOOK = 5;
const STEPS_PER_CELL = 20;

/** What is asked for: paths of one kind, by one method, of servers that the same requests come to on both sides. */
export interface ExplorationPart {
  readonly pair: ServerPair;
  readonly cell: PathClass;
  readonly target: ProbeTarget;
  /** What is there on each side. */
  readonly known: Pair<FileTree>;
}

/** Who gets what of it. */
export interface PartPolicy {
  readonly part: ExplorationPart;
  readonly policy: ClientPolicy | BudgetExceeded;
}

/** The kinds of paths of a pair of servers; "out of steps" where the steps of the survey are used up. */
export type ExploredClasses = PathPartition | BudgetExceeded | "out of steps";

/** Takes in what a survey comes to, in its order. */
export interface ExplorationVisitor {
  pair(pair: ServerPair, cells: ExploredClasses): void;
  /** What there is of one of the pair's cells, by each method. */
  cell(policies: readonly PartPolicy[], cell: PathClass): void;
  /** What is left of the pair's cells is not gone over: the steps of the survey are used up. */
  breakOff(pair: ServerPair): void;
}

/**
 * A survey of configurations as they lie on their server, without what it refuses.
 *
 * @param shared steps that it shares with others, beside those of its budget
 */
export function startExploration(before: Side, after: Side, budget: SurveyBudget, shared?: StepBudget): Exploration {
  const taken = (side: Side) => ({ ...side, project: omitRefusedLines(relocateProject(assumeServer(side.project))) });
  return new Exploration([taken(before), taken(after)], budget, shared);
}

/** Goes over all that can be asked of two configurations, or of one under two releases, and works out who gets what. */
export class Exploration {
  readonly pairs: readonly ServerPair[];
  /** Those asked with: the last one stands for all that no line names. */
  readonly methods: readonly string[];
  /** Lines by which there may be more methods to tell apart. */
  readonly unreadMethods: readonly Directive[];
  /** Whether all ways in were followed to their servers. */
  readonly hasAllPairs: boolean;
  /** Whether those that it shares its steps with had left none. */
  readonly isSpentBefore: boolean;
  private readonly steps: StepBudget;
  private readonly asked: Pair<ProbedSide>;
  /** One where both sides are the same. */
  private readonly askers: readonly ProbedSide[];
  private readonly files: ReadonlySet<string>;
  private readonly policies: PolicyExplorer;
  private readonly places = new PolicyCache();
  /** Whether the second side may make something else of what the first is being asked. */
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

  /** Goes over all of it, once for all who want to know. */
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

  /** The kinds of paths of a pair of servers. Of what is there a file comes first, and a directory, which may have an index file, later. */
  cellsOf({ servers }: ServerPair): ExploredClasses {
    if (this.steps.isUsedUp) return "out of steps";
    const sides = mapPair(servers, (server, side) => ({ project: this.asked[side].setup.project, server }));
    const cells = partitionPaths(sides, this.budget.states, this.steps);
    if (this.steps.isUsedUp) return "out of steps";
    if (cells === "too large") return cells;
    return { ...cells, cells: cells.cells.toSorted((a, b) => rankOf(a) - rankOf(b)) };
  }

  /** Who gets what of the paths of a cell, by each method. */
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
      const looks = asked.reduce((sum, { seen }) => sum + seen.length, 0);
      this.steps.take(asked.length * (STEPS_PER_REQUEST + lines) + looks * STEPS_PER_LOOK);
      return asked;
    });
  }

  /** What each side makes of it, or the first where the others are known to make the same. */
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

  /** What is at a path, as far as a cell and the lines that name password files and document roots tell. */
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

/** A side made ready to be asked. */
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

/** Whether the policy of one method is that of another, too: nothing that was looked at tells them apart. */
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
