import type { Guard } from "../model/guards.js";

/** Returns the lines of a section that is not read, in lower case, without those of sections in it. */
export function skippedLinesOf({ span: { file, end } }: Guard): readonly string[] {
  const lines: string[] = [];
  let depth = 0;
  for (const line of file.text
    .slice(end)
    .split("\n")
    .map((each) => each.trim())) {
    if (/^<\//.test(line) && depth-- === 0) return lines;
    if (/^<[a-z]/i.test(line)) depth++;
    else if (depth === 0 && line !== "" && !line.startsWith("#")) lines.push(line.replace(/\s+/g, " ").toLowerCase());
  }
  return [];
}

/** Returns the part that the names of a module have in common, by the name in an IfModule section. */
export function moduleBaseOf(argument: string): string {
  return argument
    .toLowerCase()
    .replace(/^mod_/, "")
    .replace(/\.(?:c|so)$|_module$/, "");
}
