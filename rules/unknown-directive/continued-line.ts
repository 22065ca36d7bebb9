import type { Directive } from "../../src/lint/api/configuration.js";
import type { Span } from "../../src/lint/api/rule.js";

/**
 * Finds the line that a line with an impossible name continues in the mind of its author: the line before it, or before
 * other such lines.
 */
export function findContinuedLine({ name, lineIndex, reading, parent }: Directive): Span | undefined {
  if (!isImpossible(name) || parent?.known.facts.length === 0) return undefined;
  const { lines, text, source } = reading.tree;
  for (let index = lineIndex - 1; index >= 0; index--) {
    const line = lines.at(index);
    // An empty line or a section separates the lines.
    if (line?.kind === "comment") continue;
    if (line?.kind !== "directive") return undefined;
    if (!isImpossible(text.slice(line.nameStart, line.nameEnd)))
      return { file: source, start: line.nameStart, end: line.restEnd };
  }
  return undefined;
}

/**
 * Returns whether no module can have a directive of this name: an address, a host name, or a part of a value. The names
 * of placeholders and sections are none of these.
 */
function isImpossible(name: string): boolean {
  return /^[\w"'*([|^:/-][\w.:/*,;|()'"[\]^?=+~-]*$/.test(name) && !/^\w+$/.test(name) && !/^\w+[.:]$/.test(name);
}
