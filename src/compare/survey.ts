import { asGuide } from "../access/guide.js";
import { asGet } from "../access/limits.js";
import { asMerged, type ReadRules } from "../access/merged.js";
import type { AccessState } from "../access/state.js";
import type { Situation } from "../logic/atoms.js";
import type { TooLarge } from "../logic/budget.js";
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
import { methodsOf } from "./methods.js";
import { ownVariablesOf } from "./own-variables.js";
import { type PathCell, type PathCells, pathCells } from "./path-cells.js";
import { type Policy, PolicyMaker } from "./policies.js";
import { type ServerPair, serverPairs } from "./server-pairs.js";
import type { Target } from "./situation-request.js";
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

/** How much may be looked at; the outcome hangs on nothing but this, and is the same on every machine. */
export interface SurveyBudget {
  /** The most states of the automata for one pair of servers. */
  readonly states: number;
  /** The most nodes of the diagrams for one set of paths. */
  readonly nodes: number;
  /** The most situations asked about for one set of paths. */
  readonly runs: number;
  /** The most kinds of paths in all; absent: as many as there are. */
  readonly cells?: number;
}

export const usualBudget: SurveyBudget = { states: 200_000, nodes: 1_000_000, runs: 20_000 };

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

/** The kinds of paths of a pair of servers; "too many" where what went before used up what may be gone over. */
export type SurveyedCells = PathCells | TooLarge | "too many";

/** Takes in what a survey comes to, in its order. */
export interface SurveyReader {
  pair(pair: ServerPair, cells: SurveyedCells): void;
  /** What there is of one of the pair's cells, by each method. */
  cell(policies: readonly PartPolicy[], cell: PathCell): void;
}

/** A survey of configurations as they lie on their server, without what it refuses. */
export function surveyOf(before: Side, after: Side, budget: SurveyBudget): Survey {
  const taken = (side: Side) => ({ ...side, project: withoutRefused(asInstalled(side.project)) });
  return new Survey([taken(before), taken(after)], budget);
}

/** Goes over all that can be asked of two configurations, or of one under two releases, and works out who gets what. */
export class Survey {
  readonly pairs: readonly ServerPair[];
  /** Those asked with: the last one stands for all that no line names. */
  readonly methods: readonly string[];
  /** Lines by which there may be more methods to tell apart. */
  readonly unreadMethods: readonly Directive[];
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
  ) {
    const projects = sides.map(({ project }) => project);
    const ownVariables = ownVariablesOf(projects);
    this.asked = ofBoth(sides, (side) => sideToAsk(this.heeding(side), ownVariables));
    this.pairs = serverPairs(ofBoth(this.asked, ({ setup }) => setup));
    const { all, unread } = methodsOf(projects);
    this.methods = all;
    this.unreadMethods = unread;
    this.files = new Set(projects.flatMap((project) => [...namedFiles(project)]));
    this.policies = new PolicyMaker(budget);
    const [one, other] = sides;
    const isOne = one.project === other.project && one.reading === other.reading;
    this.askers = isOne ? this.asked.slice(0, 1) : this.asked;
  }

  /** Goes over all of it, once for all who want to know. */
  tell(readers: readonly SurveyReader[]): void {
    let gone = 0;
    for (const pair of this.pairs) {
      const isOver = gone >= (this.budget.cells ?? Number.POSITIVE_INFINITY);
      const cells = isOver ? "too many" : this.cellsOf(pair);
      for (const reader of readers) reader.pair(pair, cells);
      if (cells === "too large" || cells === "too many") continue;
      gone += cells.cells.length;
      for (const cell of cells.cells) {
        const policies = [...this.policiesOf(pair, cell)];
        for (const reader of readers) reader.cell(policies, cell);
      }
    }
  }

  /** The kinds of paths of a pair of servers. Of what is there a file comes first, and a directory, which may have an index file, later. */
  cellsOf({ servers }: ServerPair): PathCells | TooLarge {
    const sides = ofBoth(servers, (server, side) => ({ project: this.asked[side].setup.project, server }));
    const cells = pathCells(sides, this.budget.states);
    if (cells === "too large") return cells;
    return { ...cells, cells: cells.cells.toSorted((a, b) => rankOf(a) - rankOf(b)) };
  }

  /** Who gets what of the paths of a cell, by each method. */
  *policiesOf(pair: ServerPair, cell: PathCell): Generator<PartPolicy> {
    const known = ofBoth(this.asked, (_, side) => this.filesOf(pair, cell, side));
    const path = sentPath(cell.path);
    const alike = this.places.alike(pair, cell);
    const made: MethodPolicy[] = [];
    for (const [index, method] of this.methods.entries()) {
      const target = { ...pair.doors[0], method, path };
      const same = alike ? alike[index] : made.find((each) => areAlike(method, each.method, each.policy));
      const policy = same?.policy ?? this.policyOf(target, cell, known);
      made.push({ method, policy });
      yield { part: { pair, cell, target, known }, policy };
    }
    if (alike === undefined) this.places.keep(pair, cell, made);
  }

  private policyOf(target: Target, { walks }: PathCell, known: Two<FileTree>): Policy | TooLarge {
    ofBoth(this.asked, ({ files }, side) => files.takeFrom(known[side], walks[side]?.filename));
    return this.policies.of((situation) => this.askedOf(situation, target));
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
