import { toReadable } from "../../text/source.js";
import { maskedLine } from "../masked.js";
import type { Line, Place } from "../places.js";
import { MASK, secretsIn } from "../secrets.js";
import { visible } from "../visible.js";
import { type Html, html } from "./html.js";

/** So many lines are shown above and below. */
const AROUND = 2;
/** So much is shown of a line at most; one of more is cut. */
const MOST_BYTES = 2000;

/** Lines of a file, with what stands at a place marked. */
export function frame(place: Place, around = AROUND): Html {
  const { file, line } = place;
  const above = linesFrom(place, around, lineAbove);
  const below = linesFrom(place, around, lineBelow);
  const row = (each: Line) => rowOf(each.number, shown(maskedLine(file, cut(each))));
  return html`<pre class="frame">${above.reverse().map(row)}${rowOf(line.number, marked(place), "here")}${below.map(row)}</pre>`;
}

/** Lines of a file from one to another, none of them marked. @param most how many are shown */
export function lines(from: Place, to: Place, most: number): Html {
  const { file } = from;
  const rows: Html[] = [];
  for (
    let line: Line | undefined = from.line;
    line && line.number <= to.line.number;
    line = lineBelow(file.text, line)
  ) {
    if (rows.length === most)
      return html`<pre class="frame">${rows}</pre><p class="more">and ${to.line.number - line.number + 1} lines more</p>`;
    rows.push(rowOf(line.number, shown(maskedLine(file, cut(line)))));
  }
  return html`<pre class="frame">${rows}</pre>`;
}

function rowOf(number: number, content: Html | string, kind?: "here"): Html {
  return html`<span class="row${kind === undefined ? "" : " here"}"><span class="number">${number}</span><code>${content}</code></span>`;
}

/** A line with what stands at the place marked; a mark that touches a secret marks the whole of it. */
function marked({ file, line, start, end }: Place): Html {
  const left = Math.max(line.start, start - MOST_BYTES);
  const right = Math.min(line.end, Math.max(end, start) + MOST_BYTES, start + 2 * MOST_BYTES);
  const secrets = secretsIn(file, line, left, right);
  const touched = secrets.filter((secret) => secret.start < Math.max(end, start + 1) && secret.end > start);
  const from = Math.min(start, ...touched.map((secret) => secret.start));
  const to = Math.min(right, Math.max(end, ...touched.map((secret) => secret.end)));
  const part = (begin: number, stop: number) => {
    let text = "";
    let at = begin;
    for (const secret of secrets) {
      if (secret.start < begin || secret.end > stop) continue;
      text += toReadable(file.text.slice(at, secret.start)) + MASK;
      at = secret.end;
    }
    return shownReadable(text + toReadable(file.text.slice(at, stop)));
  };
  const ahead = left > line.start ? "…" : "";
  const behind = right < line.end ? "…" : "";
  // Where nothing stands at the place, a blank shows it.
  return html`${ahead}${part(left, from)}<mark>${part(from, to) || " "}</mark>${part(to, right)}${behind}`;
}

function shown(text: string): string {
  return shownReadable(toReadable(text));
}

/** Tabs are left to the page. */
function shownReadable(text: string): string {
  return text.split("\t").map(visible).join("\t");
}

function cut(line: Line): Line {
  return line.end - line.start > MOST_BYTES ? { ...line, end: line.start + MOST_BYTES } : line;
}

function linesFrom({ file, line }: Place, count: number, next: (text: string, line: Line) => Line | undefined): Line[] {
  const found: Line[] = [];
  for (let at = next(file.text, line); at && found.length < count; at = next(file.text, at)) found.push(at);
  return found;
}

function lineAbove(text: string, { number, start }: Line): Line | undefined {
  if (start === 0) return undefined;
  const end = start - 1;
  const begin = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
  return { number: number - 1, start: begin, end: withoutReturn(text, begin, end) };
}

function lineBelow(text: string, { number, end }: Line): Line | undefined {
  const feed = text.indexOf("\n", end);
  if (feed < 0 || feed + 1 >= text.length) return undefined;
  const next = text.indexOf("\n", feed + 1);
  return { number: number + 1, start: feed + 1, end: withoutReturn(text, feed + 1, next < 0 ? text.length : next) };
}

function withoutReturn(text: string, start: number, end: number): number {
  return end > start && text[end - 1] === "\r" ? end - 1 : end;
}
