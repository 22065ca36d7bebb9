import type { Project } from "../../config/model/project.js";
import { checksClientName } from "../../config/queries/client-name-checks.js";
import { decidingFactsOf, type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { mayShareFacts } from "../../config/queries/line-effects.js";
import type { Fact } from "../../facts/effects.js";
import { keywordArgumentOf } from "../../server/model/config-layer.js";
import { memoize } from "../../text/memoize.js";

/**
 * Reports whether `%{REMOTE_HOST}` may be tested after a line that checks the name of the client: it is then the name, else the
 * address. Which checks come before is not analyzed: the first one that decides ends those of Allow, Deny and Require.
 */
export const testsNameAfterCheck = memoize((project: Project): boolean => {
  const lines = placedLinesOf(project);
  const lookups = lines.filter(({ line }) => line.key === "hostnamelookups");
  const isOn = ({ line }: PlacedLine) => keywordArgumentOf(line) !== "off";
  if (lookups.every(isOn) && lookups.some(({ line }) => line.parent === undefined)) return false;
  return lines.some(({ line }) => checksClientName(line)) && lines.some((placed) => testsName(placed, project));
});

function testsName({ line, effects }: PlacedLine, project: Project): boolean {
  const isDeciding =
    line.children !== undefined || mayShareFacts(effects?.writes ?? new Set(), decidingFactsOf(project));
  return isDeciding && /remote_host/i.test(line.argumentText);
}

/** What decides which access lines apply to a request, and in which order they are checked. */
const ofChecks: ReadonlySet<Fact> = new Set<Fact>(["status", "path", "file", "user", "virtual-host"]);

/** Reports whether a line may change whether the name of the client is looked up. */
export function mayChangeLookup({ line, effects }: PlacedLine): boolean {
  return line.key === "hostnamelookups" || (effects !== undefined && mayShareFacts(effects.writes, ofChecks));
}
