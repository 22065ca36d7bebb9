import { SERVERS_OWN } from "../access/clients.js";
import type { Seen, Situation } from "../logic/atoms.js";
import type { Diagram, Outcome as Where } from "../logic/bdd.js";
import type { Steps, TooLarge } from "../logic/budget.js";
import { atomsIn } from "../logic/looks.js";
import type { Universe } from "../logic/universe.js";
import type { Directive } from "../project/directive.js";
import { unreadPart } from "../project/problems.js";
import type { SentText } from "../scope/looks.js";
import type { Request } from "../scope/request.js";
import type { SettledClass } from "../simulate/decision.js";
import type { Asked, AskedSide } from "./asked.js";
import { Doubts, type Unproved } from "./doubts.js";
import { notGoneThrough } from "./not-gone-through.js";
import { Numbers } from "./numbers.js";
import type { PathCell } from "./path-cells.js";
import { asksForPattern, type Policy } from "./policies.js";
import { replayed, type Verdict } from "./replay.js";
import { headersFor } from "./sent-headers.js";
import type { ServerPair } from "./server-pairs.js";
import { requestIn } from "./situation-request.js";
import {
  type Part,
  type PartPolicy,
  type Side,
  type Survey,
  type SurveyedCells,
  type SurveyReader,
  sideToAsk,
  surveyOf,
} from "./survey.js";
import { type SurveyBudget, usualBudget } from "./survey-budget.js";
import { ofBoth, type Two } from "./two.js";

/** Requests that are answered differently. */
export interface Region {
  readonly pair: ServerPair;
  readonly cell: PathCell;
  readonly method: string;
  readonly universe: Universe;
  /** For whom, as a function in the universe. */
  readonly when: Diagram;
}

/** What lies on the disk, and what holds that nobody can know. */
export type Given = Pick<Situation, "files" | "terms">;

/** Requests that the same lines decide on either side, and differently. */
export interface Difference {
  /** One of them, as it can be sent. */
  readonly request: Request;
  /** What must be true for it that no request tells. */
  readonly given: Given;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly regions: readonly Region[];
}

export interface Comparison {
  /** `unknown` where no difference was found and something could not be proved. */
  readonly verdict: "equivalent" | "different" | "unknown";
  readonly differences: readonly Difference[];
  readonly unproved: readonly Unproved[];
  /** Those asked with: the last one stands for all that no line names. */
  readonly methods: readonly string[];
  /** How many pairs of servers and sets of paths were gone through. */
  readonly servers: number;
  readonly cells: number;
}

/**
 * Compares what two configurations answer to every request. Anything may exist on the disk, and anybody may ask.
 *
 * @param shared steps that it shares with other comparisons, beside those of its budget
 */
export function compare(before: Side, after: Side, budget: SurveyBudget = usualBudget, shared?: Steps): Comparison {
  const survey = surveyOf(before, after, budget, shared);
  const comparing = new Comparing(survey);
  survey.tell([comparing]);
  return comparing.comparison();
}

interface Found {
  readonly difference: Omit<Difference, "regions">;
  readonly regions: Region[];
}

type Shown = Pick<Difference, "request" | "before" | "after">;

/** Who gets different answers, and one pair of them. */
interface Differing {
  readonly when: Where;
  readonly old: Asked;
  readonly now: Asked;
}

/** Finds what a survey's two sides answer differently. */
export class Comparing implements SurveyReader {
  /** For asking anew what was found. */
  private readonly others: Two<AskedSide>;
  private readonly found = new Map<string, Found>();
  private readonly doubts = new Doubts();
  private readonly numbers = new Numbers<Directive>();
  private servers = 0;
  private cells = 0;

  constructor(private readonly survey: Survey) {
    const [old, now] = survey.sides;
    for (const directive of survey.unreadMethods)
      this.doubts.add({
        reason: "methods that it tells apart are not all gone through",
        directive,
        example: undefined,
      });
    if (!survey.hasAllPairs) this.doubts.addMoreDoors(survey.isSpentBefore);
    for (const each of notGoneThrough(old.project, now.project)) this.doubts.add(each);
    this.others = ofBoth(survey.sides, (side) => sideToAsk(side, new Set()));
  }

  comparison(): Comparison {
    const { servers, cells } = this;
    const { methods } = this.survey;
    const differences = [...this.found.values()].map(({ difference, regions }) => ({ ...difference, regions }));
    const unproved = this.doubts.all;
    const isUnknown = unproved.length > 0 && (differences.length === 0 || this.isPartlyRead);
    const verdict = isUnknown ? "unknown" : differences.length > 0 ? "different" : "equivalent";
    return { verdict, differences, unproved, methods, servers, cells };
  }

