import type { Finding } from "../../lint/finding.js";
import { type Span, toReadable } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import type {
  Block,
  BlockReport,
  CountRow,
  DifferenceBlock,
  FailureBlock,
  Item,
  ScopeRow,
  ServerBlock,
  SideAnswer,
  TonedText,
  VersionBlock,
} from "../blocks/block.js";
import { renderFinding } from "../findings/rendered-finding.js";
import { MAX_SIMILAR } from "../findings/similar-findings.js";
import { maskFile } from "../secrets/redaction.js";
import { describeFailure } from "../text/failure-words.js";
import type { PlaceResolver } from "../text/source-places.js";
import { ALL_SHOWN } from "../text/text-printer.js";
import { makeVisible } from "../text/visible-text.js";
import { renderLineDiff } from "./diff.js";
import { anchorNameOf, renderDocument } from "./document.js";
import { formatPlainText, renderExcerpt, renderMessage } from "./excerpts.js";
import { renderFindingArticle, renderSeverityBadge } from "./findings.js";
import { type Content, type Html, html } from "./html.js";

/**
 * Renders blocks as a self-contained page without a script.
 *
 * @param version the version of httpd-lint
 */
export function* renderBlocksPage(report: BlockReport, places: PlaceResolver, version: string): Generator<string> {
  const { title, subject, blocks } = report;
  const { head, tail } = renderDocument({ title: `${title}: ${formatPlainText(subject)}`, style });
  const layout = new HtmlLayout(places);
  yield head;
  yield html`<header><h1>${title}</h1><p class="lead"><code>${formatPlainText(subject)}</code>, by httpd-lint ${version}</p></header>
<main>
`.toString();
  for (const block of blocks) yield layout.block(block).toString();
  yield "</main>\n";
  yield tail;
}

/** Renders blocks as pieces of a page. */
class HtmlLayout {
  constructor(private readonly places: PlaceResolver) {}

  block(block: Block): Html {
    switch (block.kind) {
      case "counts":
        return html`<div class="card"><table class="counts"><tbody>${block.rows.map(renderCountRow)}</tbody></table></div>\n`;
      case "difference":
        return this.difference(block);
      case "failure":
        return this.failure(block);
      case "finding":
        return renderFindingArticle(renderFinding(block.finding, this.places), this.places, { isAlone: true });
      case "heading":
        return renderHeading(block.level, block.text, block.suffix);
      case "items":
        return html`<ul class="items">${block.items.map((item) => this.item(item))}</ul>\n`;
      case "logged": {
        const request = block.request === "" ? undefined : html`${renderMessage(block.request)}: `;
        const { text, tone } = block.result;
        return html`<p class="${toneClasses[tone]}"><span class="meta">line ${block.line}:</span> ${request}${renderMessage(text)}</p>\n`;
      }
      case "paragraph":
        return block.isNote ? renderNote(block.text) : html`<p>${renderMessage(block.text)}</p>\n`;
      case "patch":
        return renderPatch(block.path, block.before, block.after);
      case "server":
        return renderServer(block);
      case "similar":
        return this.similar(block.findings);
      case "space":
        return html``;
      case "verdict":
        return html`<p class="card verdict">${renderBadge({ text: block.verdict, tone: block.tone })} ${renderMessage(block.text)}</p>\n`;
      case "version":
        return this.version(block);
    }
  }

  private failure({ title, reasons, notes }: FailureBlock): Html {
    const [first] = reasons;
    if (first === undefined) return html``;
    const which = reasons.length > 1 ? ` (first of ${formatNumber(reasons.length)} reasons)` : "";
    return html`<section class="card wrong error"><h2 class="first">${formatPlainText(title)} ${describeFailure(first)}${which}</h2>
<p>${this.where(first.span)} ${renderMessage(first.message)}</p>${renderExcerpt(this.places.place(first.span), 1)}${notes.map(renderNote)}</section>
`;
  }

  private item({ label, span, text, details = [], notes = [], help = [] }: Item): Html {
    return html`<li>${label === undefined ? undefined : html`<span class="meta">${label}:</span> `}${span ? html`${this.where(span)} ` : undefined}${renderMessage(text)}${details.map((each) => html`<br>${renderMessage(each)}`)}${notes.map((each) => html`<p class="meta">Note: ${renderMessage(each)}</p>`)}${help.map((each) => html`<p class="meta">Help: ${renderMessage(each)}</p>`)}</li>
`;
  }

  private similar(findings: readonly Finding[]): Html {
    const rows = findings.slice(0, MAX_SIMILAR).map((each) => {
      const { rule, severity, message, span } = renderFinding(each, this.places);
      return html`<li>${renderSeverityBadge(severity, severity)} ${this.where(span)} ${renderMessage(message)} <span class="meta">${makeVisible(rule)}</span></li>\n`;
    });
    const left = findings.length - rows.length;
    const more = left > 0 ? html`<li class="more">and ${formatNumber(left)} more (${ALL_SHOWN})</li>` : undefined;
    return html`<div class="card"><h3>Same advice for</h3><ul class="items">${rows}${more}</ul></div>\n`;
  }

  private difference({ label, change, request, answers, hosts, groups, moreGroups, alike }: DifferenceBlock): Html {
    const [before, after] = change;
    return html`<article class="card difference"><h3>${formatPlainText(label)} ${renderBadge(before)} ${"→"} ${renderBadge(after)} ${renderMessage(request)}</h3>
${this.sides(answers)}${hosts === "" ? undefined : html`<p class="meta">Hosts: ${renderMessage(hosts)}</p>`}<h4>Affects</h4><ul class="items">${groups.map(
      ({ clients, paths, morePaths }) =>
        html`<li>${renderMessage(clients)}<ul>${paths.map((path) => html`<li>${renderMessage(path)}</li>`)}${renderMore(morePaths)}</ul></li>
`,
    )}${renderMore(moreGroups)}</ul>${alike.map((each) => html`<p class="meta">Same for ${renderMessage(each)}</p>`)}</article>
`;
  }

