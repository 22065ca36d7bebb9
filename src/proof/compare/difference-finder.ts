import type { Directive } from "../../config/model/directive.js";
import { findUnreadPart } from "../../config/refusals/refusal.js";
import { listUncomparedRequests, listUnprovedRequests } from "../../facts/behaviours.js";
import type { PatternTest } from "../../regex/pcre/comparison.js";
import { OWN_ADDRESS } from "../../server/access/clients-and-methods.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { accessChangeOf, answerClassOf, type ShownAnswer } from "../../server/model/answer-class.js";
import type { RequestModel } from "../../server/model/atoms.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import { isFact, type UnknownFact } from "../../server/model/unknown-facts.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { groupByHeader, haveNoValue, type TestedHeader } from "../clients/header-values.js";
import {
  accessesOfSides,
  concretizeRequest,
  findOtherUserSource,
  isOtherAnswer,
  type ObservedAnswer,
  type ObservedSide,
} from "../clients/observe.js";
import { type ClientPolicy, isUnreadPattern } from "../clients/policy.js";
import { findCandidateHeaders, replayRequest } from "../clients/replay.js";
import type {
  Assumptions,
  ConfigComparison,
  Difference,
  DifferenceInstance,
  DifferenceRegion,
  ServerProofs,
} from "../model/comparison.js";
import type { PathClass, PathWalk, WalkedPath, WalkKind } from "../model/path-class.js";
import { mapPair, Numbering, type Pair, type ServerPair } from "../model/server-pairs.js";
import { reasonFor, type UnprovedReason } from "../model/unproved-reasons.js";
import type { Diagram } from "../requests/bdd.js";
import { atomsOfPredicate, type SymbolTable } from "../requests/symbol-table.js";
import { findUnprovedDifferences } from "./closed-world.js";
import { createDifferingClients, type DifferingClients, joinClients, mattersAsMuch } from "./differing-clients.js";
import type { Exploration } from "./exploration.js";
import type { ExplorationVisitor, PathPartitionResult, RequestClass, RequestClassPolicy } from "./explored-requests.js";
import { areForwardedAlike } from "./forwarded-requests.js";
import { findCandidateHosts, hostHeadersOf } from "./host-headers.js";
import type { TemplateInstance } from "./host-templates.js";
import { prepareSide } from "./observed-sides.js";
import type { Renaming } from "./renaming.js";
import { findCandidatePaths, type SentPath } from "./sent-paths.js";
import { UnprovedReasons } from "./unproved.js";
import { findUnprovedUserHtaccess, isUserDirOpen } from "./user-htaccess.js";

interface FoundDifference {
  difference: ConfirmedDifference;
  /** The requests of the example. */
  example: RequestClass;
  readonly regions: FoundRegion[];
  readonly instances: DifferenceInstance[];
}

type ConfirmedDifference = Omit<Difference, "regions" | "instances">;

type FoundRegion = DifferenceRegion & { readonly alike: TemplateInstance[] };

const tooManyClients = reasonFor("too-many-clients");

/** Finds the differences between the two sides of an exploration. */
export class DifferenceFinder implements ExplorationVisitor {
  /** For replaying the differences found: these sides record nothing. */
  private readonly replaySides: Pair<ObservedSide>;
  /** By the deciding lines and results of both sides. */
  private readonly found = new Map<string, FoundDifference>();
  /** The differences at each pair of servers. */
  private readonly byPair = new Map<ServerPair, Set<FoundDifference>>();
  private readonly unproved = new UnprovedReasons("comparison");
  /** The pairs of servers about which something could not be proved. */
  private readonly open = new Set<ServerPair>();
  /** Whether something could not be proved that may concern any pair. */
  private readonly isOpenEverywhere: boolean;
  /** The results of header tests that no request to a pair of servers can have. */
  private readonly impossible = new Map<ServerPair, Map<string, readonly TestedHeader[]>>();
  /** The pairs of servers with differing clients that a test of the Host header distinguishes. */
  private readonly testingHosts = new Set<ServerPair>();
  private readonly hostHeaders = memoize((pair: ServerPair) =>
    hostHeadersOf(
      pair,
      mapPair(this.exploration.sides, ({ project }) => project),
    ),
  );
  private readonly numbers = new Numbering<Directive>();
  private serverPairs = 0;
  private pathClasses = 0;

