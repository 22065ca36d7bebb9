import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { placedLinesOf } from "../../config/queries/deciding-facts.js";
import { iterateDescendants, iterateDirectives } from "../../config/queries/directive-tree.js";
import { isAccessLine } from "../../server/access/lines-of-24.js";
import { argumentValuesOf, findSetting, firstArgumentOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { memoize } from "../../text/memoize.js";
import { isCheckAlike } from "./access-checks.js";
import type { Exploration } from "./exploration.js";

/** Reports whether some server of a configuration is a forward proxy. */
export const isForwardProxy = memoize((project: Project): boolean =>
  placedLinesOf(project).some(({ line }) => line.key === "proxyrequests" && keywordArgumentOf(line) === "on"),
);

/** Reports whether a Location section may match a whole URL, as requests to a forward proxy have it. */
export function mayMatchUrls(section: Directive): boolean {
  return section.key === "<locationmatch" || !(firstArgumentOf(section) ?? "").startsWith("/");
}

/** A URL of another server, which no section names. */
const anyUrl = "http://backend.invalid/";

/**
 * Reports whether both sides answer each request to a forward proxy alike: they process requests alike once access is
 * checked alike, no section but `<Proxy *>` controls access to some URLs, and each server checks access to the URLs of other
 * servers alike.
 */
export function areForwardedAlike(exploration: Exploration): boolean {
  const { sides, serverPairs, followsUnknownPhases, hasAllServerPairs } = exploration;
  if (!followsUnknownPhases || !hasAllServerPairs) return false;
  if (sides.some(({ project }) => distinguishesUrls(project) || !project.modules.has("proxy_module"))) return false;
  return exploration.withReserve(() =>
    serverPairs
      .filter(({ servers }) =>
        servers.some(({ layers }) => keywordArgumentOf(findSetting(layers, "proxyrequests")) === "on"),
      )
      .every((pair) =>
        isCheckAlike(exploration, pair, { path: "/", walks: [] }, { target: undefined, forwardedUrl: anyUrl }),
      ),
  );
}

/**
 * Reports whether access to some URLs of other servers may be checked in another way than to the rest, or whether rules may
 * lead them to another target.
 */
function distinguishesUrls(project: Project): boolean {
  return [...iterateDirectives(project)].some((line) => {
    const { key, children } = line;
    if (key === "rewriteoptions") return /allowanyuri/i.test(line.argumentText);
    if (children === undefined || !/^<(?:location|proxy)(?:match)?$/.test(key)) return false;
    const isOfAll = key === "<proxy" && argumentValuesOf(line).join(" ") === "*";
    const isOfPaths = key === "<location" && !mayMatchUrls(line);
    return !isOfAll && !isOfPaths && [...iterateDescendants(children)].some(mayControlAccess);
  });
}

function mayControlAccess(line: Directive): boolean {
  return isAccessLine(line) || line.key.startsWith("auth");
}
