import { allRules, defaultRules } from "../../../rules/index.js";
import type { Finding, Fix } from "../../lint/finding.js";
import { lint, ProofRecorder } from "../../lint/runner/lint.js";
import { type RenderedFinding, type RenderedRelated, renderFinding } from "../../report/findings/rendered-finding.js";
import { renderMessage } from "../../report/html/excerpts.js";
import { renderFindingPieces, renderSeverityBadge } from "../../report/html/findings.js";
import { type Html, html } from "../../report/html/html.js";
import { PlaceResolver } from "../../report/text/source-places.js";
import { makeVisible } from "../../report/text/visible-text.js";
import { memoize } from "../../text/memoize.js";
import { fromReadable, type SourceFile, toReadable } from "../../text/source.js";
import {
  type CheckTask,
  type FileEdit,
  type PlaygroundAnswer,
  type PlaygroundConfiguration,
  type PlaygroundFinding,
  type PlaygroundFix,
  targetReleaseOf,
  upgradedReleaseOf,
} from "./messages.js";
import { loadConfiguration } from "./workbench.js";

/** Limit of the findings in the tab; a browser needs seconds for the layout of thousands. */
const MAX_LISTED = 300;

const ruleIds = allRules.map(({ id }) => id);

/** Checks a configuration for the editor and the tab of findings. */
export function checkConfiguration({ configuration, version, isProved }: CheckTask): PlaygroundAnswer {
  const loaded = loadConfiguration(configuration, { release: targetReleaseOf(version) });
  if (!loaded.ok) return { kind: "failed", html: loaded.error.toString() };
  const from = upgradedReleaseOf(version);
  const before = () => {
    const old = loadConfiguration(configuration, { release: from ?? "2.2" });
    return old.ok ? old.value : undefined;
  };
  const recorder = new ProofRecorder();
  const { findings } = lint(loaded.value, {
    rules: defaultRules,
    ruleIds,
    omitsRoutine: true,
    ...(from === undefined ? {} : { from, before }),
    ...(isProved ? {} : { proofs: recorder }),
  });
  const places = new PlaceResolver(undefined);
  return {
    kind: "findings",
    findings: findings.map((finding) => toPlaygroundFinding(finding, places, configuration)),
    html: renderListedFindings(findings),
    needsProofs: recorder.wereRequested,
  };
}

function renderListedFindings(findings: readonly Finding[]): string {
  const listed = [...renderFindingPieces({ findings: findings.slice(0, MAX_LISTED), rules: defaultRules })];
  const more = findings.length - MAX_LISTED;
  return html`${more > 0 ? html`<p>The first ${MAX_LISTED} findings are listed, but the editor marks all.</p>` : undefined}${listed}`.toString();
}

function toPlaygroundFinding(
  finding: Finding,
  places: PlaceResolver,
  { files }: PlaygroundConfiguration,
): PlaygroundFinding {
  const rendered = renderFinding(finding, places);
  const { place, isAboutServer, severity, rule, message, fix } = rendered;
  const units = unitMapperOf(place.file);
  const edits = fix && toFileEdits(fix);
  return {
    path: place.file.realPath,
    line: places.start(place).line,
    from: units(place.start),
    to: units(place.end),
    hasMarker: !isAboutServer && !("macro" in place.file) && files[place.file.realPath] !== undefined,
    severity,
    rule,
    message: makeVisible(message),
    hover: renderHover(rendered, places).toString(),
    ...(fix && edits
      ? { fix: { title: `${makeVisible(fix.title)} (${fix.safety})`, edits } satisfies PlaygroundFix }
      : {}),
  };
}

/** Returns the edits of a fix; undefined if the editor cannot represent one. */
function toFileEdits({ edits }: Fix): readonly FileEdit[] | undefined {
  const isPossible = edits.every(
    ({ span, text }) => !("macro" in span.file) && fromReadable(toReadable(text)) === text,
  );
  if (!isPossible) return undefined;
  return edits.map(({ span, text }) => {
    const units = unitMapperOf(span.file);
    return { path: span.file.realPath, from: units(span.start), to: units(span.end), insert: toReadable(text) };
  });
}

function renderHover(finding: RenderedFinding, places: PlaceResolver): Html {
  const { severity, rule, message, label, related, notes, help, place } = finding;
  const relatedItem = (each: RenderedRelated) => {
    const path = each.place.file === place.file ? "line " : `${makeVisible(places.path(each.place.file))}:`;
    return html`<li>${path}${places.start(each.place).line}: ${renderMessage(each.message)}</li>`;
  };
  return html`<div class="hover"><p>${renderSeverityBadge(severity, severity)} ${makeVisible(rule)}</p>
<p><strong>${renderMessage(message)}</strong></p>
${label === "" ? undefined : html`<p>${renderMessage(label)}</p>`}
${related.length === 0 ? undefined : html`<ul>${related.map(relatedItem)}</ul>`}
${notes.map((note) => html`<p>Note: ${renderMessage(note)}</p>`)}
${help.map((advice) => html`<p>Help: ${renderMessage(advice)}</p>`)}</div>`;
}

/** Returns the function that converts byte offsets of a file to UTF-16 offsets. */
const unitMapperOf = memoize(({ text }: SourceFile): ((offset: number) => number) => {
  if (toReadable(text) === text) return (offset) => offset;
  const units = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    const byte = text.charCodeAt(at);
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    units[at + 1] = (units[at] ?? 0) + (isContinuation ? 0 : byte >= 0xf0 ? 2 : 1);
  }
  return (offset) => units[offset] ?? 0;
});
