import { isAllowedIn } from "../../src/facts/directives.js";
import type { Answer } from "../../src/server/model/answer.js";
import type { Request } from "../../src/server/model/request.js";
import { compareTexts } from "../../src/text/collections.js";
import { contextKinds } from "../facts/support/context-trials.js";
import { Random } from "../support/random/random.js";
import {
  comparePair,
  findContradiction,
  memoryPlace,
  type PairVerdict,
  type ReadSide,
  readSide,
  shownAnswer,
} from "./check-pair.js";
import type { ServerPairText } from "./configuration-tree.js";
import { drawRandomPair } from "./linked-lines.js";
import { askPair, canRun, type PairPlace, shownStatus, whileInPairPlace } from "./live-pair.js";
import { directivesOf, drawDirectivePair, linesOf, type Release } from "./mutations.js";
import { drawRequests } from "./sample-requests.js";
import { topicsOf } from "./scenes.js";
import { type FailingPair, shrinkPair } from "./shrink-pair.js";

/** A pair with the seed of its requests. */
export interface SeededPair {
  readonly seed: number;
  readonly pair: ServerPairText;
}

/** Number of requests to a pair that is called equivalent. */
const REQUESTS = 60;

/** Draws pairs of any directives, one for each seed. */
export function* randomPairs(seed: number, count: number): Generator<SeededPair> {
  for (let next = seed; next < seed + count; next++) yield { seed: next, pair: drawRandomPair(next) };
}

/**
 * Draws pairs that differ in one directive: for each directive and each context that allows it, on servers of different
 * topics.
 *
 * @param rounds number of pairs for each directive and context
 * @param step one in `step` of these is drawn
 */
export function* directivePairs(seed: number, rounds: number, step = 1): Generator<SeededPair> {
  let index = 0;
  for (let round = 0; round < rounds; round++)
    for (const release of ["2.4", "2.2"] satisfies Release[])
      for (const facts of directivesOf(release))
        for (const context of contextKinds) {
          if (!isAllowedIn(facts, context) || (index++ + seed) % step !== 0) continue;
          const random = new Random(seed + index);
          const topics = topicsOf(release);
          const chosen = [...new Set(Array.from({ length: 2 }, () => topics[random.below(topics.length)] ?? ""))];
          yield { seed: seed + index, pair: drawDirectivePair(random, release, facts, context, chosen) };
        }
}

/** A kind of failure: pairs that were called equivalent, and differ in the same way. */
export interface Failure extends FailingPair {
  readonly kind: "wrong" | "unknown" | "start";
  readonly cause: string;
  readonly seed: number;
  readonly before: string;
  readonly after: string;
  count: number;
}

/** The results of many pairs. */
export interface SoundnessSum {
  readonly verdicts: Readonly<Record<PairVerdict, number>>;
  readonly requests: number;
  readonly failures: readonly Failure[];
}

interface Judged {
  readonly verdict: PairVerdict;
  readonly sides: readonly [ReadSide, ReadSide];
}

/** Reads and compares both sides. */
function judgePair({ release, before, after }: ServerPairText): Judged {
  const sides = [readSide(before, release), readSide(after, release)] as const;
  return { verdict: comparePair(...sides), sides };
}

/** Judges pairs in this process: both sides of a pair that is called equivalent must answer all sampled requests alike. */
export async function checkPairs(
  pairs: Iterable<SeededPair>,
  {
    onFailure,
    onProgress,
  }: { readonly onFailure?: (failure: Failure) => void; readonly onProgress?: (pairs: number) => void } = {},
): Promise<SoundnessSum> {
  const verdicts = { equivalent: 0, different: 0, unknown: 0, refused: 0 };
  const failures = new Map<string, Failure>();
  let requests = 0;
  let pairCount = 0;
  for (const { seed, pair } of pairs) {
    onProgress?.(++pairCount);
    const { verdict, sides } = judgePair(pair);
    verdicts[verdict]++;
    if (verdict !== "equivalent") continue;
    requests += REQUESTS;
    const found = findContradiction(...sides, drawRequests(new Random(seed), pair, REQUESTS));
    if (found === undefined) continue;
    const kind = found.isUnknown ? "unknown" : "wrong";
    const key = `${kind} ${namesIn(pair.change)}`;
    const known = failures.get(key);
    if (known) {
      known.count++;
      continue;
    }
    const shrunk = await shrinkPair({ pair, request: found.request }, async (smaller) =>
      isContradicted(smaller, found.isUnknown),
    );
    const [before, after] = answersTo(shrunk);
    const failure: Failure = { ...shrunk, kind, cause: describeDifference(shrunk.pair), seed, before, after, count: 1 };
    failures.set(key, failure);
    onFailure?.(failure);
  }
  return { verdicts, requests, failures: [...failures.values()] };
}

