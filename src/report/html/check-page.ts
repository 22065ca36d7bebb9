import { severities } from "../../lint/finding.js";
import { formatCount, formatNumber } from "../../text/words.js";
import { countBySeverity, type ReportInput } from "../findings/rendered-finding.js";
import { formatSuppressedCounts } from "../findings/suppressed-counts.js";
import { formatFixableCounts } from "../findings/text.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { renderDocument } from "./document.js";
import { formatSeverityCount, renderFindingPieces, renderSeverityBadge } from "./findings.js";
import { type Html, html } from "./html.js";

/** Renders findings as a self-contained page: by file, with source context, fixes, and the rules' own pages. */
export function* renderCheckPage(input: ReportInput): Generator<string> {
  const { findings, script } = input;
  const { head, tail } = renderDocument({ title: titleOf(input), ...(script === undefined ? {} : { script }) });
  yield head;
  yield renderHeader(input).toString();
  if (findings.length > 0 && script !== undefined) yield renderFilters(input).toString();
  yield '<main id="findings">\n';
  for (const piece of renderFindingPieces(input)) yield piece.toString();
  yield "</main>\n";
  yield tail;
}

function titleOf({ findings }: ReportInput): string {
  return findings.length === 0 ? "No findings" : formatCount(findings.length, "finding");
}

function renderHeader(input: ReportInput): Html {
  const { findings, ignored, files, lines, version } = input;
  const count = countBySeverity(findings);
  const read = `${formatCount(files, "file")}, ${formatCount(lines, "line")}`;
  const shown = severities.filter((severity) => count[severity] > 0);
  return html`<header><h1>${titleOf(input)}</h1>
<p class="lead">in ${read}${formatFixableCounts(findings)}${formatSuppressedCounts(ignored)}, by httpd-lint ${version}</p>
<p class="tally">${shown.map((severity) => html`${renderSeverityBadge(severity, `${formatNumber(count[severity])} ${formatSeverityCount(severity, count[severity])}`)} `)}</p></header>
`;
}

/** Renders the controls for the script's filters; hidden without the script, which shows everything. */
function renderFilters({ findings, base }: ReportInput): Html {
  const places = new PlaceResolver(base);
  const present = severities.filter((severity) => findings.some((each) => each.severity === severity));
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const files = [...new Set(findings.map(({ span }) => makeVisible(places.path(span.file))))];
  const option = (name: string) => html`<option>${name}</option>`;
  const choice = (id: string, label: string, all: string, names: readonly string[]) =>
    html`<div><label class="over" for="${id}">${label}</label><select id="${id}"><option value="">${all}</option>${names.map(option)}</select></div>`;
  return html`<form id="filters" class="filters" role="search" aria-label="Filter findings" hidden>
<fieldset><legend>Severity</legend><div class="checks">${present.map(
    (severity) => html`<label><input type="checkbox" name="severity" value="${severity}" checked>${severity}</label>`,
  )}</div></fieldset>
${choice("rule", "Rule", "All rules", rules)}
${choice("file", "File", "All files", files)}
<div><label class="over" for="text">Text</label><input id="text" type="search" autocomplete="off" spellcheck="false"></div>
<output id="shown" class="quiet wide" for="rule file text">All ${formatNumber(findings.length)} findings are shown</output>
</form>
`;
}
