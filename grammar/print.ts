import type { ConfigTree } from "./ast.js";

/** A tree back to the very text it was read from: the lines tile it. */
export function print(tree: ConfigTree): string {
  return Array.from(tree.lines, (line) => tree.source.text.slice(line.start, line.end)).join("");
}
