import type { Condition } from "../../../grammar/expression/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import { conditionOf } from "../expression/evaluate.js";
import { type ConfigLayer, layerOfSection } from "../model/config-layer.js";

/** An If, ElseIf or Else section. */
export interface IfSection {
  readonly section: Directive;
  readonly layer: ConfigLayer;
  /** Undefined for an Else, and for a section that prevents the server from starting. */
  readonly condition: Condition | undefined;
}

/** The If, ElseIf and Else sections of some sections, for each one that has any. */
export type IfSections = readonly (readonly IfSection[])[];

const ifNames: ReadonlySet<string> = new Set(["<if", "<elseif", "<else"]);

const ifSectionsIn = memoize((layer: ConfigLayer): readonly IfSection[] =>
  layer.pick(ifNames).map((section) => {
    const condition = section.key === "<else" ? undefined : conditionOf(section);
    return { section, layer: layerOfSection(section), condition };
  }),
);

/** Returns the If sections; empty if there are none. */
export function findIfSections(layers: readonly ConfigLayer[]): IfSections {
  if (!layers.some((layer) => layer.has("<if"))) return [];
  return layers.map((layer) => ifSectionsIn(layer)).filter(({ length }) => length > 0);
}

/**
 * Returns the If sections that apply: an ElseIf or Else applies if nothing before it in its chain did.
 *
 * @param holds evaluates the condition of an If or ElseIf
 */
export function selectIfSections(ifs: IfSections, holds: (section: IfSection) => boolean): ConfigLayer[] {
  const found: ConfigLayer[] = [];
  for (const ofOne of ifs) {
    let isDone = false;
    for (const each of ofOne) {
      const { key } = each.section;
      if (key === "<if") isDone = false;
      else if (isDone) continue;
      if (key !== "<else" && !holds(each)) continue;
      isDone = true;
      found.push(each.layer);
    }
  }
  return found;
}
