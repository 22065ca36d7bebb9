import type { Line, SectionNode, TreeNode } from "../../../../grammar/ast.js";
import { parseFile } from "../../../../grammar/parser.js";
import type { SourceFile } from "../../../text/source.js";
import type { BlockLine } from "./require-block.js";

/** The position of inserted lines relative to a line: before it, after it, or in its place. */
export type InsertPosition = "before" | "after" | "instead";

/** The indentation of section content if the file does not show one. */
const DEFAULT_INDENT = "    ";
/** Sections that are deleted when they are empty, and those that are deleted when no comment is left either. */
const removableSections = /^<(limit|limitexcept|ifmodule)\b/i;
const removableEmptySections = /^<(directory|files|location)(match)?\b/i;

/** The edits of a file. A line is identified by an offset in it. */
export class FileRewriter implements LineChanges {
  readonly removed = new Set<number>();
  readonly blocks = new Map<string, readonly BlockLine[]>();
  readonly appendedWords = new Map<number, string>();
  readonly movedComments = new Set<number>();
  readonly commentedOut = new Map<number, string>();
  readonly words = new Map<number, { readonly end: number; readonly text: string }>();
  private readonly tail: BlockLine[] = [];

  constructor(readonly file: SourceFile) {}

  remove(at: number): void {
    this.removed.add(this.lineStart(at));
  }

  /** Deletes the comments directly above a line. @returns them, without indentation and line ends */
  takeComments(at: number): readonly string[] {
    const { text } = this.file;
    const taken: string[] = [];
    for (let end = this.lineStart(at); end > 0; ) {
      const start = text.lastIndexOf("\n", end - 2) + 1;
      const words = text.slice(start, end).trim();
      if (!words.startsWith("#")) break;
      taken.unshift(words);
      this.movedComments.add(start);
      end = start;
    }
    return taken;
  }

  put(where: InsertPosition, at: number, lines: readonly BlockLine[]): void {
    this.blocks.set(blockKey(where, this.lineStart(at)), lines);
  }

  /** Inserts lines after those already inserted at that position. */
  add(where: InsertPosition, at: number, lines: readonly BlockLine[]): void {
    const key = blockKey(where, this.lineStart(at));
    this.blocks.set(key, [...(this.blocks.get(key) ?? []), ...lines]);
  }

  /** Appends words to a line. @param end the end of its original words */
  appendWords(end: number, words: string): void {
    this.appendedWords.set(end, words);
  }

  /** Comments out a section, under a comment that states the reason. */
  commentOut(at: number, why: string): void {
    this.commentedOut.set(this.lineStart(at), why);
  }

  /** Replaces a text on a line that stays. */
  replace(start: number, end: number, text: string): void {
    this.words.set(start, { end, text });
  }

  /** Appends lines to the file. */
  append(lines: readonly BlockLine[]): void {
    this.tail.push(...lines);
  }

  private lineStart(at: number): number {
    return this.file.text.lastIndexOf("\n", at - 1) + 1;
  }

  /** Returns the edited text. @param omitsEmpty whether empty sections are deleted */
  render(omitsEmpty: boolean): string {
    const { text } = this.file;
    const writing = new TreeWriter(this.file.text, this, omitsEmpty);
    const written = writing.write(parseFile(this.file).nodes);
    if (this.tail.length === 0) return written;
    const ending = text.includes("\r\n") ? "\r\n" : "\n";
    const tail = printLines(this.tail, "", indentUnitOf(text), ending);
    const whole = written === "" || written.endsWith("\n") ? written : written + ending;
    // A last backslash continues its line, such as a comment: then an empty line continues it.
    return whole + (/\\\r?\n$/.test(whole) ? ending : "") + tail;
  }
}

function blockKey(where: InsertPosition, start: number): string {
  return `${where} ${start}`;
}

/** Returns the indentation of the first section's content in a text. */
function indentUnitOf(text: string): string {
  return /^([ \t]*)<[^/\n][^\n]*\n(?:\s*\n)?\1([ \t]+)\S/m.exec(text)?.[2] ?? DEFAULT_INDENT;
}

function printLines(lines: readonly BlockLine[], indent: string, unit: string, ending: string): string {
  return lines.map(({ depth, text }) => (text === "" ? ending : indent + unit.repeat(depth) + text + ending)).join("");
}

/** Edits of lines, by start offset, and of words. */
export interface LineChanges {
  readonly removed: ReadonlySet<number>;
  /** Comments that move elsewhere. */
  readonly movedComments: ReadonlySet<number>;
  readonly blocks: ReadonlyMap<string, readonly BlockLine[]>;
  readonly appendedWords: ReadonlyMap<number, string>;
  /** Sections that become comments, with the reason. */
  readonly commentedOut: ReadonlyMap<number, string>;
  readonly words: ReadonlyMap<number, { readonly end: number; readonly text: string }>;
}

