import { findStartupErrors } from "../../src/apps/server-failure.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import type { Finding } from "../../src/lint/finding.js";
import { compare } from "../../src/proof/compare/compare.js";
import type { ExplorationBudget } from "../../src/proof/model/budget.js";
import type { ConfigComparison } from "../../src/proof/model/comparison.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { diskFiles } from "../../src/server/file-trees.js";
import type { Answer } from "../../src/server/model/answer.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { computeOnce } from "../../src/text/memoize.js";
import type { ServerPairText, ServerText } from "./configuration-tree.js";
import { filesOfServer, type ServerPlace } from "./server-files.js";

/** The place of servers that only exist in memory. They do not listen on port 80, which clients take to have no TLS. */
export const memoryPlace: ServerPlace = { root: "/srv/w", port: 8000, backend: 8080, closed: 8081, spare: 8082 };

/** Less than that of the command, so that many pairs are compared: what is beyond it is unknown, and never equivalent. */
const budget: ExplorationBudget = { states: 5_000, nodes: 50_000, runs: 500, steps: 300_000 };

/** A configuration as read. */
export interface ReadSide {
  readonly project: Project;
  /** Returns why the server does not start. */
  readonly startupErrors: () => readonly Finding[];
  readonly server: SimulatedServer;
}

/** Reads a configuration from memory. @param edit changes what was read */
export function readSide(
  server: ServerText,
  release: ServerPairText["release"],
  edit = (project: Project) => project,
): ReadSide {
  const access = memoryAccess(filesOfServer(server, memoryPlace));
  const loaded = loadProject(`${memoryPlace.root}/httpd.conf`, { access, kind: "server", release });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = edit(loaded.value);
  return {
    project,
    startupErrors: computeOnce(() => findStartupErrors(project)),
    server: new SimulatedServer(project, diskFiles(access)),
  };
}

/** How the sides of a pair were judged; `refused` if neither starts. */
export type PairVerdict = ConfigComparison["verdict"] | "refused";

/** Compares both sides as the command does. */
export function comparePair(before: ReadSide, after: ReadSide): PairVerdict {
  const side = ({ project }: ReadSide) => ({ project, semantics: "server" }) as const;
  const { verdict } = compare(side(before), side(after), budget);
  // Only then does it matter, and it takes longer than reading.
  if (verdict !== "equivalent") return verdict;
  const [isRefused, isOtherRefused] = [before, after].map((each) => each.startupErrors().length > 0);
  if (isRefused !== isOtherRefused) return "different";
  return isRefused ? "refused" : verdict;
}

/** Returns what two answers must have in common: the class, or that of each alternative. */
export function shownAnswer(answer: Answer): string {
  if (answer.access !== "unknown") return answer.access;
  const alternatives = [...new Set(answer.alternatives.map(({ access }) => access))].sort();
  return alternatives.length === 0 ? "unknown" : `unknown: ${alternatives.join(" or ")}`;
}

/** A request for which two sides that were called equivalent differ. */
export interface Contradiction {
  readonly request: Request;
  readonly before: string;
  readonly after: string;
  /** Whether only one side has an answer. */
  readonly isUnknown: boolean;
}

/** Returns the first of some requests that both sides answer differently. A request to a server with TLS uses it. */
export function findContradiction(
  before: ReadSide,
  after: ReadSide,
  requests: Iterable<Request>,
): Contradiction | undefined {
  let unknown: Contradiction | undefined;
  for (const request of requests) {
    const sent = before.server.completeRequest(request);
    const answers = [before, after].map(({ server }) => server.answer(sent));
    // Only the handler of files rejects a method that access control allows; a missing file has no other handler.
    const isHandled = answers.some(({ answeredBy }) => answeredBy === "program" || answeredBy === "backend");
    const [one, other] = answers.map((answer) =>
      isHandled && answer.access === "allowed" && answer.status === 405 ? "rejected" : shownAnswer(answer),
    );
    if (one === undefined || other === undefined || one === other) continue;
    const found = { request, before: one, after: other };
    if (!one.startsWith("unknown") && !other.startsWith("unknown")) return { ...found, isUnknown: false };
    unknown ??= { ...found, isUnknown: true };
  }
  return unknown;
}
