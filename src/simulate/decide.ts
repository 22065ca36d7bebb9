import { asGuide } from "../access/guide.js";
import { assumeServer } from "../project/assumed-server.js";
import { asInstalled } from "../project/installed.js";
import { unreadPart } from "../project/problems.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { Once } from "../scope/once.js";
import { explore, Questions, type Run } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import { accessLine } from "./access-log.js";
import { type Alternative, classOf, Decision, type Explanation, type Reading, type Verdict } from "./decision.js";
import { errorLines, hasOwnWords } from "./error-log.js";
import { filesOfFragment } from "./file-trees.js";
import type { Outcome, Setup } from "./pass.js";
import { leftToRest } from "./rest-of-server.js";
import { notesOf } from "./rewriting-steps.js";
import { run } from "./run.js";
import { waysOf } from "./settle.js";
import { setUp } from "./setup.js";
import { notesOnTls } from "./tls.js";
import { placesOf, traceOf } from "./trace.js";
import { Watch } from "./watch.js";

export type { Decision } from "./decision.js";

/** How a request is decided, beside the configuration and the request. */
export interface DecideOptions {
  /** Default `server`. */
  readonly reading?: Reading;
  /** Which files and directories exist. */
  readonly files: FileTree;
}

/** Decides one request against a configuration, whose release is the project's. For many requests, make a Decider. */
export function decide(configuration: Project, request: Request, { reading, files }: DecideOptions): Decision {
  return new Decider(configuration, files, reading).decide(request);
}

const others = { server: "guide", guide: "server" } as const;

/**
 * Decides requests against one configuration; what does not depend on the request is made ready once. A fragment or a
 * `.htaccess` file on its own decides only the requests that its lines decide: the answer to others is unknown.
 */
export class Decider {
  private readonly setups: Readonly<Record<Reading, Setup>>;

  private readonly project: Project;

  /** Whether the rest of the server is not known. */
  private readonly isPart: boolean;

  /** @param files which exist, by where they lie on the server */
  constructor(
    project: Project,
    files: FileTree,
    private readonly reading: Reading = "server",
  ) {
    const server = setUp(asInstalled(assumeServer(project)), filesFor(project, files));
    this.project = server.project;
    this.isPart = project.kind !== "server";
    this.setups = { server, guide: { ...server, read: asGuide } };
  }

  decide(request: Request): Decision {
    const { reading } = this;
    const { release } = this.project;
    const runs = this.explore(request, reading);
    return new Decision({ request, release, reading }, verdictOf(runs), {
      explain: () => this.explain(request, runs),
      inOtherReading: () => verdictOf(this.explore(request, others[reading])),
    });
  }

  /** Empty where more is unknown than can be gone through. */
  private explore(request: Request, reading: Reading): readonly Run<Outcome>[] {
    const setup = this.setups[reading];
    const { reason } = unread.of(this.project);
    const runOpen = (questions: Questions) => {
      if (reason !== undefined) questions.leaveOpen(reason);
      const outcome = run(setup, request, questions);
      const open = this.isPart ? leftToRest(outcome, { setup, request, questions }) : undefined;
      if (open !== undefined) questions.leaveOpen(open);
      return outcome;
    };
    return explore(runOpen) ?? [];
  }

