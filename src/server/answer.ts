import { completePart } from "../config/complete-part.js";
import type { Project } from "../config/model/project.js";
import { findUnreadPart } from "../config/refusals/refusal.js";
import { parseAddress } from "../text/addresses.js";
import { memoize } from "../text/memoize.js";
import { toReadable } from "../text/source.js";
import { rulesTransforms } from "./access/upgrade-guide.js";
import { answerUnder, type DefiniteAnswer } from "./definite-answer.js";
import { limitToFragment } from "./file-trees.js";
import type { UrlMapping } from "./mapping/url-mapping.js";
import {
  type Alternative,
  Answer,
  type AnswerCase,
  type AnswerParts,
  type Explanation,
  type FactCondition,
  type RedirectLoop,
  type Semantics,
} from "./model/answer.js";
import type { FileTree } from "./model/file-tree.js";
import { enumerateRuns, Oracle, type OracleRun } from "./model/oracle.js";
import { type Pass, passesOf } from "./model/pass.js";
import type { Request } from "./model/request.js";
import { isSameAddress } from "./model/server.js";
import type { SimulationSetup } from "./model/simulation-setup.js";
import {
  hasUsualAnswer,
  isFact,
  isUnusual,
  leavesDestination,
  type UnknownFact,
  unknownFact,
} from "./model/unknown-facts.js";
import { findExternalDependency } from "./partial-server.js";
import { prepareSimulation } from "./process-request.js";
import { findLoopBehindBalancer, followRedirects } from "./redirect-loop.js";
import { findHostAddresses, nameClient } from "./request/client-name.js";
import { withDefaultEndpoint } from "./request/default-endpoint.js";
import { findClientOf } from "./request/remote-ip.js";
import { findHiddenFile } from "./trace/file-causes.js";
import { isForDefaultHost } from "./trace/host-misses.js";
import { leadLinesOf } from "./trace/lead-lines.js";
import { mayLogDifferently } from "./trace/other-messages.js";
import { responseLinesOf } from "./trace/response-lines.js";
import { sentHeadersOf } from "./trace/sent-headers.js";
import { placesOf } from "./trace/trace.js";
import { markUnmodelledDirectives } from "./unmodelled-directives.js";

export type { Answer } from "./model/answer.js";

/** Options for answering a request. */
export interface AnswerOptions {
  /** Defaults to `server`. */
  readonly semantics?: Semantics;
  /** Existing files and directories. */
  readonly files: FileTree;
}

/**
 * Answers one request as a configuration does, with the release of the project. For many requests, create a SimulatedServer.
 */
export function answer(configuration: Project, request: Request, { semantics, files }: AnswerOptions): Answer {
  return new SimulatedServer(configuration, files, semantics).answer(request);
}

const otherSemantics = { server: "guide", guide: "server" } as const;

/**
 * Answers requests as one configuration does. Everything that does not depend on the request is prepared once. A fragment or a
 * single `.htaccess` file only answers the requests that its lines decide; other answers are unknown.
 */
export class SimulatedServer {
  private readonly setups: Readonly<Record<Semantics, SimulationSetup>>;

  /** Whether the rest of the server is unknown. */
  private readonly isPart: boolean;

  /** @param files existing files, by path on the server */
  constructor(
    project: Project,
    files: FileTree,
    private readonly semantics: Semantics = "server",
  ) {
    const server = prepareSimulation(completePart(project), filesFor(project, files));
    this.isPart = project.isPart;
    this.setups = { server, guide: { ...server, transform: rulesTransforms.guide } };
  }

  /** @param semantics by default, those of this server */
  answer(request: Request, semantics = this.semantics): Answer {
    const setup = this.setups[semantics];
    const addressed = this.withNamedAddresses(request);
    const runs = enumerateRuns((oracle) => this.answerRun(setup, addressed, oracle)) ?? [];
    const parts = combineRuns(runs);
    return new Answer({ request, release: setup.project.release, semantics }, parts, {
      explain: () => this.explain(setup, addressed, runs, parts),
      underOtherSemantics: () => this.answer(request, otherSemantics[semantics]),
    });
  }

