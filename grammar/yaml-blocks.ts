import type { OuterLine } from "./embedded-text.js";

/** A block scalar of YAML. */
export interface YamlBlock {
  /** The path or the key that names it; empty if nothing does. */
  readonly target: string;
  readonly lines: readonly OuterLine[];
  /** A folded block (`>`) joins lines. */
  readonly isFolded: boolean;
}

/** Lists the block scalars in some lines, without those inside others. */
export function listYamlBlocks(lines: readonly OuterLine[]): readonly YamlBlock[] {
  const found: YamlBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const header = readBlockHeader(lines[at]?.text ?? "");
    if (header === undefined) continue;
    const end = findEndOfBlock(lines, at + 1, header.column);
    if (end === at + 1) continue;
    const { isFolded } = header;
    found.push({ target: nameOfBlock(header, lines, at, end), lines: lines.slice(at + 1, end), isFolded });
    at = end - 1;
  }
  return found;
}

/** The line before a block scalar. */
interface BlockHeader {
  /** The block has more indentation. */
  readonly column: number;
  readonly key: string;
  /** A folded block (`>`) joins lines. */
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
