import type { Severity } from "../../lint/finding.js";
import { describeRequest } from "../../server/model/request.js";
import {
  type RenderedFinding,
  type RenderedRelated,
  type ReportInput,
  renderFinding,
} from "../findings/rendered-finding.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { renderFixDiff } from "./diff.js";
import { anchorNameOf } from "./document.js";
import { renderExcerpt, renderMessage } from "./excerpts.js";
import { type Content, type Html, html } from "./html.js";
import { renderRulePage } from "./rule-page.js";

/** The findings shown in a page: by file, followed by the rules that found them. */
export type FindingsInput = Pick<ReportInput, "findings" | "rules" | "base" | "rulePageOf">;

/** Yields the findings file by file, and the descriptions of their rules. */
export function* renderFindingPieces(input: FindingsInput): Generator<Html> {
  const places = new PlaceResolver(input.base);
  let pieces: Html[] = [];
  let path = "";
  for (const finding of input.findings) {
    const shownPath = makeVisible(places.path(finding.span.file));
    if (shownPath !== path && pieces.length > 0) yield renderFileSection(path, pieces);
    if (shownPath !== path) pieces = [];
    path = shownPath;
    pieces.push(renderFindingArticle(renderFinding(finding, places), places, { isAlone: false }));
  }
  if (pieces.length > 0) yield renderFileSection(path, pieces);
  yield html`${renderRules(input)}`;
}

function renderFileSection(path: string, findings: readonly Html[]): Html {
  return html`<section class="file" aria-label="${path}"><h2 class="path">${path}</h2>
${findings}</section>
`;
}

/** Returns the name of a severity for a count. */
export function formatSeverityCount(severity: Severity, count: number): string {
  return severity === "info" || count === 1 ? severity : `${severity}s`;
}

const signs: Readonly<Record<Severity, string>> = { error: "✕", warning: "▲", info: "i" };

/** Renders a severity as a word and a sign. */
export function renderSeverityBadge(severity: Severity, text: string): Html {
  return html`<span class="badge ${severity}"><span aria-hidden="true">${signs[severity]} </span>${text}</span>`;
}

/**
 * Renders a finding with its line, notes, help and fix.
 *
 * @param isAlone whether neither a heading names its file nor a section describes its rule
 */
export function renderFindingArticle(
  finding: RenderedFinding,
  places: PlaceResolver,
  { isAlone }: { readonly isAlone: boolean },
): Html {
  const { rule, severity, message, place, label, related, notes, help, isAboutServer, fix, witness } = finding;
  const { line, column } = places.start(place);
  const path = makeVisible(places.path(place.file));
  const where = isAlone ? `${path}:${line}:${column}` : `line ${line}, column ${column}`;
  const name = isAlone
    ? html`<span class="meta">${makeVisible(rule)}</span>`
    : html`<a href="#${anchorNameOf("rule", rule)}">${makeVisible(rule)}</a>`;
  return html`<article class="card finding ${severity}" data-severity="${severity}" data-rule="${rule}" data-file="${path}">
<div class="top">${renderSeverityBadge(severity, severity)}<span class="meta">${isAboutServer ? "the server" : where}</span>${name}</div>
<h3>${renderMessage(message)}</h3>
${isAboutServer ? undefined : renderExcerpt(place)}
${label === "" || isAboutServer ? undefined : html`<p class="meta">${renderMessage(label)}</p>`}
${renderRelatedList(related, path, places)}
${notes.map((note) => html`<p class="meta">Note: ${renderMessage(note)}</p>`)}
${help.map((advice) => html`<p class="meta">Help: ${renderMessage(advice)}</p>`)}
${witness ? html`<p class="meta">Example request: ${renderMessage(describeRequest(witness.request))}</p>` : undefined}
${fix ? html`<details class="more-of"><summary>Fix: ${renderMessage(fix.title)} (${fix.safety})</summary>${renderFixDiff(fix, places)}</details>` : undefined}
</article>
`;
}

function renderRelatedList(related: readonly RenderedRelated[], path: string, places: PlaceResolver): Content {
  if (related.length === 0) return undefined;
  const item = ({ message, place }: RenderedRelated) => {
    const own = makeVisible(places.path(place.file));
    const where = `${own === path ? "line " : `${own}:`}${places.start(place).line}`;
    return html`<li><span class="meta">${where}</span> ${renderMessage(message)}${renderExcerpt(place, 0)}</li>`;
  };
  return html`<ul class="related">${related.map(item)}</ul>`;
}

/** Renders the descriptions of the rules with findings. */
function renderRules({ findings, rules, rulePageOf }: FindingsInput): Content {
  const found = new Set(findings.map(({ rule }) => rule));
  const listedRules = rules.filter(({ id }) => found.has(id));
  if (listedRules.length === 0) return undefined;
  const anchorOf = (id: string) => (found.has(id) ? anchorNameOf("rule", id) : undefined);
  const item = ({ id, title, description }: (typeof listedRules)[number]) => {
    const page = rulePageOf?.(id);
    const body = page === undefined ? html`<p>${renderMessage(description)}</p>` : renderRulePage(page, anchorOf);
    return html`<details class="card"><summary><h3 class="inline">${makeVisible(title)}</h3> <span class="quiet">${makeVisible(id)}</span></summary><div id="${anchorNameOf("rule", id)}" tabindex="-1">${body}</div></details>`;
  };
  return html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2>${listedRules.map(item)}</section>`;
}
