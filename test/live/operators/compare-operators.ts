import type { SimulatedServer } from "../../../src/server/answer.js";
import { getOrCreate } from "../../../src/text/collections.js";
import { startBackend } from "../../support/httpd/live-requests.js";
import { freePort, freePorts } from "../../support/httpd/ports.js";
import { drawMany } from "../../support/operators/drawing.js";
import { askOperatorServer, type ServedAnswer } from "../../support/operators/exchange.js";
import type { ServerPlace } from "../../support/operators/operator-folder.js";
import { drawRequest, type OperatorRequest } from "../../support/operators/operator-requests.js";
import { drawServer, type OperatorServer } from "../../support/operators/operator-server.js";
import { whileInScratchFolder } from "../../support/programs/scratch-folder.js";
import { Random } from "../../support/random/random.js";
import { type Judgement, judge, readOperatorServer, toSimulatedRequest, WRONG_SCHEME } from "./judged-answer.js";
import { minimizeCase, type OperatorCase } from "./operator-case.js";

/** The requests with one cause. */
export interface CauseTally {
  readonly kind: "wrong" | "unknown" | "noted" | "start";
  readonly cause: string;
  count: number;
  /** The seed of the first, and the first. */
  readonly seed: number;
  readonly first: OperatorCase;
}

/** The result of a run. */
export interface OperatorComparison {
  servers: number;
  /** Servers that both reject. */
  refused: number;
  requests: number;
  /** Requests without an answer. */
  unanswered: number;
  /** The most common first. */
  readonly causes: readonly CauseTally[];
}

export interface OperatorRun {
  readonly seed: number;
  /** The number of requests. */
  readonly count: number;
}

const REQUESTS_PER_SERVER = 150;

/** Compares the simulator with the real server on servers as operators write them. Each server has the next seed. */
export async function compareOperators({ seed, count }: OperatorRun): Promise<OperatorComparison> {
  const sum = { servers: 0, refused: 0, requests: 0, unanswered: 0 };
  const causes = new Map<string, CauseTally>();
  await whileInPlace(async (place) => {
    for (let next = seed; sum.requests < count; next++) {
      const { server, requests } = drawRun(next);
      const found = await judgeAll(server, requests, place);
      const add = (kind: CauseTally["kind"], cause: string, request: OperatorRequest) => {
        const first = { server, request };
        getOrCreate(causes, `${kind} ${cause}`, () => ({ kind, cause, count: 0, seed: next, first })).count++;
      };
      sum.servers++;
      if ("start" in found) {
        if (found.start === undefined) sum.refused++;
        else add("start", found.start, plainRequest);
        continue;
      }
      sum.requests += found.judged.length;
      sum.unanswered += requests.length - found.judged.length;
      for (const { request, judgement } of found.judged)
        if (judgement.kind !== "right") add(judgement.kind, judgement.cause, request);
    }
  });
  return { ...sum, causes: [...causes.values()].sort((a, b) => b.count - a.count) };
}

const plainRequest: OperatorRequest = {
  ...{ method: "GET", target: "/", headers: {} },
  ...{ clientAddress: "127.0.0.1", serverAddress: "127.0.0.1", portIndex: 0 },
};

/** Draws a server and requests to it. */
function drawRun(seed: number) {
  const random = new Random(seed);
  const { server, sites } = drawServer(random);
  const requests = drawMany(random, REQUESTS_PER_SERVER, REQUESTS_PER_SERVER, (each) => drawRequest(each, sites));
  return { server, requests };
}

/** Deletes parts of the first case of a cause that it does not need. */
export function minimizeCause({ kind, cause, first }: CauseTally): Promise<OperatorCase> {
  return whileInPlace((place) =>
    minimizeCase(first, async ({ server, request }) => {
      const found = await judgeAll(server, kind === "start" ? [] : [request], place);
      if ("start" in found) return kind === "start" && found.start === cause;
      const again = found.judged[0]?.judgement;
      return again !== undefined && again.kind !== "right" && again.kind === kind && again.cause === cause;
    }),
  );
}

async function whileInPlace<T>(run: (place: ServerPlace) => Promise<T>): Promise<T> {
  const backend = await startBackend();
  try {
    return await whileInScratchFolder(async (root) =>
      run({ root, ports: await freePorts(), backend: backend.port, closed: await freePort() }),
    );
  } finally {
    backend.end();
  }
}

/** A request with its judgement. */
interface Judged {
  readonly request: OperatorRequest;
  readonly judgement: Judgement;
}

/** @returns the judgements, or the difference at start; undefined if neither starts */
async function judgeAll(
  server: OperatorServer,
  requests: readonly OperatorRequest[],
  place: ServerPlace,
): Promise<{ readonly judged: readonly Judged[] } | { readonly start: string | undefined }> {
  const live = await askOperatorServer(server, requests, place);
  const read = readOperatorServer(place);
  if ("refused" in live || "refused" in read) {
    if ("refused" in live && "refused" in read) return { start: undefined };
    return {
      start:
        "refused" in live ? `server ${codeIn(live.refused)}` : `simulator ${"refused" in read ? read.refused : ""}`,
    };
  }
  const judged = requests.flatMap((request, id): readonly Judged[] => {
    const answer = live.answers[id];
    if (answer === undefined) return [];
    const clientIp = answer.clientIp || request.clientAddress;
    return [{ request, judgement: judgeRequest(read, request, { ...answer, clientIp }, place) }];
  });
  return { judged };
}

function codeIn(text: string): string {
  return text
    .trim()
    .split("\n")
    .slice(-2)
    .join(" ")
    .replace(/\/tmp\/\S+/g, "…")
    .replace(/on line \d+/, "");
}

/**
 * A simulated request has no password. With a wrong one, the decision is that for no user, or for an unknown user.
 * Credentials for another scheme count as none, at least for one of the logins.
 */
function judgeRequest(
  simulatedServer: SimulatedServer,
  request: OperatorRequest,
  answer: ServedAnswer,
  place: ServerPlace,
): Judgement {
  const { credentials } = request;
  const isUncertain = credentials?.isRight === false || answer.codes.includes(WRONG_SCHEME);
  const users = isUncertain ? [undefined, credentials?.user] : [credentials?.user];
  const judgements = users.map((user) =>
    judge(answer, simulatedServer.answer(toSimulatedRequest(request, user, answer.clientIp, place)), request),
  );
  return judgements.find(({ kind }) => kind === "right") ?? judgements[0] ?? { kind: "right" };
}
