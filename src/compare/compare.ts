import { OWN_ADDRESS_QUESTION } from "../access/model/clients-and-methods.js";
import type { HeaderTest } from "../httpd/model/dependency-tracker.js";
import type { Request } from "../httpd/model/request.js";
import type { Diagram, BddResult as Where } from "../logic/bdd/bdd.js";
import type { BudgetExceeded, StepBudget } from "../logic/budget.js";
import type { Observation, RequestModel } from "../logic/symbolic/atoms.js";
import { atomsOfPredicate, type SymbolTable } from "../logic/symbolic/symbol-table.js";
import type { Directive } from "../project/model/directive.js";
import { findUnreadPart } from "../project/model/problems.js";
import type { KnownDecisionClass } from "../simulate/model/decision.js";
import {
  type Exploration,
  type ExplorationPart,
  type ExplorationVisitor,
  type ExploredClasses,
  type PartPolicy,
  prepareSide,
  type Side,
  startExploration,
} from "./exploration.js";
import { defaultBudget, type SurveyBudget } from "./model/budget.js";
import { mapPair, Numbering, type Pair, type ServerPair } from "./model/server-pairs.js";
import type { PathClass } from "./paths/path-partition.js";
import { type ClientPolicy, isUnreadPattern } from "./symbolic/policy.js";
import { concretizeRequest, type ProbedSide, type ProbeResult } from "./symbolic/probe.js";
import { findCandidateHeaders, type ReplayedVerdict, replayRequest } from "./symbolic/replay.js";
import { findUnmodelledDifferences } from "./unmodelled.js";
import { type Unproved, UnprovedReasons } from "./unproved.js";

/** Requests with different results. */
export interface DifferenceRegion {
  readonly pair: ServerPair;
  readonly cell: PathClass;
  readonly method: string;
  readonly universe: SymbolTable;
  /** The clients concerned, as a function in the symbol table. */
  readonly when: Diagram;
}

/** The files on the disk, and the facts that cannot be known. */
export type Assumptions = Pick<RequestModel, "files" | "terms">;

/** Requests with different results that the same lines decide on each side. */
export interface Difference {
  /** One of them, in a form that can be sent. */
  readonly request: Request;
  /** Assumptions for it beyond the request itself. */
  readonly given: Assumptions;
  readonly before: ReplayedVerdict;
  readonly after: ReplayedVerdict;
  readonly regions: readonly DifferenceRegion[];
}

export interface ConfigComparison {
  /** `unknown` if no difference was found and something could not be proved. */
  readonly verdict: "equivalent" | "different" | "unknown";
  readonly differences: readonly Difference[];
  readonly unproved: readonly Unproved[];
  /** The methods used: the last one represents all that no line names. */
  readonly methods: readonly string[];
  /** Number of explored pairs of servers and sets of paths. */
  readonly servers: number;
  readonly cells: number;
}

/**
 * Compares the results of two configurations for every request. Any file may exist on the disk, and any client may send
 * requests.
 *
 * @param shared steps shared with other comparisons, besides those of its budget
 */
export function compare(
  before: Side,
  after: Side,
  budget: SurveyBudget = defaultBudget,
  shared?: StepBudget,
): ConfigComparison {
  const survey = startExploration(before, after, budget, shared);
  const comparing = new DifferenceFinder(survey);
  survey.visit([comparing]);
  return comparing.comparison();
}

interface FoundDifference {
  readonly difference: Omit<Difference, "regions">;
  readonly regions: DifferenceRegion[];
}

type ConfirmedDifference = Pick<Difference, "request" | "before" | "after">;

/** Clients with different results, and one pair of results. */
interface DifferingClients {
  readonly when: Where;
  readonly old: ProbeResult;
  readonly now: ProbeResult;
}

/** Finds the differences between the two sides of an exploration. */
export class DifferenceFinder implements ExplorationVisitor {
  /** For replaying the differences found. */
  private readonly others: Pair<ProbedSide>;
  private readonly found = new Map<string, FoundDifference>();
  private readonly doubts = new UnprovedReasons();
  private readonly numbers = new Numbering<Directive>();
  private servers = 0;
  private cells = 0;

  constructor(private readonly survey: Exploration) {
    const [old, now] = survey.sides;
    for (const directive of survey.unreadMethods)
      this.doubts.add({
        reason: "methods that it tells apart are not all gone through",
        directive,
        example: undefined,
      });
    if (!survey.hasAllPairs) this.doubts.addMoreEntryPoints(survey.isSpentBefore);
    for (const each of findUnmodelledDifferences(old.project, now.project)) this.doubts.add(each);
    this.others = mapPair(survey.sides, (side) => prepareSide(side, new Set()));
  }

  comparison(): ConfigComparison {
    const { servers, cells } = this;
    const { methods } = this.survey;
    const differences = [...this.found.values()].map(({ difference, regions }) => ({ ...difference, regions }));
    const unproved = this.doubts.all;
    const isUnknown = unproved.length > 0 && (differences.length === 0 || this.isPartlyRead);
    const verdict = isUnknown ? "unknown" : differences.length > 0 ? "different" : "equivalent";
    return { verdict, differences, unproved, methods, servers, cells };
  }

  /** Whether something unread may affect any request: the differences may not be real. */
  private get isPartlyRead(): boolean {
    return this.survey.sides.some(({ project }) => findUnreadPart(project.problems) !== undefined);
  }

