import { type CodeToken, freshLine, type LineStart, tokenizeLine } from "../text/highlighting.js";
import { type Html, html } from "./html.js";

/** The colors of tokens, by the variables of `document.ts`. */
export const codeStyle = `.hl-comment, .hl-continuation { color: var(--quiet); } .hl-section { color: var(--code-section); } .hl-name { color: var(--code-name); }
.hl-string { color: var(--code-string); } .hl-variable, .hl-keyword { color: var(--code-variable); }`;

/** Renders text of a line with its colors, without a script. @param tokens in order, in offsets of the line */
export function renderTokens(line: string, tokens: readonly CodeToken[], from = 0, to = line.length): Html {
  const parts: (Html | string)[] = [];
  let at = from;
  for (const { start, end, kind } of tokens) {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) continue;
    parts.push(line.slice(at, first), html`<span class="hl-${kind}">${line.slice(first, last)}</span>`);
    at = last;
  }
  return html`${parts}${line.slice(at, to)}`;
}

/** Renders a line with its colors. */
export function renderCodeLine(line: string, start: LineStart = freshLine): Html {
  return renderTokens(line, tokenizeLine(line, start).tokens);
}

/** Number of lines above that are searched for the start of a continued line. */
const MAX_LINES_ABOVE = 50;
/** Number of bytes above that are searched. */
const MAX_BYTES_ABOVE = 4000;

/** Returns the state at the start of a line. @param offset the start of the line */
export function lineStartAt(text: string, offset: number): LineStart {
  if (text[offset - 1] !== "\n" || !isContinuedBefore(text, offset)) return freshLine;
  const starts: number[] = [];
  for (let at = offset; at > 0 && isContinuedBefore(text, at); ) {
    at = text.lastIndexOf("\n", at - 2) + 1;
    starts.push(at);
    if (starts.length > MAX_LINES_ABOVE || offset - at > MAX_BYTES_ABOVE) break;
  }
  let state = freshLine;
  for (const start of starts.reverse()) {
    const line = text.slice(start, text.indexOf("\n", start)).replace(/\r$/, "");
    state = tokenizeLine(line, state).next;
  }
  return state;
}

/** Reports whether the line before an offset ends with a backslash. */
function isContinuedBefore(text: string, offset: number): boolean {
  return text[offset - 2] === "\\" || (text[offset - 2] === "\r" && text[offset - 3] === "\\");
}
