import { findFirstSorted, getOrCreate } from "../src/text/collections.js";
import type { OuterLine } from "./embedded-text.js";

/** A here-document with lines. */
export interface HereDocument {
  /** The path that it is written to, or the key that it is the value of; empty if there is none. */
  readonly target: string;
  /** Whether it is added to the end of that file. */
  readonly isAppended: boolean;
  readonly lines: readonly OuterLine[];
  /** Whether a shell replaces variables and escapes in it, because the delimiter is not quoted. */
  readonly isExpanded: boolean;
}

/** The beginning of a here-document; `<<<` is not one. */
const hereDocument = /(?<!<)<<([-~]?)[ \t]*(?:"([\w.-]+)"|'([\w.-]+)'|(\\?)([A-Za-z_.][\w.-]*))/g;

/** The part of a command over several lines in which the path of its output is looked for. */
const MAX_COMMAND = 2000;

/** Lists the here-documents in some lines, without those inside others. */
export function listHereDocuments(lines: readonly OuterLine[]): readonly HereDocument[] {
  const found: HereDocument[] = [];
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
      at = end;
      if (body.length === 0) continue;
      const { target, isAppended } = findTarget(command, before.length + opening.index, delimiter);
      found.push({ target, isAppended, lines: body, isExpanded: bare !== "" && backslash === "" && dash !== "~" });
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

/** Operators that add to the end of a file. */
const appends = /^>>|^tee\b[^"']*[ \t]-(?:[^-\s]*a|-append)/;

/** Returns the path that a command writes a here-document to. @param at the offset of the operator in the line */
function findTarget(line: string, at: number, delimiter: string): Pick<HereDocument, "target" | "isAppended"> {
  const part = commandAt(line, at).replace(hereDocument, " ");
  const [instruction = "", ...words] = part.trim().split(/[ \t]+/);
  const copied = /^(?:COPY|ADD)$/i.test(instruction) ? words.at(-1) : undefined;
  const assigned = /^[ \t]*"?([\w.-]+)"?[ \t]*=[ \t]*$/.exec(part)?.[1];
  const [output = "", path] = targets.map((pattern) => pattern.exec(part)).find((each) => each !== null) ?? [];
  const target = (copied ?? assigned ?? path ?? "").replace(/["']/g, "");
  const isAppended = copied === undefined && assigned === undefined && appends.test(output);
  return { target: target.endsWith("/") ? target + delimiter : target, isAppended };
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
