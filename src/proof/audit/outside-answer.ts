import type { Directive } from "../../config/model/directive.js";
import { findEffectiveSetting } from "../../server/access/access-state.js";
import { keywordArgumentOf } from "../../server/model/config-layer.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { RequestOutcome } from "../../server/model/request-outcome.js";
import type { UnknownFact } from "../../server/model/unknown-facts.js";
import { backendOf } from "../../server/phases/handler.js";
import { processRequest } from "../../server/process-request.js";
import type { ProbedSide } from "../clients/probe.js";
import { useFiles } from "../clients/replay.js";
import type { Assumptions } from "../model/comparison.js";
import type { OutsideEffect, OutsideViewAnswer } from "./outside-model.js";

/** An answer with its effect; undefined if the server does nothing for the client, as with a redirect. */
export interface ClassifiedAnswer extends OutsideViewAnswer {
  readonly effect: OutsideEffect | undefined;
  readonly isListing: boolean;
  /** Whether access control allows the request. */
  readonly isAuthorized: boolean;
}

/**
 * Answers a request as the simulator does, without the computed policy.
 *
 * @returns the reason if something unknown decides
 */
export function answerOutsider(
  { setup, files }: ProbedSide,
  request: Request,
  model: Assumptions,
  known: FileTree,
): ClassifiedAnswer | { readonly unknown: UnknownFact; readonly by: Directive | undefined } {
  useFiles(files, model, known);
  const oracle = new Oracle(new Map([...model.facts].map((fact) => [fact, true] as const)));
  const outcome = processRequest(setup, request, oracle);
  if (oracle.undecidable !== undefined) return { unknown: oracle.undecidable, by: oracle.undecidableBy };
  const effect = effectOf(request, outcome);
  const lines = [...new Set([...outcome.by, ...(effect === undefined ? [] : listEffectLines(outcome, effect))])];
  const isAuthorized = outcome.pass?.isAuthorized === true;
  return { request, status: outcome.status, lines, effect, isListing: outcome.answeredBy === "listing", isAuthorized };
}

const writingMethods: ReadonlySet<string> = new Set(["PUT", "DELETE"]);

function effectOf({ method }: Request, { status, answeredBy }: RequestOutcome): OutsideEffect | undefined {
  if (status < 200 || status > 299) return undefined;
  if (answeredBy === "backend") return "fetch";
  if (answeredBy === "program") return "run";
  return writingMethods.has(method) ? "write" : "read";
}

/** Returns the lines that make the server answer with an effect. */
function listEffectLines({ served }: RequestOutcome, effect: OutsideEffect): readonly Directive[] {
  if (served === undefined) return [];
  const { state, mapping } = served;
  const mapped = mapping.kind === "file" && mapping.by ? [mapping.by] : [];
  switch (effect) {
    case "fetch":
      return [backendOf(served)?.by ?? []].flat();
    case "write":
      return [(state && findEffectiveSetting(state, "dav")) ?? []].flat();
    case "run": {
      const line = state && findEffectiveSetting(state, "sethandler");
      return line && keywordArgumentOf(line) !== "none" ? [line] : mapped;
    }
    case "read":
      return mapped;
  }
}
