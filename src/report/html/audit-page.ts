import type { Directive } from "../../config/model/directive.js";
import { nameRelease } from "../../facts/release.js";
import type { OutsideScope } from "../../proof/audit/outside-model.js";
import { probeOutcomes, type SensitiveProbe } from "../../proof/audit/sensitive-probes.js";
import { namesOfPairs } from "../../proof/compare/summary.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount } from "../../text/words.js";
import { formatAlikeHosts } from "../comparisons/alike-hosts.js";
import {
  type AuditReport,
  countPaths,
  describeNoScopes,
  effectTitles,
  formatAnswer,
  formatAuditFindings,
  formatAuditTitle,
  formatForwardTarget,
  formatProbeCounts,
  formatProbeHosts,
  groupOutsideServers,
  listCountColumns,
  listScopeRemarks,
  type OutsideGroup,
  outcomeNames,
} from "../comparisons/audit-words.js";
import { describeFailure } from "../text/failure-words.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { renderDocument } from "./document.js";
import { formatPlainLine, formatPlainText, renderAssumptions, renderExcerpt, renderMessage } from "./excerpts.js";
import { renderFindingPieces } from "./findings.js";
import { type Content, type Html, html } from "./html.js";
import { renderUnproved } from "./map-page.js";

/** An outside view to be rendered as a page. */
export interface AuditPageInput {
  readonly report: AuditReport;
  /** The directory that paths are relative to. */
  readonly base: string;
  /** The subject of the audit, as shown on the page. */
  readonly entry: string;
  /** Returns the text of a rule's page, as Markdown. */
  readonly rulePageOf: (rule: string) => string | undefined;
}

/**
 * Renders an outside view as a self-contained page without a script: an overview, then each row with its request, the
 * answer and the deciding lines.
 */
export function* renderAuditPage({ report, base, entry, rulePageOf }: AuditPageInput): Generator<string> {
  const { release, view, findings, rules } = report;
  const { head, tail } = renderDocument({ title: `Outside view: ${formatPlainText(entry)}` });
  const places = new PlaceResolver(base);
  const groups = groupOutsideServers(view.servers);
  yield head;
  yield `${html`<a class="skip" href="#servers">Skip to the servers</a>
<header><h1>${formatAuditTitle(report)}</h1><p class="lead"><code>${formatPlainText(entry)}</code>: anonymous clients with a public address, ${nameRelease(release)}</p></header>
<main>${renderStartup(report)}${renderOverview(report, groups)}
<section id="servers" tabindex="-1" aria-label="Servers">`}`;
  for (const group of groups) yield renderGroup(group, places).toString();
  yield "</section>\n";
  yield renderProbes(report.probes, places).toString();
  yield html`<section aria-labelledby="findings"><h2 id="findings">Findings of exposure and TLS</h2><p class="quiet">${formatAuditFindings(report)}</p></section>\n`.toString();
  for (const piece of renderFindingPieces({ findings, rules, base, rulePageOf })) yield piece.toString();
  yield `${html`${renderUnproved(view.unknown, places)}`}</main>\n`;
  yield tail;
}

function renderStartup({ startup, release, assumptions }: AuditReport): Content {
  const [first] = startup;
  if (first === undefined) return undefined;
  return html`<section class="card wrong error"><h2 class="first">${release} ${describeFailure(first)} with this configuration</h2><p>The report ignores the rejected lines.${renderAssumptions(" It", assumptions)}</p><p>${renderMessage(first.message)}</p></section>`;
}

