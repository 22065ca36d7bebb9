import type { HeaderTest } from "../../httpd/model/dependency-tracker.js";
import type { FileTree } from "../../httpd/model/file-tree.js";
import { Oracle } from "../../httpd/model/oracle.js";
import type { Request } from "../../httpd/model/request.js";
import type { RequestModel } from "../../logic/symbolic/atoms.js";
import type { Directive } from "../../project/model/directive.js";
import { decisionClassOf, type KnownDecisionClass } from "../../simulate/model/decision.js";
import { processRequest } from "../../simulate/process-request.js";
import { samplePattern } from "../../witness/sample-text.js";
import type { ProbedSide } from "./probe.js";

/** What one side answers. */
export interface ReplayedVerdict {
  readonly status: number;
  readonly class: KnownDecisionClass;
  readonly log: readonly string[];
  /** The lines that decide. */
  readonly decidedBy: readonly Directive[];
}

/**
 * What a side answers to a request as anybody would ask it: the simulator goes by the request alone, and not by what was
 * worked out before.
 *
 * @param situation tells what exists, and what is true that nobody can know
 * @param known the files that are there for sure
 * @returns undefined where something decides that cannot be told
 */
export function replayRequest(
  { setup, files }: ProbedSide,
  request: Request,
  situation: RequestModel,
  known: FileTree,
): ReplayedVerdict | undefined {
  files.takeFrom({
    kindOf: (path, mayBeFile) => {
      const kind = known.kindOf(path, mayBeFile);
      return kind === "unknown" ? (situation.files.get(path) ?? "missing") : kind;
    },
  });
  const answers = new Map([...situation.terms].map((term) => [term, true] as const));
  const questions = new Oracle(answers);
  const { status, log, by } = processRequest(setup, request, questions);
  if (questions.undecidable !== undefined) return undefined;
  return { status, class: decisionClassOf(status), log, decidedBy: [...new Set(by)] };
}

/** So many ways of sending headers are tried. */
const MAX_TRIES = 32;

type Headers = Readonly<Record<string, string>>;

/**
 * Headers that may make tests come out as wanted, none at all first; whoever sends them sees for himself whether they do.
 *
 * @param tests of single headers, by their words
 * @param wanted the words of those that are to hold
 */
export function findCandidateHeaders(
  tests: ReadonlyMap<string, HeaderTest>,
  wanted: ReadonlySet<string>,
): readonly Headers[] {
  const values = new Map<string, Set<string>>();
  for (const [words, { header, pattern, text }] of tests) {
    const known = values.get(header) ?? new Set(["x"]);
    // The Host header leads to the server.
    if (header.toLowerCase() === "host") continue;
    values.set(header, known);
    const value = text ?? (pattern === undefined ? undefined : samplePattern(pattern));
    if (value !== undefined && wanted.has(words)) known.add(value);
  }
  let tries: Headers[] = [{}];
  for (const [header, all] of values) {
    const longer = tries.flatMap((each) => [...all].map((value) => ({ ...each, [header]: value })));
    tries = [...tries, ...longer].slice(0, MAX_TRIES);
  }
  return tries;
}