  constructor(private readonly exploration: Exploration) {
    const [before, after] = exploration.sides;
    for (const directive of exploration.unreadMethods)
      this.unproved.add({
        reason: reasonFor("unread-methods"),
        directive,
        example: undefined,
      });
    if (!exploration.hasAllServerPairs) this.unproved.addMoreEntryPoints(exploration.startedWithoutBudget);
    const ofForwarded = reasonFor("forward-proxy");
    for (const each of findUnprovedDifferences(before.project, after.project))
      if (each.reason !== ofForwarded || !areForwardedAlike(exploration)) this.unproved.add(each);
    for (const requests of listUnprovedRequests(before.project.release, after.project.release))
      this.unproved.add({
        reason: reasonFor("requests-of-versions", requests),
        directive: undefined,
        example: undefined,
      });
    this.isOpenEverywhere = this.unproved.all.length > 0 || this.isPartlyRead;
    this.replaySides = mapPair(exploration.sides, (side) => prepareSide(side, new Set()));
  }

  comparison(): ConfigComparison {
    const { serverPairs, pathClasses } = this;
    const { methods } = this.exploration;
    const differences = [...this.found.values()].map(({ difference, regions, instances }) => ({
      ...difference,
      ...{ regions, instances },
    }));
    const unproved = this.unproved.all;
    const isUnknown = unproved.length > 0 && (differences.length === 0 || this.isPartlyRead);
    const verdict = isUnknown ? "unknown" : differences.length > 0 ? "different" : "equivalent";
    const byServer = this.proofsByServer();
    const [before, after] = this.exploration.sides;
    const uncomparedRequests = listUncomparedRequests(before.project.release, after.project.release);
    const isOnlyOfUsers = unproved.length > 0 && unproved.every(({ directive }) => directive?.key === "userdir");
    return {
      ...{ verdict, differences, unproved, methods, uncomparedRequests, serverPairs, pathClasses },
      ...(byServer && { byServer }),
      ...(isOnlyOfUsers && differences.length === 0 ? { provedExcept: "user-directories" } : {}),
    };
  }

  private proofsByServer(): ServerProofs | undefined {
    const all = this.exploration.serverPairs;
    const proved = all.filter((pair) => !this.open.has(pair) && !this.byPair.has(pair));
    if (this.isOpenEverywhere || this.open.size === 0 || proved.length === 0) return undefined;
    return { proved, open: all.filter((pair) => this.open.has(pair)), all: all.length };
  }

  /** Whether something unread may affect any request: the differences may not be real. */
  private get isPartlyRead(): boolean {
    return this.exploration.sides.some(({ project }) => findUnreadPart(project.problems) !== undefined);
  }

  visitPartition(pair: ServerPair, partition: PathPartitionResult): void {
    if (partition !== "out of steps") this.serverPairs++;
    if (typeof partition === "string" || partition.inexact.length > 0) this.open.add(pair);
    this.unproved.addPathClasses(partition, pair, this.exploration);
    const [before, after] = this.exploration.sides;
    if (isUserDirOpen(partition)) return;
    const ofUsers = findUnprovedUserHtaccess(pair, [before.project, after.project]);
    if (ofUsers === undefined) return;
    this.open.add(pair);
    this.unproved.add(ofUsers);
  }

  visitIncomplete(pair: ServerPair): void {
    this.open.add(pair);
    this.unproved.addIncomplete(pair, this.exploration);
  }