  private version({ changes, request, answers, notes }: VersionBlock): Html {
    return html`<article class="card">${changes.map(({ version, text }) => html`<h3>${version}: ${renderMessage(text)}</h3>`)}${request === undefined ? undefined : html`<p>${renderMessage(request)}</p>`}${answers.length > 0 ? this.sides(answers) : undefined}${notes.map(renderNote)}</article>
`;
  }

  private sides(answers: readonly SideAnswer[]): Html {
    return html`<div class="sides">${answers.map(
      ({ title, status, suffix, lines }) =>
        html`<div class="side"><h4>${formatPlainText(title)}</h4><p>${renderBadge(status)}${renderMessage(suffix)}</p>${lines.map(({ span, text }) => html`<p>${this.where(span)} ${renderMessage(text)}</p>`)}</div>`,
    )}</div>
`;
  }

  private where(span: Span): Html {
    return html`<span class="meta">${makeVisible(this.places.format(span))}</span>`;
  }
}

/** Renders a note as the notes of findings: with a capital letter. */
function renderNote(text: string): Html {
  return html`<p class="meta">${renderMessage(text.charAt(0).toUpperCase() + text.slice(1))}</p>\n`;
}

function renderCountRow({ count, text, tone, isPart }: CountRow): Html {
  const name = isPart && count > 0 ? html`<a href="#${anchorNameOf("part", text)}">${text}</a>` : text;
  return html`<tr><td class="count ${isPart ? toneClasses[tone] : ""}">${formatNumber(count)}</td><th scope="row">${name}</th></tr>`;
}

function renderHeading(level: "part" | "list", text: string, suffix = ""): Html {
  if (level === "list") return html`<h3 class="list">${text}</h3>\n`;
  const count = suffix === "" ? undefined : html` <span class="quiet">${suffix}</span>`;
  return html`<h2 id="${anchorNameOf("part", text)}">${text}${count}</h2>\n`;
}

/** Renders a change of a file with its secrets masked. */
function renderPatch(path: string, before: string, after: string): Html {
  const shown = (text: string) => toReadable(maskFile({ path, realPath: path, text }));
  return html`<section aria-label="${formatPlainText(path)}"><h3 class="path">${formatPlainText(path)}</h3>${renderLineDiff(shown(before), shown(after))}</section>\n`;
}

function renderServer({ title, releases, rows, alike }: ServerBlock): Html {
  const columns = releases.map((release) => html`<th scope="col">${release}</th>`);
  const head = html`<tr><th scope="col">Paths</th><th scope="col">Sections</th>${columns}</tr>`;
  return html`<h3 class="list">${formatPlainText(title)}</h3>
<div class="table" tabindex="0" role="region" aria-label="Access: ${formatPlainText(title)}"><table><thead>${head}</thead><tbody>${rows.map((row) => renderScope(row, releases.length))}</tbody></table></div>
${alike.map((each) => html`<p class="meta">Same for ${renderMessage(each)}</p>`)}`;
}

function renderScope({ paths, sections, access, differs, isUnsure, same }: ScopeRow, count: number): Html {
  const span = differs ? undefined : html` colspan="${count}"`;
  const unsure = isUnsure ? "Not fully known (see Unknown); as far as known: " : "";
  const cells = access.map(
    (each) => html`<td${span}${differs ? html` class="differs"` : undefined}>${unsure}${renderMessage(each)}</td>`,
  );
  const also = same === "" ? undefined : html`<p class="meta">${renderMessage(same)}</p>`;
  return html`<tr><th scope="row">${renderMessage(paths)}${also}</th><td>${renderMessage(sections)}</td>${cells}</tr>\n`;
}

function renderMore(text: string | undefined): Content {
  return text === undefined ? undefined : html`<li class="more">${text}</li>`;
}

function renderBadge({ text, tone }: TonedText): Html {
  return html`<span class="badge ${toneClasses[tone]}">${text}</span>`;
}

/** The classes of `document.ts` for tones. */
const toneClasses = { good: "allowed", bad: "error", caution: "warning", neutral: "info" } as const;

/** The style of these pages besides that of all pages. Paper shows what a screen unfolds. */
const style = `
h3.list { margin: 1.5rem 0 .5rem; }
table.counts { font-size: 1rem; }
table.counts td, table.counts th { border: 0; font-weight: 400; }
table.counts td { text-align: right; font-weight: 650; font-variant-numeric: tabular-nums; }
td.count.allowed { color: var(--good); } td.count.error { color: var(--error); } td.count.warning { color: var(--warning); } td.count.info { color: var(--info); }
.items { padding-left: 1.3rem; margin: .5rem 0; }
.items ul { padding-left: 1.2rem; }
.items li { margin: .3rem 0; }
.verdict { font-weight: 550; margin-top: 1rem; }
tbody th { font-weight: 400; }
td.differs { border-left: .2rem solid var(--warning); }
.side h4 { margin: 0 0 .25rem; }
main > .card:first-child { margin-top: 1.75rem; }
@media print {
  body { padding: 0; font-size: .85rem; background: none; }
  table { overflow: visible; }
  .sides { grid-template-columns: 1fr 1fr; }
  .row, .badge, mark { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details::details-content { content-visibility: visible; height: auto; }
  h2, h3 { break-after: avoid; }
}
`;
