import type { Line } from "../../../grammar/ast.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import type { Directive } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { NumberPattern } from "./number-pattern.js";

/** A virtual host as one of a family. */
export interface FamilyMember {
  readonly family: HostFamily;
  /** Whether rules that read only the lines of a host cannot distinguish it from the first one. */
  readonly isAlike: boolean;
}

/** Number of virtual hosts of a family that are checked in full. */
export const MAX_CHECKED_HOSTS = 5;

/** Number of families to compare a host with, before all are searched: hosts of one family are mostly adjacent. */
const MAX_COMPARED = 8;

/** Virtual hosts that differ only in numbers. */
export class HostFamily {
  /** The text before each number, and after the last; undefined if the text is not in one piece. */
  private readonly pieces: readonly string[] | undefined;
  private pattern: NumberPattern | undefined;
  /** Whether each line of the text is a directive: none is a condition, or takes effect while reading. */
  private readonly isPlain: boolean;

  constructor(
    private readonly first: Directive,
    private readonly end: number,
  ) {
    const { file, start } = first.span;
    this.pieces = isWrittenHere(first) ? file.text.slice(start, end).split(/\d+/) : undefined;
    this.isPlain = this.pieces !== undefined && countDirectives(first) === countLines(first, end);
  }

  /** Returns a virtual host as one of the family; undefined if it is not. @param end the end of its last directive */
  memberOf(section: Directive, end: number): FamilyMember | undefined {
    const { file, start } = section.span;
    const numbers = this.pieces && readNumbers(file.text, start, end, this.pieces);
    if (numbers === undefined) return undefined;
    if (this.hasSameLines(section)) return { family: this, isAlike: this.findPattern().matches(numbers) };
    return isWrittenHere(section) ? { family: this, isAlike: false } : undefined;
  }

  /** Reports whether a section with the same text has the same directives in the same lines, with the same meaning. */
  private hasSameLines(section: Directive): boolean {
    const { first, isPlain } = this;
    // A module that was loaded since changes the meaning of all names.
    return isPlain ? section.word === first.word : haveSameLines(section, first);
  }

  private findPattern(): NumberPattern {
    const { first, end } = this;
    const { file, start } = first.span;
    this.pattern ??= new NumberPattern(file.text, start, end, linesFrom(first));
    return this.pattern;
  }
}

/** Groups the virtual hosts of a configuration by family: programs write thousands of them. */
export class HostFamilies {
  private readonly families = new Map<string, HostFamily>();
  private readonly known = new Map<Directive, FamilyMember>();
  /** The last new families, latest first. */
  private recent: readonly HostFamily[] = [];

  find(section: Directive): FamilyMember {
    return getOrCreate(this.known, section, () => this.compare(section));
  }

  private compare(section: Directive): FamilyMember {
    const end = endOf(section);
    for (const family of this.recent) {
      const member = family.memberOf(section, end);
      if (member) return member;
    }
    const { file, start } = section.span;
    // Text from elsewhere, such as a macro, is identified by its origin.
    const origin = isWrittenHere(section) ? "" : `${file.path}${start}`;
    const key = `${file.text.slice(start, end).replace(/\d+/g, "#")}${origin}`;
    const known = this.families.get(key);
    if (known) return known.memberOf(section, end) ?? { family: known, isAlike: false };
    const family = new HostFamily(section, end);
    this.families.set(key, family);
    this.recent = [family, ...this.recent].slice(0, MAX_COMPARED);
    return { family, isAlike: true };
  }
}

export const hostFamiliesOf = memoize((_: Project) => new HostFamilies());

/** Returns the number of directives that a section consists of, with itself. */
function countDirectives({ children = [] }: Directive): number {
  return children.reduce((sum, child) => sum + countDirectives(child), 1);
}

/** Returns the number of lines up to an offset that may be directives. */
function countLines(first: Directive, end: number): number {
  let count = 0;
  for (const { kind, nameStart } of linesFrom(first)) {
    if (nameStart >= end) break;
    if (kind === "directive" || kind === "open") count++;
  }
  return count;
}

function* linesFrom({ lineIndex, reading }: Directive): Generator<Line> {
  const { lines } = reading.tree;
  for (let index = lineIndex, line = lines.at(index); line; line = lines.at(++index)) yield line;
}

/** Returns the numbers of a part of a text that consists of pieces with numbers between them; undefined if it does not. */
function readNumbers(
  text: string,
  start: number,
  end: number,
  pieces: readonly string[],
): readonly string[] | undefined {
  const numbers: string[] = [];
  let at = start;
  for (let index = 0; index < pieces.length; index++) {
    if (index > 0) {
      const number = at;
      while (isDigit(text.charCodeAt(at))) at++;
      if (at === number) return undefined;
      numbers.push(text.slice(number, at));
    }
    const piece = pieces[index] ?? "";
    if (!text.startsWith(piece, at)) return undefined;
    at += piece.length;
  }
  return at === end ? numbers : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Returns the end of a directive, including its contents. */
function endOf(directive: Directive): number {
  const last = directive.children?.at(-1);
  return last ? endOf(last) : directive.span.end;
}

/** Reports whether the content of a section is in its file. */
function isWrittenHere({ children = [], reading }: Directive): boolean {
  for (const child of children) if (child.reading !== reading || !isWrittenHere(child)) return false;
  return true;
}

/**
 * Reports whether two sections have the same directives in the same lines, all in the file of their section. Conditional
 * sections may leave out different lines.
 */
function haveSameLines(one: Directive, other: Directive): boolean {
  const [some = [], others = []] = [one.children, other.children];
  if (some.length !== others.length) return false;
  const distance = other.lineIndex - one.lineIndex;
  for (let index = 0; index < some.length; index++) {
    const [a, b] = [some[index], others[index]];
    if (a === undefined || b === undefined || a.word !== b.word || b.lineIndex - a.lineIndex !== distance) return false;
    if (a.reading !== one.reading || b.reading !== other.reading) return false;
    if (a.children !== undefined && a.children.length > 0 && !haveSameLines(a, b)) return false;
  }
  return true;
}
