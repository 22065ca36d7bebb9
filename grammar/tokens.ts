import { type CustomPatternMatcherReturn, createToken, type IToken, Lexer, type TokenType } from "chevrotain";
import type { Line, LineKind, RestShape } from "./ast.js";

/**
 * One token is one logical line: that is httpd's own unit, and it keeps the count of tokens, which is what the time
 * goes with, at the count of lines. A line's inner offsets ride along as the token's payload.
 */

const LF = 10;
const CR = 13;
const SPACE = 32;
const HASH = 35;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const SLASH = 47;
const LESS_THAN = 60;
const BACKSLASH = 92;

/** `apr_isspace`: space, and tab to carriage return. */
export function isSpace(code: number): boolean {
  return code === SPACE || (code >= 9 && code <= CR);
}

/** Offset after the logical line that starts at `offset`, and whether a backslash joined physical lines in it. */
function endOfLine(text: string, offset: number, nul: boolean): { end: number; continued: boolean } {
  let continued = false;
  let from = offset;
  for (;;) {
    const lf = text.indexOf("\n", from);
    if (lf < 0) return { end: text.length, continued };
    const last = lf > from && text.charCodeAt(lf - 1) === CR ? lf - 2 : lf - 1;
    if (last < from || text.charCodeAt(last) !== BACKSLASH) return { end: lf + 1, continued };
    // A NUL ends the physical line for httpd, so a backslash behind it joins nothing.
    if (nul && text.slice(from, last).includes("\0")) return { end: lf + 1, continued };
    continued = true;
    from = lf + 1;
  }
}

/** The next offset at or after `at` that is neither white space nor part of a continuation. */
function skipSpace(text: string, at: number, end: number, continued: boolean): number {
  let i = at;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) i++;
    else if (continued && code === BACKSLASH && isContinuation(text, i)) i += text.charCodeAt(i + 1) === CR ? 3 : 2;
    else break;
  }
  return i;
}

function isContinuation(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return next === LF || (next === CR && text.charCodeAt(at + 2) === LF);
}

function scanLine(text: string, start: number, nulInFile: boolean): Line {
  const { end, continued } = endOfLine(text, start, nulInFile);
  const nameStart = skipSpace(text, start, end, continued);
  if (nameStart >= end) return line("blank", start, end, end, end, end, end, "empty", false);
  const first = text.charCodeAt(nameStart);
  let restEnd = end;
  while (isSpace(text.charCodeAt(restEnd - 1))) restEnd--;
  const cooked = continued || (nulInFile && text.slice(start, end).includes("\0"));
  if (first === HASH)
    return line("comment", start, end, nameStart, nameStart + 1, nameStart + 1, restEnd, "quoted", cooked);
  let nameEnd = nameStart + 1;
  while (nameEnd < restEnd && !isSpace(text.charCodeAt(nameEnd))) nameEnd++;
  const restStart = skipSpace(text, nameEnd, restEnd, continued);
  const quoted = first === DOUBLE_QUOTE || first === SINGLE_QUOTE;
  const mark = quoted ? nameStart + 1 : nameStart;
  const kind: LineKind =
    text.charCodeAt(mark) !== LESS_THAN ? "directive" : text.charCodeAt(mark + 1) === SLASH ? "close" : "open";
  const shape = shapeOf(text, restStart, restEnd);
  return line(kind, start, end, nameStart, nameEnd, restStart, restEnd, shape, cooked || quoted);
}

function shapeOf(text: string, start: number, end: number): RestShape {
  if (start >= end) return "empty";
  if (text.charCodeAt(start) === DOUBLE_QUOTE) return isString(text, start, end) ? "string" : "quoted";
  let shape: RestShape = "word";
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKSLASH) return "quoted";
    if (code <= SPACE && isSpace(code)) shape = "words";
  }
  return shape;
}

function isString(text: string, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === DOUBLE_QUOTE) return i === end - 1;
    if (code === BACKSLASH) return false;
  }
  return false;
}

function line(
  kind: LineKind,
  start: number,
  end: number,
  nameStart: number,
  nameEnd: number,
  restStart: number,
  restEnd: number,
  rest: RestShape,
  cooked: boolean,
): Line {
  return { kind, start, end, nameStart, nameEnd, restStart, restEnd, rest, cooked };
}

/**
 * What the patterns are asked about. They ask about the same line one after the other, so it is scanned once. The state
 * belongs to one run of the lexer, which is synchronous.
 */
interface Scan {
  /** The whole file, and where in it the stretch begins that the lexer has. */
  text: string;
  base: number;
  nul: boolean;
  line: Line | undefined;
}

const scan: Scan = { text: "", base: 0, nul: false, line: undefined };

/** What the patterns answer; the lexer has taken it before it asks again. */
const match: CustomPatternMatcherReturn = [""];

function lineOfKind(kind: LineKind) {
  return (stretch: string, offset: number): CustomPatternMatcherReturn | null => {
    const start = scan.base + offset;
    let found = scan.line;
    if (found?.start !== start) {
      found = scanLine(scan.text, start, scan.nul);
      scan.line = found;
    }
    if (found.kind !== kind) return null;
    match[0] = stretch.slice(offset, found.end - scan.base);
    match.payload = found;
    return match;
  };
}

function lineToken(name: string, kind: LineKind): TokenType {
  return createToken({ name, pattern: { exec: lineOfKind(kind) }, line_breaks: true });
}

export const DirectiveLine = lineToken("DirectiveLine", "directive");
export const BlankLine = lineToken("BlankLine", "blank");
export const CommentLine = lineToken("CommentLine", "comment");
export const SectionOpen = lineToken("SectionOpen", "open");
export const SectionClose = lineToken("SectionClose", "close");

/** All tokens of a configuration file, the most frequent first. */
export const lineTokens: TokenType[] = [DirectiveLine, SectionOpen, SectionClose, BlankLine, CommentLine];

let lexer: Lexer | undefined;

/** A stretch of this many bytes is lexed and parsed at a time, so that its tokens are gone before the next one's come. */
const STRETCH = 1 << 16;

/** The tokens of a file, a stretch of whole lines at a time. Every input tiles into them: the lexer reports no error. */
export function* tokenizeLines(text: string): Generator<IToken[]> {
  // Which kind a line is of only its pattern can tell: there are no first characters to sort by.
  lexer ??= new Lexer(lineTokens, { positionTracking: "onlyOffset", skipValidations: true, safeMode: true });
  scan.text = text;
  scan.nul = text.includes("\0");
  for (let start = 0; start < text.length; ) {
    const end = endOfStretch(text, start);
    scan.base = start;
    scan.line = undefined;
    yield lexer.tokenize(text.slice(start, end)).tokens;
    start = end;
  }
  scan.text = "";
}

/** The end of a logical line, one stretch or more behind `start`. */
function endOfStretch(text: string, start: number): number {
  for (let lf = text.indexOf("\n", start + STRETCH); lf >= 0; lf = text.indexOf("\n", lf + 1)) {
    const last = text.charCodeAt(lf - 1) === CR ? lf - 2 : lf - 1;
    if (text.charCodeAt(last) !== BACKSLASH) return lf + 1;
  }
  return text.length;
}
