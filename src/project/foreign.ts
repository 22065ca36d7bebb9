import { directiveFacts, type Release, thirdPartyDirective } from "../directives/directives.js";
import type { Directive } from "./directive.js";
import type { Project } from "./project.js";

const releases: readonly Release[] = ["2.2", "2.4"];

/**
 * Whether a directive that the release does not have may be one of a loaded module that does not come with httpd: of the one
 * that is known to have it, or of one of which nothing is known.
 */
export function mayBeForeign(
  { key }: Pick<Directive, "key">,
  { modules, modulesAreKnown }: Pick<Project, "modules" | "modulesAreKnown">,
): boolean {
  const foreign = thirdPartyDirective(key);
  if (foreign) return !modulesAreKnown || modules.hasThirdParty(foreign.module);
  return modules.unknown.length > 0 && releases.every((release) => directiveFacts(release, key).length === 0);
}
