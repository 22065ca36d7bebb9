import { assumeServer } from "../config/assumed-server.js";
import type { Project } from "../config/model/project.js";
import { relocateProject } from "../config/queries/install-root.js";
import { findUnreadPart } from "../config/refusals/refusal.js";
import { memoize } from "../text/memoize.js";
import { readAsGuide } from "./access/upgrade-guide.js";
import { limitToFragment } from "./file-trees.js";
import { accessClassOf } from "./model/access-class.js";
import { AccessRecorder } from "./model/access-recorder.js";
import {
  type Alternative,
  Decision,
  decisionClassOf,
  type Explanation,
  type Reading,
  type Verdict,
} from "./model/decision.js";
import type { FileTree } from "./model/file-tree.js";
import { enumerateRuns, Oracle, type OracleRun } from "./model/oracle.js";
import type { Request } from "./model/request.js";
import type { RequestOutcome } from "./model/request-outcome.js";
import type { SimulationSetup } from "./model/simulation-setup.js";
import { findExternalDependency } from "./partial-server.js";
import { findTlsNotes, prepareSimulation, processRequest } from "./process-request.js";
import { nameClient } from "./request/client-name.js";
import { formatAccessLogLine, formatErrorLog } from "./trace/logs.js";
import { mayLogDifferently } from "./trace/other-messages.js";
import { rewriteNotesOf } from "./trace/request-steps.js";
import { placesOf, traceOf } from "./trace/trace.js";
import { markUnmodelledDirectives } from "./unmodelled-directives.js";

export type { Decision } from "./model/decision.js";

/** Options for deciding a request. */
export interface DecideOptions {
  /** Defaults to `server`. */
  readonly reading?: Reading;
  /** Existing files and directories. */
  readonly files: FileTree;
}

/**
 * Decides one request against a configuration, with the release of the project. For many requests, create a Decider.
 */
export function decide(configuration: Project, request: Request, { reading, files }: DecideOptions): Decision {
  return new Decider(configuration, files, reading).decide(request);
}

const otherReadings = { server: "guide", guide: "server" } as const;

/**
 * Decides requests against one configuration. Everything that does not depend on the request is prepared once. A fragment or a
 * single `.htaccess` file decides only the requests that its lines decide; other answers are unknown.
 */
export class Decider {
  private readonly setups: Readonly<Record<Reading, SimulationSetup>>;

  private readonly project: Project;

  /** Whether the rest of the server is unknown. */
  private readonly isPart: boolean;

  /** @param files existing files, by path on the server */
  constructor(
    project: Project,
    files: FileTree,
    private readonly reading: Reading = "server",
  ) {
    const server = prepareSimulation(relocateProject(assumeServer(project)), filesFor(project, files));
    this.project = server.project;
    this.isPart = project.kind !== "server";
    this.setups = { server, guide: { ...server, read: readAsGuide } };
  }

  decide(request: Request): Decision {
    const { reading } = this;
    const { release } = this.project;
    const runs = this.explore(request, reading);
    return new Decision({ request, release, reading }, verdictOf(runs), {
      explain: () => this.explain(request, runs),
      inOtherReading: () => verdictOf(this.explore(request, otherReadings[reading])),
    });
  }

  /** Returns every run; empty if there are too many unknowns to enumerate. */
  private explore(request: Request, reading: Reading): readonly OracleRun<RequestOutcome>[] {
    const setup = this.setups[reading];
    const reason = unreadReasonOf(this.project);
    const runOpen = (oracle: Oracle) => {
      if (reason !== undefined) oracle.markUndecidable(reason);
      const sent = nameClient(request, setup.project, setup.files, oracle);
      const outcome = processRequest(setup, sent, oracle);
      const open = this.isPart ? findExternalDependency(outcome, { setup, request, oracle }) : undefined;
      if (open !== undefined) oracle.markUndecidable(open);
      markUnmodelledDirectives({ request, outcome, project: setup.project }, oracle);
      return outcome;
    };
    return enumerateRuns(runOpen) ?? [];
  }