  /**
   * Adds the virtual hosts for the address of a request whose addresses are names, if the hosts file of the server has them all: httpd
   * resolves them when it starts (server/vhost.c `get_addresses`).
   */
  private withNamedAddresses(request: Request): Request {
    const { servers, files } = this.setups.server;
    const { serverIp, nameFacts } = request;
    if (serverIp === undefined || nameFacts !== undefined) return request;
    const names = servers.hosts.flatMap(({ addresses }) => addresses.flatMap(({ name }) => name ?? []));
    const found = names.map((name) => ({ name, addresses: findHostAddresses(toReadable(name), files) }));
    const local = parseAddress(serverIp);
    if (local === undefined || found.length === 0 || found.some(({ addresses }) => addresses === undefined))
      return request;
    const own = found.filter(({ addresses = [] }) => addresses.some((each) => isSameAddress(each, local)));
    return { ...request, nameFacts: new Set(own.map(({ name }) => unknownFact("server-address", toReadable(name)))) };
  }

  /** Answers a request under the usual facts: of several possible answers, the one in which most requested files exist. */
  usualRun(request: Request): DefiniteAnswer | undefined {
    const setup = this.setups[this.semantics];
    const addressed = this.withNamedAddresses(request);
    return pickMostInformative(enumerateRuns((oracle) => this.answerRun(setup, addressed, oracle)) ?? [])?.result;
  }

  /**
   * Returns a request with the client that mod_remoteip determines, if it names only the address that connects; undefined if
   * that client is not known.
   */
  withClientOf(request: Request): Request | undefined {
    const { project, servers } = this.setups.server;
    if (request.peerIp === undefined) return request;
    const server = servers.serverOf(request, new Oracle(new Map()));
    const clientIp = findClientOf(request, request.peerIp, server, project);
    return clientIp === undefined ? undefined : { ...request, clientIp };
  }

  /** Completes a request that names neither a scheme nor a port by those on which the server listens. */
  completeRequest(request: Request): Request {
    const { project, servers } = this.setups.server;
    return withDefaultEndpoint(request, project, servers);
  }

  /** Reports whether a request has no host, but its name selects one of several virtual hosts. */
  needsHost(request: Request): boolean {
    return request.host === undefined && this.setups.server.servers.hasNamesAt(request, new Oracle(new Map()));
  }

  /** Answers a request under one set of facts, and marks what the simulation does not model. */
  private answerRun(setup: SimulationSetup, request: Request, oracle: Oracle): DefiniteAnswer {
    const { project, files } = setup;
    const reason = unreadReasonOf(project);
    if (reason !== undefined) oracle.markUndecidable(reason);
    const answered = answerUnder(setup, nameClient(request, project, files, oracle), oracle);
    const open = this.isPart ? findExternalDependency(answered) : undefined;
    if (open !== undefined) oracle.markUndecidable(open);
    markUnmodelledDirectives(answered);
    return answered;
  }

  /** Returns the loop in which a client ends that sends a request and follows redirects. */
  private findLoop(setup: SimulationSetup, request: Request, shown: DefiniteAnswer): RedirectLoop | undefined {
    if (request.tracker) return undefined;
    const answer = (next: Request) => this.answerOfServer(setup, next);
    const { servers } = setup;
    const isOwnHost = (next: Request) => servers.hostSelectionFor(next, new Oracle(new Map())) === "named";
    return shown.destination.location === undefined
      ? this.isTlsUnknown(setup, request)
        ? findLoopBehindBalancer(request, answer)
        : undefined
      : followRedirects(request, shown, answer, isOwnHost);
  }

  /** Reports whether no line shows that httpd itself ends TLS. */
  private isTlsUnknown({ servers }: SimulationSetup, request: Request): boolean {
    return servers.tlsEngineOf(servers.defaultServerOf(request, new Oracle(new Map()))).state !== "on";
  }

  /** Answers a request in the usual case; undefined if that is not known, or if the server does not have TLS for it. */
  private answerOfServer(setup: SimulationSetup, request: Request): DefiniteAnswer | undefined {
    const runs = enumerateRuns((oracle) => this.answerRun(setup, request, oracle)) ?? [];
    const run = pickMostInformative(runs);
    if (run === undefined || (run.undecidable !== undefined && !leavesDestination(run.undecidable))) return undefined;
    const isPlain = request.scheme === "https" && !this.isPart && this.isTlsUnknown(setup, request);
    return isPlain ? undefined : run.result;
  }

