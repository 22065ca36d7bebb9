import { parseArguments } from "../../grammar/arguments.js";
import type { Line, SectionNode, TreeNode } from "../../grammar/ast.js";
import { normalizeLine } from "../../grammar/line-scanner.js";
import { parseFile } from "../../grammar/parser.js";
import { findFirstSorted, getOrCreate } from "../text/collections.js";
import { applyEdits, type Edit, mapOffset } from "../text/edits.js";
import { memoize } from "../text/memoize.js";
import type { SourceFile, Span } from "../text/source.js";

/** An access control line after which a text no longer states something: who has access, or that all or none have. */
export interface LostLine {
  /** The line with single spaces. */
  readonly text: string;
  readonly span: Span;
  /** Whether a line of the same name replaces it. */
  readonly isReplaced: boolean;
}

/** An access control line of a text, whether it takes effect or not. */
interface AccessLine {
  readonly key: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Start of the section around it, apart from conditional ones; -1 at the top. */
  readonly parent: number;
  /** What it states, in comparable form: `+10.0.0.1`, `-all`, `order deny,allow`. */
  readonly statements: readonly string[];
}

/** The extent of a section, and the section around it. */
interface Section {
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
  readonly outer: Section | undefined;
}

const accessNames = /^(?:order|allow|deny|satisfy|require|auth\w*|<require(?:all|any|none)|<limit(?:except)?)$/;
const conditional = /^<if(?:module|define|version|file|directive|section)$/;

/**
 * Returns the access control lines whose statements edits remove from their files. Both texts are read: a line that is
 * moved, copied or written differently is not lost.
 *
 * @param edits the edits of a fix, or of several that are applied together
 */
export function findLostLines(edits: readonly Edit[]): readonly LostLine[] {
  const files = new Map<string, { readonly file: SourceFile; readonly edits: Edit[] }>();
  for (const edit of edits) {
    const { file } = edit.span;
    if (!("macro" in file)) getOrCreate(files, file.realPath, () => ({ file, edits: [] })).edits.push(edit);
  }
  return [...files.values()].flatMap(({ file, edits: inFile }) =>
    inFile.some(isNearAccess) ? findLostIn(file, inFile) : [],
  );
}

/** The beginning of an access control line, in a text with other lines. */
const accessStart = /^[\t ]*<?(?:order|allow|deny|satisfy|require|auth|limit)/im;

/** Reports whether an edit changes or joins access control lines. Most do not, so that no file is read for them. */
function isNearAccess({ span: { file, start, end }, text }: Edit): boolean {
  const from = findLineBefore(file.text, findLineBefore(file.text, start));
  const to = findLineAfter(file.text, findLineAfter(file.text, end));
  return accessStart.test(file.text.slice(from, to)) || accessStart.test(text);
}

/** Returns the end of the line before the one with an offset, without its line break; a continued line is one line. */
function findLineBefore(text: string, offset: number): number {
  let start = text.lastIndexOf("\n", offset - 1) + 1;
  while (start > 0 && /\\\r?\n$/.test(text.slice(Math.max(0, start - 3), start)))
    start = text.lastIndexOf("\n", start - 2) + 1;
  return Math.max(0, start - 1);
}

/** Returns the end of the line with an offset, with its line break; a continued line is one line. */
function findLineAfter(text: string, offset: number): number {
  let end = text.indexOf("\n", offset);
  while (end > 0 && /\\\r?$/.test(text.slice(Math.max(0, end - 2), end))) end = text.indexOf("\n", end + 1);
  return end < 0 ? text.length : end + 1;
}

function findLostIn(file: SourceFile, edits: readonly Edit[]): readonly LostLine[] {
  const { lines, sections } = contentOf(file);
  const touched = new Set(edits.flatMap(({ span }) => findTouched(lines, span)));
  if (touched.size === 0) return [];
  const section = findSectionAround(sections, edits);
  // In a large file, only the section is read again.
  if (section !== undefined && section.end - section.start < file.text.length) {
    const { start, end } = section;
    const source = { ...file, text: file.text.slice(start, end) };
    const shift = (by: number) => (span: Span) => ({ start: span.start + by, end: span.end + by });
    const inside = edits.map(({ span, text }) => ({ text, span: { file: source, ...shift(-start)(span) } }));
    return findLostIn(source, inside).map((line) => ({ ...line, span: { file, ...shift(start)(line.span) } }));
  }
  const now = readContent({ ...file, text: applyEdits(file.text, edits) }).lines;
  const byStart = new Map(now.map((line) => [line.start, line]));
  const imageOf = (line: AccessLine) => {
    if (edits.some(({ span }) => span.start < line.end && span.end > line.start)) return undefined;
    const image = byStart.get(mapOffset(line.start, edits));
    return image?.text === line.text ? image : undefined;
  };
  const images = new Set(lines.map(imageOf));
  const fresh = now.filter((line) => !images.has(line));
  return [...touched].flatMap((line) => {
    if (imageOf(line)) return [];
    const parent = line.parent < 0 ? -1 : mapOffset(line.parent, edits);
    const beside = now.filter((each) => each.parent === parent);
    const stated = new Set([...beside, ...fresh].flatMap(({ statements }) => statements));
    if (line.statements.every((each) => stated.has(each)) || isNeutral(line, beside)) return [];
    const isReplaced = fresh.some(({ key }) => key === line.key);
    return [{ text: line.text, span: { file, start: line.start, end: line.end }, isReplaced }];
  });
}

