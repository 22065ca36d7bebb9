import { type AnswerClass, answerClassOf } from "./answer-class.js";
import { mainPassesOf } from "./pass.js";
import type { RequestOutcome } from "./request-outcome.js";

/** Directives that answer in place of a file. */
const answeringLines: ReadonlySet<string> = new Set([
  ...["redirect", "redirectmatch", "redirecttemp", "redirectpermanent", "rewriterule", "traceenable", "allowmethods"],
]);

/**
 * Returns the class of the answer as far as the configuration decides it. If access is granted and no line answers, only
 * the files decide the rest, such as 404 for a missing one: that is `allowed`.
 */
export function accessClassOf(outcome: RequestOutcome): AnswerClass {
  const { status, accessStatus = status, by, pass, served, isRejectedEarly = false } = outcome;
  const answer = answerClassOf(accessStatus);
  if (answer === "allowed" || answer === "login" || answer === "denied" || accessStatus === 500) return answer;
  if (isRejectedEarly || by.some(({ key }) => answeringLines.has(key))) return answer;
  const [last] = pass ? mainPassesOf(pass) : [];
  return served !== undefined || last?.isAuthorized === true ? "allowed" : answer;
}
