import { isRequireContainer } from "../access/new-rules.js";
import { isOldDirective } from "../access/old-rules.js";
import type { Directive } from "../project/directive.js";

const authoritative: ReadonlySet<string> = new Set([
  ...["authzuserauthoritative", "authzgroupfileauthoritative", "authzdbmauthoritative"],
  ...["authzownerauthoritative", "authzldapauthoritative", "authzdefaultauthoritative"],
]);

/** Whether a directive is none of 2.4 without mod_access_compat. */
export function isOld(directive: Directive): boolean {
  return isOldDirective(directive) || authoritative.has(directive.key);
}

/** Whether it says who gets in, in words of either release. */
export function isAccessLine(directive: Directive): boolean {
  const { key } = directive;
  return isOld(directive) || key === "require" || key === "authmerging" || isRequireContainer(directive);
}
