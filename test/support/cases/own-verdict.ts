import type { Project } from "../../../src/config/model/project.js";
import { findRefusals } from "../../../src/startup/validate.js";
import { lineAt } from "../../../src/text/source.js";

/** Returns our verdict on a server: `accepted`, or number, line and message of the first refusal. */
export function ownVerdict(project: Project): string {
  const [first] = findRefusals(project).startup;
  if (first === undefined) return "accepted";
  if (first.logNumber === "AH01624") return `AH01624 ${first.server}`;
  const { file, end } = first.directive.span;
  return `AH00526 ${lineAt(file, end - 1)} ${first.server}`;
}