  /** Takes over the differences of the representative if the simulator confirms the example of each. */
  visitInstance(instance: TemplateInstance): boolean {
    const { representative, renaming } = instance;
    // The Host header has any value at one of them only.
    const isOpen = (pair: ServerPair) => this.hostHeaders(pair).length === 0;
    if (this.testingHosts.has(representative) && isOpen(representative) !== isOpen(instance.pair)) return false;
    for (const tested of this.impossible.get(representative)?.values() ?? [])
      if (
        !haveNoValue(
          tested.map((each) => renameTest(each, renaming)),
          this.possibleValues(tested, instance.pair),
        )
      )
        return false;
    const confirmed: { readonly found: FoundDifference; readonly made: DifferenceInstance | undefined }[] = [];
    for (const found of this.byPair.get(representative) ?? []) {
      const isOwn = found.example.pair === representative;
      const made = isOwn ? this.confirmInstance(found, instance) : undefined;
      if (isOwn && made === undefined) return false;
      confirmed.push({ found, made });
    }
    this.serverPairs++;
    if (this.open.has(representative)) this.open.add(instance.pair);
    for (const { found, made } of confirmed) {
      getOrCreate(this.byPair, instance.pair, () => new Set()).add(found);
      if (made) found.instances.push(made);
      for (const region of found.regions) if (region.pair === representative) region.alike.push(instance);
    }
    return true;
  }

  /** Returns a difference with the constants of another host, if the simulator decides its example in the same way. */
  private confirmInstance(
    { difference, example }: FoundDifference,
    { pair, renaming }: TemplateInstance,
  ): DifferenceInstance | undefined {
    const renamed = renaming.request(difference.request, pair.entryPoints[0]);
    const { host } = difference.request;
    // It may have another name of the server.
    const isUsual = host === undefined || host === example.pair.entryPoints[0]?.host;
    const request = isUsual ? renamed : { ...renamed, host: renaming.text(host) };
    if (!isUsual && !this.isReachedBy(request, pair)) return undefined;
    const assumptions = renaming.assumptions(difference.assumptions);
    const answers = mapPair(this.replaySides, (side, index) => {
      const walk = renaming.walk(example.pathClass.walks[index]);
      return replayRequest(side, request, assumptions, this.exploration.observed.knownFilesOf(pair, walk, index));
    });
    const [before, after] = toShown(answers);
    if (before?.access !== difference.before.access || after?.access !== difference.after.access) return undefined;
    return { pair, request, assumptions, before, after };
  }

  visitPathClass(_: PathClass, policies: readonly RequestClassPolicy[]): void {
    this.pathClasses++;
    for (const { requests, policy } of policies) {
      if (policy === "too large") this.addTooLarge(requests);
      else
        for (const [key, clients] of this.findDifferingClients(requests, policy))
          this.addDifference(requests, policy.symbols, key, clients);
    }
  }

  /** Returns the clients with different results, by the deciding lines and results of both sides. */
  private findDifferingClients(
    requests: RequestClass,
    { symbols, blocks }: ClientPolicy,
  ): ReadonlyMap<string, DifferingClients> {
    const found = new Map<string, DifferingClients>();
    for (const { when, results } of blocks) {
      const [before, after = before] = results;
      if (before === undefined || after === undefined) continue;
      const reason = before.unprovedReason ?? after.unprovedReason;
      const source = findOtherUserSource(before, after);
      if (reason !== undefined) this.addUnproved(requests, reason, before);
      else if (source && !isOtherAnswer(before, after)) {
        this.open.add(requests.pair);
        this.unproved.addFirst({
          reason: reasonFor("user-files"),
          directive: source.by ?? before.decidedBy[0],
          example: requests.target.path,
        });
      } else if (isOtherAnswer(before, after)) {
        const key = [before, after].map((each) => `${each.access} ${this.numbersOf(each.decidedBy)}`).join(" ");
        const clients = createDifferingClients(when, [before, after]);
        const known = found.get(key);
        found.set(key, known ? joinClients(known, clients, symbols) : clients);
      }
    }
    return found;
  }