  /** Explains an answer by its most informative run. */
  private explain(
    setup: SimulationSetup,
    request: Request,
    runs: readonly OracleRun<DefiniteAnswer>[],
    { status, unknownFacts }: AnswerParts,
  ): Explanation {
    const shown = pickMostInformative(runs)?.result ?? this.answerRun(setup, request, new Oracle(new Map()));
    // A backend chooses its status itself.
    const logged = shown.answeredBy === "backend" ? undefined : status;
    const others = (runs.length > 1 ? runs : []).map(({ result }) => {
      return { errorLog: result.errorLog, accessLog: result.accessLogWith(logged) };
    });
    const isUnsettled = runs.some(({ undecidable }) => undecidable !== undefined);
    const isHidden = runs.some(({ undecidable }) => undecidable !== undefined && !leavesDestination(undecidable));
    const isByUsual = runs.every(({ answers }) => [...answers.keys()].every(hasUsualAnswer));
    // Where the lines of a part lead is shown for the usual case, and so is what depends on files only.
    const usual = isUnsettled || isByUsual ? (runs.toSorted(compareRuns)[0]?.result ?? shown) : shown;
    const [errorLog, accessLog] = [shown.errorLog, usual.accessLogWith(logged)];
    const isOther = (other: (typeof others)[number]) =>
      other.accessLog !== accessLog || String(other.errorLog) !== String(errorLog);
    return {
      cases: listCases(runs),
      isForDefaultHost: isForDefaultHost(request, setup.servers),
      causes: isHidden ? emptyList : usual.causes,
      loop: isHidden ? undefined : this.findLoop(setup, request, usual),
      misses: shown.misses,
      accessLog,
      errorLog:
        unknownFacts.length === 0
          ? errorLog
          : errorLog.filter((line) => !isUnsettled && others.every((other) => other.errorLog.includes(line))),
      logsMayDiffer: mayLogDifferently(shown.outcome, setup) || isUnsettled || others.some(isOther),
      trace: shown.trace,
      places: isUnsettled ? emptyList : placesOf(usual.outcome, usual.causes),
      leadPlaces: isUnsettled || usual.causes.some(({ line }) => line) ? emptyList : leadLinesOf(usual.outcome, setup),
      responseLines: isHidden ? undefined : responseLinesOf(usual.outcome, setup.project),
      sentHeaders: isHidden ? undefined : sentHeadersOf(usual.outcome, setup.project),
      notes: shown.notes,
    };
  }
}

function filesFor(project: Project, files: FileTree): FileTree {
  return project.isPart && project.read.kind === "fragment" ? limitToFragment(project.read, files) : files;
}

const emptyList: readonly never[] = [];

/** Unread parts of the main files may affect any request. */
const unreadReasonOf = memoize(({ problems }: Project) => {
  const part = findUnreadPart(problems);
  return part && unknownFact("unread-lines", part.problem);
});

/** Returns an answer that depends on an unknown fact. */
function unknownAnswer(what: UnknownFact): AnswerParts {
  return {
    ...{ status: undefined, class: "unknown", access: "unknown", log: emptyList, decidedBy: emptyList },
    ...{ answeredBy: undefined, servedPath: undefined, alternatives: emptyList, unknownFacts: [what] },
  };
}

function certainAnswer({
  status,
  class: decided,
  access,
  log,
  decidedBy,
  answeredBy,
  servedPath,
}: DefiniteAnswer): AnswerParts {
  return {
    ...{ status, class: decided, access, log, decidedBy, answeredBy, servedPath },
    ...{ alternatives: emptyList, unknownFacts: emptyList },
  };
}

