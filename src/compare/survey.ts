import { asGuide } from "../access/guide.js";
import { asGet } from "../access/limits.js";
import { asMerged, type ReadRules } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Situation } from "../logic/atoms.js";
import { Allowance, type Steps, type TooLarge } from "../logic/budget.js";
import { assumeServer } from "../project/assumed-server.js";
import type { Directive } from "../project/directive.js";
import { asInstalled } from "../project/installed.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { documentRootOf } from "../scope/mapping.js";
import type { Reading } from "../simulate/decision.js";
import { namedFiles } from "../simulate/file-trees.js";
import { setUp } from "../simulate/setup.js";
import { withoutRefused } from "../simulate/without-refused.js";
import { sentPath } from "../text/sent-path.js";
import { AlikePlaces, type MethodPolicy } from "./alike-places.js";
import { type Asked, type AskedSide, askIn, SituationFiles } from "./asked.js";
import { filesOfWalk } from "./cell-files.js";
import { linesInForce } from "./lines-in-force.js";
import { methodsOf } from "./methods.js";
import { ownVariablesOf } from "./own-variables.js";
import { type PathCell, type PathCells, pathCells } from "./path-cells.js";
import { type Policy, PolicyMaker } from "./policies.js";
import { type ServerPair, serverPairs } from "./server-pairs.js";
import type { Target } from "./situation-request.js";
import type { SurveyBudget } from "./survey-budget.js";
import { ofBoth, type Two } from "./two.js";

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
export interface Part {
  readonly pair: ServerPair;
  readonly cell: PathCell;
  readonly target: Target;
  /** What is there on each side. */
  readonly known: Two<FileTree>;
}

/** Who gets what of it. */
export interface PartPolicy {
  readonly part: Part;
  readonly policy: Policy | TooLarge;
}

/** The kinds of paths of a pair of servers; "out of steps" where the steps of the survey are used up. */
export type SurveyedCells = PathCells | TooLarge | "out of steps";

/** Takes in what a survey comes to, in its order. */
export interface SurveyReader {
  pair(pair: ServerPair, cells: SurveyedCells): void;
  /** What there is of one of the pair's cells, by each method. */
  cell(policies: readonly PartPolicy[], cell: PathCell): void;
  /** What is left of the pair's cells is not gone over: the steps of the survey are used up. */
  breakOff(pair: ServerPair): void;
}

/**
 * A survey of configurations as they lie on their server, without what it refuses.
 *
 * @param shared steps that it shares with others, beside those of its budget
 */
export function surveyOf(before: Side, after: Side, budget: SurveyBudget, shared?: Steps): Survey {
  const taken = (side: Side) => ({ ...side, project: withoutRefused(asInstalled(assumeServer(side.project))) });
  return new Survey([taken(before), taken(after)], budget, shared);
}

/** Goes over all that can be asked of two configurations, or of one under two releases, and works out who gets what. */
export class Survey {
  readonly pairs: readonly ServerPair[];
  /** Those asked with: the last one stands for all that no line names. */
  readonly methods: readonly string[];
  /** Lines by which there may be more methods to tell apart. */
  readonly unreadMethods: readonly Directive[];
  /** Whether all ways in were followed to their servers. */
  readonly hasAllPairs: boolean;
  /** Whether those that it shares its steps with had left none. */
  readonly isSpentBefore: boolean;
  private readonly steps: Steps;
  private readonly asked: Two<AskedSide>;
  /** One where both sides are the same. */
  private readonly askers: readonly AskedSide[];
  private readonly files: ReadonlySet<string>;
  private readonly policies: PolicyMaker;
  private readonly places = new AlikePlaces();
  /** Whether the second side may make something else of what the first is being asked. */
  private isOpen = true;

  constructor(
    readonly sides: Two<Side>,
    private readonly budget: SurveyBudget,
    shared?: Steps,
  ) {
    this.steps = new Allowance(budget.steps, shared);
    this.isSpentBefore = this.steps.isUsedUp;
    const projects = sides.map(({ project }) => project);
    const ownVariables = ownVariablesOf(projects);
    this.asked = ofBoth(sides, (side) => sideToAsk(this.heeding(side), ownVariables));
    const { pairs, isWhole } = serverPairs(
      ofBoth(this.asked, ({ setup }) => setup),
      this.steps,
    );
    this.pairs = pairs;
    this.hasAllPairs = isWhole;
    const { all, unread } = methodsOf(projects);
    this.methods = all;
    this.unreadMethods = unread;
    this.files = new Set(projects.flatMap((project) => [...namedFiles(project)]));
    this.policies = new PolicyMaker({ ...budget, allowance: this.steps });
    const [one, other] = sides;
    const isOne = one.project === other.project && one.reading === other.reading;
    this.askers = isOne ? this.asked.slice(0, 1) : this.asked;
  }

