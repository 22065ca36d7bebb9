import type { WordRange } from "./embedded-text.js";
import { readShellWord } from "./isolated-text.js";
import { hideText, removedUnit, removeText } from "./marked-text.js";

/** What a script of sed does with the lines of a file, as far as it writes text. */
export interface SedChanges {
  /** The lines that it writes, as far as they are known. */
  readonly lines: readonly WordRange[];
  /** Whether it also writes text that is not known. */
  readonly hasUnknown: boolean;
}

/**
 * Reads a script of sed. A line is known if sed inserts it (`a`, `i`, `c`), or if `s` replaces a line from its beginning: the
 * pattern begins with `^`, or with the word that the new text begins with, too. What the pattern leaves of the line is a value.
 *
 * @param written the script as a word of a shell, with its quotes
 * @param start the offset of the word
 * @param isExtended whether groups have no backslash (`-E`)
 */
export function readSedScript(written: string, start: number, isExtended: boolean): SedChanges {
  return new SedReader(readShellWord(written), start, isExtended).read();
}

/** Limit of a script: each command is searched for from its beginning. */
const MAX_LENGTH = 20_000;

/** Commands that write no text of their own. */
const withoutText = /[dDpPqQ=nN{l]/;

const oneAddress = String.raw`(?:\d+|\$|\/(?:\\[\s\S]|[^\\/])*\/I?)`;
const beforeCommand = new RegExp(String.raw`[\s;}]*(?:${oneAddress}(?:,[+~]?${oneAddress})?)?\s*!?\s*`, "y");
/** A text on the same line, or on the next one. */
const insertion = /(?:[ \t]*\\\n|\\)?[ \t]*([^\n]*)/y;

/** A character of a line, with the index in the script that it is from. */
type WrittenChar = readonly [index: number, char: string];

class SedReader {
  private readonly lines: WordRange[] = [];
  private hasUnknown = false;
  /** The characters that sed gets. */
  private readonly script: string;
  /** Where these are in the word. */
  private readonly places: readonly number[];
  private at = 0;

  /** @param content the word as a shell passes it on, of the same length */
  constructor(
    private readonly content: string,
    private readonly start: number,
    private readonly isExtended: boolean,
  ) {
    this.places = Array.from(content.split("").keys()).filter((index) => !removedUnit.test(content.charAt(index)));
    this.script = this.places.map((index) => content.charAt(index)).join("");
  }

  read(): SedChanges {
    if (this.script.length > MAX_LENGTH) return { lines: [], hasUnknown: true };
    while (this.at < this.script.length)
      if (!this.readCommand()) {
        this.hasUnknown = true;
        break;
      }
    const { lines, hasUnknown } = this;
    return { lines, hasUnknown };
  }

  /** Returns false if what follows cannot be read. */
  private readCommand(): boolean {
    this.at += this.match(beforeCommand)[0].length;
    const name = this.script.charAt(this.at++);
    if (name === "" || withoutText.test(name)) return true;
    if (name === "s") return this.readReplacement();
    return /[aic]/.test(name) && this.readInsertion();
  }

  private match(pattern: RegExp): readonly [string, ...string[]] {
    pattern.lastIndex = this.at;
    const [whole = "", ...groups] = pattern.exec(this.script) ?? [];
    return [whole, ...groups];
  }

  private readInsertion(): boolean {
    const [whole, text = ""] = this.match(insertion);
    this.at += whole.length;
    const from = this.at - text.length;
    if (text === "" || text.includes("\\")) return false;
    this.addLine(Array.from(text.split(""), (char, index) => [from + index, char]));
    return true;
  }

  private readReplacement(): boolean {
    const delimiter = this.script.charAt(this.at++);
    const pattern = this.readUntil(delimiter);
    const replacement = pattern && this.readUntil(delimiter);
    if (pattern === undefined || replacement === undefined) return false;
    const closing = this.at - 1;
    const [flags] = this.match(/\w*/y);
    this.at += flags.length;
    const line = this.lineOf(pattern, replacement, delimiter);
    if (line === undefined) this.hasUnknown = true;
    else this.addLine(isToEnd(this.textOf(pattern)) ? line : [...line, [closing, hideText(delimiter)]]);
    return !flags.includes("w") && !flags.includes("e");
  }

  /** Returns the text up to a delimiter, and goes to what follows it; undefined if there is none. */
  private readUntil(delimiter: string): Piece | undefined {
    const start = this.at;
    for (; this.at < this.script.length; this.at++) {
      const char = this.script[this.at];
      if (char === "\\") this.at++;
      else if (char === delimiter) return { start, end: this.at++ };
    }
    return undefined;
  }

  private textOf({ start, end }: Piece): string {
    return this.script.slice(start, end);
  }

  /** Returns the line that a replacement writes, as far as it is known; undefined if its beginning is not. */
  private lineOf(pattern: Piece, replacement: Piece, delimiter: string): readonly WrittenChar[] | undefined {
    const [matched, written] = [this.textOf(pattern), this.textOf(replacement)];
    const isFromStart = /^(?:\^|\.\*)/.test(matched);
    if (written.startsWith("\\1")) {
      const group = isFromStart ? this.firstGroupOf(pattern) : undefined;
      const rest = this.expand({ start: replacement.start + 2, end: replacement.end }, delimiter);
      return group && rest && [...group, ...rest];
    }
    if (written === "" || /^\s*(?:&|\\\d)/.test(written) || !(isFromStart || beginsAlike(matched, written)))
      return undefined;
    return this.expand(replacement, delimiter);
  }

  /** Returns the text of a replacement, in which what it takes from the match is a value; undefined for other escapes. */
  private expand({ start, end }: Piece, delimiter: string): readonly WrittenChar[] | undefined {
    const chars: WrittenChar[] = [];
    for (let at = start; at < end; at++) {
      const char = this.script.charAt(at);
      if (char !== "\\") {
        chars.push([at, char === "&" ? hideText(char) : char]);
        continue;
      }
      const next = this.script.charAt(++at);
      const meant = { n: "\n", t: "\t" }[next] ?? (/[&\\\n]/.test(next) || next === delimiter ? next : undefined);
      if (/\d/.test(next)) chars.push([at - 1, hideText(char)], [at, hideText(next)]);
      else if (meant === undefined) return undefined;
      else chars.push([at, meant]);
    }
    return chars;
  }

  /** Returns the text of the first group of a pattern, with values for what is not plain; undefined if it is a pattern itself. */
  private firstGroupOf(pattern: Piece): readonly WrittenChar[] | undefined {
    const syntax = this.isExtended
      ? /^\^?(?:#|\\?s|[*+?\s]|\[[^\]]*\])*\(([^()]*)\)/
      : /^\^?(?:#|\\s|[*\s]|\\[+?]|\[[^\]]*\])*\\\(((?:[^\\]|\\\.)*)\\\)/;
    const [whole = "", text = ""] = syntax.exec(this.textOf(pattern)) ?? [];
    if (!/^[A-Za-z]/.test(text) || /[[\]{}|^$()]|\\[^.]/.test(text)) return undefined;
    const from = pattern.start + whole.length - text.length - (this.isExtended ? 1 : 2);
    return text.split("").flatMap((char, index): readonly WrittenChar[] => {
      const isEscaped = text[index - 1] === "\\";
      return char === "\\" ? [] : [[from + index, /[.*+?]/.test(char) && !isEscaped ? hideText(char) : char]];
    });
  }

  private addLine(chars: readonly WrittenChar[]): void {
    const [first, last] = [chars[0], chars.at(-1)];
    if (first === undefined || last === undefined) return;
    const start = this.placeOf(first[0]);
    const own = removeText(this.content.slice(start, this.placeOf(last[0]) + 1)).split("");
    for (const [index, char] of chars) own[this.placeOf(index) - start] = char;
    const end = start + own.length;
    this.lines.push({ start: this.start + start, end: this.start + end, syntax: "raw", content: own.join("") });
  }

  private placeOf(index: number): number {
    return this.places[index] ?? this.content.length;
  }
}

/** A part of a script. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

/** Reports whether a pattern and the text that replaces it begin with the same name, apart from `#` before the pattern. */
function beginsAlike(pattern: string, text: string): boolean {
  const [, name] = /^\s*([A-Z][A-Za-z0-9]+)(?=\s|$)/.exec(text) ?? [];
  return name !== undefined && /^#*\s*([A-Z][A-Za-z0-9]+)(?=\W|$)/.exec(pattern)?.[1] === name;
}

/** Reports whether a pattern matches up to the end of the line. */
function isToEnd(pattern: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*(?:\$|\.[*+]\$?)(?:\\?\))?$/.test(pattern);
}
