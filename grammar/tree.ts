import type { ConfigTree, Line, SectionNode, TreeNode } from "./ast.js";

/**
 * Nests a file's lines by its section tags as they are written, whatever guards and macros make of them. A closing tag
 * closes the innermost open section of its name; one that closes nothing, and the sections between, are left as they
 * stand. Nesting is kept on a stack of our own, so any depth is taken.
 */
export function buildTree(tree: ConfigTree): TreeNode[] {
  const top: TreeNode[] = [];
  const open: { section: SectionNode; name: string }[] = [];
  for (const line of tree.lines) {
    const into = open[open.length - 1]?.section.children ?? top;
    if (line.kind === "open") {
      const section: SectionNode = { open: line, children: [] };
      into.push(section);
      open.push({ section, name: tagName(tree, line) });
      continue;
    }
    const opener = line.kind === "close" ? findLastName(open, tagName(tree, line)) : -1;
    const closed = open[opener];
    if (closed) {
      closed.section.close = line;
      open.length = opener;
    } else into.push(line);
  }
  return top;
}

function findLastName(open: readonly { name: string }[], name: string): number {
  for (let i = open.length - 1; i >= 0; i--) if (open[i]?.name === name) return i;
  return -1;
}

/** `directory` for `<Directory` and `</Directory>`. */
function tagName(tree: ConfigTree, line: Line): string {
  const word = tree.source.text.slice(line.nameStart, line.nameEnd);
  return word
    .replace(/^["']?<\/?/, "")
    .replace(/>?["']?$/, "")
    .toLowerCase();
}
