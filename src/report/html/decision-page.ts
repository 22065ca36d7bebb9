import type { Decision, Verdict } from "../../simulate/decision.js";
import type { TraceStep } from "../../simulate/step.js";
import { lineText } from "../../simulate/written.js";
import type { Span } from "../../text/source.js";
import { reasonText, statusText } from "../decision-words.js";
import { counted } from "../painter.js";
import type { Places } from "../places.js";
import { relationsOf } from "../trace-words.js";
import { visible } from "../visible.js";
import { frame } from "./frame.js";
import { type Content, type Html, html } from "./html.js";
import { plain, plainLine, words } from "./words.js";

/** Frames beyond these say little more. */
const MOST_FRAMES = 4;

/** What a request gets, and how it came to that. @param title whose answer it is: a release */
export function answer(decision: Decision, title: string, places: Places): Html {
  const { trace, places: deciding } = decision;
  const more = deciding.length - MOST_FRAMES;
  return html`<section class="card answer" aria-label="the answer of ${title}">
<h3><span>${title}</span>${verdictBadge(decision)}</h3>
<p>${words(reasonText(decision))}</p>
${logs(decision)}
${deciding.slice(0, MOST_FRAMES).map((span) => decidingLine(span, places))}
${more > 0 ? html`<p class="more">and ${counted(more, "line")} more</p>` : undefined}
${alternatives(decision, places)}${notes(decision, places)}${otherReading(decision)}
${trace.length === 0 ? undefined : html`<h4>How it came to that, each section laid over those before it</h4><ol class="trace">${trace.map((step) => traced(step, trace, places))}</ol>`}
</section>`;
}

/** An answer in few words. */
function verdictBadge({ status, class: decided }: Pick<Verdict, "status" | "class">): Html {
  const kind = decided === "allowed" || decided === "unknown" ? decided : `is-${decided}`;
  return html`<span class="badge ${kind}">${status === undefined ? decided : statusText(status)}</span>`;
}

function logs({ accessLog, errorLog, logsMayDiffer, unknown }: Decision): Html {
  const lines = [accessLog, ...errorLog].map((line) => html`<code>${plain(line)}</code><br>`);
  const more =
    logsMayDiffer && unknown.length === 0 ? "Other lines may come into the logs, by what is not known." : undefined;
  return html`<details class="more-of"><summary>Logs</summary><p>${lines}${more}</p></details>`;
}

function where(span: Span, places: Places): string {
  const place = places.place(span);
  return `${visible(places.path(place.file))}:${places.start(place).line}`;
}

function decidingLine(span: Span, places: Places): Html {
  return html`<h4>${where(span, places)} decides</h4>${frame(places.place(span), 1)}`;
}

function alternatives(decision: Decision, places: Places): Content {
  if (decision.alternatives.length === 0) return undefined;
  const items = decision.alternatives.map((each) => {
    const by = each.decidedBy.map(({ span }) => where(span, places));
    const when = each.when.map(({ question, answer }) => html`<br>${words(question)}: ${answer ? "yes" : "no"}`);
    return html`<li>${verdictBadge(each)} <span class="quiet">${[...each.log, ...by].join(", ")}</span>${when}</li>`;
  });
  return html`<h4>It hangs on what is not known</h4><ul class="trace">${items}</ul>`;
}

function notes({ notes: all }: Decision, places: Places): Content {
  if (all.length === 0) return undefined;
  const items = all.map(
    ({ directive, text }) =>
      html`<li>${words(`\`${lineText(directive)}\` ${text}`)} <span class="quiet">${where(directive.span, places)}</span></li>`,
  );
  return html`<h4>Not followed</h4><ul class="trace">${items}</ul>`;
}

function otherReading({ otherReading: other, reading }: Decision): Content {
  if (other === undefined) return undefined;
  return html`<p>${reading === "server" ? "The upgrade guide says otherwise: " : "The server does otherwise: "}${verdictBadge(other)}</p>`;
}

function traced(step: TraceStep, trace: readonly TraceStep[], places: Places): Html {
  const { section, span, effect } = step;
  const relations = relationsOf(step, trace).map((each) => html`<p>${words(each)}</p>`);
  return html`<li><p><code>${plainLine(section)}</code> <span class="quiet">${where(span, places)}</span></p><p>${words(effect)}</p>${relations}</li>`;
}