function namesIn(change: string): string {
  return [...change.matchAll(/`<?(\w+)|^(\w+)|(do not load \w+)/g)]
    .map(([, one, other, third]) => one ?? other ?? third)
    .join(" ");
}

function isContradicted({ pair, request }: FailingPair, isUnknown: boolean): boolean {
  const { verdict, sides } = judgePair(pair);
  if (verdict !== "equivalent") return false;
  const found = findContradiction(...sides, [request]);
  return found !== undefined && found.isUnknown === isUnknown;
}

function answersTo({ pair, request }: FailingPair): readonly [string, string] {
  const { sides } = judgePair(pair);
  const found = findContradiction(...sides, [request]);
  return [found?.before ?? "", found?.after ?? ""];
}

/** Returns the lines of one side only. */
export function describeDifference({ before, after }: ServerPairText): string {
  const [one, other] = [before, after].map((server) => [
    ...linesOf(server).map(({ text }) => text),
    ...server.modules.map((module) => `LoadModule ${module}`),
  ]);
  const only = (texts: readonly string[] = [], others: readonly string[] = []) => {
    const left = [...others];
    return texts.filter((text) => {
      const at = left.indexOf(text);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  const parts = [...only(one, other).map((text) => `-${text}`), ...only(other, one).map((text) => `+${text}`)];
  return parts.join(" ") || "order of lines";
}

/** The results of pairs that a real server answered. */
export interface LiveSum extends SoundnessSum {
  /** Pairs whose sides were both started. */
  readonly served: number;
  /** Equivalent pairs that neither side started with. */
  readonly refused: number;
}

/**
 * Starts both sides of each pair that is called equivalent, and sends both the same requests.
 *
 * @param limit the number of pairs to serve
 */
export async function servePairs(
  pairs: Iterable<SeededPair>,
  limit: number,
  {
    onFailure,
    onProgress,
  }: { readonly onFailure?: (failure: Failure) => void; readonly onProgress?: (pairs: number) => void } = {},
): Promise<LiveSum> {
  const verdicts = { equivalent: 0, different: 0, unknown: 0, refused: 0 };
  const failures = new Map<string, Failure>();
  const sum = { requests: 0, served: 0, refused: 0 };
  await whileInPairPlace(async (place) => {
    for (const { seed, pair } of pairs) {
      if (sum.served >= limit) return;
      if (!canRun(pair)) continue;
      const { verdict } = judgePair(pair);
      verdicts[verdict]++;
      if (verdict !== "equivalent") continue;
      const requests = drawRequests(new Random(seed), pair, LIVE_REQUESTS);
      const found = await findLiveDifference(pair, requests, place);
      if (found === "refused") {
        sum.refused++;
        continue;
      }
      sum.served++;
      sum.requests += requests.length;
      onProgress?.(sum.served);
      if (found === undefined) continue;
      // The answers to one request may depend on those before it, such as PUT.
      const alone = found.kind === "start" ? found : await findLiveDifference(pair, [found.request], place);
      if (alone === undefined || alone === "refused") continue;
      const key = `${alone.kind} ${namesIn(pair.change)}`;
      const known = failures.get(key);
      if (known) known.count++;
      else {
        const shrunk = await shrinkLive({ pair, request: alone.request }, alone.kind, place);
        const failure = { ...shrunk, cause: describeDifference(shrunk.pair), seed, count: 1 };
        failures.set(key, failure);
        onFailure?.(failure);
      }
    }
  });
  return { verdicts, ...sum, failures: [...failures.values()] };
}

const LIVE_REQUESTS = 40;

/** Requests to each pair that only shows that a directive is served. */
const FEW_REQUESTS = 16;
/** Draws for a directive until a server starts with it. */
const MOST_DRAWS = 4;

/**
 * Serves a pair that differs in a directive, for each directive of 2.4, and compares the answers if it is called equivalent.
 *
 * @returns the directives with which the server started, and the failures
 */
export async function serveDirectives(
  seed: number,
  onFailure: (failure: Failure) => void,
): Promise<{ readonly served: readonly string[]; readonly failures: readonly Failure[] }> {
  const served = new Set<string>();
  const failures: Failure[] = [];
  await whileInPairPlace(async (place) => {
    for (const [index, facts] of directivesOf("2.4").entries()) {
      if (served.has(facts.name)) continue;
      const allowed = contextKinds.filter((context) => isAllowedIn(facts, context));
      for (let draw = 0; draw < MOST_DRAWS && allowed.length > 0 && !served.has(facts.name); draw++) {
        const own = seed + index * MOST_DRAWS + draw;
        const random = new Random(own);
        const topic = topicsOf("2.4")[random.below(topicsOf("2.4").length)] ?? "login";
        const context = allowed[draw % allowed.length] ?? "server";
        const pair = drawDirectivePair(random, "2.4", facts, context, [topic]);
        if (!canRun(pair)) break;
        const requests = drawRequests(new Random(own), pair, FEW_REQUESTS);
        const found = await findLiveDifference(pair, requests, place);
        if (found === "refused" || found?.kind === "start") continue;
        served.add(facts.name);
        if (found === undefined || judgePair(pair).verdict !== "equivalent") continue;
        const shrunk = await shrinkLive({ pair, request: found.request }, found.kind, place);
        const failure = { ...shrunk, cause: describeDifference(shrunk.pair), seed: own, count: 1 };
        failures.push(failure);
        onFailure(failure);
      }
    }
  });
  return { served: [...served].sort(compareTexts), failures };
}

type LiveDifference = Pick<Failure, "kind" | "request" | "before" | "after">;

async function findLiveDifference(
  pair: ServerPairText,
  requests: readonly Request[],
  place: PairPlace,
): Promise<LiveDifference | "refused" | undefined> {
  const [one, other] = await askPair(pair, requests, place);
  const [request] = requests;
  if (one === "refused" && other === "refused") return "refused";
  if (one === "refused" || other === "refused") {
    const shown = (side: typeof one) => (side === "refused" ? "does not start" : "starts");
    return request && { kind: "start", request, before: shown(one), after: shown(other) };
  }
  let sides: readonly [ReadSide, ReadSide] | undefined;
  for (const [index, each] of requests.entries()) {
    const [before, after] = [one[index], other[index]];
    if (shownStatus(before) === shownStatus(after)) continue;
    sides ??= judgePair(pair).sides;
    if (!isByFiles(sides, each, [before, after]))
      return { kind: "wrong", request: each, before: String(before), after: String(after) };
  }
  return undefined;
}

/** Statuses that depend on files on a backend or on a program, none of which counts in a proof. */
const statusesOfFiles = new Set([200, 206, 301, 403, 404, 405, 501, 502, 503, 504]);

/**
 * Reports whether two answers differ only because of the files that lines lead to: the simulator knows the files, expects both
 * statuses, and grants the same access on both sides.
 */
function isByFiles(
  sides: readonly [ReadSide, ReadSide],
  request: Request,
  statuses: readonly [number | undefined, number | undefined],
): boolean {
  // Only requests without TLS are sent.
  const sent = { ...request, ...({ scheme: "http", port: memoryPlace.port } as const) };
  const [one, other] = sides.map(({ server }) => server.answer(sent));
  if (one === undefined || other === undefined || shownAnswer(one) !== shownAnswer(other)) return false;
  // Whether a client gets a part of a file depends on the file.
  const isExpected = ({ status: known, alternatives, answeredBy }: Answer, status = 0) =>
    statusesOfFiles.has(status) &&
    (known === status ||
      (known === undefined && alternatives.some((each) => each.status === status)) ||
      answeredBy !== undefined);
  return isExpected(one, statuses[0]) && isExpected(other, statuses[1]);
}

async function shrinkLive(failing: FailingPair, kind: Failure["kind"], place: PairPlace) {
  const difference = async ({ pair, request }: FailingPair) => {
    if (judgePair(pair).verdict !== "equivalent") return undefined;
    const found = await findLiveDifference(pair, [request], place);
    return found === "refused" || found?.kind !== kind ? undefined : found;
  };
  const shrunk = await shrinkPair(failing, async (smaller) => (await difference(smaller)) !== undefined);
  const { before = "", after = "" } = (await difference(shrunk)) ?? {};
  return { ...shrunk, kind, before, after };
}
