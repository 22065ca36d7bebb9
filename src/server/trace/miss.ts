import type { Directive } from "../../config/model/directive.js";
import type { Miss } from "../model/answer.js";
import type { Pass } from "../model/pass.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import { formatLine } from "./step.js";

/** Answers the request with another path, under the same facts. */
export type OutcomeAt = (path: string) => RequestOutcome;

/** What the search for lines without effect needs. */
export interface SearchedPass {
  readonly pass: Pass;
  readonly outcome: RequestOutcome;
  readonly setup: SimulationSetup;
  readonly outcomeAt: OutcomeAt;
}

/** Returns a line that does not apply although a reader may expect it to, with what to change. */
export function missOf(line: Directive, reason: string, help?: readonly string[], by?: Directive): Miss {
  const more = { ...(by ? { by } : {}), ...(help && help.length > 0 ? { help } : {}) };
  return { section: formatLine(line), span: line.span, reason, ...more, isClose: true };
}
