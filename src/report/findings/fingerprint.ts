import { createHash } from "node:crypto";
import type { Line } from "../../../grammar/ast.js";
import { parseFile } from "../../../grammar/parser.js";
import { checkNameOf, type Finding } from "../../lint/finding.js";
import { findLastSorted, getOrCreate } from "../../text/collections.js";
import { type SourceFile, toReadable } from "../../text/source.js";
import { findSecrets, MASK } from "../secrets/redaction.js";

/** The identity of a finding when lines move: the same for SARIF and for the baseline. */
export interface Fingerprint {
  /** Hash of the rule or its variant, the text of the line and of the enclosing sections; not of the file. */
  readonly hash: string;
  /** The line as shown: on one line, without secrets. */
  readonly line: string;
}

/** The number of hexadecimal digits that distinguish the findings of a file. */
const DIGITS = 16;

/**
 * Computes finding fingerprints. Message, columns and line numbers are excluded: a finding remains the same if a later
 * version rewords it, or the line moves.
 */
export class Fingerprinter {
  private readonly outlines = new Map<SourceFile, Outline>();
  private readonly seen = new Map<string, number>();

  /** Returns the hash with a counter, since several findings of a file may be equal; call it in their order. */
  numberedHash(finding: Finding): string {
    const { hash } = this.fingerprintOf(finding);
    const key = `${hash} ${finding.span.file.realPath}`;
    const count = (this.seen.get(key) ?? 0) + 1;
    this.seen.set(key, count);
    return `${hash}:${count}`;
  }

  fingerprintOf(finding: Finding): Fingerprint {
    const { span } = finding;
    const outline = getOrCreate(this.outlines, span.file, () => outlineOf(span.file));
    const { line, sections } = placeIn(outline, span.start);
    const words = line === undefined ? "" : redactedLineOf(span.file, line);
    const around = sections.map((section) => redactedLineOf(span.file, section));
    const hash = createHash("sha256")
      .update([checkNameOf(finding), ...around, words].join("\n"))
      .digest("hex")
      .slice(0, DIGITS);
    return { hash, line: words };
  }
}

/** The lines of a file, each with its enclosing sections. */
interface Outline {
  readonly lines: readonly Line[];
  readonly sections: readonly (readonly Line[])[];
}

const noLines: readonly Line[] = [];

function outlineOf(file: SourceFile): Outline {
  const lines = [...parseFile(file).lines];
  let around = noLines;
  const sections = lines.map((line) => {
    if (line.kind === "close") around = closeSection(around, tagNameOf(file, line), file);
    const here = around;
    if (line.kind === "open") around = [...around, line];
    return here;
  });
  return { lines, sections };
}

/** Returns the sections that are open after a closing tag; an unmatched tag has no effect. */
function closeSection(around: readonly Line[], name: string, file: SourceFile): readonly Line[] {
  const last = around.findLastIndex((line) => tagNameOf(file, line) === name);
  return last < 0 ? around : around.slice(0, last);
}

function tagNameOf({ text }: SourceFile, { nameStart, nameEnd }: Line): string {
  return text.slice(nameStart, nameEnd).replace(/[</>]/g, "").toLowerCase();
}

function placeIn({ lines, sections }: Outline, offset: number): { line: Line | undefined; sections: readonly Line[] } {
  const index = findLastSorted(lines, ({ start }) => start <= offset);
  return { line: lines[index], sections: sections[index] ?? noLines };
}

/**
 * Returns a line joined with its continuations, without secrets: a new password does not create a new finding, nor does
 * the output reveal the old one.
 */
function redactedLineOf(file: SourceFile, { start, end, nameStart }: Line): string {
  const { text } = file;
  let written = "";
  let at = nameStart;
  for (let from = start; from < end; ) {
    const lineFeed = text.indexOf("\n", from);
    const next = lineFeed < 0 ? text.length : lineFeed;
    const physical = { number: 0, start: from, end: next };
    for (const secret of findSecrets(file, physical, Math.max(from, nameStart), Math.min(next, end))) {
      written += text.slice(at, secret.start) + MASK;
      at = secret.end;
    }
    from = next + 1;
  }
  written += text.slice(at, end);
  return toReadable(written)
    .replace(/\\\r?\n/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