/** Combines the answers of all runs into one. */
function combineRuns(runs: readonly OracleRun<DefiniteAnswer>[]): AnswerParts {
  const best = pickMostInformative(runs)?.result;
  if (best === undefined) return unknownAnswer(unknownFact("too-many-facts"));
  for (const { undecidable } of runs) if (undecidable !== undefined) return unknownAnswer(undecidable);
  if (runs.length === 1) return certainAnswer(best);
  const alternatives = listAlternatives(runs);
  if (alternatives.length === 1) return certainAnswer(best);
  const [first] = alternatives;
  const isShared = (part: (each: Alternative) => unknown) =>
    first !== undefined && alternatives.every((each) => part(each) === part(first));
  return {
    status: isShared(({ status }) => status) ? best.status : undefined,
    class: isShared((each) => each.class) ? best.class : "unknown",
    access: isShared(({ access }) => access) ? best.access : "unknown",
    log: isShared(({ log }) => String(log)) ? best.log : [],
    decidedBy: best.decidedBy,
    answeredBy: undefined,
    servedPath: undefined,
    alternatives,
    unknownFacts: [...new Set(alternatives.flatMap(({ when }) => when.map(({ fact }) => fact)))],
  };
}

const ranks = { file: 0, directory: 1, unknown: 2, missing: 3 } as const;

/**
 * Ranks runs, the usual one first: the requested file exists and is not a directory, and the target of a rule is a URL
 * path, although mod_rewrite looks for it in the root directory of the machine first. An Alias does not hide a file of the
 * document root with one of the same name.
 */
function rankOf({ result, answers }: OracleRun<DefiniteAnswer>): number {
  const { pass } = result;
  const isInRoot = pass !== undefined && passesOf(pass).some(({ mapping }) => leadsToRoot(mapping, answers));
  const kind = pass?.walked?.kind ?? "missing";
  // Who asks for a file of the document root has none of the name in the directory of an Alias.
  const isHiding = kind !== "missing" && pass !== undefined && findHiddenFile(pass, result.setup.files) !== undefined;
  const isUrlOnDisk = pass !== undefined && passesOf(pass).some((each) => takesUrlForFile(each, answers));
  return ranks[kind] + (isInRoot || isHiding || isUrlOnDisk ? Object.keys(ranks).length : 0);
}

/** Reports whether a rule leads to a path in the root directory, other than in a usual directory there. */
function leadsToRoot(mapping: UrlMapping, answers: ReadonlyMap<UnknownFact, boolean>): boolean {
  if (mapping.kind !== "file" || mapping.by?.key !== "rewriterule") return false;
  const [, name = ""] = mapping.filename.split("/");
  return answers.get(unknownFact("exists", `/${name}`)) === true && !rootDirectories.has(name);
}

/**
 * Reports whether the disk has the path of a URL, which leads to another file: before httpd maps a URL, a rule that tests
 * `%{REQUEST_FILENAME}` tests that path (mod_rewrite.c `lookup_variable`).
 */
function takesUrlForFile({ path, mapping }: Pass, answers: ReadonlyMap<UnknownFact, boolean>): boolean {
  if (mapping.kind === "file" && mapping.filename === path) return false;
  const [, name = ""] = path.split("/");
  return answers.get(unknownFact("exists", path)) === true && !rootDirectories.has(name);
}

/** The directories of a root directory (Filesystem Hierarchy Standard). */
const rootDirectories: ReadonlySet<string> = new Set([
  ...["bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt"],
  ...["proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var"],
]);

/**
 * Counts the facts of a run that are unusual: a file that does not exist, or is a directory, an error document that sets
 * another status, and what seldom holds.
 */
function countUnusual({ answers }: OracleRun<DefiniteAnswer>): number {
  return [...answers].filter(([fact, answer]) =>
    answer ? isFact(fact, "is-directory", "status-by-document") || isUnusual(fact) : isFact(fact, "exists"),
  ).length;
}

/** Compares runs, the usual one first. */
function compareRuns(one: OracleRun<DefiniteAnswer>, other: OracleRun<DefiniteAnswer>): number {
  return rankOf(one) - rankOf(other) || countUnusual(one) - countUnusual(other);
}

