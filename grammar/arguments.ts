import { createToken, type IToken, Lexer } from "chevrotain";
import type { Argument } from "./ast.js";
import { isSpace } from "./line-scanner.js";

/**
 * Words as `ap_getword_conf` reads them (server/util.c): separated by white space, quoted by `"` or `'`. In quotes a
 * backslash takes its meaning from a following backslash or that quote; outside them only from a backslash. A quote
 * inside a bare word is an ordinary character, text right behind a closing quote starts the next word, and a missing
 * closing quote takes the rest of the line. White space is C's: other bytes above 127 are part of words.
 */
const Space = createToken({ name: "Space", pattern: /[\t-\r ]+/, group: Lexer.SKIPPED, line_breaks: true });
const DoubleQuoted = createToken({ name: "DoubleQuoted", pattern: { exec: quotedBy('"') }, line_breaks: true });
const SingleQuoted = createToken({ name: "SingleQuoted", pattern: { exec: quotedBy("'") }, line_breaks: true });
const Word = createToken({ name: "Word", pattern: /[^\t-\r "'][^\t-\r ]*/ });

/** Up to the closing quote, or to the end: a regular expression would overflow on words of some megabytes. */
function quotedBy(quote: string) {
  return (text: string, offset: number): [string] | null => {
    if (text[offset] !== quote) return null;
    for (let at = offset + 1; at < text.length; at++) {
      const c = text[at];
      if (c === quote) return [text.slice(offset, at + 1)];
      // A backslash takes the meaning of another one and of the quote.
      if (c === "\\" && (text[at + 1] === "\\" || text[at + 1] === quote)) at++;
    }
    return [text.slice(offset)];
  };
}

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const BACKSLASH = 92;

let lexer: Lexer | undefined;

/** Argument lists repeat (`all`, `deny,allow`, `from all`): each text is read once. */
const parsedTexts = new Map<string, readonly Argument[]>();
const KNOWN_LIMIT = 1_000;

/** The words of a text, with offsets relative to it. Any text is read; nothing is thrown. */
export function parseArguments(text: string): readonly Argument[] {
  const plain = readPlainWords(text);
  if (plain) return plain;
  const before = parsedTexts.get(text);
  if (before) return before;
  lexer ??= new Lexer([Word, Space, DoubleQuoted, SingleQuoted], {
    positionTracking: "onlyOffset",
    // Few patterns: to sort them by their first characters takes longer than it spares.
    safeMode: true,
    skipValidations: true,
  });
  const words = lexer.tokenize(text).tokens.map(argumentOf);
  if (parsedTexts.size >= KNOWN_LIMIT) parsedTexts.clear();
  parsedTexts.set(text, words);
  return words;
}

/** What the lexer makes of plain words is plain to see; undefined where there are others. */
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

/** Where a word in double quotes ends, with nothing to resolve in it and white space or nothing behind it. */
function endOfPlainQuoted(text: string, start: number): number | undefined {
  const end = text.indexOf('"', start + 1) + 1;
  if (end === 0 || (end < text.length && !isSpace(text.charCodeAt(end)))) return undefined;
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) === BACKSLASH) return undefined;
  return end;
}

/** Where a bare word ends that has no quote or backslash in it. */
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

/** Whether the closing quote is missing: the last character is none, or an odd row of backslashes takes its meaning. */
function isUnclosed(image: string): boolean {
  if (image.length < 2 || image[image.length - 1] !== image[0]) return true;
  let backslashes = 0;
  while (image[image.length - 2 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/** Writes a value so that httpd reads it back as one word with that value. */
export function quoteArgument(value: string): string {
  if (/^[^\t-\r "'\\][^\t-\r \\]*$/.test(value)) return value;
  return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

const rewriteSpace = /[\t-\r ]/;

/**
 * The words of a RewriteRule or RewriteCond line as mod_rewrite reads them for itself (`parseargline`): up to three, the
 * second one possibly empty; none where the first has no end.
 */
export function parseRewriteWords(text: string): readonly [Argument, Argument, Argument?] | undefined {
  const first = readWord(text, 0);
  if (first.next > text.length) return undefined;
  const second = readWord(text, first.next);
  const third = readWord(text, second.next);
  return third.word.start < text.length ? [first.word, second.word, third.word] : [first.word, second.word];
}

/** Whether a RewriteRule hands requests on to a backend, by its flag P however that is written. */
export function hasProxyFlag(text: string): boolean {
  return /\[(?:.*,)?\s*(?:P|proxy)\s*[\],]/i.test(text);
}

/** A backslash keeps white space behind it in the word, also in quotes, and stays in it; it saves no quote. */
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