  /** @param key equal for all requests that the same lines decide with the same result */
  private addDifference(requests: RequestClass, symbols: SymbolTable, key: string, clients: DifferingClients): void {
    const {
      change,
      changed,
      results: [before],
    } = clients;
    const certain = this.withoutUnreadPatterns(requests, symbols, clients);
    const when = certain && this.withoutImpossibleHeaders(requests, symbols, certain, clients);
    if (when === undefined) return;
    const { pair, pathClass, target } = requests;
    const region = { pair, pathClass, method: target.method, symbols, when, alike: [] };
    const known = this.found.get(key);
    if (known && mattersAsMuch(known.difference.change, change)) {
      this.addRegion(known, region);
      return;
    }
    const shown = symbols.diagrams.and(when, changed);
    const model = shown === "too large" ? shown : symbols.witness(symbols.diagrams.isFalse(shown) ? when : shown);
    if (model === undefined || model === "too large") {
      this.addUnproved(requests, reasonFor("no-example"), before);
      return;
    }
    const difference = this.confirmCounterexample(requests, symbols, model, clients.results);
    if (difference) {
      const found: FoundDifference = known ?? { difference, example: requests, regions: [], instances: [] };
      this.found.set(key, Object.assign(found, { difference, example: requests }));
      this.addRegion(found, region);
    } else {
      const [fact] = [...model.facts, ...clients.results.flatMap((each) => [...each.pathTests.keys()])];
      const isOfFiles = !areConsistent(pathClass.walks);
      const ofClient = fact === undefined ? reasonFor("no-example-of-client") : reasonFor("no-example-depends", fact);
      const reason = isOfFiles ? reasonFor("files-of-both-sides") : ofClient;
      this.addUnproved(requests, reason, before);
    }
  }

  private addRegion(found: FoundDifference, region: FoundRegion): void {
    found.regions.push(region);
    getOrCreate(this.byPair, region.pair, () => new Set()).add(found);
  }

  /** Returns those of the clients whose results do not depend on unread patterns; undefined if there are none. */
  private withoutUnreadPatterns(
    requests: RequestClass,
    symbols: SymbolTable,
    { when, results: [before] }: DifferingClients,
  ): Diagram | undefined {
    const { diagrams } = symbols;
    if (when === "too large") {
      this.addUnproved(requests, tooManyClients, before);
      return undefined;
    }
    const unread = symbols.atoms.filter(isUnreadPattern);
    const certain = unread.length === 0 ? when : symbols.forgetFacts(when, unread);
    const rest = diagrams.without(when, certain);
    if (rest === "too large" || !diagrams.isFalse(rest)) {
      const [first] = unread;
      this.addUnproved(
        requests,
        first?.kind === "fact" ? reasonFor("result-depends", first.fact) : tooManyClients,
        before,
      );
    }
    return certain === "too large" || diagrams.isFalse(certain) ? undefined : certain;
  }

  /**
   * Returns those of the clients that can send headers with their results of tests; undefined if there are none. The names of
   * a server limit the Host header.
   */
  private withoutImpossibleHeaders(
    { pair }: RequestClass,
    symbols: SymbolTable,
    clients: Diagram,
    { results }: DifferingClients,
  ): Diagram | undefined {
    const tests = keepRead(
      results.map(({ headerTests }) => headerTests),
      symbols,
    );
    if ([...tests.values()].some(isOfHost)) this.testingHosts.add(pair);
    const { diagrams } = symbols;
    let when = clients;
    for (let tries = 0; tests.size > 0 && tries < MAX_IMPOSSIBLE; tries++) {
      const model = symbols.witness(when);
      if (model === undefined || model === "too large") return when;
      const tested = [...groupByHeader(tests, model.facts).values()].find((each) =>
        haveNoValue(each, this.possibleValues(each, pair)),
      );
      if (tested === undefined) return when;
      const facts = new Set(tested.map(({ fact }) => fact));
      const alike = symbols.atoms.flatMap((atom) => {
        if (atom.kind !== "fact" || !facts.has(atom.fact)) return [];
        const formula = symbols.formulaOf(atom);
        return [model.facts.has(atom.fact) ? formula : diagrams.not(formula)];
      });
      const rest = diagrams.without(when, diagrams.and(...alike));
      if (rest === "too large" || rest === when) return when;
      const key = JSON.stringify(tested.map(({ fact, holds }) => [fact, holds]));
      getOrCreate(this.impossible, pair, () => new Map()).set(key, tested);
      if (diagrams.isFalse(rest)) return undefined;
      when = rest;
    }
    return when;
  }

