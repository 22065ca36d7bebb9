import { parseArguments } from "../../grammar/arguments.js";
import type { ConfigTree, Line } from "../../grammar/ast.js";
import { cook } from "../../grammar/logical.js";
import { copied, originOf } from "../text/mapped.js";

/** A word of a line, where it is written. Offsets are in bytes of the file. */
export interface Word {
  /** Without quotes. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A line of a file as words: the name, and what stands behind it. */
export interface ReadLine {
  /** Lower case; a section's with its `<`. */
  readonly key: string;
  readonly name: Word;
  readonly words: readonly Word[];
  readonly line: Line;
}

/** The index of the line that holds an offset; behind the last line it is that one. */
export function lineIndexAt({ lines }: ConfigTree, offset: number): number {
  let low = 0;
  let high = lines.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lines.at(middle)?.start ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** Reads a directive or an opening tag as it is written, without putting variables in place; undefined for other lines. */
export function readLine({ source }: ConfigTree, line: Line): ReadLine | undefined {
  if (line.kind !== "directive" && line.kind !== "open") return undefined;
  const seen = line.cooked
    ? cook(source.text, line)
    : copied(source.text.slice(line.nameStart, Math.max(line.nameEnd, line.restEnd)), line.nameStart);
  const written = line.kind === "open" ? beforeBracket(seen.text) : seen.text;
  const [name, ...words] = parseArguments(written).map(({ value, start, end }) => ({
    value,
    start: originOf(seen, start),
    end: originOf(seen, end, "end"),
  }));
  return name && { key: name.value.toLowerCase(), name, words, line };
}

function beforeBracket(text: string): string {
  const close = text.lastIndexOf(">");
  return close < 0 ? text : text.slice(0, close);
}

/** `<directory` for the tags that open and close such a section. */
export function sectionKey({ source }: ConfigTree, { nameStart, nameEnd }: Line): string {
  const tag = source.text.slice(nameStart, nameEnd).replace(/^["']?<\/?|>?["']?$/g, "");
  return `<${tag.toLowerCase()}`;
}

/** The sections that are open ahead of a line, as they are written, from the outside in. */
export function sectionsAround(tree: ConfigTree, index: number): readonly Line[] {
  const open: { readonly line: Line; readonly key: string }[] = [];
  for (let at = 0; at < index; at++) {
    const kind = tree.lines.kindAt(at);
    if (kind !== "open" && kind !== "close") continue;
    const line = tree.lines.at(at);
    if (line === undefined) continue;
    const key = sectionKey(tree, line);
    if (kind === "open") open.push({ line, key });
    else {
      const opener = open.findLastIndex((each) => each.key === key);
      if (opener >= 0) open.length = opener;
    }
  }
  return open.map(({ line }) => line);
}