/** Returns the run in which most of the requested files exist. */
function pickMostInformative(runs: readonly OracleRun<DefiniteAnswer>[]): OracleRun<DefiniteAnswer> | undefined {
  let best = runs[0];
  if (runs.length > 1) for (const each of runs) if (best && rankOf(each) < rankOf(best)) best = each;
  return best;
}

type BranchTree =
  | { readonly run: OracleRun<DefiniteAnswer>; readonly key: string }
  | { readonly fact: UnknownFact; readonly yes: BranchTree; readonly no: BranchTree; readonly key: string };

/** A run that stands for all with the same result, and a shortest list of conditions for it. */
interface DistinctRun {
  readonly run: OracleRun<DefiniteAnswer>;
  readonly when: readonly FactCondition[];
}

/** Returns the runs with distinct results. Facts that do not affect the result are left out. */
function distinguishRuns(
  runs: readonly OracleRun<DefiniteAnswer>[],
  keyOf: (run: OracleRun<DefiniteAnswer>) => string,
): readonly DistinctRun[] {
  const found = new Map<string, DistinctRun>();
  const walk = (tree: BranchTree, when: readonly FactCondition[]) => {
    if ("fact" in tree) {
      walk(tree.yes, [...when, { fact: tree.fact, answer: true }]);
      walk(tree.no, [...when, { fact: tree.fact, answer: false }]);
      return;
    }
    const before = found.get(tree.key);
    if (before === undefined || before.when.length > when.length) found.set(tree.key, { run: tree.run, when });
  };
  const tree = branchTreeOf(runs, 0, keyOf);
  if (tree) walk(tree, []);
  return [...found.values()];
}

/**
 * Returns the distinct answers of some runs, with the conditions of each.
 *
 * @param runs one for each combination of facts
 */
function listAlternatives(runs: readonly OracleRun<DefiniteAnswer>[]): readonly Alternative[] {
  return distinguishRuns(runs, answerKeyOf).map(({ run, when }) => {
    const { status, class: decided, access, log, decidedBy } = run.result;
    return { status, class: decided, access, log, decidedBy, when };
  });
}

/** Returns what happens in each distinct case, the usual one first. */
function listCases(runs: readonly OracleRun<DefiniteAnswer>[]): readonly AnswerCase[] {
  const keyOf = (run: OracleRun<DefiniteAnswer>) =>
    JSON.stringify([answerKeyOf(run), run.result.destination, run.undecidable]);
  const usual = new Map<string, OracleRun<DefiniteAnswer>>();
  for (const run of runs.toSorted(compareRuns)) if (!usual.has(keyOf(run))) usual.set(keyOf(run), run);
  const distinct = distinguishRuns(runs, keyOf).map(({ run, when }) => ({ run: usual.get(keyOf(run)) ?? run, when }));
  return distinct
    .toSorted((one, other) => compareRuns(one.run, other.run))
    .map(({ run: { result, undecidable }, when }) => {
      const { status, class: decided, access, log, decidedBy, answeredBy, destination, replaced, document } = result;
      const of = { status, class: decided, access, log, decidedBy, answeredBy, destination, replaced, document };
      return { ...of, refusal: result.refusal, when, open: undecidable };
    });
}

/** Builds a decision tree: groups runs with the same earlier answers by their next fact. */
function branchTreeOf(
  runs: readonly OracleRun<DefiniteAnswer>[],
  depth: number,
  keyOf: (run: OracleRun<DefiniteAnswer>) => string,
): BranchTree | undefined {
  const [first] = runs;
  if (first === undefined) return undefined;
  const fact = [...first.answers.keys()][depth];
  if (fact === undefined) return { run: first, key: keyOf(first) };
  const answered = (answer: boolean) => runs.filter((run) => run.answers.get(fact) === answer);
  const yes = branchTreeOf(answered(true), depth + 1, keyOf);
  const no = branchTreeOf(answered(false), depth + 1, keyOf);
  if (yes === undefined || no === undefined) return yes ?? no;
  return yes.key === no.key ? yes : { fact, yes, no, key: `${fact}?(${yes.key}):(${no.key})` };
}

function answerKeyOf({ result: { status, accessStatus, log } }: OracleRun<DefiniteAnswer>): string {
  return `${status} ${accessStatus} ${log.join(" ")}`;
}