  /** Returns a request of a model, with the headers that it needs, that still gets different results when replayed. */
  private confirmCounterexample(
    { pair, target, knownFiles, pathClass }: RequestClass,
    symbols: SymbolTable,
    model: RequestModel,
    probed: Pair<ObservedAnswer>,
  ): ConfirmedDifference | undefined {
    const headerTests = keepRead(
      mapPair(probed, (each) => each.headerTests),
      symbols,
    );
    const pathTests = keepRead(
      mapPair(probed, (each) => each.pathTests),
      symbols,
    );
    const sender = concretizeRequest(model, target);
    const plain = model.facts.has(OWN_ADDRESS) ? { ...sender, serverIp: sender.clientIp } : sender;
    const ofHost = groupByHeader(headerTests, model.facts).get("host") ?? [];
    const ofSender = findCandidateHosts(pair, ofHost, this.hostHeaders(pair)).flatMap((host) =>
      findCandidateHeaders(headerTests, model.facts).map((headers) => ({ host, headers })),
    );
    const ofPath =
      pathTests.size === 0
        ? [{ sent: plain.path, resolved: pathClass }]
        : findCandidatePaths(pathClass, pathTests, model.facts);
    for (const { sent, walks, isOfClass } of walksOfPaths(ofPath)) {
      const known =
        walks === pathClass.walks
          ? knownFiles
          : mapPair(knownFiles, (_, side) => this.exploration.observed.knownFilesOf(pair, walks[side], side));
      for (const { host, headers } of ofSender) {
        const here = { ...plain, path: sent };
        const named = host === undefined || host === plain.host ? here : { ...here, host };
        if (named !== here && !this.isReachedBy(named, pair)) continue;
        const request = Object.keys(headers).length === 0 ? named : { ...named, headers };
        const [before, after] = toShown(
          mapPair(this.replaySides, (side, index) => replayRequest(side, request, model, known[index])),
        );
        if (!before || !after || before.access === after.access) continue;
        if (isOfClass && (before.access !== probed[0].access || after.access !== probed[1].access)) continue;
        const assumptions = assumptionsIn(
          model,
          request,
          new Set([...headerTests.keys(), ...pathTests.keys()]),
          probed,
        );
        const change = accessChangeOf(answerClassOf(before.status), answerClassOf(after.status));
        return { request, before, after, change, assumptions, files: filesIn(model, walks, probed) };
      }
    }
    return undefined;
  }

  /** Returns tests that the possible values of a tested header pass. */
  private possibleValues([first]: readonly TestedHeader[], pair: ServerPair): readonly PatternTest[] {
    return first && isOfHost(first.test) ? this.hostHeaders(pair) : [];
  }

  /** Reports whether a request goes to a pair of servers. */
  private isReachedBy(request: Request, { servers }: ServerPair): boolean {
    const { prepared } = this.exploration.observed;
    return prepared.every(
      ({ setup }, side) => setup.servers.serverOf(request, new Oracle(new Map())) === servers[side],
    );
  }

  private addTooLarge({ pair, target, pathClass }: RequestClass): void {
    this.open.add(pair);
    const directive = pathClass.sections.flat().at(-1);
    this.unproved.add({ reason: tooManyClients, directive, example: target.path });
  }

  private addUnproved(
    { pair, target, pathClass }: RequestClass,
    reason: UnprovedReason,
    { decidedBy }: ObservedAnswer,
  ): void {
    this.open.add(pair);
    this.unproved.add({ reason, directive: decidedBy[0] ?? pathClass.sections.flat().at(-1), example: target.path });
  }

  private numbersOf(directives: readonly Directive[]): string {
    return [...new Set(directives)].map((each) => this.numbers.of(each)).join(",");
  }
}

/** Maximum number of impossible results of header tests that are left out of one difference. */
const MAX_IMPOSSIBLE = 32;

function isOfHost({ header }: TestedHeader["test"]): boolean {
  return header.toLowerCase() === "host";
}

function renameTest(tested: TestedHeader, renaming: Renaming): TestedHeader {
  const { pattern, text } = tested.test;
  const renamed = {
    ...(pattern === undefined ? {} : { pattern: renaming.text(pattern) }),
    ...(text === undefined ? {} : { text: renaming.text(text) }),
  };
  return { ...tested, test: { ...tested.test, ...renamed } };
}