  /** Goes over the most telling of some runs once more and takes notes. */
  private explain(request: Request, runs: readonly Run<Outcome>[]): Explanation {
    const setup = this.setups[this.reading];
    const { status, unknown } = verdictOf(runs);
    const again = (answers: Run<Outcome>["answers"]) => {
      const watch = new Watch();
      const questions = new Questions(answers);
      const outcome = run(setup, request, questions, watch);
      const errorLog = errorLines(outcome, request, setup);
      return { watch, questions, outcome, errorLog, accessLog: accessLine(request, status, outcome, watch) };
    };
    const { watch, questions, outcome, errorLog, accessLog } = again(mostTelling(runs)?.answers ?? new Map());
    const others = runs.length > 1 ? runs.map(({ answers }) => again(answers)) : [];
    const isUnsettled = runs.some(({ unsettled }) => unsettled !== undefined);
    const isOther = (other: ReturnType<typeof again>) =>
      other.accessLog !== accessLog || String(other.errorLog) !== String(errorLog);
    return {
      accessLog,
      errorLog:
        unknown.length === 0
          ? errorLog
          : errorLog.filter((line) => !isUnsettled && others.every((other) => other.errorLog.includes(line))),
      logsMayDiffer: hasOwnWords(outcome, setup) || isUnsettled || others.some(isOther),
      trace: traceOf(outcome, watch, setup),
      places: isUnsettled ? none : placesOf(outcome, setup),
      notes: [...notesOnTls(setup, request, questions), ...(outcome.pass ? notesOf(outcome.pass) : [])],
    };
  }
}

function filesFor(project: Project, files: FileTree): FileTree {
  return project.kind === "fragment" ? filesOfFragment(project, files) : files;
}

type FullVerdict = Verdict & { readonly alternatives: readonly Alternative[]; readonly unknown: readonly string[] };

const none: readonly never[] = [];

/** What of the main files was not read may say anything of any request. */
const unread = new Once(({ problems }: Project) => {
  const part = unreadPart(problems);
  return { reason: part && `what was not read, since ${part.wrong}` };
});

/** Where nothing can be said of the answer. */
function unknownBy(what: string): FullVerdict {
  return {
    ...{ status: undefined, class: "unknown", log: none, decidedBy: none },
    ...{ alternatives: none, unknown: [what] },
  };
}

function certain({ status, log, by, answeredBy }: Outcome): FullVerdict {
  const decidedBy = onlyOnce(by);
  return { status, class: classOf(status), log, decidedBy, answeredBy, alternatives: none, unknown: none };
}

function onlyOnce<T>(list: readonly T[]): readonly T[] {
  if (list.length < 2 || (list.length === 2 && list[0] !== list[1])) return list;
  return [...new Set(list)];
}

/** What all ways of answering the questions come to. */
function verdictOf(runs: readonly Run<Outcome>[]): FullVerdict {
  const best = mostTelling(runs)?.result;
  if (best === undefined) return unknownBy("more than can be gone through");
  for (const { unsettled } of runs) if (unsettled !== undefined) return unknownBy(unsettled);
  if (runs.length === 1) return certain(best);
  const ways = waysOf(runs);
  if (ways.length === 1) return certain(best);
  const alternatives = ways.map(({ outcome: { status, log, by }, when }) => {
    return { status, class: classOf(status), log, decidedBy: onlyOnce(by), when };
  });
  const [first] = alternatives;
  const isSame = (same: (a: Verdict, b: Verdict) => boolean) =>
    first !== undefined && alternatives.every((each) => same(each, first));
  return {
    status: isSame((a, b) => a.status === b.status) ? best.status : undefined,
    class: isSame((a, b) => a.class === b.class) ? classOf(best.status) : "unknown",
    log: isSame((a, b) => String(a.log) === String(b.log)) ? best.log : [],
    decidedBy: onlyOnce(best.by),
    alternatives,
    unknown: [...new Set(alternatives.flatMap(({ when }) => when.map(({ question }) => question)))],
  };
}

const ranks = { file: 0, directory: 1, unknown: 2, missing: 3 } as const;

function rankOf({ result }: Run<Outcome>): number {
  return ranks[result.pass?.walked?.kind ?? "missing"];
}

/** The run in which most of what is asked for is there. */
function mostTelling(runs: readonly Run<Outcome>[]): Run<Outcome> | undefined {
  let best = runs[0];
  if (runs.length > 1) for (const each of runs) if (best && rankOf(each) < rankOf(best)) best = each;
  return best;
}
