import { type CustomPatternMatcherReturn, createToken, type IToken, Lexer, type TokenType } from "chevrotain";
import type { LineKind } from "./ast.js";
import { scanLine } from "./line-scanner.js";
import { type LineRun, Lines } from "./lines.js";

/**
 * A token is a run of lines of one kind: a line is httpd's own unit, and what the time goes with is the count of tokens.
 * Its lines ride along as the token's payload.
 */
interface Stretch {
  /** The lines of the stretch that the lexer has, which are scanned before it begins. */
  readonly lines: Lines;
  /** Where the stretch begins in the file. */
  base: number;
  /** The first line that is in no token yet. */
  next: number;
}

/** The state belongs to one run of the lexer, which is synchronous. */
const stretch: Stretch = { lines: new Lines(1 << 12), base: 0, next: 0 };

/** What the patterns answer; the lexer has taken it before it asks again. */
const match: CustomPatternMatcherReturn = [""];

function runOfKind(kind: LineKind) {
  return (text: string, offset: number): CustomPatternMatcherReturn | null => {
    const { lines, base, next } = stretch;
    if (lines.kindAt(next) !== kind) return null;
    const end = lines.endOfRun(next);
    stretch.next = end;
    const run: LineRun = { of: lines, first: next, end };
    match[0] = text.slice(offset, lines.endAt(end - 1) - base);
    match.payload = run;
    return match;
  };
}

function runToken(name: string, kind: LineKind): TokenType {
  return createToken({ name, pattern: { exec: runOfKind(kind) }, line_breaks: true });
}

export const DirectiveLines = runToken("DirectiveLines", "directive");
export const BlankLines = runToken("BlankLines", "blank");
export const CommentLines = runToken("CommentLines", "comment");
export const SectionOpens = runToken("SectionOpens", "open");
export const SectionCloses = runToken("SectionCloses", "close");

/** All tokens of a configuration file, the most frequent first. */
export const lineTokens: TokenType[] = [DirectiveLines, SectionOpens, SectionCloses, BlankLines, CommentLines];

let lexer: Lexer | undefined;

/** A stretch of this many bytes is lexed and parsed at a time, so that its tokens are gone before the next one's come. */
const STRETCH = 1 << 16;

/** The tokens of a file, a stretch of whole lines at a time. Every input tiles into them: the lexer reports no error. */
export function* tokenizeLines(text: string): Generator<IToken[]> {
  // Which kind a line is of only its pattern can tell: there are no first characters to sort by.
  lexer ??= new Lexer(lineTokens, { positionTracking: "onlyOffset", skipValidations: true, safeMode: true });
  const hasNul = text.includes("\0");
  for (let start = 0; start < text.length; ) {
    const end = scanStretch(text, start, hasNul);
    yield lexer.tokenize(text.slice(start, end)).tokens;
    start = end;
  }
}

/** Scans the lines of a stretch; the offset behind them comes out. */
function scanStretch(text: string, start: number, hasNul: boolean): number {
  stretch.base = start;
  stretch.next = 0;
  stretch.lines.clear();
  let end = start;
  while (end < text.length && end < start + STRETCH) end = scanLine(text, end, hasNul, stretch.lines);
  return end;
}
