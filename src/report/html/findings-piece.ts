import type { Severity } from "../../engine/finding.js";
import { requestText } from "../../scope/request-text.js";
import { type WrittenFinding, type WrittenRelated, written } from "../findings.js";
import type { ReportInput } from "../input.js";
import { Places } from "../places.js";
import { visible } from "../visible.js";
import { fixDiff } from "./diff.js";
import { anchor } from "./document.js";
import { frame } from "./frame.js";
import { type Content, type Html, html } from "./html.js";
import { rulePage } from "./rule-pages.js";
import { plain, words } from "./words.js";

/** What is told of findings in a page: by file, and then the rules that found them. */
export type FindingsInput = Pick<ReportInput, "findings" | "rules" | "base" | "rulePageOf">;

/** Findings file by file, piece by piece, and what is to be known of their rules. */
export function* findingPieces(input: FindingsInput): Generator<Html> {
  const places = new Places(input.base);
  let pieces: Html[] = [];
  let path = "";
  for (const finding of input.findings) {
    const its = visible(places.path(finding.span.file));
    if (its !== path && pieces.length > 0) yield fileSection(path, pieces);
    if (its !== path) pieces = [];
    path = its;
    pieces.push(article(written(finding, places), places));
  }
  if (pieces.length > 0) yield fileSection(path, pieces);
  yield html`${rulesOf(input)}`;
}

function fileSection(path: string, findings: readonly Html[]): Html {
  return html`<section class="file" aria-label="${path}"><h2 class="path">${path}</h2>
${findings}</section>
`;
}

/** What so many findings of a severity are called. */
export function severityName(severity: Severity, count: number): string {
  return severity === "info" || count === 1 ? severity : `${severity}s`;
}

const signs: Readonly<Record<Severity, string>> = { error: "✕", warning: "▲", info: "i" };

/** A severity as a word and a sign. */
export function badge(severity: Severity, text: string): Html {
  return html`<span class="badge ${severity}"><span aria-hidden="true">${signs[severity]} </span>${text}</span>`;
}

function article(finding: WrittenFinding, places: Places): Html {
  const { rule, severity, message, place, related, notes, fix, witness } = finding;
  const { line, column } = places.start(place);
  const path = visible(places.path(place.file));
  return html`<article class="card finding ${severity}" data-severity="${severity}" data-rule="${rule}" data-file="${path}">
<div class="top">${badge(severity, severity)}<span class="meta">line ${line}, column ${column}</span><a href="#${anchor("rule", rule)}">${visible(rule)}</a></div>
<h3>${words(message)}</h3>
${frame(place)}
${relatedList(related, path, places)}
${notes.map((note) => html`<p class="meta">Note: ${words(note)}</p>`)}
${witness ? html`<p class="meta">A request that shows it: <code>${plain(requestText(witness.request))}</code></p>` : undefined}
${fix ? html`<details class="more-of"><summary>Fix: ${words(fix.title)} (${fix.safety})</summary>${fixDiff(fix, places)}</details>` : undefined}
</article>
`;
}

function relatedList(related: readonly WrittenRelated[], path: string, places: Places): Content {
  if (related.length === 0) return undefined;
  const item = ({ message, place }: WrittenRelated) => {
    const own = visible(places.path(place.file));
    const where = `${own === path ? "line " : `${own}:`}${places.start(place).line}`;
    return html`<li><span class="meta">${where}</span> ${words(message)}${frame(place, 0)}</li>`;
  };
  return html`<ul class="related">${related.map(item)}</ul>`;
}

/** What is to be known of the rules that found something. */
function rulesOf({ findings, rules, rulePageOf }: FindingsInput): Content {
  const found = new Set(findings.map(({ rule }) => rule));
  const told = rules.filter(({ id }) => found.has(id));
  if (told.length === 0) return undefined;
  const anchorOf = (id: string) => (found.has(id) ? anchor("rule", id) : undefined);
  const item = ({ id, title, description }: (typeof told)[number]) => {
    const page = rulePageOf?.(id);
    const body = page === undefined ? html`<p>${words(description)}</p>` : rulePage(page, anchorOf);
    return html`<details class="card"><summary><h3 class="inline">${visible(title)}</h3> <span class="quiet">${visible(id)}</span></summary><div id="${anchor("rule", id)}" tabindex="-1">${body}</div></details>`;
  };
  return html`<section aria-labelledby="rules"><h2 id="rules">The rules that found something</h2>${told.map(item)}</section>`;
}