/** Returns the innermost section whose content includes all edits; undefined if there is none. */
function findSectionAround(sections: readonly Section[], edits: readonly Edit[]): Section | undefined {
  const start = Math.min(...edits.map(({ span }) => span.start));
  const end = Math.max(...edits.map(({ span }) => span.end));
  let section = sections[findFirstSorted(sections, (each) => each.start >= start) - 1];
  while (section !== undefined && (section.contentStart > start || section.contentEnd < end)) section = section.outer;
  return section;
}

/** Returns the lines that a change may affect: also its neighbours, because a change may join or split lines. */
function findTouched(lines: readonly AccessLine[], { start, end }: Span): readonly AccessLine[] {
  const first = findFirstSorted(lines, (line) => line.end >= start - 1);
  let last = first;
  while ((lines[last]?.start ?? Number.POSITIVE_INFINITY) <= end) last++;
  return lines.slice(first, last + 1);
}

/** Lines that allow every host state nothing about users, beside lines that require one. */
function isNeutral({ key, text }: AccessLine, beside: readonly AccessLine[]): boolean {
  if (key !== "order" && !/^(?:allow from all|satisfy all)$/i.test(text)) return false;
  const rules = beside.filter((each) => !each.key.startsWith("auth"));
  return rules.length > 0 && rules.every((each) => each.key === "require" && requiresUser.test(each.text));
}

const requiresUser = /^require (?:valid-user|user|group|dbm-group|file-owner|file-group|ldap-\S+|dbd-\S+)(?: |$)/i;

/** The access control lines of a text, and the sections that are not conditional; both in order. */
interface Content {
  readonly lines: readonly AccessLine[];
  readonly sections: readonly Section[];
}

const contentOf = memoize(readContent);

function readContent(source: SourceFile): Content {
  const lines: AccessLine[] = [];
  const sections: Section[] = [];
  interface Level {
    readonly nodes: readonly TreeNode[];
    readonly parent: number;
    readonly outer: Section | undefined;
    next: number;
  }
  const open: Level[] = [{ nodes: parseFile(source).nodes, parent: -1, outer: undefined, next: 0 }];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (node === undefined) {
      open.pop();
      continue;
    }
    const line = "open" in node ? node.open : node;
    const access = accessLineOf(line, source, level.parent);
    if (access) lines.push(access);
    if (!("open" in node)) continue;
    const isConditional = conditional.test(nameOf(line, source).toLowerCase());
    const section = isConditional ? undefined : sectionOf(node, level.outer);
    if (section) sections.push(section);
    const parent = isConditional ? level.parent : line.nameStart;
    open.push({ nodes: node.children, parent, outer: section ?? level.outer, next: 0 });
  }
  return { lines: lines.sort(compareByStart), sections: sections.sort(compareByStart) };
}

function compareByStart(a: { readonly start: number }, b: { readonly start: number }): number {
  return a.start - b.start;
}

/** Returns the extent of a section; undefined if it is not closed. */
function sectionOf({ open, close }: SectionNode, outer: Section | undefined): Section | undefined {
  if (close === undefined) return undefined;
  return { start: open.start, contentStart: open.end, contentEnd: close.start, end: close.end, outer };
}

function nameOf({ nameStart, nameEnd }: Line, { text }: SourceFile): string {
  return text.slice(nameStart, nameEnd).replace(/>$/, "");
}

function accessLineOf(line: Line, source: SourceFile, parent: number): AccessLine | undefined {
  if (line.kind !== "open" && line.kind !== "directive") return undefined;
  const key = nameOf(line, source).toLowerCase();
  if (!accessNames.test(key)) return undefined;
  const written = line.needsNormalizing
    ? normalizeLine(source.text, line).text
    : source.text.slice(line.nameStart, line.restEnd);
  const text = written.trim().replace(/[\t-\r ]+/g, " ");
  const { nameStart: start, restEnd, nameEnd } = line;
  return { key, text, start, end: Math.max(restEnd, nameEnd), parent, statements: statementsOf(key, text) };
}

/** Returns what a line states, with one item for each name in a list. */
function statementsOf(key: string, text: string): readonly string[] {
  const values = parseArguments(text.slice(key.length).replace(/>$/, "")).map(({ value }) => value);
  const comment = values.findIndex((value) => value.startsWith("#"));
  const words = comment < 0 ? values : values.slice(0, comment);
  if (key === "allow" || key === "deny") {
    const sign = key === "allow" ? "+" : "-";
    return words.slice(1).map((word) => sign + (/^all$/i.test(word) ? "all" : word));
  }
  return key === "require" ? requireStatements(words) : [`${key} ${words.join(" ").toLowerCase()}`.trim()];
}

/** An address states the same in `Allow from` and in `Require ip`. */
function requireStatements(words: readonly string[]): readonly string[] {
  const isNegated = words[0]?.toLowerCase() === "not";
  const [provider = "", ...names] = isNegated ? words.slice(1) : words;
  const [sign, key] = [isNegated ? "-" : "+", provider.toLowerCase()];
  if (key === "all") return [`${(names[0]?.toLowerCase() === "denied") === isNegated ? "+" : "-"}all`];
  if (key === "expr" || names.length === 0) return [`${sign}${[key, ...names].join(" ")}`];
  const isPlain = key === "ip" || key === "host";
  return names.map((name) => sign + (isPlain ? name : key === "env" ? `env=${name}` : `${key} ${name}`));
}
