import { namesOfPairs } from "../../compare/summary.js";
import type { TemplateInstance } from "../../compare/templates/host-templates.js";
import { formatMore } from "../text/text-printer.js";

/** Hosts that a result holds for, besides the one that it is shown for. */
export interface AlikeHosts {
  /** Those for which all that is shown holds as it is. */
  readonly same: readonly string[];
  /** Those with other constants in it. */
  readonly renamed: readonly string[];
}

/** Divides hosts that are alike up to constants by whether their constants are in what is shown. */
export function divideAlikeHosts(instances: readonly TemplateInstance[], shown: string): AlikeHosts {
  const renamed = instances.filter(({ renaming }) => renaming.affects(shown));
  const others = new Set(renamed);
  const same = instances.filter((each) => !others.has(each));
  const namesOf = (each: readonly TemplateInstance[]) => namesOfPairs(each.map(({ pair }) => pair));
  return { same: namesOf(same), renamed: namesOf(renamed) };
}

/** Formats the other hosts that a result holds for, one text for each kind. @param isVerbose whether all are listed */
export function formatAlikeHosts({ same, renamed }: AlikeHosts, isVerbose: boolean): readonly string[] {
  const own = "each with its own names, paths and addresses";
  return [
    ...(same.length > 0 ? [formatMore("host", same, isVerbose)] : []),
    ...(renamed.length > 0 ? [`${formatMore("host", renamed, isVerbose)}; ${own}`] : []),
  ];
}
