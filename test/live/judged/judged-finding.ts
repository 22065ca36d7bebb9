import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A finding as `check --format json` writes it. */
export interface JudgedFinding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly notes: readonly string[];
  readonly help: readonly string[];
  /** Relative to the folder in which `check` ran, or absolute. */
  readonly path: string;
  readonly start: { readonly line: number };
  readonly end: { readonly line: number };
  readonly related: readonly RelatedLine[];
}

interface RelatedLine {
  readonly path: string;
  readonly start: { readonly line: number };
  readonly message: string;
}

/** The verdict of the running server on a finding, with its answers. */
export interface Verdict {
  readonly verdict: "confirmed" | "refuted" | "by reading";
  readonly evidence: string;
}

export const confirmed = (evidence: string): Verdict => ({ verdict: "confirmed", evidence });
export const refuted = (evidence: string): Verdict => ({ verdict: "refuted", evidence });
export const byReading = (evidence: string): Verdict => ({ verdict: "by reading", evidence });

/** Returns the verdict on a claim that the evidence shows or contradicts. */
export function verdictOn(holds: boolean, evidence: string): Verdict {
  return holds ? confirmed(evidence) : refuted(evidence);
}

/** The lines of a file, with continued lines joined at the first. */
export class SourceLines {
  private readonly lines: readonly string[];

  constructor(
    private readonly folder: string,
    path: string,
  ) {
    const lines = readFileSync(path.startsWith("/") ? path : join(folder, path), "latin1").split(/\r?\n/);
    for (let index = lines.length - 2; index >= 0; index--) {
      const line = lines[index] ?? "";
      if (!line.endsWith("\\")) continue;
      lines[index] = line.slice(0, -1) + (lines[index + 1] ?? "");
      lines[index + 1] = "";
    }
    this.lines = lines;
  }

  /** Returns the lines of another file. */
  elsewhere(path: string): SourceLines {
    return new SourceLines(this.folder, path);
  }

  /** Returns a line, without its indentation. @param number starts at 1 */
  at(number: number): string {
    return this.lines[number - 1]?.trim() ?? "";
  }

  /** Returns a line with the sections around it, without conditional sections. */
  inContext(number: number, kept: readonly string[] = [this.at(number)]): readonly string[] {
    const open = this.sectionsAround(number).map((opening) => this.at(opening));
    const closing = open.map((line) => `</${/^<(\w+)/.exec(line)?.[1]}>`).toReversed();
    return [...open, ...kept, ...closing];
  }

  /** Returns the numbers of the section openings around a line, outermost first, without conditional sections. */
  sectionsAround(number: number): readonly number[] {
    const open: number[] = [];
    for (let current = 1; current < number; current++) {
      const line = this.at(current);
      if (/^<\//.test(line)) open.pop();
      else if (/^<\w/.test(line)) open.push(current);
    }
    return open.filter(
      (opening) => !/^<(?:If(?:Module|Define|Version|File|Directive|Section))\b/i.test(this.at(opening)),
    );
  }

  /** Returns all lines of a section, with its opening and closing line. @param opening number of its first line */
  sectionFrom(opening: number): { readonly lines: readonly string[]; readonly first: number } {
    let depth = 0;
    let end = opening;
    for (; end <= this.lines.length; end++) {
      const line = this.at(end);
      if (/^<\//.test(line)) depth--;
      else if (/^<\w/.test(line)) depth++;
      if (depth === 0) break;
    }
    return { lines: this.lines.slice(opening - 1, end).map((line) => line.trim()), first: opening };
  }
}
