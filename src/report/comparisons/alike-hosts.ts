import type { TemplateInstance } from "../../proof/compare/host-templates.js";
import { namesOfPairs } from "../../proof/compare/summary.js";
import { formatMore } from "../text/text-printer.js";

/** The further hosts that a result holds for. */
export interface AlikeHosts {
  /** Those for which the shown text holds unchanged. */
  readonly same: readonly string[];
  /** Those for which the text contains other constants. */
  readonly renamed: readonly string[];
}

/** Divides hosts that differ only in constants by whether the shown text contains these constants. */
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