  /** Repeats the most informative run and records an explanation. */
  private explain(request: Request, runs: readonly OracleRun<RequestOutcome>[]): Explanation {
    const setup = this.setups[this.reading];
    const { status, unknown } = verdictOf(runs);
    const replay = (answers: OracleRun<RequestOutcome>["answers"]) => {
      const watch = new AccessRecorder();
      const oracle = new Oracle(answers);
      const sent = nameClient(request, setup.project, setup.files, oracle);
      const outcome = processRequest(setup, sent, oracle, watch);
      const errorLog = formatErrorLog(outcome, sent, setup);
      return { watch, oracle, outcome, errorLog, accessLog: formatAccessLogLine(sent, status, outcome, watch) };
    };
    const { watch, oracle, outcome, errorLog, accessLog } = replay(pickMostInformative(runs)?.answers ?? new Map());
    const others = runs.length > 1 ? runs.map(({ answers }) => replay(answers)) : [];
    const isUnsettled = runs.some(({ undecidable }) => undecidable !== undefined);
    const isOther = (other: ReturnType<typeof replay>) =>
      other.accessLog !== accessLog || String(other.errorLog) !== String(errorLog);
    return {
      accessLog,
      errorLog:
        unknown.length === 0
          ? errorLog
          : errorLog.filter((line) => !isUnsettled && others.every((other) => other.errorLog.includes(line))),
      logsMayDiffer: mayLogDifferently(outcome, setup) || isUnsettled || others.some(isOther),
      trace: traceOf(outcome, watch, setup),
      places: isUnsettled ? emptyList : placesOf(outcome, setup),
      notes: [...findTlsNotes(setup, request, oracle), ...(outcome.pass ? rewriteNotesOf(outcome.pass) : [])],
    };
  }
}

function filesFor(project: Project, files: FileTree): FileTree {
  return project.kind === "fragment" ? limitToFragment(project, files) : files;
}

type FullVerdict = Verdict & { readonly alternatives: readonly Alternative[]; readonly unknown: readonly string[] };

const emptyList: readonly never[] = [];

/** Unread parts of the main files may affect any request. */
const unreadReasonOf = memoize(({ problems }: Project) => {
  const part = findUnreadPart(problems);
  return part && `lines that were not read (${part.problem})`;
});

/** Returns a verdict with an unknown answer. */
function unknownVerdict(what: string): FullVerdict {
  return {
    ...{ status: undefined, class: "unknown", access: "unknown", log: emptyList, decidedBy: emptyList },
    ...{ alternatives: emptyList, unknown: [what] },
  };
}

function certainVerdict(outcome: RequestOutcome): FullVerdict {
  const { status, accessStatus = status, log, by, answeredBy, served } = outcome;
  const decidedBy = unique(by);
  return {
    status,
    class: decisionClassOf(accessStatus),
    access: accessClassOf(outcome),
    log,
    decidedBy,
    answeredBy,
    servedPath: served?.path,
    alternatives: emptyList,
    unknown: emptyList,
  };
}

function unique<T>(list: readonly T[]): readonly T[] {
  if (list.length < 2 || (list.length === 2 && list[0] !== list[1])) return list;
  return [...new Set(list)];
}

