import type { Directive } from "../project/directive.js";
import { isExpansion, type Macro } from "../project/macros.js";
import type { Layer } from "../scope/layer.js";
import { isAccessLine, isOld } from "./old-directives.js";
import type { Said } from "./said.js";

/** The macro in whose text a section stands. */
export function macroOf({ content, section }: Layer): Macro | undefined {
  const file = (section ?? content[0])?.span.file;
  return file && isExpansion(file) ? file.macro : undefined;
}

/** The lines of a section that are no more. */
export function goneIn(layer: Layer, said: Said): readonly Directive[] {
  return layer.directives.filter((each) => {
    if (said.kind !== "kept") return isAccessLine(each);
    return isOld(each) || (said.operator !== undefined && each.key === "authmerging");
  });
}

/** A line of a section, and on which side of it. */
export interface Anchor {
  readonly directive: Directive;
  readonly where: "ahead" | "behind";
}

/** Where what a section says is written: in place of its first line that goes, else ahead of its first line about access, else at its start. */
export function anchorOf(layer: Layer, gone: readonly Directive[]): Anchor | undefined {
  const first = gone[0] ?? layer.directives.find(isAccessLine);
  if (first) return { directive: outermostIn(layer, first), where: "ahead" };
  if (layer.section) return { directive: layer.section, where: "behind" };
  const [content] = layer.content;
  return content && { directive: content, where: "ahead" };
}

/** The line of a section that another stands in, or itself. */
function outermostIn(layer: Layer, directive: Directive): Directive {
  const { parent } = directive;
  return parent === undefined || parent === layer.section || !layer.directives.includes(parent)
    ? directive
    : outermostIn(layer, parent);
}
