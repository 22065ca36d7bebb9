import { type Severity, severities } from "../../engine/finding.js";
import { requestText } from "../../scope/request-text.js";
import { countBySeverity, type WrittenFinding, type WrittenRelated, written } from "../findings.js";
import type { ReportInput } from "../input.js";
import { counted, thousands } from "../painter.js";
import { Places } from "../places.js";
import { visible } from "../visible.js";
import { fixDiff } from "./diff.js";
import { anchor, documentOf } from "./document.js";
import { frame } from "./frame.js";
import { type Content, type Html, html } from "./html.js";
import { rulePage } from "./rule-pages.js";
import { plain, words } from "./words.js";

/** Findings as a page that stands alone: by file, with the lines around, fixes, and the rules' own pages. */
export function* checkPage(input: ReportInput): Generator<string> {
  const { findings, script } = input;
  const { head, foot } = documentOf({ title: titleOf(input), ...(script === undefined ? {} : { script }) });
  yield head;
  yield header(input).toString();
  if (findings.length > 0 && script !== undefined) yield filters(input).toString();
  yield '<main id="findings">\n';
  const places = new Places(input.base);
  let last: string | undefined;
  for (const finding of findings) {
    const path = visible(places.path(finding.span.file));
    if (path !== last) {
      if (last !== undefined) yield "</section>\n";
      yield html`<section class="file" aria-label="${path}"><h2 class="path">${path}</h2>\n`.toString();
    }
    last = path;
    yield article(written(finding, places), places).toString();
  }
  if (last !== undefined) yield "</section>\n";
  yield html`${rulesOf(input)}</main>\n`.toString();
  yield foot;
}

function titleOf({ findings }: ReportInput): string {
  return findings.length === 0 ? "No findings" : counted(findings.length, "finding");
}

function header(input: ReportInput): Html {
  const { findings, ignored, files, lines, version } = input;
  const count = countBySeverity(findings);
  const read = `${counted(files, "file")}, ${counted(lines, "line")}`;
  const quiet = ignored.length === 0 ? "" : `; ${thousands(ignored.length)} ignored by comments`;
  const shown = severities.filter((severity) => count[severity] > 0);
  return html`<header><h1>${titleOf(input)}</h1>
<p class="lead">in ${read}${quiet}, by httpd-lint ${version}</p>
<p class="tally">${shown.map((severity) => html`${badge(severity, `${thousands(count[severity])} ${severityName(severity, count[severity])}`)} `)}</p></header>
`;
}

function severityName(severity: Severity, count: number): string {
  return severity === "info" || count === 1 ? severity : `${severity}s`;
}

const signs: Readonly<Record<Severity, string>> = { error: "✕", warning: "▲", info: "i" };

function badge(severity: Severity, text: string): Html {
  return html`<span class="badge ${severity}"><span aria-hidden="true">${signs[severity]} </span>${text}</span>`;
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

function article(finding: WrittenFinding, places: Places): Html {
  const { rule, severity, message, place, related, fix, witness } = finding;
  const { line, column } = places.start(place);
  const path = visible(places.path(place.file));
  return html`<article class="card finding ${severity}" data-severity="${severity}" data-rule="${rule}" data-file="${path}">
<div class="top">${badge(severity, severity)}<span class="meta">line ${line}, column ${column}</span><a href="#${anchor("rule", rule)}">${visible(rule)}</a></div>
<h3>${words(message)}</h3>
${frame(place)}
${relatedList(related, path, places)}
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
function rulesOf({ findings, rules, rulePageOf }: ReportInput): Content {
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
