import { type Directive, isInSection, lineKeyOf } from "../../config/model/directive.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { isAccessLine } from "../../server/access/lines-of-24.js";
import { isAccessDenied } from "../../server/model/answer-class.js";
import type { ConfigComparison, Difference } from "../model/comparison.js";
import type { VirtualPages } from "./plan/virtual-pages.js";

/** A comparison of a configuration with its migration, split by what access rules can affect. */
export interface DividedComparison {
  /** The differences that access rules cause. */
  readonly comparison: ConfigComparison;
  /** Requests that 2.4 rejects regardless of the access rules. */
  readonly byRelease: readonly Difference[];
  /** Requests for a page that the same clients get at another path, before and after. */
  readonly samePage: readonly Difference[];
}

/** Separates the differences that do not change what any client can see. All other requests are still compared. */
export function separateHarmlessDifferences(comparison: ConfigComparison, pages: VirtualPages): DividedComparison {
  const byRelease = comparison.differences.filter(isReleaseDifference);
  const pagePaths = new Map([...pages].flatMap(([{ section }, path]) => (section ? [[lineKeyOf(section), path]] : [])));
  const samePage = comparison.differences.filter((each) => isOfSamePage(each, pagePaths));
  const setAside = new Set([...byRelease, ...samePage]);
  if (setAside.size === 0) return { comparison, byRelease, samePage };
  const differences = comparison.differences.filter((each) => !setAside.has(each));
  const isEquivalent = differences.length + comparison.unproved.length === 0;
  const verdict = isEquivalent ? "equivalent" : differences.length > 0 ? "different" : "unknown";
  return { comparison: { ...comparison, differences, verdict }, byRelease, samePage };
}

/**
 * Refusals of 2.4 for the results of a rewrite rule that 2.2 accepts: a question mark from the path (AH10508), control
 * characters in the query (AH10410, AH10411).
 */
const redirectRefusals = /^AH(?:10508|10410|10411)\b/;

/** A backend without a module: 2.4 reports it once access is granted (mod_proxy.c `proxy_handler`). */
const missingBackend = /^AH01144\b/;

function isReleaseDifference({ before, after }: Difference): boolean {
  // Such as a malformed Host header: no line decides, and access is not checked.
  if (after.access === "rejected" && after.decidedBy.length === 0) return true;
  if (!isAccessDenied(before.access) && after.log.some((line) => missingBackend.test(line))) return true;
  // A migration changes no rule, so 2.2 has the same one. Its access lines decide after it, and may ask for a password: 2.4
  // refuses the request before any of its access lines decides, and nobody gains access.
  const [deciding, ...others] = after.decidedBy;
  return (
    deciding?.key === "rewriterule" && others.length === 0 && after.log.some((line) => redirectRefusals.test(line))
  );
}

/**
 * Reports whether requests that were denied are for a page whose section decides on its own, as the last one about
 * access. The section makes the same decision at the path of the page: a difference there is compared separately.
 *
 * @param pagePaths by the line of the section
 */
function isOfSamePage({ before, after, regions }: Difference, pagePaths: ReadonlyMap<string, string>): boolean {
  if (!isAccessDenied(before.access) || after.access === "error") return false;
  return regions.every(({ pathClass, alike }) => {
    const [old, now] = pathClass.sections.map((sections) => sections.findLast(mayDecide));
    if (old === undefined || now === undefined || now.argumentText !== old.argumentText) return false;
    const path = pagePaths.get(lineKeyOf(old));
    if (path === undefined) return false;
    const isReplacing = now.children?.every(({ key }) => key !== "authmerging" && !key.startsWith("<if")) === true;
    // Hosts that are alike may name other handlers in their own sections.
    if (alike.length > 0 && old.parent !== undefined) return false;
    // The path of the page is the shortest in its section, so it represents the class that contains it.
    return isReplacing && pathClass.path !== path && after.decidedBy.every((line) => isInSection(line, now));
  });
}

/** Reports whether a section has lines about access or users. */
export function mayDecide({ children = [] }: Directive): boolean {
  return [...iterateDescendants(children)].some((line) => isAccessLine(line) || line.key.startsWith("auth"));
}
