import type { Answer } from "../../server/model/answer.js";
import type { TraceStep } from "../../server/model/trace-step.js";
import { formatLine } from "../../server/trace/step.js";
import type { Span } from "../../text/source.js";
import { formatCount } from "../../text/words.js";
import {
  describeOtherAnswer,
  explainAnswer,
  formatCondition,
  formatTitle,
  stepRelationsOf,
  type TitledAnswer,
} from "../answers/answer-words.js";
import type { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";
import { formatPlainLine, formatPlainText, renderExcerpt, renderMessage } from "./excerpts.js";
import { type Content, type Html, html } from "./html.js";

/** More frames add little information. */
const MAX_FRAMES = 4;

/** Renders the response to a request, and the steps that led there. @param title the release that it applies to */
export function renderAnswer(answer: Answer, title: string, places: PlaceResolver): Html {
  const { trace, places: deciding } = answer;
  const more = deciding.length - MAX_FRAMES;
  return html`<section class="card answer" aria-label="Response of ${title}">
<h3><span>${title}</span>${renderAnswerBadge(answer)}</h3>
<p>${renderMessage(explainAnswer(answer))}</p>
${renderLogs(answer)}
${deciding.slice(0, MAX_FRAMES).map((span) => renderDecidingLine(span, places))}
${more > 0 ? html`<p class="more">and ${formatCount(more, "more line")}</p>` : undefined}
${renderAlternatives(answer, places)}${renderNotes(answer, places)}${renderOtherAnswer(answer)}
${trace.length === 0 ? undefined : html`<h4>Steps, in order; each section is merged with those before it</h4><ol class="trace">${trace.map((step) => renderStep(step, trace, places))}</ol>`}
</section>`;
}

/** Renders a short answer. */
function renderAnswerBadge(answer: TitledAnswer): Html {
  const { class: decided } = answer;
  const kind = decided === "allowed" || decided === "unknown" ? decided : `is-${decided}`;
  return html`<span class="badge ${kind}">${formatTitle(answer)}</span>`;
}

function renderLogs({ accessLog, errorLog, logsMayDiffer, unknown }: Answer): Html {
  const lines = [accessLog, ...errorLog].map((line) => html`<code>${formatPlainText(line)}</code><br>`);
  const more = logsMayDiffer && unknown.length === 0 ? "Other log lines are possible." : undefined;
  return html`<details class="more-of"><summary>Logs</summary><p>${lines}${more}</p></details>`;
}

function formatPlaceOf(span: Span, places: PlaceResolver): string {
  const place = places.place(span);
  return `${makeVisible(places.path(place.file))}:${places.start(place).line}`;
}

function renderDecidingLine(span: Span, places: PlaceResolver): Html {
  return html`<h4>${formatPlaceOf(span, places)} decides</h4>${renderExcerpt(places.place(span), 1)}`;
}

function renderAlternatives(answer: Answer, places: PlaceResolver): Content {
  if (answer.alternatives.length === 0) return undefined;
  const items = answer.alternatives.map((each) => {
    const by = each.decidedBy.map(({ span }) => formatPlaceOf(span, places));
    const when = each.when.map((condition) => html`<br>${renderMessage(formatCondition(condition))}`);
    return html`<li>${renderAnswerBadge(each)} <span class="quiet">${[...each.log, ...by].join(", ")}</span>${when}</li>`;
  });
  return html`<h4>Possible responses</h4><ul class="trace">${items}</ul>`;
}

function renderNotes({ notes: all }: Answer, places: PlaceResolver): Content {
  if (all.length === 0) return undefined;
  const items = all.map(
    ({ directive, text }) =>
      html`<li>${renderMessage(`\`${formatLine(directive)}\` ${text}`)} <span class="quiet">${formatPlaceOf(directive.span, places)}</span></li>`,
  );
  return html`<h4>Notes</h4><ul class="trace">${items}</ul>`;
}

function renderOtherAnswer(answer: Answer): Content {
  const { otherAnswer: other } = answer;
  if (other === undefined) return undefined;
  return html`<p>${describeOtherAnswer(answer).replace(/^the/, "The")}: ${renderAnswerBadge(other)}</p>`;
}

function renderStep(step: TraceStep, trace: readonly TraceStep[], places: PlaceResolver): Html {
  const { section, span, effect } = step;
  const relations = stepRelationsOf(step, trace).map((each) => html`<p>${renderMessage(each)}</p>`);
  return html`<li><p><code>${formatPlainLine(section)}</code> <span class="quiet">${formatPlaceOf(span, places)}</span></p><p>${renderMessage(effect)}</p>${relations}</li>`;
}
