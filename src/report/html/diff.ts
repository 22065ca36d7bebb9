import { diffLines } from "diff";
import type { Fix } from "../../lint/finding.js";
import { getOrCreate } from "../../text/collections.js";
import { type Edit, sortEdits } from "../../text/edits.js";
import { type SourceFile, toReadable } from "../../text/source.js";
import { maskFile } from "../secrets/redaction.js";
import { freshLine, tokenizeLine } from "../text/highlighting.js";
import type { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { renderTokens } from "./code.js";
import { type Html, html } from "./html.js";

/** Number of context lines around a change. */
const AROUND = 2;

/** Renders the changes of a fix, file by file, with context lines; secrets are masked. */
export function renderFixDiff({ edits }: Fix, places: PlaceResolver): Html {
  const byFile = new Map<SourceFile, Edit[]>();
  for (const edit of sortEdits(edits)) getOrCreate(byFile, edit.span.file, () => []).push(edit);
  const several = byFile.size > 1;
  return html`${[...byFile].map(([file, own]) => {
    const { before, after } = windowOf(file, own);
    return html`${several ? html`<p class="where">${makeVisible(places.path(file))}</p>` : undefined}${renderLineDiff(before, after)}`;
  })}`;
}

/** Renders a line diff of two texts, with context lines. */
export function renderLineDiff(before: string, after: string): Html {
  const parts = diffLines(before, after);
  const renderer = new RowRenderer();
  const rows = parts.flatMap(({ value, added, removed }, index) => {
    const lines = value.replace(/\n$/, "").split("\n");
    if (added || removed) return lines.map((line) => renderer.render(added ? "+" : "-", line));
    const all = lines.map((line) => renderer.render(" ", line));
    const [isFirst, isLast] = [index === 0, index === parts.length - 1];
    const head = isFirst ? [] : all.slice(0, AROUND);
    const tail = isLast ? [] : all.slice(Math.max(head.length, all.length - AROUND));
    const left = all.length - head.length - tail.length;
    return [...head, ...(left > 0 ? [renderRow("…", "")] : []), ...tail];
  });
  return html`<pre class="diff">${rows}</pre>`;
}

const titles = { "+": "added", "-": "removed", " ": "kept", "…": "left out" } as const;

/** Renders the lines of a diff in their order, with the colors that they have in each of both texts. */
class RowRenderer {
  private before = freshLine;
  private after = freshLine;

  render(sign: "+" | "-" | " ", line: string): Html {
    const shown = line.replace(/\r$/, "").split("\t").map(makeVisible).join("\t");
    const { tokens, next } = tokenizeLine(shown, sign === "-" ? this.before : this.after);
    if (sign !== "-") this.after = next;
    if (sign !== "+") this.before = sign === "-" ? next : tokenizeLine(shown, this.before).next;
    return renderRow(sign, renderTokens(shown, tokens));
  }
}

function renderRow(sign: keyof typeof titles, content: Html | string): Html {
  return html`<span class="row ${titles[sign]}"><span class="number">${sign}</span><code>${content}</code></span>`;
}

/** Returns the lines around some edits of one file, before and after the edits. */
function windowOf(file: SourceFile, edits: readonly Edit[]): { readonly before: string; readonly after: string } {
  const { text } = file;
  const first = edits[0]?.span.start ?? 0;
  const last = edits.reduce((end, { span }) => Math.max(end, span.end), first);
  const from = linesUp(text, first);
  const to = linesDown(text, last);
  let after = "";
  let at = from;
  for (const { span, text: put } of edits) {
    after += text.slice(at, span.start) + put;
    at = span.end;
  }
  const shown = (part: string) => toReadable(maskFile({ ...file, text: part }));
  return { before: shown(text.slice(from, to)), after: shown(after + text.slice(at, to)) };
}

/** Returns the start of a line some lines further up that does not continue another. */
function linesUp(text: string, offset: number): number {
  let start = text.lastIndexOf("\n", offset - 1) + 1;
  for (
    let count = 0;
    start > 0 && (count < AROUND || /\\\r?\n$/.test(text.slice(Math.max(0, start - 3), start)));
    count++
  )
    start = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  return start;
}

function linesDown(text: string, offset: number): number {
  let end = offset;
  for (let count = 0; count <= AROUND; count++) {
    const lineFeed = text.indexOf("\n", end);
    if (lineFeed < 0) return text.length;
    end = lineFeed + 1;
  }
  return end;
}
