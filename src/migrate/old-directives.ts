import { isRequireContainer } from "../access/new-rules.js";
import { isOldDirective, oldNames } from "../access/old-rules.js";
import type { Directive } from "../project/directive.js";
import type { Guard } from "../project/guards.js";

const authoritative: ReadonlySet<string> = new Set([
  ...["authzuserauthoritative", "authzgroupfileauthoritative", "authzdbmauthoritative"],
  ...["authzownerauthoritative", "authzldapauthoritative", "authzdefaultauthoritative"],
]);

/** Whether a directive is none of 2.4 without mod_access_compat. */
export function isOld(directive: Directive): boolean {
  return isOldDirective(directive) || authoritative.has(directive.key);
}

/** The same of a name, in any case. */
export function isOldName(name: string): boolean {
  const key = name.toLowerCase();
  return oldNames.some((each) => each === key) || authoritative.has(key);
}

/** Whether it says who gets in, in words of either release. */
export function isAccessLine(directive: Directive): boolean {
  const { key } = directive;
  return isOld(directive) || key === "require" || key === "authmerging" || isRequireContainer(directive);
}

const compat = new Set(["mod_access_compat.c", "access_compat_module"]);

/** Whether the tag of a section, without its `>`, is such a guard. */
export function isCompatGuard(tag: string): boolean {
  const [name, module] = tag.split(/[\s">]+/);
  return name?.toLowerCase() === "<ifmodule" && compat.has(module ?? "");
}

/** The outermost guard around a line that holds where mod_access_compat is loaded alone. */
export function compatGuard({ guard }: Directive): Guard | undefined {
  let found: Guard | undefined;
  for (let each = guard; each; each = each.parent)
    if (each.kind === "<ifmodule" && !each.negated && compat.has(each.argument)) found = each;
  return found;
}
