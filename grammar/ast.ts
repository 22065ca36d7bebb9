import type { SourceFile } from "../src/text/source.js";
import type { Lines } from "./lines.js";

/**
 * What a logical line is: physical lines joined by a backslash at their end, as httpd joins them, count as one.
 * The kind follows from the first word, as in httpd: `#` comments only at the start, `<` opens a section, `</` closes.
 */
export type LineKind = "blank" | "comment" | "open" | "close" | "directive";

/**
 * What the rest of a line looks like, so that most need not be read to be judged: `string` is one word in double quotes
 * with nothing to resolve in it, `quoted` whatever else has a quote or backslash.
 */
export type RestShape = "empty" | "word" | "words" | "string" | "quoted";

/** One logical line. The lines of a file tile it: each starts where the one before ends. Offsets are in bytes. */
export interface Line {
  readonly kind: LineKind;
  /** First byte of the line, its indentation included. */
  readonly start: number;
  /** Offset after its line ending. */
  readonly end: number;
  /** The first word as written (`Order`, `<Directory`, `</Directory>`); empty for a blank line. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** The rest without the white space around it; empty where there is none. */
  readonly restStart: number;
  readonly restEnd: number;
  readonly rest: RestShape;
  /**
   * The words as httpd sees them differ from the bytes: a continuation inside, a NUL that ends the line early, or a
   * quoted first word. `cook` gives what httpd sees.
   */
  readonly cooked: boolean;
}

/** A file as lines; `print` gives its bytes back unchanged. */
export interface ConfigTree {
  readonly source: SourceFile;
  readonly lines: Lines;
}

/** A section of the written file: its opening line, what stands inside, and its closing line where there is one. */
export interface SectionNode {
  readonly open: Line;
  readonly children: TreeNode[];
  close?: Line;
}

export type TreeNode = Line | SectionNode;

/** One word of a line as `ap_getword_conf` reads it. Offsets are relative to the text it was read from. */
export interface Argument {
  /** Without quotes, escapes resolved. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** How it was quoted; `unclosed` where the closing quote is missing and httpd takes the rest of the line. */
  readonly quote: "none" | "single" | "double";
  readonly unclosed: boolean;
}

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

/** A tree back to the very text it was read from: the lines tile it. */
export function print(tree: ConfigTree): string {
  return Array.from(tree.lines, (line) => tree.source.text.slice(line.start, line.end)).join("");
}