class TreeWriter {
  private written = "";
  private readonly removedLines: LineChanges["removed"];
  private readonly blocks: LineChanges["blocks"];
  private readonly unit: string;

  constructor(
    private readonly text: string,
    private readonly changes: LineChanges,
    private readonly omitsEmpty: boolean,
  ) {
    this.removedLines = changes.removed;
    this.blocks = changes.blocks;
    this.unit = indentUnitOf(text);
  }

  write(tree: readonly TreeNode[]): string {
    this.visit(tree, false);
    return this.written;
  }

  private visit(nodes: readonly TreeNode[], isRemoved: boolean): void {
    for (const node of nodes) {
      const line = "open" in node ? node.open : node;
      this.put("before", line);
      if ("open" in node) this.visitSection(node, isRemoved || this.removedLines.has(line.start));
      else if (this.blocks.has(blockKey("instead", line.start))) this.put("instead", line);
      // A comment may also apply to the replacement of the line it was written for.
      else if (this.changes.movedComments.has(line.start)) continue;
      else if (line.kind === "comment" || !(isRemoved || this.removedLines.has(line.start))) this.copy(line);
    }
  }

  private visitSection(node: SectionNode, isRemoved: boolean): void {
    const why = this.changes.commentedOut.get(node.open.start);
    if (why !== undefined) {
      this.written += asComment(this.text, node, why);
      return;
    }
    const isShown = !isRemoved && !this.isEmptied(node);
    if (isShown) this.copy(node.open);
    this.put("after", node.open);
    this.visit(node.children, isRemoved);
    if (node.close && isShown) this.copy(node.close);
  }

  private copy({ start, end, restEnd, nameEnd }: Line): void {
    const wordsEnd = Math.max(restEnd, nameEnd);
    let at = start;
    for (const [from, { end: to, text }] of this.changes.words) {
      if (from < start || from >= wordsEnd) continue;
      this.written += this.text.slice(at, from) + text;
      at = to;
    }
    const more = this.changes.appendedWords.get(wordsEnd) ?? "";
    this.written += this.text.slice(at, wordsEnd) + more + this.text.slice(wordsEnd, end);
  }

  private put(where: InsertPosition, line: Line): void {
    const block = this.blocks.get(blockKey(where, line.start));
    if (block === undefined) return;
    const own = this.text.slice(line.start, line.nameStart);
    const indent = where === "after" ? own + this.unit : own;
    const ending = this.text.slice(line.start, line.end).endsWith("\r\n") ? "\r\n" : "\n";
    this.written += printLines(block, indent, this.unit, ending);
  }

  /** Reports whether everything in a Limit or conditional section was deleted. */
  private isEmptied(node: SectionNode): boolean {
    const name = this.text.slice(node.open.nameStart, node.open.nameEnd);
    const isRemovable =
      this.omitsEmpty && removableEmptySections.test(name) && !node.children.some((each) => this.isComment(each));
    if (!removableSections.test(name) && !isRemovable) return false;
    if (this.blocks.has(blockKey("after", node.open.start))) return false;
    return node.children.some((each) => this.hasRemovedLine(each)) && !node.children.some((each) => this.isKept(each));
  }

  private isComment(node: TreeNode): boolean {
    return !("open" in node) && node.kind === "comment" && !this.changes.movedComments.has(node.start);
  }

  private hasRemovedLine(node: TreeNode): boolean {
    if (!("open" in node)) return this.removedLines.has(node.start);
    return this.removedLines.has(node.open.start) || node.children.some((each) => this.hasRemovedLine(each));
  }

  private isKept(node: TreeNode): boolean {
    const line = "open" in node ? node.open : node;
    if (["before", "after"].some((where) => this.blocks.has(`${where} ${line.start}`))) return true;
    if (!("open" in node)) return node.kind === "directive" && !this.removedLines.has(node.start);
    return !this.removedLines.has(node.open.start) && !this.isEmptied(node);
  }
}

/** Returns the lines of a section as comments. */
function asComment(text: string, { open, close }: SectionNode, why: string): string {
  const end = close?.end ?? text.length;
  const indent = text.slice(open.start, open.nameStart);
  const ending = text.slice(open.start, open.end).endsWith("\r\n") ? "\r\n" : "\n";
  const lines = text.slice(open.start, end).replace(/^(?=.)/gm, "# ");
  return `${indent}# ${why}${ending}${lines}`;
}
