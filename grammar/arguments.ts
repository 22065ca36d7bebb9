import { createToken, type IToken, Lexer } from "chevrotain";
import type { Argument } from "./ast.js";
import { isSpace } from "./line-scanner.js";

/**
 * Arguments as `ap_getword_conf` reads them (server/util.c): separated by white space, quoted by `"` or `'`. In quotes,
 * a backslash escapes a following backslash or that quote; outside quotes, only a backslash. A quote inside a bare word
 * is an ordinary character. Text directly after a closing quote starts the next word. A missing closing quote takes the
 * rest of the line. White space is C's: other bytes above 127 are part of words.
 */
const Space = createToken({ name: "Space", pattern: /[\t-\r ]+/, group: Lexer.SKIPPED, line_breaks: true });
const DoubleQuoted = createToken({ name: "DoubleQuoted", pattern: { exec: quotedBy('"') }, line_breaks: true });
const SingleQuoted = createToken({ name: "SingleQuoted", pattern: { exec: quotedBy("'") }, line_breaks: true });
const Word = createToken({ name: "Word", pattern: /[^\t-\r "'][^\t-\r ]*/ });

/**
 * Matches up to the closing quote or the end of the text. A regular expression would overflow on words of several
 * megabytes.
 */
function quotedBy(quote: string) {
  return (text: string, offset: number): [string] | null => {
    if (text[offset] !== quote) return null;
    for (let at = offset + 1; at < text.length; at++) {
      const c = text[at];
      if (c === quote) return [text.slice(offset, at + 1)];
      // A backslash escapes another backslash and the quote.
      if (c === "\\" && (text[at + 1] === "\\" || text[at + 1] === quote)) at++;
    }
    return [text.slice(offset)];
  };
}

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const BACKSLASH = 92;

let lexer: Lexer | undefined;

/** Cache of parsed argument lists, because many repeat (`all`, `deny,allow`, `from all`). */
const parsedTexts = new Map<string, readonly Argument[]>();
const KNOWN_LIMIT = 1_000;

/** Returns the arguments in a text, with offsets relative to it. Accepts any text and never throws. */
export function parseArguments(text: string): readonly Argument[] {
  const plain = readPlainWords(text);
  if (plain) return plain;
  const before = parsedTexts.get(text);
  if (before) return before;
  lexer ??= new Lexer([Word, Space, DoubleQuoted, SingleQuoted], {
    positionTracking: "onlyOffset",
    // There are few patterns: sorting them by first character takes longer than it saves.
    safeMode: true,
    skipValidations: true,
  });
  const words = lexer.tokenize(text).tokens.map(argumentOf);
  if (parsedTexts.size >= KNOWN_LIMIT) parsedTexts.clear();
  parsedTexts.set(text, words);
  return words;
}

/** Parses plain words without the lexer; returns undefined if the text contains anything else. */
function readPlainWords(text: string): Argument[] | undefined {
  const words: Argument[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    const isQuoted = text.charCodeAt(start) === DOUBLE_QUOTE;
    const end = isQuoted ? endOfPlainQuoted(text, start) : endOfPlainBare(text, start);
    if (end === undefined) return undefined;
    const value = isQuoted ? text.slice(start + 1, end - 1) : text.slice(start, end);
    words.push({ value, start, end, quote: isQuoted ? "double" : "none", unclosed: false });
    at = end;
    while (isSpace(text.charCodeAt(at))) at++;
  }
  return words;
}

/** Returns the end of a word in double quotes that has no escapes and is followed by white space or nothing. */
function endOfPlainQuoted(text: string, start: number): number | undefined {
  const end = text.indexOf('"', start + 1) + 1;
  if (end === 0 || (end < text.length && !isSpace(text.charCodeAt(end)))) return undefined;
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) === BACKSLASH) return undefined;
  return end;
}

/** Returns the end of a bare word that has no quote or backslash. */
function endOfPlainBare(text: string, start: number): number | undefined {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) break;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKSLASH) return undefined;
  }
  return at === start ? undefined : at;
}

