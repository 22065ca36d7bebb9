/**
 * Texts of files in other files: here-documents of shell scripts and of Dockerfiles, and the block scalars of YAML, such as
 * `httpd.conf: |`. A here-document may be in a block, or in another one.
 */

import { findFirstSorted, getOrCreate } from "../src/text/collections.js";
import { nameOfProduct } from "./template.js";

/** A text in another file. Its lines are whole lines of that file. */
export interface EmbeddedText {
  /** The path of the file that it becomes, or the key that names it, as written; empty if nothing names it. */
  readonly target: string;
  readonly start: number;
  readonly end: number;
  /** Whether a shell replaces variables and escapes in it. */
  readonly isExpanded: boolean;
  /** The texts in it. A text with others is not a configuration itself. */
  readonly inner: readonly EmbeddedText[];
}

/** What contains texts of files. */
export type OuterSyntax = "shell" | "yaml";

const outerNames: readonly (readonly [RegExp, OuterSyntax])[] = [
  [/\.ya?ml$/i, "yaml"],
  [/\.(?:sh|bash|ksh|zsh)$/i, "shell"],
  [/^(?:docker|container)file(?:[.-].*)?$|\.(?:docker|container)file$|^vagrantfile$/i, "shell"],
];

/** Returns the syntax of a file that may contain others, by its name. */
export function findOuterSyntax(name: string): OuterSyntax | undefined {
  const bare = nameOfProduct(name);
  return outerNames.find(([pattern]) => pattern.test(bare))?.[1];
}

/** A key of YAML with a block; httpd has no such line. */
const blockKey = /^[ \t]*["']?[\w.-]+["']?:[ \t]+\|[-+]?[ \t]*\r?$/m;

/** Returns the syntax of a file that may contain others, by its text: its first line, or for a template a key of YAML. */
export function findOuterSyntaxOfText(text: string, isTemplate: boolean): OuterSyntax | undefined {
  if (isTemplate && blockKey.test(text)) return "yaml";
  if (/^#![^\n]*\b(?:ba|da|k|z|a)?sh\b/.test(text)) return "shell";
  return text.startsWith("#cloud-config") ? "yaml" : undefined;
}

/** Finds the texts in a file. */
export function findEmbedded(text: string, syntax: OuterSyntax): readonly EmbeddedText[] {
  const lines = listLines(text, 0, text.length);
  return syntax === "yaml" ? findBlocks(lines, outermost) : findHereDocuments(lines, outermost);
}

/** A physical line. */
interface OuterLine {
  readonly start: number;
  readonly end: number;
  /** Without the line ending. */
  readonly text: string;
}

function listLines(text: string, from: number, to: number): readonly OuterLine[] {
  const lines: OuterLine[] = [];
  for (let start = from; start < to; ) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed + 1;
    lines.push({ start, end, text: text.slice(start, end).replace(/\r?\n$/, "") });
    start = end;
  }
  return lines;
}

/** The beginning of a here-document; `<<<` is not one. */
const hereDocument = /(?<!<)<<([-~]?)[ \t]*(?:"([\w.-]+)"|'([\w.-]+)'|(\\?)([A-Za-z_.][\w.-]*))/g;

const MAX_DEPTH = 4;
/** The part of a command over several lines in which the path of its output is looked for. */
const MAX_COMMAND = 2000;

/** What surrounds a text. */
interface Surroundings {
  readonly depth: number;
  /** Whether a shell replaces variables and escapes there. */
  readonly isExpanded: boolean;
}

const outermost: Surroundings = { depth: 0, isExpanded: false };

/** A here-document may be YAML, such as one for `kubectl apply`. */
function findInside(lines: readonly OuterLine[], around: Surroundings): readonly EmbeddedText[] {
  if (around.depth >= MAX_DEPTH) return [];
  const blocks = findBlocks(lines, around);
  return blocks.length > 0 ? blocks : findHereDocuments(lines, around);
}

function findHereDocuments(lines: readonly OuterLine[], around: Surroundings): readonly EmbeddedText[] {
  const found: EmbeddedText[] = [];
  const delimiters = new Delimiters(lines);
  let before = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]?.text ?? "";
    if (/^[ \t]*#/.test(line)) continue;
    const command = before + line;
    for (const opening of line.includes("<<") ? line.matchAll(hereDocument) : []) {
      const [, dash = "", double, single, backslash = "", bare = ""] = opening;
      const delimiter = double ?? single ?? bare;
      const end = delimiters.findAfter(at, delimiter);
      if (end === undefined) continue;
      const body = lines.slice(at + 1, end);
      const [first] = body;
      const last = body.at(-1);
      at = end;
      if (first === undefined || last === undefined) continue;
      const target = findTarget(command, before.length + opening.index, delimiter);
      const isExpanded = around.isExpanded || (bare !== "" && backslash === "" && dash !== "~");
      const inner = findInside(body, { depth: around.depth + 1, isExpanded });
      found.push({ target, start: first.start, end: last.end, isExpanded, inner });
    }
    const written = command.trimEnd();
    before = written.endsWith("\\") ? `${written.slice(0, -1)} `.slice(-MAX_COMMAND) : "";
  }
  return found;
}