/** Combines the outcomes of all runs into one verdict. */
function verdictOf(runs: readonly OracleRun<RequestOutcome>[]): FullVerdict {
  const best = pickMostInformative(runs)?.result;
  if (best === undefined) return unknownVerdict("more unknown facts than can be combined");
  for (const { undecidable } of runs) if (undecidable !== undefined) return unknownVerdict(undecidable);
  if (runs.length === 1) return certainVerdict(best);
  const ways = branchesOf(runs);
  if (ways.length === 1) return certainVerdict(best);
  const alternatives = ways.map(({ outcome, when }): Alternative => {
    const { status, accessStatus = status, log, by } = outcome;
    const classes = { class: decisionClassOf(accessStatus), access: accessClassOf(outcome) };
    return { status, ...classes, log, decidedBy: unique(by), when };
  });
  const [first] = alternatives;
  const isSame = (same: (a: Verdict, b: Verdict) => boolean) =>
    first !== undefined && alternatives.every((each) => same(each, first));
  return {
    status: isSame((a, b) => a.status === b.status) ? best.status : undefined,
    class: isSame((a, b) => a.class === b.class) ? decisionClassOf(best.accessStatus ?? best.status) : "unknown",
    access: isSame((a, b) => a.access === b.access) ? accessClassOf(best) : "unknown",
    log: isSame((a, b) => String(a.log) === String(b.log)) ? best.log : [],
    decidedBy: unique(best.by),
    alternatives,
    unknown: [...new Set(alternatives.flatMap(({ when }) => when.map(({ question }) => question)))],
  };
}

const ranks = { file: 0, directory: 1, unknown: 2, missing: 3 } as const;

function rankOf({ result }: OracleRun<RequestOutcome>): number {
  return ranks[result.pass?.walked?.kind ?? "missing"];
}

/** Returns the run in which most of the requested files exist. */
function pickMostInformative(runs: readonly OracleRun<RequestOutcome>[]): OracleRun<RequestOutcome> | undefined {
  let best = runs[0];
  if (runs.length > 1) for (const each of runs) if (best && rankOf(each) < rankOf(best)) best = each;
  return best;
}

/** One question with the answer that affects the outcome. */
export interface OutcomeCondition {
  /** Text that completes "it depends on …". */
  readonly question: string;
  readonly answer: boolean;
}

/** One possible response of the server, with its conditions. */
export interface OutcomeBranch {
  readonly outcome: RequestOutcome;
  /** A shortest list of conditions for this outcome; others may exist. */
  readonly when: readonly OutcomeCondition[];
}

type BranchTree =
  | { readonly run: OracleRun<RequestOutcome>; readonly key: string }
  | { readonly question: string; readonly yes: BranchTree; readonly no: BranchTree; readonly key: string };

/**
 * Returns the distinct outcomes of some runs, with the conditions of each. Questions that do not affect the outcome are
 * left out.
 *
 * @param runs one for each combination of answers
 */
function branchesOf(runs: readonly OracleRun<RequestOutcome>[]): readonly OutcomeBranch[] {
  const found = new Map<string, OutcomeBranch>();
  const walk = (tree: BranchTree, when: readonly OutcomeCondition[]) => {
    if ("question" in tree) {
      walk(tree.yes, [...when, { question: tree.question, answer: true }]);
      walk(tree.no, [...when, { question: tree.question, answer: false }]);
      return;
    }
    const before = found.get(tree.key);
    if (before === undefined || before.when.length > when.length)
      found.set(tree.key, { outcome: tree.run.result, when });
  };
  const tree = branchTreeOf(runs, 0);
  if (tree) walk(tree, []);
  return [...found.values()];
}

/** Builds a decision tree: groups runs with the same earlier answers by their next question. */
function branchTreeOf(runs: readonly OracleRun<RequestOutcome>[], depth: number): BranchTree | undefined {
  const [first] = runs;
  if (first === undefined) return undefined;
  const question = [...first.answers.keys()][depth];
  if (question === undefined) return { run: first, key: outcomeKeyOf(first.result) };
  const answered = (answer: boolean) => runs.filter((run) => run.answers.get(question) === answer);
  const yes = branchTreeOf(answered(true), depth + 1);
  const no = branchTreeOf(answered(false), depth + 1);
  if (yes === undefined || no === undefined) return yes ?? no;
  return yes.key === no.key ? yes : { question, yes, no, key: `${question}?(${yes.key}):(${no.key})` };
}

function outcomeKeyOf({ status, accessStatus = status, log }: RequestOutcome): string {
  return `${status} ${accessStatus} ${log.join(" ")}`;
}
