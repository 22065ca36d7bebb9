import { type SourceFile, toReadable } from "../../text/source.js";
import { findSecrets, MASK, maskLine, redact, redactLine } from "../secrets/redaction.js";
import { tokenizeLine } from "../text/highlighting.js";
import type { SourceLine, SourcePlace } from "../text/source-places.js";
import { makeVisible, toWellFormed } from "../text/visible-text.js";
import { lineStartAt, renderCodeLine, renderTokens } from "./code.js";
import { type Content, type Html, html } from "./html.js";

/** Number of context lines above and below. */
const AROUND = 2;
/** Limit of the bytes shown of a line; a longer one is cut. */
const MAX_BYTES = 2000;

/** Renders lines of a file, with a span marked. */
export function renderExcerpt(place: SourcePlace, contextLines = AROUND): Html {
  const { file, line } = place;
  const above = linesFrom(place, contextLines, lineAbove);
  const below = linesFrom(place, contextLines, lineBelow);
  const row = (each: SourceLine) => renderRow(each.number, renderPlainLine(file, each));
  return html`<pre class="frame">${above.reverse().map(row)}${renderRow(line.number, renderMarkedLine(place), "here")}${below.map(row)}</pre>`;
}

/** Renders a range of lines of a file without a mark. @param max limit of the lines shown */
export function renderLines(from: SourcePlace, to: SourcePlace, max: number): Html {
  const { file } = from;
  const rows: Html[] = [];
  for (
    let line: SourceLine | undefined = from.line;
    line && line.number <= to.line.number;
    line = lineBelow(file.text, line)
  ) {
    if (rows.length === max)
      return html`<pre class="frame">${rows}</pre><p class="more">and ${to.line.number - line.number + 1} lines more</p>`;
    rows.push(renderRow(line.number, renderPlainLine(file, line)));
  }
  return html`<pre class="frame">${rows}</pre>`;
}

/** Renders a line without a mark, with its colors. */
function renderPlainLine(file: SourceFile, line: SourceLine): Html {
  const text = formatReadable(toReadable(maskLine(file, cutLine(line))));
  return renderCodeLine(text, lineStartAt(file.text, line.start));
}

function renderRow(number: number, content: Html, kind?: "here"): Html {
  return html`<span class="row${kind === undefined ? "" : " here"}"><span class="number">${number}</span><code>${content}</code></span>`;
}

/** Renders a line with a span marked; a mark that touches a secret covers all of it. */
function renderMarkedLine({ file, line, start, end }: SourcePlace): Html {
  const left = Math.max(line.start, start - MAX_BYTES);
  const right = Math.min(line.end, Math.max(end, start) + MAX_BYTES, start + 2 * MAX_BYTES);
  const secrets = findSecrets(file, line, left, right);
  const overlapping = secrets.filter((secret) => secret.start < Math.max(end, start + 1) && secret.end > start);
  const from = Math.min(start, ...overlapping.map((secret) => secret.start));
  const to = Math.min(right, Math.max(end, ...overlapping.map((secret) => secret.end)));
  const part = (begin: number, stop: number) => {
    let text = "";
    let at = begin;
    for (const secret of secrets) {
      if (secret.start < begin || secret.end > stop) continue;
      text += toReadable(file.text.slice(at, secret.start)) + MASK;
      at = secret.end;
    }
    return formatReadable(text + toReadable(file.text.slice(at, stop)));
  };
  const leading = left > line.start ? "…" : "";
  const trailing = right < line.end ? "…" : "";
  const [before, marked, after] = [part(left, from), part(from, to), part(to, right)];
  const whole = before + marked + after;
  const { tokens } = tokenizeLine(whole, lineStartAt(file.text, line.start));
  const colored = (begin: number, stop: number) => renderTokens(whole, tokens, begin, stop);
  const [opens, closes] = [before.length, before.length + marked.length];
  // An empty span is shown as a blank.
  const inside = marked === "" ? " " : colored(opens, closes);
  return html`${leading}${colored(0, opens)}<mark>${inside}</mark>${colored(closes, whole.length)}${trailing}`;
}

/** Tabs are left to the page. */
function formatReadable(text: string): string {
  return text.split("\t").map(makeVisible).join("\t");
}

function cutLine(line: SourceLine): SourceLine {
  return line.end - line.start > MAX_BYTES ? { ...line, end: line.start + MAX_BYTES } : line;
}

function linesFrom(
  { file, line }: SourcePlace,
  count: number,
  next: (text: string, line: SourceLine) => SourceLine | undefined,
): SourceLine[] {
  const found: SourceLine[] = [];
  for (let at = next(file.text, line); at && found.length < count; at = next(file.text, at)) found.push(at);
  return found;
}

function lineAbove(text: string, { number, start }: SourceLine): SourceLine | undefined {
  if (start === 0) return undefined;
  const end = start - 1;
  const begin = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
  return { number: number - 1, start: begin, end: dropCarriageReturn(text, begin, end) };
}

function lineBelow(text: string, { number, end }: SourceLine): SourceLine | undefined {
  const lineFeed = text.indexOf("\n", end);
  if (lineFeed < 0 || lineFeed + 1 >= text.length) return undefined;
  const next = text.indexOf("\n", lineFeed + 1);
  return {
    number: number + 1,
    start: lineFeed + 1,
    end: dropCarriageReturn(text, lineFeed + 1, next < 0 ? text.length : next),
  };
}

function dropCarriageReturn(text: string, start: number, end: number): number {
  return end > start && text[end - 1] === "\r" ? end - 1 : end;
}

/** Renders a message, with its quotes highlighted and its secrets masked. */
export function renderMessage(message: string): Html {
  const parts = makeVisible(toWellFormed(redact(message, []))).split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** Masks the secrets in a line of a configuration, as plain text. */
export function formatPlainLine(line: string): string {
  return makeVisible(toWellFormed(redactLine(line)));
}

/** Returns displayable text with its secrets masked. */
export function formatPlainText(text: string): string {
  return makeVisible(toWellFormed(redact(text, [])));
}

/** Renders what a report about a server that fails assumes, in sentences. */
export function renderAssumptions(subject: string, assumptions: readonly string[] = []): Content {
  return assumptions.map((assumption) => html`${subject} assumes that ${renderMessage(assumption)}.`);
}
