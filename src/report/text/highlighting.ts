/** The kinds of tokens that get a color of their own. */
type TokenKind = "comment" | "section" | "name" | "string" | "variable" | "keyword" | "continuation";

/** A colored part of a line, in offsets of its text. */
export interface CodeToken {
  readonly start: number;
  readonly end: number;
  readonly kind: TokenKind;
}

/** The state at the start of a line: a new line, or one that continues a comment or a directive, perhaps within quotes. */
export interface LineStart {
  readonly continues: "nothing" | "comment" | "directive";
  readonly quote: '"' | "'" | undefined;
}

/** The start of a line that does not continue another. */
export const freshLine: LineStart = { continues: "nothing", quote: undefined };

/** The colored parts of a line, and the start of the next one. */
export interface TokenizedLine {
  readonly tokens: readonly CodeToken[];
  readonly next: LineStart;
}

const continued = /\\$/;
const variable = /\$\{[^}]*\}|%\{[^}]*\}|[$%]\d/g;
const keyword = /^(?:on|off|all|none|granted|denied|env=.*|[+-][A-Za-z]+|\[[^\]]*\])$/i;

/**
 * Splits a line of a configuration into colored parts, as far as one line shows them. It is for people: httpd's own
 * parsing is in `grammar`.
 */
export function tokenizeLine(text: string, start: LineStart): TokenizedLine {
  const isContinued = continued.test(text);
  const isComment = start.continues === "comment" || (start.continues === "nothing" && /^\s*#/.test(text));
  if (isComment) {
    const tokens = text.trim() === "" ? [] : [{ start: text.search(/\S/), end: text.length, kind: "comment" as const }];
    return { tokens, next: isContinued ? { continues: "comment", quote: undefined } : freshLine };
  }
  const end = isContinued ? text.length - 1 : text.length;
  const scanner = new LineScanner(text, end);
  if (start.continues === "nothing") scanner.takeName();
  const quote = scanner.takeArguments(start.quote);
  if (isContinued) scanner.add(end, text.length, "continuation");
  return { tokens: scanner.tokens, next: isContinued ? { continues: "directive", quote } : freshLine };
}

/** Scans one line from left to right. */
class LineScanner {
  readonly tokens: CodeToken[] = [];
  private at = 0;
  private isSection = false;

  constructor(
    private readonly text: string,
    private readonly end: number,
  ) {}

  add(start: number, end: number, kind: TokenKind): void {
    if (end > start) this.tokens.push({ start, end, kind });
  }

  /** Takes the name of a directive, or `<Name` of a section. */
  takeName(): void {
    this.skipBlanks();
    const name = this.match(/<\/?[^\s>]*|\S+/y);
    this.isSection = name.startsWith("<");
    this.add(this.at - name.length, this.at, this.isSection ? "section" : "name");
  }

  /** Takes the arguments, and returns the quote that is still open at the end. */
  takeArguments(open: LineStart["quote"]): LineStart["quote"] {
    let quote = open;
    while (this.at < this.end) {
      if (quote === undefined) this.skipBlanks();
      const start = this.at;
      if (quote === undefined && this.isSection && this.isClosingBracket(start)) {
        this.add(start, start + 1, "section");
        this.at = this.end;
        return undefined;
      }
      const sign = this.text[start];
      if (quote === undefined && (sign === '"' || sign === "'")) {
        quote = sign;
        this.at++;
      }
      if (quote === undefined) this.takeWord();
      else quote = this.takeQuoted(start, quote);
    }
    return quote;
  }

  /** Takes text up to the closing quote, and returns the quote if it is not closed. */
  private takeQuoted(start: number, quote: '"' | "'"): LineStart["quote"] {
    this.match(quote === '"' ? /(?:[^"\\]|\\.?)*/y : /(?:[^'\\]|\\.?)*/y);
    const isClosed = this.at < this.end && this.text[this.at] === quote;
    if (isClosed) this.at++;
    this.addWithVariables(start, this.at, "string");
    return isClosed ? undefined : quote;
  }

  private isClosingBracket(at: number): boolean {
    return this.text[at] === ">" && this.text.slice(at + 1, this.end).trim() === "";
  }

  private takeWord(): void {
    const start = this.at;
    const word = this.match(this.isSection ? /(?:[^\s>]|>(?!\s*$))+/y : /\S+/y);
    if (word === "") this.at++;
    else if (keyword.test(word)) this.add(start, this.at, "keyword");
    else this.addWithVariables(start, this.at, undefined);
  }

  /** Adds a part, with the variables in it as tokens of their own. */
  private addWithVariables(start: number, end: number, kind: TokenKind | undefined): void {
    let from = start;
    for (const { 0: found, index } of this.text.slice(start, end).matchAll(variable)) {
      if (kind !== undefined) this.add(from, start + index, kind);
      this.add(start + index, start + index + found.length, "variable");
      from = start + index + found.length;
    }
    if (kind !== undefined) this.add(from, end, kind);
  }

  private skipBlanks(): void {
    this.match(/\s+/y);
  }

  /** Returns the text that a sticky pattern matches here, up to the end, and moves after it. */
  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = (pattern.exec(this.text)?.[0] ?? "").slice(0, Math.max(0, this.end - this.at));
    this.at += found.length;
    return found;
  }
}
