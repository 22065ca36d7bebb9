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

/** A file as lines and their tree. `print` returns its bytes unchanged. */
export interface ConfigTree {
  readonly source: SourceFile;
  /** The text that is read, of the same length: it differs from that of the source if this is a template. */
  readonly text: string;
  readonly lines: Lines;
  /** The lines, nested by their section tags as written, regardless of conditional sections and macros. */
  readonly nodes: readonly TreeNode[];
}

/** A section as written: its opening line, its contents, and its closing line if it has one. */
export interface SectionNode {
  readonly open: Line;
  readonly children: readonly TreeNode[];
  readonly close?: Line;
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

/** Prints a tree as the exact text it was parsed from: its lines tile the text. */
export function print(tree: ConfigTree): string {
  return Array.from(tree.lines, (line) => tree.source.text.slice(line.start, line.end)).join("");
}
