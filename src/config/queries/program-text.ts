import type { Directive } from "../model/directive.js";

/** Returns the program in a section of mod_lua or mod_perl, as written; undefined for other lines. */
export function programTextOf({ key, reading: { tree }, lineIndex }: Directive): string | undefined {
  if (!/^<(?:lua|perl)/.test(key)) return undefined;
  const { text } = tree.source;
  const start = tree.lines.at(lineIndex)?.end ?? text.length;
  for (let index = lineIndex + 1; ; index++) {
    const line = tree.lines.at(index);
    if (line === undefined) return text.slice(start);
    const name = text.slice(line.nameStart, line.nameEnd).toLowerCase();
    if (line.kind === "close" && name.replace(/^<\/|>$/g, "") === key.slice(1)) return text.slice(start, line.start);
  }
}