  /** Whether something was not read that may answer any request: what differs may not, with it. */
  private get isPartlyRead(): boolean {
    return this.survey.sides.some(({ project }) => unreadPart(project.problems) !== undefined);
  }

  pair(pair: ServerPair, cells: SurveyedCells): void {
    if (cells !== "out of steps") this.servers++;
    this.doubts.addCells(cells, pair);
  }

  cell(policies: readonly PartPolicy[]): void {
    this.cells++;
    for (const { part, policy } of policies) this.comparePart(part, policy);
  }

  breakOff(pair: ServerPair): void {
    this.doubts.addBrokenOff(pair);
  }

  private comparePart(part: Part, policy: Policy | TooLarge): void {
    if (policy !== "too large") {
      this.compareParts(part, policy);
      return;
    }
    const reason = "who gets what is more than can be gone through";
    this.doubts.add({ reason, directive: part.cell.sections.flat().at(-1), example: part.target.path });
  }

  private compareParts(part: Part, { universe, parts }: Policy): void {
    const { diagrams } = universe;
    const whole = new Map<string, Differing>();
    for (const { when, asked } of parts) {
      const [old, now = old] = asked;
      if (old === undefined || now === undefined) continue;
      const untold = old.untold ?? now.untold;
      if (untold !== undefined) this.doubtPart(part, untold, old);
      else if (old.class !== now.class) {
        const key = [old, now].map((each) => `${each.class} ${this.numbersOf(each.by)}`).join(" ");
        const known = whole.get(key);
        whole.set(key, known ? { ...known, when: diagrams.or(known.when, when) } : { when, old, now });
      }
    }
    for (const [key, differing] of whole) this.differ(part, universe, key, differing);
  }

  /** @param key the same for all that the same lines decide, and alike */
  private differ(part: Part, universe: Universe, key: string, { when, old, now }: Differing): void {
    const { diagrams } = universe;
    if (when === "too large") {
      this.doubtPart(part, "who gets what is more than can be gone through", old);
      return;
    }
    const unread = universe.atoms.filter(asksForPattern);
    const certain = unread.length === 0 ? when : universe.whatever(when, unread);
    const left = diagrams.without(when, certain);
    if (left === "too large" || !diagrams.isFalse(left)) {
      const [first] = unread;
      this.doubtPart(part, `the answer hangs on ${first?.kind === "term" ? first.text : "its size"}`, old);
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
      this.doubtPart(part, "nobody is found for it", old);
      return;
    }
    const sent = new Map([...old.sent, ...now.sent]);
    const shown = this.shown(part, situation, sent, [old.class, now.class]);
    if (shown) {
      const given = givenIn(situation, sent, [...old.seen, ...now.seen]);
      this.found.set(key, { difference: { ...shown, given }, regions: [region] });
    } else {
      const [term = "what a client sends"] = situation.terms;
      this.doubtPart(part, `no request was found that shows it, since it hangs on ${term}`, old);
    }
  }

  /** A request in a situation that gets other answers when it is asked anew, with what headers it takes. */
  private shown(
    part: Part,
    situation: Situation,
    sent: ReadonlyMap<string, SentText>,
    classes: Two<SettledClass>,
  ): Shown | undefined {
    const sender = requestIn(situation, part.target);
    const plain = situation.terms.has(SERVERS_OWN) ? { ...sender, serverIp: sender.clientIp } : sender;
    for (const headers of headersFor(sent, situation.terms)) {
      const request = Object.keys(headers).length === 0 ? plain : { ...plain, headers };
      const [before, after] = ofBoth(this.others, (side, index) =>
        replayed(side, request, situation, part.known[index]),
      );
      if (before?.class === classes[0] && after?.class === classes[1]) return { request, before, after };
    }
    return undefined;
  }

  private doubtPart({ target, cell }: Part, reason: string, { by }: Asked): void {
    this.doubts.add({ reason, directive: by[0] ?? cell.sections.flat().at(-1), example: target.path });
  }

  private numbersOf(directives: readonly Directive[]): string {
    return [...new Set(directives)].map((each) => this.numbers.of(each)).join(",");
  }
}

/** What was looked at of a situation, without what the request tells itself. */
function givenIn({ files, terms }: Situation, sent: ReadonlyMap<string, unknown>, seen: readonly Seen[]): Given {
  const paths = new Set<string>();
  const asked = new Set<string>();
  for (const atom of seen.flatMap(({ look }) => atomsIn(look))) {
    if (atom.kind === "exists" || atom.kind === "directory") paths.add(atom.path);
    if (atom.kind === "term") asked.add(atom.text);
  }
  return {
    files: new Map([...files].filter(([path]) => paths.has(path))),
    terms: new Set([...terms].filter((term) => asked.has(term) && !sent.has(term))),
  };
}