/** Renders the number of path classes with each effect by host, and the other results in a sentence each. */
function renderOverview(report: AuditReport, groups: readonly OutsideGroup[]): Html {
  const { unreachable, unknown } = report.view;
  const columns = listCountColumns(groups);
  const row = (group: OutsideGroup) => {
    const { title, same, renamed } = group;
    const more = same.length + renamed.length;
    const cells = columns.map(({ countOf }) => html`<td>${countOf(group)}</td>`);
    return html`<tr><th scope="row">${formatPlainText(title)}${more > 0 ? ` and ${more} more` : ""}</th>${cells}</tr>`;
  };
  const kinds = columns.map((column) => html`<th scope="col">${column.title}</th>`);
  return html`<section aria-labelledby="overview"><h2 id="overview">Overview</h2>
<div class="table" tabindex="0" role="region" aria-label="Groups of paths by host"><table><thead><tr><th scope="col">Groups of paths by host</th>${kinds}</tr></thead><tbody>${groups.map(row)}</tbody></table></div>
${unreachable.length > 0 ? html`<p>Not reachable from outside: ${formatPlainText(namesOfPairs(unreachable).join(", "))}</p>` : undefined}
<p>Sensitive paths: ${formatProbeCounts(report)}</p><p>Findings: ${formatAuditFindings(report)}</p>${unknown.length > 0 ? html`<p>Unknown parts: ${unknown.length}</p>` : undefined}</section>`;
}

function renderGroup({ server, title, same, renamed }: OutsideGroup, places: PlaceResolver): Html {
  const alike = formatAlikeHosts({ same, renamed }, true).map(
    (each) => html`<p class="quiet">Same for ${renderMessage(each)}</p>`,
  );
  return html`<h2>${formatPlainText(title)}</h2>${alike}
${server.scopes.length === 0 ? html`<p class="quiet">${describeNoScopes(server)}</p>` : undefined}${server.scopes.map((scope) => renderScope(scope, places))}`;
}

function renderScope(scope: OutsideScope, places: PlaceResolver): Html {
  const { effect, examples, sections, answer } = scope;
  const [first = "", ...others] = examples.map((path) => formatPlainText(path));
  const more = others.length > 0 ? html` <span class="quiet">and ${others.length} more</span>` : undefined;
  const remarks = listScopeRemarks(scope).map((remark) => html`<p class="meta">${renderMessage(remark)}</p>`);
  const names = sections.map((section) => html` <code>${formatPlainLine(formatLine(section))}</code>`);
  return html`<details class="card"><summary><h3 class="inline"><span class="badge ${effect === "protected" ? "allowed" : "warning"}">${effectTitles[effect]}</span> ${formatForwardTarget(scope)}<span class="path">${first}</span>${more}</h3></summary>
<p>${renderMessage(formatAnswer(answer))}</p>${remarks}${names.length > 0 ? html`<p class="meta">Sections:${names}</p>` : undefined}${renderLines(answer.decidedBy, places)}</details>
`;
}

/** Renders the deciding lines, each with its place and its context. */
function renderLines(lines: readonly Directive[], places: PlaceResolver): Content {
  return lines.map(({ span }) => {
    const place = places.place(span);
    return html`<p class="meta">${makeVisible(places.path(place.file))}:${place.line.number}</p>${renderExcerpt(place, 1)}`;
  });
}

function renderProbes(probes: readonly SensitiveProbe[], places: PlaceResolver): Html {
  const parts = probeOutcomes.flatMap((outcome) => {
    const all = probes.filter((each) => each.outcome === outcome);
    if (all.length === 0) return [];
    return [
      html`<h3>${formatCount(countPaths(all), "path")}: ${outcomeNames[outcome]}</h3>${all.map((probe) => renderProbe(probe, places))}`,
    ];
  });
  return html`<section aria-labelledby="paths"><h2 id="paths">Sensitive paths</h2>
${parts}</section>
`;
}

function renderProbe(probe: SensitiveProbe, places: PlaceResolver): Html {
  const { path, outcome, decidedBy, unknown } = probe;
  const kind = outcome === "exposed" || outcome === "error" ? "error" : outcome === "unknown" ? "unknown" : "info";
  const hosts = formatProbeHosts(probe, true);
  return html`<details class="card"><summary><span class="badge ${kind}">${outcomeNames[outcome]}</span> <span class="path">${formatPlainText(path)}</span></summary>
<p>${renderMessage(formatAnswer(probe))}</p>${hosts === "" ? undefined : html`<p class="meta">${renderMessage(`Same answer${hosts}`)}</p>`}${unknown.map((each) => html`<p class="meta">${renderMessage(`Depends on ${each}`)}</p>`)}${renderLines(decidedBy, places)}</details>
`;
}