  /** Goes over all of it, once for all who want to know. */
  tell(readers: readonly SurveyReader[]): void {
    for (const pair of this.pairs) {
      const cells = this.cellsOf(pair);
      for (const reader of readers) reader.pair(pair, cells);
      if (cells !== "too large" && cells !== "out of steps") this.tellCells(pair, cells, readers);
    }
  }

  private tellCells(pair: ServerPair, { cells }: PathCells, readers: readonly SurveyReader[]): void {
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
  cellsOf({ servers }: ServerPair): SurveyedCells {
    if (this.steps.isUsedUp) return "out of steps";
    const sides = ofBoth(servers, (server, side) => ({ project: this.asked[side].setup.project, server }));
    const cells = pathCells(sides, this.budget.states, this.steps);
    if (this.steps.isUsedUp) return "out of steps";
    if (cells === "too large") return cells;
    return { ...cells, cells: cells.cells.toSorted((a, b) => rankOf(a) - rankOf(b)) };
  }

  /** Who gets what of the paths of a cell, by each method. */
  *policiesOf(pair: ServerPair, cell: PathCell): Generator<PartPolicy> {
    const known = ofBoth(this.asked, (_, side) => this.filesOf(pair, cell, side));
    const path = sentPath(cell.path);
    const alike = this.places.alike(pair, cell);
    const made: MethodPolicy[] = [];
    const lines = linesInForce(pair.servers, cell);
    for (const [index, method] of this.methods.entries()) {
      const target = { ...pair.doors[0], method, path };
      const same = alike ? alike[index] : made.find((each) => areAlike(method, each.method, each.policy));
      this.steps.take(STEPS_PER_CELL + made.length);
      const policy = same?.policy ?? this.policyOf(target, cell, known, lines);
      made.push({ method, policy });
      yield { part: { pair, cell, target, known }, policy };
    }
    if (alike === undefined) this.places.keep(pair, cell, made);
  }

  private policyOf(target: Target, { walks }: PathCell, known: Two<FileTree>, lines: number): Policy | TooLarge {
    ofBoth(this.asked, ({ files }, side) => files.takeFrom(known[side], walks[side]?.filename));
    return this.policies.of((situation) => {
      const asked = this.askedOf(situation, target);
      const looks = asked.reduce((sum, { seen }) => sum + seen.length, 0);
      this.steps.take(asked.length * (STEPS_PER_REQUEST + lines) + looks * STEPS_PER_LOOK);
      return asked;
    });
  }

  /** What each side makes of it, or the first where the others are known to make the same. */
  private askedOf(situation: Situation, target: Target): readonly Asked[] {
    this.isOpen = this.sides[0].mayDiffer === undefined;
    const asked: Asked[] = [];
    for (const side of this.askers) {
      if (asked.length === 0 || this.isOpen) asked.push(askIn(situation, target, side));
    }
    return asked;
  }

  private heeding(side: Side): Side {
    const { mayDiffer, watch } = side;
    if (mayDiffer === undefined) return side;
    const heed = (state: AccessState) => {
      watch?.(state);
      this.isOpen ||= mayDiffer(state);
    };
    return { ...side, watch: heed };
  }

  /** What is at a path, as far as a cell and the lines that name password files and document roots tell. */
  private filesOf({ servers }: ServerPair, cell: PathCell, side: 0 | 1): FileTree {
    const walked = filesOfWalk(cell.walks[side]);
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
export function sideToAsk({ project, reading, watch }: Side, ownVariables: ReadonlySet<string>): AskedSide {
  const files = new SituationFiles();
  const read = reading === "guide" ? asGuide : asMerged;
  const watched: ReadRules = (rules, state) => {
    watch?.(state);
    return read(rules, state);
  };
  const setup = setUp(project, files, watch ? watched : read);
  return { setup: { ...setup, files: files.besideWalks }, files, ownVariables };
}

/** Whether the policy of one method is that of another, too: nothing that was looked at tells them apart. */
function areAlike(method: string, other: string, policy: Policy | TooLarge): boolean {
  if (policy === "too large") return false;
  return policy.parts.every(({ asked }) =>
    asked.every(
      ({ methods }) =>
        methods !== "all" &&
        (asGet(method) === asGet(other) || !(methods.has(asGet(method)) || methods.has(asGet(other)))),
    ),
  );
}

const ranks = { file: 0, directory: 1, missing: 2 } as const;

function rankOf({ walks: [walk] }: PathCell): number {
  return walk ? ranks[walk.kind] : 0;
}
