import { accessClassOf } from "../../server/model/access-class.js";
import { shownClassOf } from "../../server/model/answer-class.js";
import type { HeaderTest } from "../../server/model/dependency-tracker.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { UnknownFact } from "../../server/model/unknown-facts.js";
import { processRequest } from "../../server/process-request.js";
import type { Assumptions, ReplayedVerdict } from "../model/comparison.js";
import { samplePattern } from "../requests/sample-text.js";
import type { ModelFiles, ProbedSide } from "./probe.js";

/**
 * Replays a request as sent by a client: the simulator uses only the request, not the computed policy.
 *
 * @param model determines the existing files, and the facts that cannot be known
 * @param known the files that certainly exist
 * @returns undefined if something unknown decides
 */
export function replayRequest(
  { setup, files }: ProbedSide,
  request: Request,
  model: Assumptions,
  known: FileTree,
): ReplayedVerdict | undefined {
  useFiles(files, model, known);
  const answers = new Map([...model.facts].map((fact) => [fact, true] as const));
  const oracle = new Oracle(answers);
  const outcome = processRequest(setup, request, oracle);
  const { status, accessStatus = status, log, by } = outcome;
  if (oracle.undecidable !== undefined) return undefined;
  const classes = { class: shownClassOf(accessStatus), access: accessClassOf(outcome) };
  return { status: accessStatus, ...classes, log, decidedBy: [...new Set(by)] };
}

/** Uses the files that certainly exist, and those that a model determines; no other file exists. */
export function useFiles(files: ModelFiles, model: Pick<Assumptions, "files">, known: FileTree): void {
  files.takeFrom({
    kindOf: (path, mayBeFile) => {
      const kind = known.kindOf(path, mayBeFile);
      return kind === "unknown" ? (model.files.get(path) ?? "missing") : kind;
    },
  });
}

/** Maximum number of header combinations tried. */
const MAX_TRIES = 32;

type Headers = Readonly<Record<string, string>>;

/**
 * Returns headers that may give tests the wanted results, starting with none; the caller verifies them by replaying.
 *
 * @param tests of single headers
 * @param wanted those that must hold
 */
export function findCandidateHeaders(
  tests: ReadonlyMap<UnknownFact, HeaderTest>,
  wanted: ReadonlySet<UnknownFact>,
): readonly Headers[] {
  const values = new Map<string, Set<string>>();
  for (const [fact, { header, pattern, text }] of tests) {
    const known = values.get(header) ?? new Set(["x"]);
    // The Host header selects the server.
    if (header.toLowerCase() === "host") continue;
    values.set(header, known);
    const value = text ?? (pattern === undefined ? undefined : samplePattern(pattern));
    if (value !== undefined && wanted.has(fact)) known.add(value);
  }
  let tries: Headers[] = [{}];
  for (const [header, all] of values) {
    const longer = tries.flatMap((each) => [...all].map((value) => ({ ...each, [header]: value })));
    tries = [...tries, ...longer].slice(0, MAX_TRIES);
  }
  return tries;
}
