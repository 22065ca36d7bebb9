import type { Answer, AnswerCase, Destination } from "../../server/model/answer.js";
import { isFact } from "../../server/model/unknown-facts.js";

/** Facts about files that exist. */
const fileFacts = ["exists", "is-directory"] as const;

/** Facts that leave open whether access is granted, but not where the lines of a part lead. */
const openAccess = ["access-elsewhere", "require-elsewhere"] as const;

/**
 * Returns the case that the headline shows: the only one, the usual one if only files decide between the cases, or where
 * the lines of a part lead once access is granted.
 */
export function shownCaseOf({ cases, unknownFacts }: Pick<Answer, "cases" | "unknownFacts">): AnswerCase | undefined {
  const [usual] = cases;
  if (usual === undefined) return undefined;
  const { open, destination } = usual;
  if (open !== undefined) return isFact(open, ...openAccess) && leadsAnywhere(destination) ? usual : undefined;
  const isByFiles = cases.every(({ when }) => when.every(({ fact }) => isFact(fact, ...fileFacts)));
  return unknownFacts.length === 0 || isByFiles ? usual : undefined;
}

function leadsAnywhere({ location, target, file }: Destination): boolean {
  return location !== undefined || target !== undefined || file !== undefined;
}
