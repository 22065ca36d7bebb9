import type { Project } from "../config/model/project.js";
import type { OtherReading } from "../report/answers/answer-report.js";
import { destinationOfCase, shownCaseOf } from "../report/answers/shown-case.js";
import type { Answer } from "../server/model/answer.js";
import { installConfig } from "../startup/install-config.js";
import { containsSpan } from "../text/source.js";

/**
 * Returns the other answers to a request if conditional sections apply that the server skips, such as `<IfDefine NAME>`
 * without `-D NAME`. Not for sections that need another server: one with other modules or of another version.
 *
 * @param requestPath the path of the URL, as sent
 * @param answerBy answers the request with another configuration
 */
export function answerOtherReadings(
  { read }: Project,
  requestPath: string,
  answer: Answer,
  answerBy: (project: Project) => Answer,
): readonly OtherReading[] {
  const known = new Set([resultKeyOf(answer)]);
  return read.alternatives().readings.flatMap(({ config, branches, isOfOtherServer }) => {
    if (isOfOtherServer || config.release !== read.release) return [];
    const other = answerBy(installConfig(config, { part: "open", requestPath }));
    const key = resultKeyOf(other);
    if (known.has(key)) return [];
    known.add(key);
    const deciding = branches.filter(({ span }) => other.places.some((place) => containsSpan(span, place)));
    return [{ answer: other, branches: deciding.length > 0 ? deciding : branches }];
  });
}

/** Returns a key that is equal for answers with the same result: the status, and where it leads. */
function resultKeyOf(answer: Answer): string {
  const shown = shownCaseOf(answer);
  return JSON.stringify([answer.class, answer.status, shown && [shown.class, shown.status, destinationOfCase(shown)]]);
}
