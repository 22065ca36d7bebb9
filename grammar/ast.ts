import type { SourceFile } from "../src/text/source.js";
import type { Lines } from "./lines.js";

/**
 * The kind of a logical line. Physical lines joined by a trailing backslash count as one line, as in httpd. The first
 * word decides, as in httpd: `#` comments only at the start, `<` opens a section, `</` closes.
 */
export type LineKind = "blank" | "comment" | "open" | "close" | "directive";

/**
 * The shape of the rest of a line, which lets most checks skip parsing it. `string` is one word in double quotes
 * without escapes. `quoted` is anything else with a quote or backslash.
 */
export type RestShape = "empty" | "word" | "words" | "string" | "quoted";

/** A logical line. The lines of a file tile it: each starts at the end of the previous one. Offsets are in bytes. */
export interface Line {
  readonly kind: LineKind;
  /** First byte of the line, including its indentation. */
  readonly start: number;
  /** Offset after its line ending. */
  readonly end: number;
  /** The first word as written (`Order`, `<Directory`, `</Directory>`); empty for a blank line. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** The rest without surrounding white space; possibly empty. */
  readonly restStart: number;
  readonly restEnd: number;
  readonly rest: RestShape;
  /**
   * Whether the words that httpd reads differ from the bytes: a continuation inside, a NUL that ends the line early, or
   * a quoted first word. `normalizeLine` returns the text that httpd reads.
   */
  readonly needsNormalizing: boolean;
}

/** A file as lines. `print` returns its bytes unchanged. */
export interface ConfigTree {
  readonly source: SourceFile;
  readonly lines: Lines;
}

/** A section as written: its opening line, its contents, and its closing line if it has one. */
export interface SectionNode {
  readonly open: Line;
  readonly children: TreeNode[];
  close?: Line;
}

export type TreeNode = Line | SectionNode;

/** An argument of a line as `ap_getword_conf` reads it. Offsets are relative to the parsed text. */
export interface Argument {
  /** Without quotes, escapes resolved. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** The kind of quoting; `unclosed` if the closing quote is missing and httpd takes the rest of the line. */
  readonly quote: "none" | "single" | "double";
  readonly unclosed: boolean;
}

/**
 * Nests a file's lines by their section tags as written, regardless of conditional sections and macros. A closing tag
 * closes the innermost open section of its name. A tag that closes nothing stays as it is, and so do the unclosed
 * sections in between. Uses an explicit stack, so any depth is accepted.
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

/** Returns `directory` for `<Directory` and `</Directory>`. */
function tagName(tree: ConfigTree, line: Line): string {
  const word = tree.source.text.slice(line.nameStart, line.nameEnd);
  return word
    .replace(/^["']?<\/?/, "")
    .replace(/>?["']?$/, "")
    .toLowerCase();
}

/** Prints a tree as the exact text it was parsed from: its lines tile the text. */
export function print(tree: ConfigTree): string {
  return Array.from(tree.lines, (line) => tree.source.text.slice(line.start, line.end)).join("");
}
