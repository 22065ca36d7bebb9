import {
  type DocumentLink,
  type DocumentSymbol,
  type FoldingRange,
  FoldingRangeKind,
  type Location,
  SymbolKind,
} from "vscode-languageserver/node";
import type { ConfigTree, SectionNode, TreeNode } from "../../../../grammar/ast.js";
import { toReadable } from "../../../text/source.js";
import { type LineWord, type ParsedLine, parseLine, sectionKeyOf } from "../documents/config-lines.js";
import type { Cursor, OpenDocument } from "../documents/open-documents.js";
import { uriOf } from "../documents/protocol-conversion.js";
import type { DocumentOutline, NamedLocation, NameKind } from "../job.js";

const startOfFile = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The arguments of directives that refer to a name defined elsewhere, with the kind of name. */
const referencingDirectives: Readonly<
  Record<string, { readonly kind: NameKind; readonly isHere: (index: number) => boolean }>
> = {
  use: { kind: "macro", isHere: isFirst },
  undefmacro: { kind: "macro", isHere: isFirst },
  "<macro": { kind: "use", isHere: isFirst },
  undefine: { kind: "define", isHere: isFirst },
  "<ifdefine": { kind: "define", isHere: isFirst },
  require: { kind: "authz alias", isHere: () => true },
  authbasicprovider: { kind: "authn alias", isHere: () => true },
  authdigestprovider: { kind: "authn alias", isHere: () => true },
  authformprovider: { kind: "authn alias", isHere: () => true },
};

function isFirst(index: number): boolean {
  return index === 0;
}

/**
 * Returns the definition of the item at the cursor: the files of an Include, a Define, a macro (or its uses), a
 * provider alias.
 */
export function findDefinitions(
  cursor: Cursor,
  outline: DocumentOutline | undefined,
  names: readonly NamedLocation[],
): Location[] {
  const { read, offset } = cursor;
  const variable = findVariableAt(cursor);
  if (variable !== undefined) return findNamedLocations(names, "define", variable);
  const index = read?.words.findIndex(({ start, end }) => start <= offset && offset <= end) ?? -1;
  const word = read?.words[index];
  if (read === undefined || word === undefined) return [];
  if (isInclude(read))
    return resolveIncludedFiles(word, outline).map((path) => ({ uri: uriOf(path), range: startOfFile }));
  const use = Object.hasOwn(referencingDirectives, read.key) ? referencingDirectives[read.key] : undefined;
  return use?.isHere(index) ? findNamedLocations(names, use.kind, toReadable(word.value).replace(/^!/, "")) : [];
}

/** Reports whether a line includes other files. */
function isInclude({ key }: ParsedLine): boolean {
  return key === "include" || key === "includeoptional";
}

/** Returns the files that the argument of an Include matches. */
function resolveIncludedFiles({ value }: LineWord, outline: DocumentOutline | undefined): readonly string[] {
  const name = toReadable(value);
  return outline && Object.hasOwn(outline.includes, name) ? (outline.includes[name] ?? []) : [];
}

/** Returns the name of the `${}` at the cursor. */
function findVariableAt({ document, offset, line }: Cursor): string | undefined {
  if (line === undefined) return undefined;
  const written = document.source.text.slice(line.start, line.end);
  // Cut at its last bracket, every name has an end: the search stays linear.
  const text = written.slice(0, written.lastIndexOf("}") + 1);
  for (const { index, 0: found, 1: name = "" } of text.matchAll(/\$\{([^}]*)\}/g)) {
    const start = line.start + index;
    if (start <= offset && offset <= start + found.length) return toReadable(name);
  }
  return undefined;
}

/** Returns the places of a name. Names are case-insensitive, as in the server for macros and variables. */
function findNamedLocations(names: readonly NamedLocation[], kind: NameKind, name: string): Location[] {
  return names
    .filter((each) => each.kind === kind && each.name.toLowerCase() === name.toLowerCase())
    .map(({ uri, range }) => ({ uri, range }));
}

/** Sections nested deeper are not shown. */
const MAX_SYMBOL_DEPTH = 100;

const symbolKinds: ReadonlyMap<string, SymbolKind> = new Map([
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

/** Returns the sections of a document, nested as in its text. */
export function listSymbols(document: OpenDocument): DocumentSymbol[] {
  return createSymbols(document.tree.nodes, document, 0);
}

function createSymbols(nodes: readonly TreeNode[], document: OpenDocument, depth: number): DocumentSymbol[] {
  if (depth > MAX_SYMBOL_DEPTH) return [];
  return nodes.filter(isSection).map((section) => {
    const { open, close, children } = section;
    const { placed, source, tree } = document;
    const end = Math.max(open.nameEnd, open.restEnd);
    const tag = source.text.slice(open.nameStart, end).replace(/^["']?<|>$/g, "");
    const detail = findServerName(section, tree);
    return {
      name: toReadable(tag).replace(/\s+/g, " ").trim() || "<",
      ...(detail === undefined ? {} : { detail }),
      kind: symbolKinds.get(sectionKeyOf(tree, open)) ?? SymbolKind.Object,
      range: placed.rangeOf({ start: open.nameStart, end: endOf(section, close ? close.nameEnd : end) }),
      selectionRange: placed.rangeOf({ start: open.nameStart, end }),
      children: createSymbols(children, document, depth + 1),
    };
  });
}

function isSection(node: TreeNode): node is SectionNode {
  return "open" in node;
}

/** Returns the end of a section; an unclosed one ends with the last line in it. */
function endOf({ close, children }: SectionNode, endOfTag: number): number {
  if (close) return Math.max(close.nameEnd, close.restEnd);
  const last = children.findLast((node) => !isSection(node));
  return last && !isSection(last) ? Math.max(endOfTag, last.nameEnd, last.restEnd) : endOfTag;
}

/** Returns the server name, which distinguishes virtual hosts. */
function findServerName({ open, children }: SectionNode, tree: ConfigTree): string | undefined {
  if (sectionKeyOf(tree, open) !== "<virtualhost") return undefined;
  for (const node of children) {
    const read = isSection(node) ? undefined : parseLine(tree, node);
    if (read?.key === "servername") return toReadable(read.words[0]?.value ?? "");
  }
  return undefined;
}

/** Returns the folding ranges: sections, and comments of several lines. */
export function listFoldingRanges({ tree, placed }: OpenDocument): FoldingRange[] {
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
    if (line.kind === "open") open.push({ key: sectionKeyOf(tree, line), start });
    if (line.kind !== "close") continue;
    const key = sectionKeyOf(tree, line);
    const opener = open.findLastIndex((each) => each.key === key);
    const startLine = open[opener]?.start;
    if (opener < 0 || startLine === undefined) continue;
    open.length = opener;
    if (start - 1 > startLine) found.push({ startLine, endLine: start - 1 });
  }
  return found;
}

/** Returns links for the arguments of Include lines that resolve to one file. */
export function listDocumentLinks(
  { tree, placed }: OpenDocument,
  outline: DocumentOutline | undefined,
): DocumentLink[] {
  const links: DocumentLink[] = [];
  if (outline === undefined || Object.keys(outline.includes).length === 0) return links;
  for (const line of tree.lines) {
    const read = line.kind === "directive" ? parseLine(tree, line) : undefined;
    const [word] = read && isInclude(read) ? read.words : [];
    const [path, another] = word ? resolveIncludedFiles(word, outline) : [];
    if (word && path !== undefined && another === undefined)
      links.push({ range: placed.rangeOf(word), target: uriOf(path) });
  }
  return links;
}
