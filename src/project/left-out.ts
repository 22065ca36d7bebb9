import type { ConfigTree } from "../../grammar/ast.js";
import type { Project } from "./project.js";

/** The lower-case names of the directives that stand in guards that do not hold: another server may have them. */
export function namesLeftOut({ guards, files }: Project): ReadonlySet<string> {
  const skipped = new Map<string, Set<number>>();
  for (const { holds, span } of guards) {
    if (holds) continue;
    const starts = skipped.get(span.file.realPath) ?? new Set();
    skipped.set(span.file.realPath, starts.add(span.start));
  }
  const names = new Set<string>();
  for (const tree of files.values()) {
    const starts = skipped.get(tree.source.realPath);
    if (starts) for (const name of namesBehind(tree, starts)) names.add(name);
  }
  return names;
}

function* namesBehind({ lines, source }: ConfigTree, starts: ReadonlySet<number>): Generator<string> {
  let depth = 0;
  for (const { kind, nameStart, nameEnd } of lines) {
    if (kind === "open" && (depth > 0 || starts.has(nameStart))) depth++;
    else if (kind === "close" && depth > 0) depth--;
    else if (kind === "directive" && depth > 0) yield source.text.slice(nameStart, nameEnd).toLowerCase();
  }
}
