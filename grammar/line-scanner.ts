import { type MappedText, MappedTextBuilder } from "../src/text/mapped-text.js";
import type { Line } from "./ast.js";
import { LineMark, type Lines } from "./lines.js";
import { removedRange, removedUnit } from "./marked-text.js";

const LF = 10;
const CR = 13;
const SPACE = 32;
const HASH = 35;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const SLASH = 47;
const LESS_THAN = 60;
const BACKSLASH = 92;

/** What httpd does not read: what follows a NUL, and code units that a shell removes from a here-document (`embedded.ts`). */
export const omitted = new RegExp(`[\\0${removedRange}]`);
const removed = new RegExp(removedUnit, "g");

/** Reports whether a character is white space as in `apr_isspace`: space, and tab to carriage return. */
export function isSpace(code: number): boolean {
  // Most characters are above all of these.
  return code <= SPACE && (code === SPACE || (code >= 9 && code <= CR));
}

/**
 * Appends the logical line that starts at an offset to the columns, with its inner offsets and shape.
 *
 * @param hasOmitted whether the text has anything that `omitted` matches
 * @returns the offset after it
 */
export function scanLine(text: string, start: number, hasOmitted: boolean, into: Lines): number {
  const physicalEnd = endOfPhysicalLine(text, start);
  const continued = isJoined(text, start, physicalEnd, hasOmitted);
  const end = continued ? endOfJoined(text, physicalEnd, hasOmitted) : physicalEnd;
  const nameStart = skipSpace(text, start, end, continued);
  if (nameStart >= end) {
    into.append(LineMark.blank | LineMark.empty, start, end, end, end, end, end);
    return end;
  }
  const first = text.charCodeAt(nameStart);
  let restEnd = end;
  while (isSpace(text.charCodeAt(restEnd - 1))) restEnd--;
  const needsNormalizing =
    continued || (hasOmitted && omitted.test(text.slice(start, end))) ? LineMark.needsNormalizing : 0;
  if (first === HASH) {
    const nameEnd = nameStart + 1;
    into.append(
      LineMark.comment | LineMark.quoted | needsNormalizing,
      start,
      end,
      nameStart,
      nameEnd,
      nameEnd,
      restEnd,
    );
    return end;
  }
  let nameEnd = nameStart + 1;
  while (nameEnd < restEnd && !isSpace(text.charCodeAt(nameEnd))) nameEnd++;
  const restStart = skipSpace(text, nameEnd, restEnd, continued);
  const isQuoted = first === DOUBLE_QUOTE || first === SINGLE_QUOTE;
  const kind = kindOf(text, isQuoted ? nameStart + 1 : nameStart);
  const mark = kind | shapeOf(text, restStart, restEnd) | (isQuoted ? LineMark.needsNormalizing : needsNormalizing);
  into.append(mark, start, end, nameStart, nameEnd, restStart, restEnd);
  return end;
}

function kindOf(text: string, first: number): number {
  if (text.charCodeAt(first) !== LESS_THAN) return LineMark.directive;
  return text.charCodeAt(first + 1) === SLASH ? LineMark.close : LineMark.open;
}

function endOfPhysicalLine(text: string, start: number): number {
  const lf = text.indexOf("\n", start);
  return lf < 0 ? text.length : lf + 1;
}

/** Reports whether a backslash joins the physical line from `start` to `end` with the next one. */
function isJoined(text: string, start: number, end: number, hasOmitted: boolean): boolean {
  if (text.charCodeAt(end - 1) !== LF) return false;
  const last = end - 2 >= start && text.charCodeAt(end - 2) === CR ? end - 3 : end - 2;
  if (last < start || text.charCodeAt(last) !== BACKSLASH) return false;
  // httpd ends the physical line at a NUL, so a backslash after it does not join lines.
  return !(hasOmitted && text.slice(start, last).includes("\0"));
}

/** Returns the offset after the last of the physical lines joined with the one that ends at `from`. */
function endOfJoined(text: string, from: number, hasOmitted: boolean): number {
  for (let start = from; ; ) {
    const end = endOfPhysicalLine(text, start);
    if (!isJoined(text, start, end, hasOmitted)) return end;
    start = end;
  }
}

/** Returns the next offset at or after `at` that is neither white space nor part of a continuation. */
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

function shapeOf(text: string, start: number, end: number): number {
  if (start >= end) return LineMark.empty;
  if (text.charCodeAt(start) === DOUBLE_QUOTE) return isString(text, start, end) ? LineMark.string : LineMark.quoted;
  let shape: number = LineMark.word;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    // Letters and digits are the most frequent and take one comparison.
    if (code > BACKSLASH) continue;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKSLASH) return LineMark.quoted;
    if (isSpace(code)) shape = LineMark.words;
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

/**
 * Returns a line as httpd reads it: continuations joined, bytes from a NUL to the end of its physical line dropped, and what
 * a shell removes, white space trimmed at both ends (server/util.c, `ap_cfg_getline`). A backslash at the end of the file joins nothing
 * and remains.
 */
export function normalizeLine(text: string, line: Line): MappedText {
  const joined = new MappedTextBuilder();
  let from = line.start;
  while (from < line.end) {
    const lf = text.indexOf("\n", from);
    const next = lf < 0 || lf >= line.end ? line.end : lf + 1;
    let end = next;
    const nul = text.slice(from, next).indexOf("\0");
    if (nul >= 0) end = from + nul;
    else if (next < line.end || endsInContinuation(text, from, next)) end = beforeContinuation(text, next);
    copyWithoutRemoved(text, from, end, joined);
    from = next;
  }
  return trim(joined.build(line.start));
}

function copyWithoutRemoved(text: string, start: number, end: number, into: MappedTextBuilder): void {
  let done = start;
  for (const { index } of text.slice(start, end).matchAll(removed)) {
    into.copy(text.slice(done, start + index), done);
    done = start + index + 1;
  }
  into.copy(text.slice(done, end), done);
}

/**
 * Reports whether a backslash and a line ending with nothing after it end the text, as in the last physical line of a
 * file.
 */
function endsInContinuation(text: string, from: number, next: number): boolean {
  return next === text.length && text.charCodeAt(next - 1) === 10 && beforeContinuation(text, next) >= from;
}

/** Returns the offset of the backslash that joins the physical line ending at `next` to the following one, or -1. */
function beforeContinuation(text: string, next: number): number {
  const last = text.charCodeAt(next - 2) === 13 ? next - 3 : next - 2;
  return text[last] === "\\" ? last : -1;
}

function trim(mapped: MappedText): MappedText {
  let start = 0;
  let end = mapped.text.length;
  while (start < end && isSpace(mapped.text.charCodeAt(start))) start++;
  while (end > start && isSpace(mapped.text.charCodeAt(end - 1))) end--;
  if (start === 0 && end === mapped.text.length) return mapped;
  return new MappedTextBuilder().copyMapped(mapped, start, end).build(mapped.pieces[0]?.from ?? 0);
}
