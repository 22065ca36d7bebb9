import { parseArguments } from "../../../grammar/arguments.js";
import { memoize } from "../../text/memoize.js";
import { type SourceFile, toReadable } from "../../text/source.js";
import type { SourceLine, SourcePlace } from "../text/source-places.js";
import { findCredentials, maskCredentials } from "./credentials.js";
import {
  findSecretStart,
  hasSecretLine,
  maskQuotedSecrets,
  mayHoldParameter,
  secretParameter,
} from "./secret-lines.js";
import { isSecretName, secretValuesOf } from "./secret-names.js";
import { mergeRanges } from "./text-ranges.js";

/** The replacement of a secret; its length does not reveal the secret's. */
export const MASK = "********";

/** A range of a file, in byte offsets. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** User name and password in a URL, also in a path built from one: the last `@` before the path ends them. */
const userInfo = /(:\/|\/\/)((?:\\\r?\n|[^\s/])+)@/g;

/**
 * User name and password in an address without slashes, as in `mailto:user:password@host`. The commands of a cipher
 * string, as in `HIGH:!aNULL:@SECLEVEL=0`, are not hosts.
 */
const mailInfo =
  /((?<![\w.+-])[a-z][a-z0-9+.-]{1,20}:)([^\s/:@"'`]+:[^\s/@"'`]+)@(?!(?<=:@)(?:SECLEVEL=\d|STRENGTH))/gi;

/** User name and password in a URL that a message shortens before the `@`. A host may have a port. */
const shortenedUserInfo = /((?::\/|\/\/)[^\s/:@`]*:)(?!\d{1,5}\u2026)([^\s/@`]*\u2026)/g;

/** Values in a comment after a name and a colon or an equals sign: `# password: x`. */
const namedInComment = /([\w.-]{1,64})\s{0,8}[:=]\s{0,8}("[^"\n]*"|'[^'\n]*'|[^\s"']+)/dg;

/** The maximum distance of a secret's start or end from the range shown. */
const REACH = 4096;
const MAX_CONTINUATIONS = 1000;

/** Returns the secrets in a range of one line, in order, without overlaps. */
export function findSecrets(file: SourceFile, line: SourceLine, from: number, to: number): readonly SecretSpan[] {
  const { text } = file;
  const first = logicalStart(text, line.start);
  const found: SecretSpan[] = [];
  const argumentStart = findSecretStart(text, first);
  if (argumentStart !== undefined) found.push(...argumentsOn(text, line, argumentStart));
  const start = Math.max(first, from - REACH);
  const window = text.slice(start, Math.min(continues(text, line) ? text.length : line.end, to + REACH));
  const find = (pattern: RegExp) => {
    for (const { index, 1: ahead = "", 2: secret = "" } of window.matchAll(pattern)) {
      const at = start + index + ahead.length;
      found.push({ start: at, end: at + secret.length });
    }
  };
  if (window.includes("@")) {
    find(userInfo);
    find(mailInfo);
  }
  if (isComment(text, first)) found.push(...findInComment(window, start));
  if (/secret=/i.test(window) && mayHoldParameter(text, first)) find(secretParameter);
  for (const each of findCredentials(window)) found.push({ start: start + each.start, end: start + each.end });
  return found.length === 0 ? found : mergeSpans(found, from, to);
}

function isComment(text: string, lineStart: number): boolean {
  let at = lineStart;
  while (at < text.length && text[at] !== "\n" && isSpace(text, at)) at++;
  return text[at] === "#";
}

function findInComment(text: string, offset: number): SecretSpan[] {
  return [...text.matchAll(namedInComment)].flatMap(({ 1: name = "", indices }) => {
    const value = indices?.[2];
    return value && isSecretName(name) ? [{ start: offset + value[0], end: offset + value[1] }] : [];
  });
}

/** Returns the secrets of a line, literal or by variable, as words that a message may quote. */
export function listSecretWords({ file, line }: SourcePlace): string[] {
  const { text } = file;
  const first = logicalStart(text, line.start);
  const byVariable = text.slice(first, line.end).includes("${") ? secretValuesIn(file) : [];
  const parameters = mayHoldParameter(text, first) ? text.slice(first, line.end).matchAll(secretParameter) : [];
  const byParameter = [...parameters].map(({ 2: value = "" }) => value);
  return [...argumentWords(text, line, findSecretStart(text, first)), ...byVariable, ...byParameter].map(toReadable);
}

function argumentWords(text: string, line: SourceLine, start: number | undefined): string[] {
  if (start === undefined) return [];
  const argumentText = text
    .slice(start, logicalEnd(text, line))
    .replace(/\\\r?\n/g, "")
    .trim();
  const whole = parseArguments(argumentText).map(({ value }) => value);
  const parts = argumentText.split(/[\s"']+/);
  return [...new Set([argumentText, ...whole, ...parts])]
    .filter((word) => word !== "")
    .sort((a, b) => b.length - a.length);
}

const secretValuesIn = memoize((file: SourceFile) => secretValuesOf([file]));

/** Masks the values of variables in a text. @param values as `secretValuesOf` returns them */
export function maskVariableValues(text: string, values: readonly string[]): string {
  return values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
}

/**
 * Masks the secrets that a message quotes. Short words are common: they are masked only if they are quoted on their
 * own. The same applies to plain words, which may be part of the message itself, except between backticks.
 */
export function redact(message: string, words: readonly string[]): string {
  let text = message;
  for (const word of words) {
    if (word.length <= 3) text = text.replaceAll(`\`${word}\``, `\`${MASK}\``);
    else if (/^[a-z]+$/i.test(word)) text = maskQuotedWord(text, word);
    else text = text.replaceAll(word, MASK);
  }
  if (text.includes("@")) text = text.replace(userInfo, `$1${MASK}@`).replace(mailInfo, `$1${MASK}@`);
  if (text.includes("\u2026")) text = text.replace(shortenedUserInfo, `$1${MASK}`);
  return maskQuotedSecrets(maskCredentials(text, MASK), MASK);
}

/**
 * Masks a word between backticks, and if it is all that other quotes contain. If backticks are unpaired, it is masked
 * everywhere.
 */
function maskQuotedWord(text: string, word: string): string {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return text.replaceAll(word, MASK);
  const masked = parts.map((part, index) => {
    if (index % 2 === 1) return part.replaceAll(word, MASK);
    return part.replaceAll(`'${word}'`, `'${MASK}'`).replaceAll(`"${word}"`, `"${MASK}"`);
  });
  return masked.join("`");
}

/** Masks the secret in a line of a configuration, such as the first line that names a section or a `.htaccess` file. */
export function redactLine(line: string): string {
  const at = findSecretStart(line, 0);
  return redact(at === undefined ? line : `${line.slice(0, at).trimEnd()} ${MASK}`, []);
}

/**
 * Reports whether text to be inserted into a line contains a secret: masked, it would be wrong. A secret of the line may
 * be one only there, as `x` in `PASSWORD=x`.
 */
export function containsSecret(inserted: string, words: readonly string[], { file, line }: SourcePlace): boolean {
  if (hasSecretLine(inserted) || redact(inserted, words) !== inserted) return true;
  const secrets = findSecrets(file, line, line.start, line.end).map(({ start, end }) => file.text.slice(start, end));
  // Shorter ones occur in other words by chance.
  return secrets.some((secret) => secret.length > 3 && inserted.includes(secret));
}

/** Returns the arguments of a directive with secrets on a line, if any. */
function argumentsOn(text: string, line: SourceLine, argumentStart: number): SecretSpan[] {
  let start = Math.max(line.start, argumentStart);
  let end = continues(text, line) ? line.end - 1 : line.end;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return end > start ? [{ start, end }] : [];
}

/** Returns the start of the logical line that contains a physical line; httpd joins lines that end in a backslash. */
function logicalStart(text: string, lineStart: number): number {
  let start = lineStart;
  for (let count = 0; count < MAX_CONTINUATIONS && start > 0; count++) {
    const end = text[start - 2] === "\r" ? start - 2 : start - 1;
    if (end < 1 || text[end - 1] !== "\\") break;
    start = end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1;
  }
  return start;
}

function logicalEnd(text: string, line: SourceLine): number {
  let end = line.end;
  for (let count = 0; count < MAX_CONTINUATIONS && text[end - 1] === "\\"; count++) {
    const next = text.indexOf("\n", end) + 1;
    if (next === 0) break;
    const lineFeed = text.indexOf("\n", next);
    const lineEnd = lineFeed < 0 ? text.length : lineFeed;
    end = lineEnd > next && text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;
  }
  return end;
}

function continues(text: string, line: SourceLine): boolean {
  return line.end > line.start && text[line.end - 1] === "\\";
}

function isSpace(text: string, at: number): boolean {
  const byte = text.charCodeAt(at);
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function mergeSpans(found: readonly SecretSpan[], from: number, to: number): readonly SecretSpan[] {
  const clipped = found.map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) }));
  return mergeRanges(clipped.filter(({ start, end }) => end > start));
}

/** Returns a file's text with its secrets masked; lines keep their positions. @returns a binary string */
export function maskFile(file: SourceFile): string {
  const lines: string[] = [];
  let start = 0;
  for (const text of file.text.split("\n")) {
    const ending = text.endsWith("\r") ? "\r" : "";
    const end = start + text.length - ending.length;
    lines.push(maskLine(file, { number: lines.length + 1, start, end }) + ending);
    start += text.length + 1;
  }
  return lines.join("\n");
}

/** Returns a line with its secrets masked. @returns a binary string */
export function maskLine(file: SourceFile, line: SourceLine): string {
  const { text } = file;
  // A line continuation is not part of a secret.
  const end = text[line.end - 1] === "\\" && line.end > line.start ? line.end - 1 : line.end;
  let masked = "";
  let at = line.start;
  for (const secret of findSecrets(file, line, line.start, end)) {
    masked += text.slice(at, secret.start) + MASK;
    at = secret.end;
  }
  return masked + text.slice(at, line.end);
}
