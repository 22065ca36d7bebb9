import type { Directive } from "../../config/model/directive.js";
import { isAssumed } from "../../config/model/project.js";
import { AccessRecorder } from "../../server/model/access-recorder.js";
import type { KnownDecisionClass } from "../../server/model/decision.js";
import { Oracle } from "../../server/model/oracle.js";
import type { Request } from "../../server/model/request.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { processRequest } from "../../server/process-request.js";
import { quoteLine } from "../../server/trace/step.js";
import { traceOf } from "../../server/trace/trace.js";
import type { Witness } from "../finding.js";

/** A request with its decision. */
interface DecidedRequest {
  readonly request: Request;
  readonly class: KnownDecisionClass;
  /** The numbers of the log messages. */
  readonly log: readonly string[];
  /** The deciding lines. */
  readonly by: readonly Directive[];
}

/** Returns a request for display in a finding, with the steps to its answer. */
export function createWitness(
  setup: SimulationSetup,
  { request, class: decided, log, by: [decider] }: DecidedRequest,
): Witness {
  return {
    request,
    get steps() {
      const watch = new AccessRecorder();
      const outcome = processRequest(setup, request, new Oracle(new Map()), watch);
      const steps = traceOf(outcome, watch, setup)
        .filter(({ span }) => !isAssumed(span))
        .map(({ section, effect, span }) => ({ message: `\`${section}\` ${effect}`, span }));
      const answer = [decided, ...log].join(" ");
      return decider ? [...steps, { message: `${quoteLine(decider)} decides: ${answer}`, span: decider.span }] : steps;
    },
  };
}
