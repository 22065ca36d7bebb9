import { type CustomPatternMatcherReturn, createToken, type IToken, Lexer, type TokenType } from "chevrotain";
import type { Line, LineKind } from "./ast.js";

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
  if (nameStart >= end) return line("blank", start, end, end, end, end, end, false);
  const first = text.charCodeAt(nameStart);
  let restEnd = end;
  while (isSpace(text.charCodeAt(restEnd - 1))) restEnd--;
  const cooked = continued || (nulInFile && text.slice(start, end).includes("\0"));
  if (first === HASH) return line("comment", start, end, nameStart, nameStart + 1, nameStart + 1, restEnd, cooked);
  let nameEnd = nameStart + 1;
  while (nameEnd < restEnd && !isSpace(text.charCodeAt(nameEnd))) nameEnd++;
  const restStart = skipSpace(text, nameEnd, restEnd, continued);
  const quoted = first === DOUBLE_QUOTE || first === SINGLE_QUOTE;
  const mark = quoted ? nameStart + 1 : nameStart;
  const kind: LineKind =
    text.charCodeAt(mark) !== LESS_THAN ? "directive" : text.charCodeAt(mark + 1) === SLASH ? "close" : "open";
  return line(kind, start, end, nameStart, nameEnd, restStart, restEnd, cooked || quoted);
}

function line(
  kind: LineKind,
  start: number,
  end: number,
  nameStart: number,
  nameEnd: number,
  restStart: number,
  restEnd: number,
  cooked: boolean,
): Line {
  return { kind, start, end, nameStart, nameEnd, restStart, restEnd, cooked };
}

/**
 * The five patterns ask about the same line one after the other: it is scanned once. The state belongs to one run of
 * the lexer, which is synchronous.
 */
const scanned: { nul: boolean; line: Line | undefined } = { nul: false, line: undefined };

function lineOfKind(kind: LineKind) {
  return (text: string, offset: number): CustomPatternMatcherReturn | null => {
    let found = scanned.line;
    if (found?.start !== offset) {
      found = scanLine(text, offset, scanned.nul);
      scanned.line = found;
    }
    if (found.kind !== kind) return null;
    const result: CustomPatternMatcherReturn = [text.slice(offset, found.end)];
    result.payload = found;
    return result;
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

/** The tokens of a file; every input tiles into them, so the lexer never reports an error. */
export function tokenizeLines(text: string): IToken[] {
  lexer ??= new Lexer(lineTokens, { positionTracking: "onlyOffset", skipValidations: true });
  scanned.nul = text.includes("\0");
  scanned.line = undefined;
  return lexer.tokenize(text).tokens;
}
