import { isAssumed } from "../../config/model/project.js";
import { type AccessAnswer, answerUnder, type DefiniteAnswer } from "../../server/definite-answer.js";
import type { SimulationSetup } from "../../server/model/simulation-setup.js";
import { quoteLine } from "../../server/trace/step.js";
import type { Witness } from "../finding.js";

/** Returns the request of an answer for display in a finding, with the steps to the answer. */
export function witnessOf(answer: DefiniteAnswer): Witness {
  return {
    request: answer.request,
    get steps() {
      return listSteps(answer, answer);
    },
  };
}

/** Returns a request like that, with the steps that a server takes to its own answer. */
export function witnessIn(setup: SimulationSetup, answer: AccessAnswer): Witness {
  return {
    request: answer.request,
    get steps() {
      return listSteps(answerUnder(setup, answer.request), answer);
    },
  };
}

function listSteps(
  { trace }: DefiniteAnswer,
  { class: decided, log, decidedBy: [decider] }: AccessAnswer,
): Witness["steps"] {
  const steps = trace
    .filter(({ span }) => !isAssumed(span))
    .map(({ section, effect, span }) => ({ message: `\`${section}\` ${effect}`, span }));
  const answer = [decided, ...log].join(" ");
  return decider ? [...steps, { message: `${quoteLine(decider)} decides: ${answer}`, span: decider.span }] : steps;
}