/** The lines that may end here-documents, by their words. */
class Delimiters {
  private readonly lines = new Map<string, number[]>();

  /** Indentation is accepted: `<<-` removes tabs, and YAML the indentation of a block. */
  constructor(lines: readonly OuterLine[]) {
    for (const [number, { text }] of lines.entries()) {
      const written = text.trim();
      if (written !== "" && !/[^\w.-]/.test(written)) getOrCreate(this.lines, written, () => []).push(number);
    }
  }

  /** Returns the number of the first such line after another one. */
  findAfter(line: number, delimiter: string): number | undefined {
    const found = this.lines.get(delimiter) ?? [];
    return found[findFirstSorted(found, (each) => each > line)];
  }
}

const word = String.raw`("[^"]*"|'[^']*'|(?:[^\s"'<>|;&()\\]|\$\([^)]*\))+)`;
/** Where the output of a command goes: the first pattern that matches counts. */
const targets = [
  new RegExp(String.raw`\btee\b(?:[ \t]+-\S+)*[ \t]+${word}`),
  new RegExp(String.raw`(?<![\d&<])>>?\|?[ \t]*(?!["']?/dev/)${word}`),
];

/** Returns the path that a command writes a here-document to. @param at the offset of the operator in the line */
function findTarget(line: string, at: number, delimiter: string): string {
  const part = commandAt(line, at).replace(hereDocument, " ");
  const [instruction = "", ...words] = part.trim().split(/[ \t]+/);
  const copied = /^(?:COPY|ADD)$/i.test(instruction) ? words.at(-1) : undefined;
  const written = copied ?? targets.map((pattern) => pattern.exec(part)?.[1]).find((each) => each !== undefined) ?? "";
  const target = written.replace(/["']/g, "");
  return target.endsWith("/") ? target + delimiter : target;
}

/** Returns the one of several commands in a line that is at an offset. */
function commandAt(line: string, at: number): string {
  let start = 0;
  for (const { index, 0: separator } of line.matchAll(/&&|\|\||;/g)) {
    if (index > at) return line.slice(start, index);
    start = index + separator.length;
  }
  return line.slice(start);
}

/** The line before a block scalar. */
interface BlockHeader {
  /** The block has more indentation. */
  readonly column: number;
  readonly key: string;
  /** A folded block (`>`) is not a text of lines. */
  readonly isFolded: boolean;
}

function readBlockHeader(line: string): BlockHeader | undefined {
  const comment = line.indexOf(" #");
  const text = (comment < 0 ? line : line.slice(0, comment)).trimEnd();
  const style = /[|>][-+\d]{0,3}$/.exec(text.slice(-4));
  if (style === null) return undefined;
  const words = text
    .slice(0, text.length - style[0].length)
    .trimEnd()
    .split(" ");
  // A tag or an anchor: `key: !!str |`.
  while (/^[!&]/.test(words.at(-1) ?? "")) words.pop();
  const head = words.join(" ").trimEnd();
  const indentation = head.search(/\S/);
  const dashes = /^(?:-[ \t]+)*/.exec(`${head.slice(indentation)} `)?.[0].length ?? 0;
  const isFolded = style[0].startsWith(">");
  if (indentation >= 0 && indentation + dashes > head.length) return { column: indentation, key: "", isFolded };
  if (!head.endsWith(":")) return undefined;
  const key = head.slice(indentation + dashes, -1).trim();
  return { column: indentation + dashes, key: key.replace(/^(["'])(.*)\1$/, "$2"), isFolded };
}

function findBlocks(lines: readonly OuterLine[], around: Surroundings): readonly EmbeddedText[] {
  const found: EmbeddedText[] = [];
  for (let at = 0; at < lines.length; at++) {
    const header = readBlockHeader(lines[at]?.text ?? "");
    if (header === undefined) continue;
    const end = findEndOfBlock(lines, at + 1, header.column);
    const body = lines.slice(at + 1, end);
    const [first] = body;
    const last = body.at(-1);
    if (first === undefined || last === undefined) continue;
    if (!header.isFolded) {
      const target = nameOfBlock(header, lines, at, end);
      const { depth, isExpanded } = around;
      const inner = findInside(body, { depth: depth + 1, isExpanded });
      found.push({ target, start: first.start, end: last.end, isExpanded, inner });
    }
    at = end - 1;
  }
  return found;
}

/** Returns the number of the line after a block. The tags of a template may have less indentation. */
function findEndOfBlock(lines: readonly OuterLine[], from: number, column: number): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    const text = lines[at]?.text ?? "";
    const indent = text.search(/\S/);
    if (indent < 0 || /^[ \t]*\{[{%]/.test(text)) continue;
    if (indent <= column) break;
    end = at + 1;
  }
  return end;
}

/** Keys for the content of a file, next to which another key has its path. */
const contentKey = /^(?:content|contents|block|data|value|text)$/i;
const pathKey =
  /^[ \t]*(?:-[ \t]+)*["']?(?:path|dest|destination|filename|file|name|target)["']?[ \t]*:[ \t]+["']?([^\s"'#]+)/i;

/** Number of lines in which the key with the path is looked for. */
const MAX_BESIDE = 30;

/** @param end the number of the line after the block */
function nameOfBlock({ key, column }: BlockHeader, lines: readonly OuterLine[], header: number, end: number): string {
  if (!contentKey.test(key)) return key;
  const before = lines.slice(Math.max(0, header - MAX_BESIDE), header + 1).toReversed();
  return (
    findPathBeside(before, column, true) ?? findPathBeside(lines.slice(end, end + MAX_BESIDE), column, false) ?? key
  );
}

/** Looks for the path among the keys of the same mapping. */
function findPathBeside(lines: readonly OuterLine[], column: number, isBefore: boolean): string | undefined {
  for (const { text } of lines) {
    const indent = /^[ \t]*(?:-[ \t]+)*/.exec(text)?.[0].length ?? 0;
    if (text.trim() === "" || indent > column) continue;
    const isItem = /^[ \t]*-[ \t]/.test(text);
    if (indent < column || (isItem && !isBefore)) return undefined;
    const path = pathKey.exec(text)?.[1];
    if (path !== undefined && /[./]/.test(path)) return path;
    // The first key of an item.
    if (isItem) return undefined;
  }
  return undefined;
}

/** Added to a code unit that a shell removes: the backslash of an escape. `normalizeLine` omits it. */
const REMOVED = 0x200;
/** Added to the code units of a value that is not known. */
const UNKNOWN = 0x100;

/** The escapes and values of a here-document. */
const expansion =
  /\\[\\$`]|\$(?:\w+|[@*#?$!-]|\{[^}\n]{0,200}\}|\((?:[^()\n]|\([^()\n]{0,200}\)){0,200}\))|`[^`\n]{0,500}`/g;

/**
 * Returns a file with only one of its texts: what is before is blank, and what follows is left out, so that offsets remain
 * the same. Values of a shell are code units beyond bytes, which `toReadable` shows as written.
 */
export function isolateEmbedded(text: string, { start, end, isExpanded }: EmbeddedText): string {
  const own = text.slice(start, end);
  const before = text.slice(0, start).replace(/[^\n]/g, " ");
  return before + (isExpanded ? own.replace(expansion, expandLater) : own);
}

function expandLater(written: string): string {
  if (written.startsWith("\\")) return shiftBy(REMOVED, written.slice(0, 1)) + written.slice(1);
  return shiftBy(UNKNOWN, written);
}

function shiftBy(amount: number, text: string): string {
  return String.fromCharCode(...Array.from(text, (each) => each.charCodeAt(0) + amount));
}
