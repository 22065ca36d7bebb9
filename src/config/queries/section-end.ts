import type { Span } from "../../text/source.js";
import type { Directive } from "../model/directive.js";

/** Returns the span of the closing tag of a section; undefined if it has none in its file, or a macro expanded to it. */
export function endTagOf({ reading, lineIndex, span: { file } }: Directive): Span | undefined {
  if ("macro" in file) return undefined;
  const { lines } = reading.tree;
  let depth = 0;
  for (let index = lineIndex; index < lines.length; index++) {
    const line = lines.at(index);
    if (line?.kind === "open") depth++;
    else if (line?.kind === "close" && --depth === 0) return { file, start: line.nameStart, end: line.restEnd };
  }
  return undefined;
}
