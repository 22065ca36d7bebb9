import type { TreeNode } from "../../grammar/ast.js";
import { buildTree } from "../../grammar/tree.js";
import { allDirectives } from "../project/all-directives.js";
import type { Guard } from "../project/guards.js";
import type { Project } from "../project/project.js";
import type { SourceFile, Span } from "../text/source.js";
import { isCompatGuard, isOldName } from "./old-directives.js";

/** Old lines in a guard that does not hold. */
export interface LeftOut {
  readonly guard: Guard;
  /** In their order. */
  readonly lines: readonly Span[];
}

/**
 * Old lines that are not in force as the configuration is read, by the guard that keeps them out: they stay as they are, and
 * with another `-D` or module they need mod_access_compat. Those in a guard for that module alone are as they should be.
 */
export function leftOutLines(project: Project): readonly LeftOut[] {
  const loaded = new Set([...allDirectives(project)].map(({ span }) => keyOf(span)));
  const closed = new Map(project.guards.filter(({ holds }) => !holds).map((guard) => [keyOf(guard.span), guard]));
  const found = new Map<Guard, Span[]>();
  const visit = (nodes: readonly TreeNode[], file: SourceFile, around: Guard | undefined) => {
    for (const node of nodes) {
      const { kind, nameStart: start, nameEnd: end } = "open" in node ? node.open : node;
      const span = { file, start, end };
      const guard = around ?? closed.get(keyOf(span));
      if ("open" in node) {
        if (!isCompatGuard(file.text.slice(start, node.open.restEnd))) visit(node.children, file, guard);
      } else if (guard && kind === "directive" && isOldName(file.text.slice(start, end)) && !loaded.has(keyOf(span)))
        found.set(guard, [...(found.get(guard) ?? []), span]);
    }
  };
  for (const tree of project.files.values()) visit(buildTree(tree), tree.source, undefined);
  return [...found].map(([guard, lines]) => ({ guard, lines }));
}

function keyOf({ file, start }: Span): string {
  return `${start} ${file.realPath}`;
}
