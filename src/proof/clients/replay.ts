import { answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import type { HeaderTest } from "../../server/model/dependency-tracker.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { UnknownFact } from "../../server/model/unknown-facts.js";
import { getOrCreate } from "../../text/collections.js";
import type { Assumptions } from "../model/comparison.js";
import { samplePattern } from "../requests/sample-text.js";
import { findValue, groupByHeader } from "./header-values.js";
import type { ObservedSide } from "./observe.js";

/**
 * Answers a request as sent by a client: the simulator uses only the request, not the computed policy.
 *
 * @param model determines the existing files beside the known ones, and the facts that cannot be known
 * @param known the files that certainly exist
 */
export function replayRequest(
  { setup, files }: ObservedSide,
  request: Request,
  model: Assumptions,
  known: FileTree,
): DefiniteAnswer {
  files.takeFrom({
    kindOf: (path, mayBeFile) => {
      const kind = known.kindOf(path, mayBeFile);
      return kind === "unknown" ? (model.files.get(path) ?? "missing") : kind;
    },
  });
  return answerUnder(setup, request, new Oracle(new Map([...model.facts].map((fact) => [fact, true] as const))));
}

/** Maximum number of header combinations tried. */
const MAX_TRIES = 32;

type Headers = Readonly<Record<string, string>>;

/**
 * Returns headers that may give tests the wanted results, starting with none; the caller verifies them by replaying. The
 * Host header selects the server: it is not among them.
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
    if (header.toLowerCase() === "host") continue;
    const known = getOrCreate(values, header, () => new Set(["x"]));
    const value = text ?? (pattern === undefined ? undefined : samplePattern(pattern));
    if (value !== undefined && wanted.has(fact)) known.add(value);
  }
  const tested = groupByHeader(tests, wanted);
  let tries: Headers[] = [{}];
  for (const [header, all] of values) {
    const value = findValue(tested.get(header.toLowerCase()) ?? [], printable);
    if (value !== undefined && value !== "") all.add(value);
    const longer = tries.flatMap((each) => [...all].map((value) => ({ ...each, [header]: value })));
    tries = [...tries, ...longer].slice(0, MAX_TRIES);
  }
  return tries;
}

const printable = [{ pattern: "^[!-~](?:[ -~]*[!-~])?$" }];
