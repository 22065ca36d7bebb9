import type { Condition } from "../../../grammar/expression/ast.js";
import type { Directive } from "../../project/model/directive.js";
import { Memo } from "../../text/memo.js";
import { conditionOf } from "../expression/evaluate.js";
import { type ConfigLayer, layerOfSection } from "../model/config-layer.js";

/** An If, ElseIf or Else section. */
export interface IfSection {
  readonly section: Directive;
  readonly layer: ConfigLayer;
  /** Undefined for an Else, and for one that the server does not start with. */
  readonly condition: Condition | undefined;
}

/** The If sections of some layers with their like, for each layer in which there are any. */
export type IfSections = readonly (readonly IfSection[])[];

const ifNames: ReadonlySet<string> = new Set(["<if", "<elseif", "<else"]);

const ifSectionsByLayer = new Memo((layer: ConfigLayer): readonly IfSection[] =>
  layer.pick(ifNames).map((section) => {
    const condition = section.key === "<else" ? undefined : conditionOf(section);
    return { section, layer: layerOfSection(section), condition };
  }),
);

/** None where no If stands. */
export function findIfSections(layers: readonly ConfigLayer[]): IfSections {
  if (!layers.some((layer) => layer.has("<if"))) return [];
  return layers.map((layer) => ifSectionsByLayer.get(layer)).filter(({ length }) => length > 0);
}

/**
 * The If sections whose conditions hold: an ElseIf or Else counts where nothing ahead of it in its chain did.
 *
 * @param holds whether the condition of an If or ElseIf holds
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