function argumentOf(token: IToken): Argument {
  const { image, startOffset: start } = token;
  const end = start + image.length;
  switch (token.tokenType) {
    case DoubleQuoted:
      return quotedArgument(image, start, end, "double");
    case SingleQuoted:
      return quotedArgument(image, start, end, "single");
    default:
      return {
        value: image.includes("\\\\") ? image.replaceAll("\\\\", "\\") : image,
        start,
        end,
        quote: "none",
        unclosed: false,
      };
  }
}

function quotedArgument(image: string, start: number, end: number, quote: "single" | "double"): Argument {
  const unclosed = isUnclosed(image);
  const inner = image.slice(1, unclosed ? undefined : -1);
  const value = inner.includes("\\") ? inner.replace(quote === "double" ? /\\([\\"])/g : /\\([\\'])/g, "$1") : inner;
  return { value, start, end, quote, unclosed };
}

/**
 * Reports whether the closing quote is missing: the last character is not a quote, or an odd run of backslashes escapes
 * it.
 */
function isUnclosed(image: string): boolean {
  if (image.length < 2 || image[image.length - 1] !== image[0]) return true;
  let backslashes = 0;
  while (image[image.length - 2 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/** Quotes a value so that httpd reads it back as one word with that value. */
export function quoteArgument(value: string): string {
  if (/^[^\t-\r "'\\][^\t-\r \\]*$/.test(value)) return value;
  return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

/** Writes a value in double quotes. Only the backslashes that would escape the next character are doubled. */
export function doubleQuote(value: string): string {
  return `"${value.replace(/"|\\(?=["\\]|$)/g, "\\$&")}"`;
}

/** Writes a value in the place of an argument: in quotes if that has quotes. */
export function quoteLike({ quote }: Pick<Argument, "quote">, value: string): string {
  return quote === "none" ? value : doubleQuote(value);
}

/** Writes a text in the place of a word of a rewrite rule, with its quotes: mod_rewrite resolves no escapes. */
export function quoteRewriteWord({ quote }: Pick<Argument, "quote">, text: string): string {
  const mark = quote === "none" ? "" : quote === "double" ? '"' : "'";
  return `${mark}${text}${mark}`;
}

const rewriteSpace = /[\t-\r ]/;

/**
 * Parses the words of a RewriteRule or RewriteCond line as mod_rewrite does (`parseargline`): up to three, the second
 * one possibly empty; none if the first has no end.
 */
export function parseRewriteWords(text: string): readonly [Argument, Argument, Argument?] | undefined {
  const first = readWord(text, 0);
  if (first.next > text.length) return undefined;
  const second = readWord(text, first.next);
  const third = readWord(text, second.next);
  return third.word.start < text.length ? [first.word, second.word, third.word] : [first.word, second.word];
}

/** Reports whether a RewriteRule proxies requests to a backend, by any spelling of its flag P. */
export function hasProxyFlag(text: string): boolean {
  return /\[(?:.*,)?\s*(?:P|proxy)\s*[\],]/i.test(text);
}

/**
 * A backslash keeps the following white space in the word, also in quotes, and stays in it; it does not escape a quote.
 */
const wordIn: Readonly<Record<string, RegExp>> = {
  '"': /(?:\\[\t-\r ]|[^"])*/y,
  "'": /(?:\\[\t-\r ]|[^'])*/y,
  "": /(?:\\[\t-\r ]|[^\t-\r ])*/y,
};

function readWord(text: string, from: number): { word: Argument; next: number } {
  let start = Math.min(from, text.length);
  while (rewriteSpace.test(text.charAt(start))) start++;
  const first = text.charAt(start);
  const mark = first === '"' || first === "'" ? first : "";
  const value = matchAt(wordIn[mark], text, start + mark.length);
  const end = start + mark.length + value.length;
  const unclosed = end >= text.length;
  const quote = mark === "" ? "none" : mark === '"' ? "double" : "single";
  return { word: { value, start, end: end + (unclosed ? 0 : mark.length), quote, unclosed }, next: end + 1 };
}

function matchAt(pattern: RegExp | undefined, text: string, at: number): string {
  if (pattern === undefined) return "";
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
