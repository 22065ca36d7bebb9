import { parseArguments } from "../../grammar/arguments.js";
import { buildTree, type Line, type TreeNode } from "../../grammar/ast.js";
import { normalizeLine } from "../../grammar/line-scanner.js";
import { parseFile } from "../../grammar/parser.js";
import { getOrCreate } from "../text/collections.js";
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
  return [...files.values()].flatMap((each) => findLostIn(each.file, each.edits));
}

function findLostIn(file: SourceFile, edits: readonly Edit[]): readonly LostLine[] {
  const touched = new Set(edits.flatMap(({ span }) => findTouched(linesOfSource(file), span)));
  if (touched.size === 0) return [];
  const part = [...touched].every(({ parent }) => parent >= 0) ? findPart(file, edits) : undefined;
  if (part !== undefined) {
    const { from, to } = part;
    const source = { ...file, text: file.text.slice(from, to) };
    const shift = (by: number) => (span: Span) => ({ start: span.start + by, end: span.end + by });
    const inside = edits.map(({ span, text }) => ({ text, span: { file: source, ...shift(-from)(span) } }));
    return findLostIn(source, inside).map((line) => ({ ...line, span: { file, ...shift(from)(line.span) } }));
  }
  const now = linesOf({ ...file, text: applyEdits(file.text, edits) });
  const byStart = new Map(now.map((line) => [line.start, line]));
  const imageOf = (line: AccessLine) => {
    if (edits.some(({ span }) => span.start < line.end && span.end > line.start)) return undefined;
    const image = byStart.get(mapOffset(line.start, edits));
    return image?.text === line.text ? image : undefined;
  };
  const images = new Set(linesOfSource(file).map(imageOf));
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

/** The top-level sections and lines of a file. */
const topNodesOf = memoize((file: SourceFile) =>
  buildTree(parseFile(file)).map((node) => {
    if (!("open" in node)) return { start: node.start, end: node.end };
    return { start: node.open.start, end: (node.close ?? node.open).end };
  }),
);

/**
 * Returns the top-level sections that edits change, with their neighbours: of a large file, only these are read again.
 * Undefined if that is all of it.
 */
function findPart(
  file: SourceFile,
  edits: readonly Edit[],
): { readonly from: number; readonly to: number } | undefined {
  const nodes = topNodesOf(file);
  const start = edits.reduce((least, { span }) => Math.min(least, span.start), file.text.length);
  const end = edits.reduce((most, { span }) => Math.max(most, span.end), 0);
  const first = nodes.findIndex((node) => node.end >= start);
  const last = nodes.findLastIndex((node) => node.start <= end);
  const [from, to] = [nodes[Math.max(0, first - 1)]?.start ?? 0, nodes[last + 1]?.end ?? file.text.length];
  return from === 0 && to === file.text.length ? undefined : { from, to };
}

/** Returns the lines that a change may affect: also its neighbours, because a change may join or split lines. */
function findTouched(lines: readonly AccessLine[], { start, end }: Span): readonly AccessLine[] {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.end ?? 0) < start - 1) low = middle + 1;
    else high = middle;
  }
  const touched: AccessLine[] = [];
  for (let line = lines[low]; line !== undefined && line.start <= end; line = lines[++low]) touched.push(line);
  const next = lines[low];
  return next === undefined ? touched : [...touched, next];
}

/** Lines that allow every host state nothing about users, beside lines that require one. */
function isNeutral({ key, text }: AccessLine, beside: readonly AccessLine[]): boolean {
  if (key !== "order" && !/^(?:allow from all|satisfy all)$/i.test(text)) return false;
  const rules = beside.filter((each) => !each.key.startsWith("auth"));
  return rules.length > 0 && rules.every((each) => each.key === "require" && requiresUser.test(each.text));
}

const requiresUser = /^require (?:valid-user|user|group|dbm-group|file-owner|file-group|ldap-\S+|dbd-\S+)(?: |$)/i;

const linesOfSource = memoize((file: SourceFile) => linesOf(file));

/** Returns the access control lines of a text, in order. */
function linesOf(source: SourceFile): readonly AccessLine[] {
  const found: AccessLine[] = [];
  const open: { readonly nodes: readonly TreeNode[]; readonly parent: number; next: number }[] = [];
  open.push({ nodes: buildTree(parseFile(source)), parent: -1, next: 0 });
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (node === undefined) {
      open.pop();
      continue;
    }
    const line = "open" in node ? node.open : node;
    const access = accessLineOf(line, source, level.parent);
    if (access) found.push(access);
    if (!("open" in node)) continue;
    const parent = conditional.test(nameOf(line, source).toLowerCase()) ? level.parent : line.nameStart;
    open.push({ nodes: node.children, parent, next: 0 });
  }
  return found.sort((a, b) => a.start - b.start);
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
