import {
  type DocumentLink,
  type DocumentSymbol,
  type FoldingRange,
  FoldingRangeKind,
  SymbolKind,
} from "vscode-languageserver/node";
import type { ConfigTree, SectionNode, TreeNode } from "../../grammar/ast.js";
import { buildTree } from "../../grammar/tree.js";
import { toReadable } from "../text/source.js";
import { includedFiles, isInclude } from "./definition.js";
import type { OpenDocument } from "./documents.js";
import type { Outline } from "./jobs.js";
import { readLine, sectionKey } from "./lines.js";
import { uriOf } from "./uris.js";

/** Sections nested deeper are not shown. */
const DEEPEST = 100;

const kinds: ReadonlyMap<string, SymbolKind> = new Map([
  ["<virtualhost", SymbolKind.Namespace],
  ["<directory", SymbolKind.Package],
  ["<directorymatch", SymbolKind.Package],
  ["<location", SymbolKind.Interface],
  ["<locationmatch", SymbolKind.Interface],
  ["<files", SymbolKind.File],
  ["<filesmatch", SymbolKind.File],
  ["<macro", SymbolKind.Function],
  ["<ifmodule", SymbolKind.Module],
]);

/** The sections of a document, nested as they are written. */
export function symbolsIn(document: OpenDocument): DocumentSymbol[] {
  return symbolsOf(buildTree(document.tree), document, 0);
}

function symbolsOf(nodes: readonly TreeNode[], document: OpenDocument, depth: number): DocumentSymbol[] {
  if (depth > DEEPEST) return [];
  return nodes.filter(isSection).map((section) => {
    const { open, close, children } = section;
    const { placed, source, tree } = document;
    const end = Math.max(open.nameEnd, open.restEnd);
    const tag = source.text.slice(open.nameStart, end).replace(/^["']?<|>$/g, "");
    const detail = serverNameIn(section, tree);
    return {
      name: toReadable(tag).replace(/\s+/g, " ").trim() || "<",
      ...(detail === undefined ? {} : { detail }),
      kind: kinds.get(sectionKey(tree, open)) ?? SymbolKind.Object,
      range: placed.rangeOf({ start: open.nameStart, end: endOf(section, close ? close.nameEnd : end) }),
      selectionRange: placed.rangeOf({ start: open.nameStart, end }),
      children: symbolsOf(children, document, depth + 1),
    };
  });
}

function isSection(node: TreeNode): node is SectionNode {
  return "open" in node;
}

/** Where a section ends; one that is never closed with the last line in it. */
function endOf({ close, children }: SectionNode, otherwise: number): number {
  if (close) return Math.max(close.nameEnd, close.restEnd);
  const last = children.findLast((node) => !isSection(node));
  return last && !isSection(last) ? Math.max(otherwise, last.nameEnd, last.restEnd) : otherwise;
}

/** What tells one virtual host from another. */
function serverNameIn({ open, children }: SectionNode, tree: ConfigTree): string | undefined {
  if (sectionKey(tree, open) !== "<virtualhost") return undefined;
  for (const node of children) {
    const read = isSection(node) ? undefined : readLine(tree, node);
    if (read?.key === "servername") return toReadable(read.words[0]?.value ?? "");
  }
  return undefined;
}

/** Sections, and comments of several lines. */
export function foldingIn({ tree, placed }: OpenDocument): FoldingRange[] {
  const found: FoldingRange[] = [];
  const open: { readonly key: string; readonly start: number }[] = [];
  let comment: { readonly start: number; end: number } | undefined;
  const lineOf = (offset: number) => placed.positionOf(offset).line;
  for (const line of tree.lines) {
    const start = lineOf(line.start);
    if (line.kind === "comment") comment = { start: comment?.start ?? start, end: start };
    else {
      if (comment && comment.end > comment.start)
        found.push({ startLine: comment.start, endLine: comment.end, kind: FoldingRangeKind.Comment });
      comment = undefined;
    }
    if (line.kind === "open") open.push({ key: sectionKey(tree, line), start });
    if (line.kind !== "close") continue;
    const key = sectionKey(tree, line);
    const opener = open.findLastIndex((each) => each.key === key);
    const startLine = open[opener]?.start;
    if (opener < 0 || startLine === undefined) continue;
    open.length = opener;
    if (start - 1 > startLine) found.push({ startLine, endLine: start - 1 });
  }
  return found;
}

/** The arguments of Include lines that lead to one file. */
export function linksIn({ tree, placed }: OpenDocument, outline: Outline | undefined): DocumentLink[] {
  const links: DocumentLink[] = [];
  if (outline === undefined || Object.keys(outline.includes).length === 0) return links;
  for (const line of tree.lines) {
    const read = line.kind === "directive" ? readLine(tree, line) : undefined;
    const [word] = read && isInclude(read) ? read.words : [];
    const [path, another] = word ? includedFiles(word, outline) : [];
    if (word && path !== undefined && another === undefined)
      links.push({ range: placed.rangeOf(word), target: uriOf(path) });
  }
  return links;
}
