import type { Answer, AnswerCase, Destination, ResponseSource } from "../../server/model/answer.js";
import { hasUsualAnswer, isFact, leavesDestination } from "../../server/model/unknown-facts.js";

/**
 * Returns the case that the headline shows: the only one, the usual one if only files or error documents decide between the cases, or where
 * the lines of a part lead once access is granted.
 */
export function shownCaseOf({ cases, unknownFacts }: Pick<Answer, "cases" | "unknownFacts">): AnswerCase | undefined {
  const [usual] = cases;
  if (usual === undefined) return undefined;
  const { open, destination, status, decidedBy } = usual;
  // A rule may answer with a status of its own. No rule of access leads to a file where these lines cause an error.
  const isOfRule = decidedBy.some(({ key }) => key === "rewriterule" || key.startsWith("redirect"));
  const isAnswered = status !== undefined && status >= 400 && (status !== 404 || isOfRule);
  if (open !== undefined)
    return leavesDestination(open) && (leadsAnywhere(destination) || isAnswered) ? usual : undefined;
  const facts = cases.flatMap(({ when }) => when.map(({ fact }) => fact));
  // Another virtual host has other files, also if both answer with the same status.
  const isCertain = unknownFacts.length === 0 && !facts.some((fact) => isFact(fact, "server-address"));
  return isCertain || facts.every(hasUsualAnswer) ? usual : undefined;
}

/** Returns the cases of an answer, without those in which an error document sets a status that is not known. */
export function listedCasesOf({ cases }: Pick<Answer, "cases">): readonly AnswerCase[] {
  return cases.filter(({ when }) => !when.some(({ fact, answer }) => answer && isFact(fact, "status-by-document")));
}

/** Returns where a case leads: to the backend that answers for an error document, if there is one. */
export function destinationOfCase({
  document,
  destination,
}: Pick<AnswerCase, "document" | "destination">): Destination {
  return document?.answeredBy === "backend" ? document.destination : destination;
}

/** Returns what responds in a case instead of a file. */
export function responderOfCase({
  document,
  answeredBy,
}: Pick<AnswerCase, "document" | "answeredBy">): ResponseSource | undefined {
  return document?.answeredBy === "backend" ? document.answeredBy : answeredBy;
}

function leadsAnywhere({ location, target, file }: Destination): boolean {
  return location !== undefined || target !== undefined || file !== undefined;
}
