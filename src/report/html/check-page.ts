import { severities } from "../../engine/finding.js";
import { countBySeverity } from "../findings.js";
import { quietWords } from "../ignored.js";
import type { ReportInput } from "../input.js";
import { counted, thousands } from "../painter.js";
import { Places } from "../places.js";
import { visible } from "../visible.js";
import { documentOf } from "./document.js";
import { badge, findingPieces, severityName } from "./findings-piece.js";
import { type Html, html } from "./html.js";

/** Findings as a page that stands alone: by file, with the lines around, fixes, and the rules' own pages. */
export function* checkPage(input: ReportInput): Generator<string> {
  const { findings, script } = input;
  const { head, foot } = documentOf({ title: titleOf(input), ...(script === undefined ? {} : { script }) });
  yield head;
  yield header(input).toString();
  if (findings.length > 0 && script !== undefined) yield filters(input).toString();
  yield '<main id="findings">\n';
  for (const piece of findingPieces(input)) yield piece.toString();
  yield "</main>\n";
  yield foot;
}

function titleOf({ findings }: ReportInput): string {
  return findings.length === 0 ? "No findings" : counted(findings.length, "finding");
}

function header(input: ReportInput): Html {
  const { findings, ignored, files, lines, version } = input;
  const count = countBySeverity(findings);
  const read = `${counted(files, "file")}, ${counted(lines, "line")}`;
  const shown = severities.filter((severity) => count[severity] > 0);
  return html`<header><h1>${titleOf(input)}</h1>
<p class="lead">in ${read}${quietWords(ignored)}, by httpd-lint ${version}</p>
<p class="tally">${shown.map((severity) => html`${badge(severity, `${thousands(count[severity])} ${severityName(severity, count[severity])}`)} `)}</p></header>
`;
}

/** What the script filters by; without it all is shown, and this is not. */
function filters({ findings, base }: ReportInput): Html {
  const places = new Places(base);
  const present = severities.filter((severity) => findings.some((each) => each.severity === severity));
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const files = [...new Set(findings.map(({ span }) => visible(places.path(span.file))))];
  const option = (name: string) => html`<option>${name}</option>`;
  const choice = (id: string, label: string, all: string, names: readonly string[]) =>
    html`<div><label class="over" for="${id}">${label}</label><select id="${id}"><option value="">${all}</option>${names.map(option)}</select></div>`;
  return html`<form id="filters" class="filters" role="search" aria-label="Findings to show" hidden>
<fieldset><legend>Severity</legend><div class="checks">${present.map(
    (severity) => html`<label><input type="checkbox" name="severity" value="${severity}" checked>${severity}</label>`,
  )}</div></fieldset>
${choice("rule", "Rule", "all rules", rules)}
${choice("file", "File", "all files", files)}
<div><label class="over" for="text">Text</label><input id="text" type="search" autocomplete="off" spellcheck="false"></div>
<output id="shown" class="quiet wide" for="rule file text">all ${thousands(findings.length)} are shown</output>
</form>
`;
}