/** Returns the answers of two sides for display; undefined if something unknown decides. */
function toShown(answers: Pair<DefiniteAnswer>): Pair<ShownAnswer | undefined> {
  const accesses = accessesOfSides(answers);
  const isAccessAlike = answers[0].access === answers[1].access;
  return mapPair(answers, (answer, side) => {
    // httpd determines the type of a file after it has checked access.
    const deciding = isAccessAlike
      ? answer.unknownFacts
      : answer.unknownFacts.filter((fact) => !isFact(fact, "types-file"));
    if (deciding.length > 0) return undefined;
    const shown = answer.toShown();
    // Only the handlers differ.
    const byHandler = isAccessAlike && answer.handlerLine ? [answer.handlerLine] : shown.decidedBy;
    return { ...shown, decidedBy: byHandler, access: accesses[side] };
  });
}

/**
 * Returns each path with the walks of both sides that one file system may have. If those of its class contradict each other,
 * it has what one of them finds.
 */
function* walksOfPaths(paths: Iterable<SentPath>) {
  for (const { sent, resolved } of paths) {
    const { walks } = resolved;
    if (areConsistent(walks)) yield { sent, walks, isOfClass: true };
    else for (const each of walks) yield { sent, walks: [each, each], isOfClass: false };
  }
}

/** Reports whether one file system may have what the walks of both sides find. */
function areConsistent([before, after]: WalkedPath["walks"]): boolean {
  return !before || !after || (isConsistent(before, after) && isConsistent(after, before));
}

/** Reports whether one walk leaves open what another finds, or finds the same: only directories have files in them. */
function isConsistent(walk: PathWalk, other: PathWalk): boolean {
  if (walk.filename === other.filename) return walk.kind === other.kind;
  return walk.kind === "directory" || !other.filename.startsWith(`${walk.filename}/`);
}

/**
 * Returns what exists at the end of the walks of a path class, and at the other paths that were read. Only what exists is asked
 * whether it is a directory.
 */
function filesIn(
  { files }: RequestModel,
  walks: WalkedPath["walks"],
  probed: Pair<ObservedAnswer>,
): ReadonlyMap<string, WalkKind> {
  const found = new Map<string, WalkKind>();
  for (const walk of walks) if (walk) found.set(walk.filename, walk.kind);
  for (const { predicate } of probed.flatMap(({ observations }) => observations))
    for (const atom of atomsOfPredicate(predicate))
      if (atom.kind === "exists") found.set(atom.path, found.get(atom.path) ?? files.get(atom.path) ?? "missing");
  return found;
}

/** Returns the parts of a model that were read and that the request does not contain itself, and the facts that select its host. */
function assumptionsIn(
  { files, facts }: RequestModel,
  { nameFacts = new Set() }: Request,
  testsOfRequest: ReadonlySet<UnknownFact>,
  probed: Pair<ObservedAnswer>,
): Assumptions {
  const paths = new Set<string>();
  const readFacts = new Set<UnknownFact>();
  for (const { predicate } of probed.flatMap(({ observations }) => observations))
    for (const atom of atomsOfPredicate(predicate)) {
      if (atom.kind === "exists") paths.add(atom.path);
      if (atom.kind === "fact") readFacts.add(atom.fact);
    }
  return {
    files: new Map([...files].filter(([path]) => paths.has(path))),
    // Tests of the headers and the path follow from the request, and so do the changed headers.
    facts: new Set([
      ...nameFacts,
      ...[...facts].filter(
        (fact) => readFacts.has(fact) && !testsOfRequest.has(fact) && !isFact(fact, "after-header-change"),
      ),
    ]),
  };
}

/**
 * Returns the tests whose results any answer depends on. A model has no result for the others, such as those of lines that
 * set a variable which nothing reads.
 */
function keepRead<T>(
  tests: readonly ReadonlyMap<UnknownFact, T>[],
  { atoms }: SymbolTable,
): ReadonlyMap<UnknownFact, T> {
  const read = new Set(atoms.flatMap((atom) => (atom.kind === "fact" ? [atom.fact] : [])));
  return new Map(tests.flatMap((each) => [...each].filter(([fact]) => read.has(fact))));
}
