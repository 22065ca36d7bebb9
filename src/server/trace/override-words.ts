import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile } from "../../config/model/project.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { findThirdPartyDirective, type OverrideClass } from "../../facts/directives.js";

/** Returns the words of an AllowOverride line that allows everything in a file, in addition to those of a line. */
export function overrideWordsFor({ directives }: HtaccessFile, allowed: Directive | undefined): readonly string[] {
  const all = [...iterateDescendants(directives)];
  if (all.some(isOverrideUnknown)) return ["All"];
  const current = allowed?.key === "allowoverride" ? allowed.arguments.map(({ value }) => value) : [];
  const words = current.filter((word) => word.toLowerCase() !== "none");
  const names = () => words.map((word) => word.split("=")[0]?.toLowerCase());
  const has = (name: OverrideClass) =>
    names().includes(name.toLowerCase()) ||
    names().includes("all") ||
    (name === "All" && names().some((word) => word !== "nonfatal"));
  const needs = all.map(overridesAllowing).filter((classes) => classes.length > 0);
  // Directives that only one class allows come first: the same class may cover others.
  for (const classes of needs.sort((a, b) => a.length - b.length || rank(a) - rank(b)))
    if (!classes.some(has)) words.push(...classes.slice(0, 1));
  return words.length > 0 ? withOptions(words, optionsIn(all)) : ["All"];
}

/** The options that the class Options does not contain (server/core.c `set_override`). */
const otherOptions: ReadonlySet<string> = new Set(["multiviews", "symlinksifownermatch"]);

/** Returns the options that the lines of a file name, without signs. */
function optionsIn(lines: readonly Directive[]): readonly string[] {
  const words = lines.flatMap(({ key, arguments: all }) => (key === "options" ? all.map(({ value }) => value) : []));
  return [...new Set(words.map((word) => word.replace(/^[+-]/, "")))].filter((word) => word.toLowerCase() !== "none");
}

/** Returns the words of an AllowOverride line with those for the options: `Options=All,MultiViews`. */
function withOptions(words: readonly string[], needed: readonly string[]): readonly string[] {
  return words.map((word) => {
    const [name = "", list] = word.split("=");
    if (name.toLowerCase() !== "options") return word;
    const listed = list?.split(",").filter((each) => each !== "") ?? ["All"];
    const keys = listed.map((each) => each.toLowerCase());
    const isIn = (option: string) =>
      keys.includes(option.toLowerCase()) || (keys.includes("all") && !otherOptions.has(option.toLowerCase()));
    const added = needed.filter((option) => !isIn(option));
    return added.length === 0 ? word : `${name}=${[...listed, ...added].join(",")}`;
  });
}

/** Returns the classes that each allow a directive. */
export function overridesAllowing({ key, known }: Directive): readonly OverrideClass[] {
  if (known.facts.length === 0) return findThirdPartyDirective(key)?.override ?? [];
  return [...new Set(known.facts.flatMap(({ override }) => override))];
}

/** Returns whether a directive belongs to a third-party module, and the classes that allow it are not known. */
export function isOverrideUnknown({ key, known }: Directive): boolean {
  return known.facts.length === 0 && findThirdPartyDirective(key)?.override === undefined;
}

/** Directives that any class allows come last. */
function rank([first]: readonly OverrideClass[]): number {
  return first === "All" ? 1 : 0;
}