  pair(pair: ServerPair, cells: ExploredClasses): void {
    if (cells !== "out of steps") this.servers++;
    this.doubts.addPathClasses(cells, pair);
  }

  cell(policies: readonly PartPolicy[]): void {
    this.cells++;
    for (const { part, policy } of policies) this.comparePart(part, policy);
  }

  breakOff(pair: ServerPair): void {
    this.doubts.addIncomplete(pair);
  }

  private comparePart(part: ExplorationPart, policy: ClientPolicy | BudgetExceeded): void {
    if (policy !== "too large") {
      this.compareParts(part, policy);
      return;
    }
    const reason = "who gets what is more than can be gone through";
    this.doubts.add({ reason, directive: part.cell.sections.flat().at(-1), example: part.target.path });
  }

  private compareParts(part: ExplorationPart, { universe, parts }: ClientPolicy): void {
    const { diagrams } = universe;
    const whole = new Map<string, DifferingClients>();
    for (const { when, asked } of parts) {
      const [old, now = old] = asked;
      if (old === undefined || now === undefined) continue;
      const untold = old.unprovedReason ?? now.unprovedReason;
      if (untold !== undefined) this.addUnprovedPart(part, untold, old);
      else if (old.class !== now.class) {
        const key = [old, now].map((each) => `${each.class} ${this.numbersOf(each.by)}`).join(" ");
        const known = whole.get(key);
        whole.set(key, known ? { ...known, when: diagrams.or(known.when, when) } : { when, old, now });
      }
    }
    for (const [key, differing] of whole) this.addDifference(part, universe, key, differing);
  }

  /** @param key equal for all requests that the same lines decide with the same result */
  private addDifference(
    part: ExplorationPart,
    universe: SymbolTable,
    key: string,
    { when, old, now }: DifferingClients,
  ): void {
    const { diagrams } = universe;
    if (when === "too large") {
      this.addUnprovedPart(part, "who gets what is more than can be gone through", old);
      return;
    }
    const unread = universe.atoms.filter(isUnreadPattern);
    const certain = unread.length === 0 ? when : universe.forgetAspect(when, unread);
    const left = diagrams.without(when, certain);
    if (left === "too large" || !diagrams.isFalse(left)) {
      const [first] = unread;
      this.addUnprovedPart(part, `the answer hangs on ${first?.kind === "term" ? first.text : "its size"}`, old);
    }
    if (certain === "too large" || diagrams.isFalse(certain)) return;
    const region = { pair: part.pair, cell: part.cell, method: part.target.method, universe, when: certain };
    const known = this.found.get(key);
    if (known) {
      known.regions.push(region);
      return;
    }
    const situation = universe.witness(certain);
    if (situation === undefined || situation === "too large") {
      this.addUnprovedPart(part, "nobody is found for it", old);
      return;
    }
    const sent = new Map([...old.sent, ...now.sent]);
    const shown = this.confirmCounterexample(part, situation, sent, [old.class, now.class]);
    if (shown) {
      const given = assumptionsIn(situation, sent, [...old.seen, ...now.seen]);
      this.found.set(key, { difference: { ...shown, given }, regions: [region] });
    } else {
      const [term = "what a client sends"] = situation.terms;
      this.addUnprovedPart(part, `no request was found that shows it, since it hangs on ${term}`, old);
    }
  }

  /** Returns a request and a model that still give different results when replayed, with the headers needed. */
  private confirmCounterexample(
    part: ExplorationPart,
    situation: RequestModel,
    sent: ReadonlyMap<string, HeaderTest>,
    classes: Pair<KnownDecisionClass>,
  ): ConfirmedDifference | undefined {
    const sender = concretizeRequest(situation, part.target);
    const plain = situation.terms.has(OWN_ADDRESS_QUESTION) ? { ...sender, serverIp: sender.clientIp } : sender;
    for (const headers of findCandidateHeaders(sent, situation.terms)) {
      const request = Object.keys(headers).length === 0 ? plain : { ...plain, headers };
      const [before, after] = mapPair(this.others, (side, index) =>
        replayRequest(side, request, situation, part.known[index]),
      );
      if (before?.class === classes[0] && after?.class === classes[1]) return { request, before, after };
    }
    return undefined;
  }

  private addUnprovedPart({ target, cell }: ExplorationPart, reason: string, { by }: ProbeResult): void {
    this.doubts.add({ reason, directive: by[0] ?? cell.sections.flat().at(-1), example: target.path });
  }

  private numbersOf(directives: readonly Directive[]): string {
    return [...new Set(directives)].map((each) => this.numbers.of(each)).join(",");
  }
}

/** Returns the parts of a model that were read and that the request does not contain itself. */
function assumptionsIn(
  { files, terms }: RequestModel,
  sent: ReadonlyMap<string, unknown>,
  seen: readonly Observation[],
): Assumptions {
  const paths = new Set<string>();
  const asked = new Set<string>();
  for (const atom of seen.flatMap(({ predicate }) => atomsOfPredicate(predicate))) {
    if (atom.kind === "exists" || atom.kind === "directory") paths.add(atom.path);
    if (atom.kind === "term") asked.add(atom.text);
  }
  return {
    files: new Map([...files].filter(([path]) => paths.has(path))),
    terms: new Set([...terms].filter((term) => asked.has(term) && !sent.has(term))),
  };
}
